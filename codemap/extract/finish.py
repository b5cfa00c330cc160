"""What a builder collected becomes `FileFacts`: heads are resolved, equal expressions merged, uses grouped.

It runs once a file over everything that was collected, so its loops are plain and their bodies short.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from struct import pack
from typing import TYPE_CHECKING

from codemap.extract.places import Places
from codemap.facts import FileFacts, Op, ScopeKind, SourceKind, UseRole

if TYPE_CHECKING:
    from codemap.extract.builder import Builder, Scope

_NONE = -1
_NAME = int(Op.NAME)
_GLOBAL = int(Op.GLOBAL)
_REFERENCE = int(UseRole.REFERENCE)
_EXPR_SOURCES = (int(SourceKind.VALUE), int(SourceKind.TYPED))
_KNOWN_SOURCES = (int(SourceKind.SYMBOL), int(SourceKind.IMPORT))
_PUBLIC = (int(ScopeKind.MODULE), int(ScopeKind.CLASS))
_CLASS = int(ScopeKind.CLASS)
_FUNCTION = int(ScopeKind.FUNCTION)

_FIRST, _SECOND = 1, 2  # which of an expression's operands are expressions, as bits
_OPERANDS = {
    Op.ATTR: _FIRST,
    Op.CALL: _FIRST | _SECOND,
    Op.INDEX: _FIRST | _SECOND,
    Op.ITER: _FIRST,
    Op.ENTER: _FIRST,
    Op.AWAIT: _FIRST,
    Op.ITEM: _FIRST,
    Op.UNION: _FIRST | _SECOND,
    Op.INSTANCE: _FIRST,
    Op.CONTAINER: _SECOND,
    Op.APPLY: _FIRST | _SECOND,
    Op.ARG: _FIRST | _SECOND,
    Op.TUPLE: _FIRST,
    Op.FUNCTION: _FIRST | _SECOND,
    Op.SLOT: _FIRST,
    Op.PARAM: _FIRST,
}
_OPERANDS_OF = tuple(_OPERANDS.get(op, 0) for op in Op)

_DROP_READS = 1
_DROP_ALL = 2


def finish(b: Builder) -> FileFacts:
    place = Places(b.source)
    targets = _resolve(b)
    rows = _number(b)
    exprs = b.exprs
    for (index, _, name), target in zip(b.heads, targets, strict=True):
        exprs[index] = (_GLOBAL, name, _NONE) if target is None else (_NAME, _numbers(target)[name], _NONE)
    remap, merged = _merge(exprs)
    sources: list[int] = []
    bindings: list[int] = []
    for scope, name in rows:
        own = scope.sources[name]
        bindings += (name, scope.owner, scope.kind, len(sources) // 3, len(own))
        for kind, a, second in own:
            sources += (kind, remap[a] if kind in _EXPR_SOURCES else a, second)
    uses, sites = _group(b, remap, _dropped(b, rows, targets, remap, len(merged)))
    imports: list[int] = []
    for specifier, name, flags, at, owner in b.imports:
        imports += (specifier, name, flags, *place(at), owner)
    exports: list[int] = []
    for name, local, import_, at in b.exports:
        exports += (name, _numbers(b.module).get(local, _NONE), import_, *place(at))
    bases: list[int] = []
    for cls, role, expr, at in b.bases:
        bases += (cls, role, remap[expr], *place(at))
    decorators: list[int] = []
    for symbol, expr in b.decorators:
        decorators += (symbol, remap[expr])
    parameters: list[int] = []
    for function, name, type_ in b.parameters:
        parameters += (function, name, remap[type_])
    return FileFacts(
        lang=b.lang,
        size=len(b.source),
        lines=place.lines,
        error_bytes=b.error_bytes,
        names=tuple(b.names),
        texts=tuple(b.texts),
        symbols=_table(_symbols(b, remap, place)),
        bindings=_table(bindings),
        sources=_table(sources),
        imports=_table(imports),
        exports=_table(exports),
        bases=_table(bases),
        decorators=_table(decorators),
        parameters=_table(parameters),
        exprs=_table(list(chain.from_iterable(merged))),
        uses=_table(uses),
        sites=_table(place.cells(sites)),
        is_script=b.is_script,
    )


def _table(cells: list[int]) -> bytes:
    return pack(f"<{len(cells)}i", *cells)


def _numbers(scope: Scope) -> dict[int, int]:
    assert scope.numbers is not None, "a scope that a head means has been numbered"
    return scope.numbers


def _resolve(b: Builder) -> list[Scope | None]:
    """For each head, the scope that binds its name, or None; the scope remembers that the name is meant."""
    targets: list[Scope | None] = []
    for _, start, name in b.heads:
        scope: Scope | None = start
        crossed_function = False
        found: Scope | None = None
        while scope is not None:
            kind = scope.kind
            target = scope.aliases.get(name, scope)
            if name in target.sources and not (crossed_function and kind == _CLASS):
                found = target
                if found.numbers is None:
                    found.numbers = {}
                found.numbers[name] = _NONE
                break
            if kind == _FUNCTION:
                crossed_function = True
            scope = scope.parent
        targets.append(found)
    return targets


def _number(b: Builder) -> list[tuple[Scope, int]]:
    """Numbers the bindings that can matter: those of modules and classes, and the locals that a head means."""
    rows: list[tuple[Scope, int]] = []
    for scope in b.scopes:
        meant = scope.numbers
        if scope.kind in _PUBLIC:
            names: Iterable[int] = scope.sources
        elif meant is not None:
            names = [name for name in scope.sources if name in meant]
        else:
            continue
        scope.numbers = numbers = {}
        for name in names:
            numbers[name] = len(rows)
            rows.append((scope, name))
    return rows


def _merge(exprs: list[tuple[int, int, int]]) -> tuple[list[int], dict[tuple[int, int, int], int]]:
    """Merges the rows that became equal when heads were resolved; gives old index -> new, and the new rows in order."""
    remap = [_NONE] * (len(exprs) + 1)  # the last one is where -1 leads
    merged: dict[tuple[int, int, int], int] = {}
    place = merged.setdefault
    operands_of = _OPERANDS_OF
    for index, row in enumerate(exprs):
        op, a, second = row
        operands = operands_of[op]
        if operands == _FIRST:
            row = (op, remap[a], second)
        elif operands:
            row = (op, remap[a] if operands & _FIRST else a, remap[second])
        remap[index] = place(row, len(merged))
    return remap, merged


def _dropped(
    b: Builder, rows: list[tuple[Scope, int]], targets: list[Scope | None], remap: list[int], count: int
) -> bytearray:
    """For each merged expression, which uses of it can never be an edge: builtins, and reads of plain locals."""
    drop = bytearray(count)
    builtins = b.builtins
    names = list(b.names)
    is_plain = [
        scope.kind not in _PUBLIC and not any(kind in _KNOWN_SOURCES for kind, _, _ in scope.sources[name])
        for scope, name in rows
    ]
    for (index, _, name), target in zip(b.heads, targets, strict=True):
        if target is None:
            if names[name] in builtins:
                drop[remap[index]] = _DROP_ALL
        elif is_plain[_numbers(target)[name]]:
            drop[remap[index]] = _DROP_READS
    return drop


def _group(b: Builder, remap: list[int], drop: bytearray) -> tuple[list[int], list[int]]:
    """Rows of uses, and the offsets of their sites; uses of one owner that became equal are one."""
    uses: list[int] = []
    sites: list[int] = []
    for owner, own in b.uses.items():
        grouped: dict[int, list[int]] = {}
        for key, at in own.items():
            new = remap[key >> 2]
            role = key & 3
            if drop[new] and (role == _REFERENCE or drop[new] == _DROP_ALL):
                continue
            known = grouped.get(new << 2 | role)
            if known is None:
                grouped[new << 2 | role] = at
            else:
                known += at
                known.sort()
        for key, at in grouped.items():
            uses += (owner, key & 3, key >> 2, len(sites), len(at))
            sites += at
    return uses, sites


def _symbols(b: Builder, remap: list[int], place: Places) -> list[int]:
    cells: list[int] = []
    paths: list[tuple[int, ...]] = []  # of each symbol, the names from the outermost in
    seen: dict[tuple[int, ...], int] = {}
    for row, (at, start, end) in zip(b.symbols, b.spans, strict=True):
        name, kind, parent, _, flags, signature, doc, type_, value = row
        path = (*paths[parent], name) if parent >= 0 else ()
        paths.append(path)
        ordinal = seen[path] = seen.get(path, 0) + 1
        line, col = place(at)
        first = line if at == start else place.line(start)
        last = place.line(max(start, end - 1))
        cells += (name, kind, parent, ordinal, flags, line, col, first, last, signature, doc)
        cells += (remap[type_], remap[value])
    return cells
