"""Guesses by name, and called guesses: the `name` rule.

A call of a member that could not be decided means the only method or class of that name in the language family,
provided that the file that defines it is imported, directly or through one more file, by the file that calls, or is the
same. What has several candidates, is called as a method of a builtin type is, is a use other than a call, or would be
a call of its own caller on another object, stays unresolved. Scripts see the top-level names of one another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from itertools import islice

from codemap.facts import SymbolFlag
from codemap.graph.build.bound_file import Bound, Span
from codemap.graph.build.patches import leaving
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.edges import BARE, BESIDE, CALLABLE_KINDS, EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.places import Place
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.mangled_names import mangle_held

_IMPORTS = int(EdgeKind.IMPORTS)


class Visibility:
    """Which files a file sees: itself, those that it imports, and those that they import; scripts see scripts."""

    def __init__(
        self,
        files: Sequence[IndexedFile],
        by_path: Mapping[str, IndexedFile],
        imports: Mapping[int, Set[str]],
        previous: Snapshot | None,
    ) -> None:
        """`imports` are the paths of the files that the ones just bound import, by number."""
        self._files = files
        self._by_path = by_path
        self._imports = imports
        self._previous = previous
        self._direct: dict[int, Set[int]] = {}

    def from_file(self, number: int) -> set[int]:
        return set().union(*(self._imported(direct) for direct in self._imported(number)))

    def _imported(self, number: int) -> Set[int]:
        known = self._direct.get(number)
        if known is None:
            paths, file = self._imports.get(number), self._files[number]
            if paths is None:
                assert self._previous is not None, "a file is bound, or was before"
                paths = imported_before(self._previous, self._previous.by_path[file.path])
            found = {self._by_path[path].number for path in paths if path in self._by_path} | {number}
            known = self._direct[number] = found | self._scripts if file.is_script else found
        return known

    @cached_property
    def _scripts(self) -> set[int]:
        return {file.number for file in self._files if file.is_script}


def imported_paths(files: Sequence[IndexedFile], bases: Sequence[int], bound: Bound) -> set[str]:
    """Paths of the files that a file just bound imports; `bases` are the nodes of the files."""
    found = set()
    for _, target, kind in bound.edges:
        if kind == _IMPORTS and isinstance(target, int):
            number = bisect_right(bases, target) - 1
            if bases[number] == target:
                found.add(files[number].path)
    return found


def undecided_names(bound: Bound) -> list[str]:
    """The names of a file's undecided uses, before they are guessed, in order."""
    return sorted({name for _, name, _ in (*bound.unresolved, *bound.unknown)})


def imported_before(previous: Snapshot, file: IndexedFile) -> set[str]:
    """Paths of the files that a file of the previous snapshot imported."""
    found = set()
    for _, target, kind, *_ in leaving(previous, file).tolist():
        if kind == EdgeKind.IMPORTS:
            imported = previous.file_of(target)
            if imported is not None and imported.base == target:
                found.add(imported.path)
    return found


class Answers:
    """What the undecided uses of many files could mean, found once for each name and kind of use."""

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions
        self._known: dict[tuple[str, str, int], tuple[Place, ...]] = {}

    def find(self, family: str, name: str, kind: int) -> tuple[Place, ...]:
        """The definitions that an undecided use could mean; of those of a call two at most, as more say nothing
        else."""
        key = family, name, kind
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._find(family, name, kind)
        return known

    def _find(self, family: str, name: str, kind: int) -> tuple[Place, ...]:
        definitions = self.definitions
        found = definitions.script_tops(family, name) if kind & BARE else definitions.members(family, name)
        if _is_call(kind):
            found = tuple(islice((place for place in found if definitions.kind_of(place) in CALLABLE_KINDS), 2))
        return found


def guess(answers: Answers, visible: Set[int], file: IndexedFile, bound: Bound) -> None:
    """Moves a file's guesses from `unresolved` to `edges`, and drops uses that no definition answers to.

    What is known to be one of several is no guess, and joins those that stay.
    """
    language = bound.file.language
    builtins = language.outside.builtin_members
    definitions = answers.definitions
    held = _find_held(answers, file.family, bound) if language.holds_functions else {}
    for key in list(bound.unresolved):
        source, name, kind = key
        found = answers.find(file.family, name, kind)
        if not found or _is_class(name, kind, language.class_of):
            del bound.unresolved[key]
        elif (
            len(found) == 1
            and _is_guess(definitions, found[0], kind)
            and found[0][0] in visible
            and name not in builtins
        ):
            target = definitions.node_of(found[0])
            if target != source:
                bound.add(source, target, EdgeKind.CALLS, Confidence.NAME, bound.unresolved.pop(key))
    for (source, name, form), spans in bound.unknown.items():
        kind = form & ~BESIDE
        found = answers.find(file.family, name, kind)
        if len(found) > bool(form & BESIDE) and not _is_class(name, kind, language.class_of):
            bound.unresolved.setdefault((source, name, kind), []).extend(spans)
    _add_other_names(definitions, file.family, bound)
    for (source, name), spans in held.items():
        bound.unresolved.setdefault((source, mangle_held(name), int(EdgeKind.CALLS)), []).extend(spans)
    for key, spans in bound.several.items():
        bound.unresolved.setdefault(key, []).extend(spans)


def _find_held(answers: Answers, family: str, bound: Bound) -> dict[tuple[int, str], list[Span]]:
    """The sites of undecided calls by owner and name, of members that can only be attributes which hold functions."""
    found: dict[tuple[int, str], list[Span]] = {}
    for (source, name, kind), spans in (*bound.unresolved.items(), *bound.unknown.items()):
        is_method = kind != EdgeKind.CALLS or bool(answers.find(family, name, kind))
        if not is_method and answers.definitions.has_attributes(family, name):
            found.setdefault((source, name), []).extend(spans)
    return found


def _add_other_names(definitions: Definitions, family: str, bound: Bound) -> None:
    """What may be a call by another name of a method may be a call of the method; an operator, which builtin values
    have, hardly is (`alias get []`)."""
    for (source, name, kind), spans in list(bound.unresolved.items()):
        if kind == EdgeKind.CALLS and (name[:1].isalpha() or name[:1] == "_"):
            for other in definitions.other_names(family, name):
                bound.unresolved.setdefault((source, other, kind), []).extend(spans)


def _is_guess(definitions: Definitions, place: Place, kind: int) -> bool:
    """Whether the only definition that a use could mean is guessed at; not another name of a method."""
    return _is_call(kind) and not definitions.flags_of(place) & SymbolFlag.ALIAS


def _is_class(name: str, kind: int, class_of: Set[str]) -> bool:
    """Whether a member is the class of the value that is asked for it, whatever else has the name."""
    return name in class_of and not kind & BARE


def _is_call(kind: int) -> bool:
    return kind & ~BARE == EdgeKind.CALLS
