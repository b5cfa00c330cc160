"""Calls whose arguments fitted the parameters before a change and cannot fit those after it.

Only what the map is sure of is claimed: the call means the definition, both lists are read from the source, and no
other definition that it may mean takes its arguments. All other calls of it are counted as not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from codemap.calls.fitting import misfit, shifted, without_receiver
from codemap.calls.lists import ArgumentList, Parameter, ParameterList, Rules
from codemap.changes.changed_definitions import Pair
from codemap.facts import Import, Symbol, SymbolFlag, SymbolKind, rows
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import is_constructor
from codemap.impact.breakage.changed_signatures import Call, Lists, Resigned, lists_by_name
from codemap.impact.breakage.not_adapted import Left
from codemap.languages import by_name
from codemap.mangled_names import demangle

_SELF_NAMES = frozenset({"super", "this", "base", "self", "cls", "new", "__class__"})
"""What else calls a constructor."""


_PATH_JOINTS = ("", "::")
"""What stands before a method that is called by its path, with its receiver as an argument."""


class Misfits(msgspec.Struct, frozen=True):
    left: tuple[Left, ...]
    """By file and line."""
    not_checked: int
    """Calls of which nothing can be said."""
    of: tuple[int, ...] = ()
    """The definitions that those may mean."""


def misfits(found: Sequence[Resigned], pairs: Mapping[str, Pair], after: Snapshot, lists: Lists) -> Misfits:
    """Of all definitions whose parameters changed."""
    by_reason: dict[tuple[int, int, str, bool], set[int]] = {}
    not_checked = 0
    unsure: dict[int, None] = {}
    for one in found:
        checking = _Checking(one, pairs, after, lists)
        skipped = one.open_sites
        for call in one.calls:
            for line, column in call.sites:
                said = checking.said_of(call, line, column)
                if said is None:
                    skipped += 1
                elif said[0]:
                    by_reason.setdefault((call.source, one.node, *said), set()).add(line)
        not_checked += skipped
        unsure |= {one.node: None} if skipped else {}
    left = []
    for (source, node, why, is_guess), lines in by_reason.items():
        file, row = after.row_of(source)
        name, used = file.qualified_name(row), after.qualified_name_of(node)
        left.append(Left(file.path, min(lines), name, tuple(sorted(lines)), used, why, is_guess, is_misfit=True))
    return Misfits(tuple(sorted(left)), not_checked, tuple(unsure))


class _Checking:
    """One definition whose parameters changed."""

    def __init__(self, found: Resigned, pairs: Mapping[str, Pair], after: Snapshot, lists: Lists) -> None:
        self._found = found
        self._after = after
        self._lists = lists
        self._flags = after.cell(found.node, Symbol.FLAGS)
        self._lang = after.row_of(found.node)[0].lang
        self._names = _names_of(after, found.node)
        self._old, self._new = list(found.old), list(found.new)
        self._is_known = not any(self._is_doubtful(one) for one in (*self._old, *self._new))
        self._is_known = self._is_known and not self._flags & SymbolFlag.ACCESSOR
        for node in found.others:
            old, new = self._other(node, pairs)
            self._old += old
            self._new += new
            self._is_known = self._is_known and bool(new)

    def _is_doubtful(self, one: ParameterList) -> bool:
        return one.is_doubtful or not all(map(self._gives_back, one.decorators))

    def _gives_back(self, decorator: str) -> bool:
        """Whether all functions of the name say that they give back what they are given."""
        syntax = by_name()[self._lang].calls
        pattern = "" if syntax is None else syntax.returns_given
        nodes = self._after.named(decorator) if pattern else []
        return bool(nodes) and all(re.search(pattern, self._after.text_of(node, Symbol.SIGNATURE)) for node in nodes)

    def _other(self, node: int, pairs: Mapping[str, Pair]) -> tuple[Sequence[ParameterList], Sequence[ParameterList]]:
        """Both lists of another definition that a call may mean."""
        file, row = self._after.row_of(node)
        lists, pair = self._lists(file.path), pairs.get(file.path)
        new = () if lists is None else lists.parameters.get(row, ())
        if pair is None or pair.before is None:
            return new, new
        return lists_by_name(pair.before).get(file.qualified_name(row), ()), new

    def said_of(self, call: Call, line: int, column: int) -> tuple[str, bool] | None:
        """(what does not fit, whether that is a guess), nothing where all fits; None where the call is not checked."""
        file = self._after.row_of(call.source)[0]
        lists = self._lists(file.path) if self._is_known else None
        arguments = None if lists is None else lists.arguments.get((line, column))
        if arguments is None or not self._is_named(file, arguments, call):
            return None
        rules = self._rules(file)
        old = [one for some in self._old for one in self._readings(some, arguments, call)]
        new = [one for some in self._new for one in self._readings(some, arguments, call)]
        if all(misfit(one, arguments, rules) for one in old):
            return None
        reasons = [misfit(one, arguments, rules) for one in new]
        if all(reasons):
            is_one = len(set(reasons)) == 1
            return (reasons[0] if is_one else f"fits none of {len(reasons)} parameter lists"), False
        if len(old) == 1 and len(new) == 1:
            return shifted(old[0], new[0], arguments), True
        return "", False

    def _is_named(self, file: IndexedFile, arguments: ArgumentList, call: Call) -> bool:
        """Whether it is called by its name, as it is imported, or as a class by any; else the call may be of a value
        that adds arguments, as a partial application does."""
        called = arguments.called
        if called in self._names or called == self._after.name_of(call.called):
            return True
        if is_constructor(self._after, self._found.node) and (called in _SELF_NAMES or call.called != self._found.node):
            return True
        table, names = rows(file.facts.imports), file.facts.names
        language = by_name()[self._lang]
        if demangle(language.protocols.get("call", "")) in self._names:  # what is called is a value that has it
            return language.outside.forwarders.isdisjoint(names)
        imported = {table[at + Import.IMPORTED] for at in range(0, len(table), Import.WIDTH)}
        return any(names[one] in self._names for one in imported if one >= 0) and not arguments.joint

    def _rules(self, file: IndexedFile) -> Rules:
        """Those of the laxer language of both."""
        rules = [syntax.rules for lang in (file.lang, self._lang) if (syntax := by_name()[lang].calls) is not None]
        return next((one for one in rules if not one.refuses_missing), rules[0] if rules else Rules(False, False))

    def _readings(
        self, parameters: ParameterList, arguments: ArgumentList, call: Call
    ) -> Iterator[tuple[Parameter, ...]]:
        """What the parameters are for a call: all, or those behind the receiver."""
        if not parameters.has_receiver:
            yield parameters.items
        elif call.called != self._found.node or self._flags & SymbolFlag.CLASS_METHOD:
            yield without_receiver(parameters)
        elif self._flags & SymbolFlag.EXTENSION:
            yield from (parameters.items, without_receiver(parameters))
        elif arguments.called not in self._names or self._is_bound(arguments):
            yield without_receiver(parameters)
        else:
            yield parameters.items

    def _is_bound(self, arguments: ArgumentList) -> bool:
        return arguments.joint not in _PATH_JOINTS and not self._is_class(arguments.receiver)

    def _is_class(self, name: str) -> bool:
        """Whether a name before a method is that of a class, as far as its definitions say."""
        return bool(name) and any(self._after.kind_of(node) is SymbolKind.CLASS for node in self._after.named(name))


def _names_of(after: Snapshot, node: int) -> frozenset[str]:
    parent = after.parent_of(node)
    names = {after.name_of(node)}
    if parent is not None and is_constructor(after, node):
        names.add(after.name_of(parent))
    return frozenset(names)
