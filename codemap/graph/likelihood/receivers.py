"""What a source says of the receivers of undecided uses: their names, and all members that they are asked for.

A receiver is asked for a member by every `receiver.member` that means the same variable: a local or parameter in its
function, an attribute of `self` anywhere in the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

import msgspec
import numpy as np

from codemap.facts import (
    AROUND,
    EXPR_WIDTH,
    SITE_WIDTH,
    UNKNOWN,
    Binding,
    FileFacts,
    Op,
    Parameter,
    Source,
    SourceKind,
    Use,
    UseRole,
)
from codemap.graph.model.edges import EdgeKind, Ints, Unresolved
from codemap.graph.model.indexed_file import read_facts, table
from codemap.graph.model.snapshot import Snapshot
from codemap.mangled_names import demangle

_ATTR, _NAME, _GLOBAL, _THIS = int(Op.ATTR), int(Op.NAME), int(Op.GLOBAL), int(Op.THIS)
_ELEMENTS = (int(Op.ITER), int(Op.INDEX), int(Op.ITEM))
_SAME = (int(Op.ENTER), int(Op.AWAIT))
_SUPER = int(Op.SUPER)
_CALL, _OVERLOAD, _LITERAL = int(Op.CALL), int(Op.OVERLOAD), int(Op.LITERAL)
_AROUND_TYPE = (int(Op.APPLY), int(Op.INSTANCE))
_SELF, _VALUE = int(SourceKind.SELF), int(SourceKind.VALUE)
_ROLES = {EdgeKind.CALLS: int(UseRole.CALL), EdgeKind.REFERENCES: int(UseRole.REFERENCE)}
NAMES_DEEP = 3
"""Steps from a variable to the expression that it was assigned, of which the names are read, too."""


Sites = frozenset[tuple[int, int]]
"""Lines and columns in one file."""


class Receiver(msgspec.Struct, frozen=True):
    expr: int
    """Row of the expression."""
    names: tuple[str, ...]
    """What it is called: the last name of its expression, and of what it is assigned."""
    asked: frozenset[str]
    """Members that it is asked for, the used one included."""
    own_class: int
    """The symbol of the class whose instance it is, where it is `self` or `this`; -1 for any other."""


class FileReceivers:
    """The receivers in one file."""

    def __init__(self, facts: FileFacts) -> None:
        self._names = facts.names
        self._exprs = table(facts.exprs, EXPR_WIDTH)
        self._uses = table(facts.uses, Use.WIDTH)
        self._sites = table(facts.sites, SITE_WIDTH)
        self._bindings = table(facts.bindings, Binding.WIDTH)
        self._sources = table(facts.sources, Source.WIDTH)
        self._parameters = table(facts.parameters, Parameter.WIDTH)
        self._are_members = self._exprs[:, 0] == _ATTR
        self._of: dict[int, Receiver] = {}

    def of(self, row: int, use: Unresolved, sites: Set[tuple[int, int]]) -> list[Receiver]:
        """The receivers of a use by a symbol of the file, which may have several of one name, at some sites."""
        found = []
        for expr in self._exprs_at(row, use, sites):
            op, a, b = self._row(expr)
            while op in AROUND:
                op, a, b = self._row(a)
            if op == _ATTR and demangle(self._names[b]) == use.name:
                if self._is_any(a):  # what others are asked says nothing of this one
                    found.append(Receiver(a, (), frozenset((use.name,)), -1))
                    continue
                if a not in self._of:
                    self._of[a] = self._receiver(a)
                found.append(self._of[a])
        return found

    def is_of_bases(self, row: int, use: Unresolved) -> bool:
        """Whether a use by a symbol of the file asks the bases of its class (`super`), everywhere."""
        found = False
        for expr in self._uses_of(row, use)[:, Use.EXPR].tolist():
            op, a, b = self._row(expr)
            while op in AROUND:
                op, a, b = self._row(a)
            if op == _ATTR and demangle(self._names[b]) == use.name:
                if self._row(a)[0] != _SUPER:
                    return False
                found = True
        return found

    def find_other_names(self, row: int, use: Unresolved, sites: Sites) -> frozenset[str]:
        """The names that stand at some sites of a use of another name of what is called there; empty where its own
        does."""
        found = set()
        for expr in self._exprs_at(row, use, sites):
            op, a, b = self._row(expr)
            while op in AROUND:
                op, a, b = self._row(a)
            found |= {demangle(self._names[b])} if op == _ATTR else set()
        return frozenset() if use.name in found else frozenset(found)

    def sites_by_value(self, row: int, use: Unresolved, sites: Sites) -> list[Sites]:
        """Some sites of a use by a symbol of the file, those together that are of one variable."""
        own = self._uses_of(row, use)
        found = [
            frozenset(map(tuple, self._sites[first : first + count].tolist())) & sites
            for first, count in own[:, [Use.FIRST, Use.COUNT]].tolist()
            if tuple(self._sites[first].tolist()) in sites
        ]
        rest = sites.difference(*found)
        return [*found, rest] if rest else found

    def arguments_of(self, row: int, use: Unresolved, sites: Set[tuple[int, int]]) -> Iterator[list[list[str]]]:
        """What the arguments of calls that choose among overloads are called, of each call in their order."""
        for expr in self._exprs_at(row, use, sites):
            op, a, b = self._row(expr)
            listed = -1
            while op in AROUND:
                listed = b if op == _OVERLOAD else listed
                op, a, b = self._row(a)
            if listed >= 0 and self._called_last(op, a, b) == use.name:
                found = []
                while listed >= 0:
                    _, argument, listed = self._row(listed)
                    found.append(self._called_or_typed(argument))
                yield found

    def parameters_of(self, row: int) -> list[list[str]]:
        """What the parameters of a function and their types are called, in order."""
        listed = self._parameters[self._parameters[:, Parameter.FUNCTION] == row]
        return [
            [*([] if name < 0 else [self._names[name]]), *self._called_or_typed(type_expr)]
            for name, type_expr in listed[:, [Parameter.NAME, Parameter.TYPE]].tolist()
        ]

    def _exprs_at(self, row: int, use: Unresolved, sites: Set[tuple[int, int]]) -> Iterator[int]:
        for expr, first in self._uses_of(row, use)[:, [Use.EXPR, Use.FIRST]].tolist():
            if tuple(self._sites[first].tolist()) in sites:
                yield expr

    def _uses_of(self, row: int, use: Unresolved) -> Ints:
        """All that the symbol uses in the way of a use."""
        uses = self._uses
        found: Ints = uses[(uses[:, Use.OWNER] == row) & (uses[:, Use.ROLE] == _ROLES.get(use.kind, -1))]
        return found

    def _called_last(self, op: int, a: int, b: int) -> str:
        if op == _ATTR:
            return demangle(self._names[b])
        if op == _GLOBAL:
            return demangle(self._names[a])
        return demangle(self._names[self._bindings[a, Binding.NAME]]) if op == _NAME else ""

    def _called_or_typed(self, expr: int) -> list[str]:
        """What an argument is called, or its type where it is a literal; what a type is called."""
        if expr < 0:
            return []
        op, a, _ = self._row(expr)
        while op in _AROUND_TYPE and a >= 0:
            expr = a
            op, a, _ = self._row(expr)
        return [self._names[a]] if op == _LITERAL else self._called(expr, NAMES_DEEP)

    def _row(self, expr: int) -> list[int]:
        cells: list[int] = self._exprs[expr].tolist()
        return cells

    def _receiver(self, expr: int) -> Receiver:
        exprs = self._exprs
        same = np.array(self._same(expr), dtype=np.int32)
        members = exprs[self._are_members & np.isin(exprs[:, 1], same), 2]
        asked = frozenset(demangle(self._names[name]) for name in members.tolist())
        names = tuple(dict.fromkeys(self._called(expr, NAMES_DEEP)))
        return Receiver(expr, names, asked, self._self_class(expr))

    def _same(self, expr: int) -> list[int]:
        """The expressions of a file that mean the same variable."""
        op, of, name = self._row(expr)
        if op != _ATTR:
            return [expr]
        own_class = self._self_class(of)
        if own_class < 0:
            return [expr]
        exprs = self._exprs
        found: list[int] = np.flatnonzero(self._are_members & (exprs[:, 2] == name)).tolist()
        return [one for one in found if self._self_class(int(exprs[one, 1])) == own_class]

    def _is_any(self, expr: int) -> bool:
        """Whether an expression stands for all values of which nothing is known."""
        op, a, _ = self._row(expr)
        return op == _NAME and self._names[self._bindings[a, Binding.NAME]] == UNKNOWN

    def _self_class(self, expr: int) -> int:
        """The class whose instance an expression is, as `self` and `this` are; -1 for any other."""
        op, a, _ = self._row(expr)
        if op == _THIS:
            return a
        if op != _NAME:
            return -1
        kind, symbol, _ = self._sources[self._bindings[a, Binding.FIRST]].tolist()
        return symbol if kind == _SELF else -1

    def _called(self, expr: int, deep: int) -> list[str]:
        op, a, b = self._row(expr)
        if op == _NAME:
            name, _, _, first, count = self._bindings[a].tolist()
            found = [self._names[name].rpartition(".")[2]]
            for kind, value, _ in self._sources[first : first + count].tolist():
                if kind == _VALUE and deep:
                    found += self._called(value, deep - 1)
            return found
        if op == _ATTR:
            return [demangle(self._names[b])]
        if op == _GLOBAL:
            return [self._names[a]]
        if op in _SAME and a >= 0:
            return self._called(a, deep)
        if op in _ELEMENTS and a >= 0:
            return [one for name in self._called(a, deep) if (one := _singular(name)) != name]
        if op == _CALL and a >= 0:
            return [_made(name) for name in self._called(a, deep)]
        return []


def is_by_super(snapshot: Snapshot, use: Unresolved) -> bool:
    """Whether a method asks the bases of its class for one of its own name."""
    file = snapshot.file_of(use.source)
    if file is None or use.is_held or not use.is_member or snapshot.name_of(use.source) != use.name:
        return False
    return FileReceivers(read_facts(file.held)).is_of_bases(use.source - file.base, use)


def _singular(name: str) -> str:
    """What one element is called, of what has this name; the same where that is no plural."""
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


_MAKERS = ("get_", "make_", "create_", "build_", "new_", "find_", "load_", "get", "make", "create", "build", "new")


def _made(name: str) -> str:
    """What a function of this name gives."""
    plain = name.lstrip("_")
    for maker in _MAKERS:
        rest = plain.removeprefix(maker)
        if rest and rest != plain and (maker.endswith("_") or rest[0].isupper()):
            return rest
    return plain
