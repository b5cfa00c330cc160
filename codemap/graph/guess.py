"""Guesses by name, and called guesses: the `name` rule.

A call of a member that could not be decided means the only method or class of that name in the language family,
provided that the file that defines it is imported, directly or through one more file, by the file that calls, or is the
same. What has several candidates, is a use other than a call, or would be a call of its own caller on another object,
stays unresolved.
"""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import Symbol
from codemap.graph.bind import Bound
from codemap.graph.edges import BARE, CALLABLE_KINDS, MEMBER_KINDS, EdgeKind
from codemap.graph.files import GraphFile
from codemap.graph.values import Confidence


def guess(files: list[GraphFile], bounds: list[Bound]) -> Iterator[None]:
    """Moves guesses from `unresolved` to `edges`, and drops unresolved uses that no definition answers to.

    Yields after each file.
    """
    members = _members(files)
    tops = _script_tops(files)
    visible = _visible(files, bounds)
    for file, bound in zip(files, bounds, strict=True):
        yield
        family = file.language.family
        for key in list(bound.unresolved):
            source, name, kind = key
            found = (tops if kind & BARE else members).get((family, name), [])
            if (kind & ~BARE) == EdgeKind.CALLS:
                found = [place for place in found if _kind(files, place) in CALLABLE_KINDS]
            if not found:
                del bound.unresolved[key]
            elif len(found) == 1 and (kind & ~BARE) == EdgeKind.CALLS and found[0][0] in visible[file.path]:
                target = files[found[0][0]].base + found[0][1]
                if target != source:
                    bound.add(source, target, EdgeKind.CALLS, Confidence.NAME, bound.unresolved.pop(key))


def _kind(files: list[GraphFile], place: tuple[int, int]) -> int:
    return files[place[0]].cell(place[1], Symbol.KIND)


def _members(files: list[GraphFile]) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """(family, name) -> (file number, symbol row) of every definition that is a member of another."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for number, file in enumerate(files):
        width, cells, names = Symbol.WIDTH, file.symbols, file.names
        for row in range(1, file.symbol_count):
            if cells[row * width + Symbol.PARENT] > 0 and cells[row * width + Symbol.KIND] in MEMBER_KINDS:
                found.setdefault((file.language.family, names[cells[row * width]]), []).append((number, row))
    return found


def _script_tops(files: list[GraphFile]) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """(family, name) -> top-level definitions of scripts, which other scripts see without an import."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for number, file in enumerate(files):
        if file.facts.is_script:
            for row in range(1, file.symbol_count):
                if file.cell(row, Symbol.PARENT) == 0:
                    name = file.names[file.cell(row, Symbol.NAME)]
                    found.setdefault((file.language.family, name), []).append((number, row))
    return found


def _visible(files: list[GraphFile], bounds: list[Bound]) -> dict[str, set[int]]:
    """Path -> numbers of the files that are imported by it, or by what it imports; scripts see one another."""
    number_of = {file.base: number for number, file in enumerate(files)}
    scripts = {number for number, file in enumerate(files) if file.facts.is_script}
    direct = []
    for number, (file, bound) in enumerate(zip(files, bounds, strict=True)):
        targets = (target for _, target, kind in bound.edges if kind == EdgeKind.IMPORTS and isinstance(target, int))
        found = {number_of[target] for target in targets if target in number_of} | {number}
        direct.append(found | scripts if file.facts.is_script else found)
    return {file.path: set().union(*(direct[n] for n in direct[number])) for number, file in enumerate(files)}
