"""Finds which of a builder's expressions, bindings and names the facts need; the others are dropped.

Heads are resolved first: each name becomes a binding of the file or stays global. What only dropped uses lead to, such
as the reads of a local that nothing is known about, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import compress, islice
from typing import TYPE_CHECKING

from codemap.facts import BESIDE_NAME, FIRST, OPERANDS, SECOND, Op, ScopeKind, SourceKind, UseRole

if TYPE_CHECKING:
    from codemap.fact_building.builder import Builder, Scope

_NONE = -1
_NAME = int(Op.NAME)
_GLOBAL = int(Op.GLOBAL)
_ATTR = int(Op.ATTR)
_CONTAINER = int(Op.CONTAINER)
_WITH_NAME = frozenset((_ATTR, *map(int, BESIDE_NAME)))
_OF_NAMES = (_GLOBAL, int(Op.LITERAL), _CONTAINER)
_CLASS = int(ScopeKind.CLASS)
_FUNCTION = int(ScopeKind.FUNCTION)
_PUBLIC = (int(ScopeKind.MODULE), _CLASS)
_EXPR_SOURCES = (int(SourceKind.VALUE), int(SourceKind.TYPED))
_SYMBOL = int(SourceKind.SYMBOL)
_PARAMETER = int(SourceKind.PARAMETER)
_UNKNOWN_SOURCES = (_PARAMETER, int(SourceKind.OPAQUE))
_PARTS = frozenset((_ATTR, int(Op.CALL), int(Op.INDEX), int(Op.ITER), int(Op.ENTER), int(Op.AWAIT), int(Op.ITEM)))
"""Operators whose result is as unknown as their first operand."""
_KNOWN_SOURCES = (int(SourceKind.SYMBOL), int(SourceKind.IMPORT))
OPERANDS_OF = tuple(OPERANDS.get(op, 0) for op in Op)
"""`OPERANDS` of every operator, by its number."""
HAS_BOTH = tuple(operands == FIRST | SECOND for operands in OPERANDS_OF)
"""Whether both operands of an operator are expressions, by its number."""

DROP_READS = 1
DROP_ALL = 2
DROP_ALL_BUT_CALLS = 3
_KEPT: tuple[tuple[int, ...], ...] = (
    tuple(map(int, UseRole)),
    tuple(int(role) for role in UseRole if role is not UseRole.REFERENCE),
    (),
    (int(UseRole.CALL),),
)
"""By what is dropped: the roles of uses that are not."""


class Reach:
    """What is needed. Bindings have provisional numbers here, in the order in which heads first mean them."""

    __slots__ = ("bindings", "dropped", "live", "names", "rows")

    def __init__(self, b: Builder) -> None:
        count = len(b.exprs)
        self.dropped = bytearray(count)
        """By expression: which uses of it can never be an edge (builtins; reads of plain locals)."""
        self.live = bytearray(count + 1)
        """By expression; the last one is where -1 leads."""
        self.names = bytearray(len(b.names) + 2)
        """By name, like `live`; the last two are where -1 and -2 lead."""
        self.bindings = _resolve(b, self.dropped)
        """Scope and name by provisional number."""
        _drop_operations(b, self.dropped)
        needed = bytearray(len(self.bindings))
        _mark_roots(b, self)
        _spread(b, self, needed)
        self.rows = _number(b, needed)
        """The bindings that are kept, in the order of their final numbers."""


def _resolve(b: Builder, dropped: bytearray) -> list[tuple[Scope, int]]:
    """Puts the row of every head in place: the binding that it means, or a global name."""
    exprs = b.exprs
    builtins = {b.names[name] for name in b.names.keys() & b.builtins}
    only_calls = DROP_ALL_BUT_CALLS if b.holds_functions else DROP_ALL
    bindings: list[tuple[Scope, int]] = []
    drops: list[int] = []
    type_kinds, only_types = b.type_kinds, b.only_types
    bound = set[int]().union(*[scope.sources for scope in b.scopes], *[scope.aliases for scope in b.scopes])
    for index, start, name in _list_heads(b, builtins) if b.earlier else b.heads:
        scope: Scope | None = start if name in bound else None
        has_crossed = False
        while scope is not None:
            target = scope.aliases.get(name, scope) if scope.aliases else scope
            if (
                name in target.sources
                and not (has_crossed and scope.kind == _CLASS)
                and not (type_kinds and index not in b.type_heads and _is_all(b, target.sources[name], type_kinds))
                and not (only_types and index in only_types and _is_all(b, target.sources[name], b.value_kinds))
            ):
                numbers = target.numbers
                if name in numbers:
                    number = numbers[name]
                else:
                    number = numbers[name] = len(bindings)
                    bindings.append((target, name))
                    drops.append(_drop(target, name, only_calls))
                exprs[index] = (_NAME, number, _NONE)
                dropped[index] = drops[number]
                break
            if scope.kind == _FUNCTION:
                has_crossed = True
            scope = scope.parent
        else:
            exprs[index] = (_GLOBAL, name, _NONE)
            if name in builtins:
                dropped[index] = DROP_ALL
    return bindings


def _list_heads(b: Builder, builtins: Set[int]) -> Iterator[tuple[int, Scope, int]]:
    """The heads of a builder, those of names that a class binds later from the scope around it; but one that is bound
    nowhere there, as in an annotation that is read later."""
    for index, scope, name in b.heads:
        outer = scope.parent
        around = outer if index in b.earlier and name not in builtins else None
        while around is not None and name not in around.sources:
            around = around.parent
        is_outer = index in b.earlier and (around is not None or name in builtins)
        yield index, outer if is_outer and outer is not None else scope, name


def _is_all(b: Builder, sources: list[tuple[int, int, int]], kinds: frozenset[int]) -> bool:
    """Whether a name is bound to nothing but definitions of some kinds."""
    return all(kind == _SYMBOL and b.symbols[a][1] in kinds for kind, a, _ in sources)


def _drop(scope: Scope, name: int, of_parameter: int) -> int:
    """Which uses of a name can never be an edge: of a local that stands for no definition or import, the reads; of one
    that nothing is known about, all, or what `of_parameter` says."""
    if scope.kind in _PUBLIC:
        return 0
    is_known, is_given = False, False
    for kind, _, _ in scope.sources[name]:
        if kind in _KNOWN_SOURCES:
            return 0
        is_known |= kind not in _UNKNOWN_SOURCES
        is_given |= kind == _PARAMETER
    return DROP_READS if is_known else of_parameter if is_given else DROP_ALL


def _drop_operations(b: Builder, dropped: bytearray) -> None:
    """Drops operations on what nothing is known about: a parameter, a builtin, and what they lead to."""
    exprs = b.exprs
    heads: dict[int, int] = {}
    """What a chain of parts leads to, by where it begins: in a long one, the next operation begins one part further."""
    for index in b.operations:
        start = of = exprs[index][1]
        while exprs[of][0] in _PARTS:
            if of in heads:
                of = heads[of]
                break
            of = exprs[of][1]
        if of != start:
            heads[start] = of
        if dropped[of] >= DROP_ALL:
            dropped[index] = DROP_ALL


def _mark_roots(b: Builder, reach: Reach) -> None:
    """Marks what the facts need for itself; uses that can never be an edge are taken away from the builder."""
    live, dropped, names = reach.live, reach.dropped, reach.names
    for own in b.uses.values():
        gone: list[int] = []
        for key in own:
            drop = dropped[key >> 2]
            if not drop or key & 3 in _KEPT[drop]:
                live[key >> 2] = 1
            else:
                gone.append(key)
        for key in gone:
            del own[key]
    exprs = b.exprs
    for index in b.handed_on:
        live[index] |= live[exprs[index][1]]
    for row in b.symbols:
        names[row[0]] = live[row[7]] = live[row[8]] = 1
    for _, _, expr, _ in b.bases:
        live[expr] = 1
    for _, expr in b.decorators:
        live[expr] = 1
    for _, name, type_ in b.parameters:
        names[name] = live[type_] = 1
    for _, name, expr in b.parts:
        names[name] = live[expr] = 1
    for _, text in b.shapes:
        names[text] = 1
    for specifier, imported, _, _, _, path in b.imports:
        names[specifier] = names[imported] = live[path] = 1
    for name, _, _, _ in b.exports:
        names[name] = 1
    for scope in b.scopes:
        if scope.kind in _PUBLIC:
            for name, sources in scope.sources.items():
                names[name] = 1
                for kind, a, _ in sources:
                    if kind in _EXPR_SOURCES:
                        live[a] = 1


def _spread(b: Builder, reach: Reach, needed: bytearray) -> None:
    """What is needed needs its operands, and the sources of the bindings that it means.

    Operands are before what they are operands of, so one pass from the end meets all; `reversed` and `compress` see
    what the pass marks on its way.
    """
    exprs, live, names = b.exprs, reach.live, reach.names
    has_both = HAS_BOTH
    rows = zip(range(len(exprs) - 1, -1, -1), reversed(exprs), strict=True)
    for index, (op, a, second) in compress(rows, islice(reversed(live), 1, None)):  # without where -1 leads
        if has_both[op]:
            live[a] = live[second] = 1
        elif op == _ATTR:
            live[a] = names[second] = 1
        elif op == _NAME:
            if not needed[a] and (behind := _need_binding(reach, needed, a, index)):
                _need_behind(b, reach, needed, behind, index)
        elif op in _OF_NAMES:
            names[a] = 1
            if op == _CONTAINER:
                live[second] = 1
        elif OPERANDS_OF[op]:
            live[a] = 1
            if op in _WITH_NAME:
                names[second] = 1


def _need_binding(reach: Reach, needed: bytearray, number: int, index: int) -> list[int]:
    """Marks a binding and its sources; gives those behind `index`, whose operands are to be marked, too."""
    live = reach.live
    scope, name = reach.bindings[number]
    needed[number] = reach.names[name] = 1
    behind: list[int] = []
    for kind, expr, _ in scope.sources[name]:
        if kind in _EXPR_SOURCES and not live[expr]:
            live[expr] = 1
            if expr > index:
                behind.append(expr)
    return behind


def _need_behind(b: Builder, reach: Reach, needed: bytearray, pending: list[int], index: int) -> None:
    """Marks what some expressions behind `index` need: the pass does not come there again."""
    exprs, live, names = b.exprs, reach.live, reach.names
    while pending:
        op, a, second = exprs[pending.pop()]
        operands = OPERANDS_OF[op]
        if op == _NAME:
            if not needed[a]:
                pending += _need_binding(reach, needed, a, index)
        elif op in _WITH_NAME:
            names[second] = 1
        elif op in _OF_NAMES:
            names[a] = 1
        for each in (a if operands & FIRST else _NONE, second if operands & SECOND else _NONE):
            if not live[each]:
                live[each] = 1
                if each > index:
                    pending.append(each)


def _number(b: Builder, needed: bytearray) -> list[tuple[Scope, int]]:
    """Gives the bindings that are kept their final numbers, in the order in which the source binds them."""
    rows: list[tuple[Scope, int]] = []
    for scope in b.scopes:
        numbers = scope.numbers
        if scope.kind in _PUBLIC:
            for name in scope.sources:
                numbers[name] = len(rows)
                rows.append((scope, name))
        elif numbers:
            for name in scope.sources:
                if name in numbers and needed[numbers[name]]:
                    numbers[name] = len(rows)
                    rows.append((scope, name))
    return rows
