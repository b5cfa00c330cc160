"""Turns what a builder collected into `FileFacts`: resolves names, merges equal expressions, groups uses.

It runs once a file over everything that was collected, so its loops are plain and their bodies short.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, chain, compress, count
from typing import TYPE_CHECKING

from codemap.fact_building.positions import Places
from codemap.fact_building.pruning import HAS_BOTH, OPERANDS_OF, Reach
from codemap.fact_building.search_words import wording
from codemap.facts import BESIDE_NAME, FileFacts, Op, SourceKind, SymbolKind
from codemap.occurrences.word_marks import marks_of

if TYPE_CHECKING:
    from codemap.fact_building.builder import Builder

_NONE = -1
_NAME = int(Op.NAME)
_ATTR = int(Op.ATTR)
_OF_NAMES = (int(Op.GLOBAL), int(Op.LITERAL), int(Op.CONTAINER))
_CONTAINER = int(Op.CONTAINER)
_BESIDE_NAME = frozenset(map(int, BESIDE_NAME))
_EXPR_SOURCES = (int(SourceKind.VALUE), int(SourceKind.TYPED))
_WORDLESS = frozenset((int(SymbolKind.FILE), int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY)))
"""Kinds of symbols whose words are those of the definition around them: there are many, of a line each."""


def finish(b: Builder) -> FileFacts:
    place = Places(b.source)
    reach = Reach(b)
    names = _renumber(reach.names)
    remap, merged = _merge(b, reach, names)
    sources: list[int] = []
    bindings: list[int] = []
    for scope, name in reach.rows:
        own = scope.sources[name]
        bindings += (names[name], scope.owner, scope.kind, len(sources) // 3, len(own))
        for kind, a, second in own:
            sources += (kind, remap[a] if kind in _EXPR_SOURCES else a, second)
    uses, sites = _group(b, remap)
    imports: list[int] = []
    for specifier, name, flags, at, owner, path in b.imports:
        imports += (names[specifier], names[name], flags, *place(at), owner, remap[path])
    exports: list[int] = []
    for name, local, import_, at in b.exports:
        exports += (names[name], b.module.numbers.get(local, _NONE), import_, *place(at))
    bases: list[int] = []
    for cls, role, expr, at in b.bases:
        bases += (cls, role, remap[expr], *place(at))
    decorators: list[int] = []
    for symbol, expr in b.decorators:
        decorators += (symbol, remap[expr])
    parameters: list[int] = []
    for function, name, type_ in b.parameters:
        parameters += (function, names[name], remap[type_])
    parts: list[int] = []
    for symbol, name, expr in b.parts:
        parts += (symbol, names[name], remap[expr])
    words, counts = _finish_wording(b) if b.is_worded else ("", ())
    return FileFacts(
        lang=b.lang,
        size=len(b.source),
        lines=place.lines,
        error_bytes=b.error_bytes,
        names=tuple(compress(b.names, reach.names)),
        texts=tuple(b.texts),
        symbols=_pack_table(_finish_symbols(b, remap, names, place)),
        bindings=_pack_table(bindings),
        sources=_pack_table(sources),
        imports=_pack_table(imports),
        exports=_pack_table(exports),
        bases=_pack_table(bases),
        decorators=_pack_table(decorators),
        parameters=_pack_table(parameters),
        exprs=_pack_table([*chain.from_iterable(merged)]),
        uses=_pack_table(uses),
        sites=_pack_table(place.cells(sites)),
        is_script=b.is_script,
        parts=_pack_table(parts),
        shapes=_pack_table([cell for symbol, text in b.shapes for cell in (symbol, names[text])]),
        packages=tuple(b.packages),
        words=words,
        wording=_pack_table(counts),
        marks=marks_of(b.source),
        dialect=b.dialect,
    )


def _finish_wording(b: Builder) -> tuple[str, list[int]]:
    rows = zip(b.symbols, b.spans, strict=True)
    stretches = [(start, -end, row) for row, (symbol, (_, start, end)) in enumerate(rows) if symbol[1] not in _WORDLESS]
    return wording(b.source, stretches)


def _pack_table(cells: Sequence[int]) -> bytes:
    return struct.Struct(f"<{len(cells)}i").pack(*cells) if cells else b""


def _renumber(kept: bytearray) -> list[int]:
    """Old number of a name -> new; -1 and -2 stay what they are."""
    numbers = list(accumulate(kept[:-2], initial=0))
    numbers[-1:] = -2, _NONE
    return numbers


def _merge(b: Builder, reach: Reach, names: list[int]) -> tuple[list[int], dict[tuple[int, int, int], int]]:
    """Merges the rows that became equal when heads were resolved; gives old index -> new, and the new rows in order."""
    exprs = b.exprs
    remap = [_NONE] * (len(exprs) + 1)  # the last one is where -1 leads
    merged: dict[tuple[int, int, int], int] = defaultdict(count().__next__)
    has_both = HAS_BOTH
    numbers = [scope.numbers[name] for scope, name in reach.bindings]
    for index, (op, a, second) in compress(enumerate(exprs), reach.live):
        if has_both[op]:
            row = (op, remap[a], remap[second])
        elif op == _ATTR:
            row = (op, remap[a], names[second])
        elif op == _NAME:
            row = (op, numbers[a], second)
        elif op in _OF_NAMES:
            row = (op, names[a], remap[second] if op == _CONTAINER else second)
        elif OPERANDS_OF[op]:
            row = (op, remap[a], names[second] if op in _BESIDE_NAME else second)
        else:
            row = (op, a, second)
        remap[index] = merged[row]
    return remap, merged


def _group(b: Builder, remap: list[int]) -> tuple[list[int], list[int]]:
    """Rows of uses, and the offsets of their sites; uses of one owner that became equal are one."""
    uses: list[int] = []
    sites: list[int] = []
    for owner, own in b.uses.items():
        grouped: dict[int, list[int]] = {}
        for key, at in own.items():
            new = remap[key >> 2] << 2 | key & 3
            if new in grouped:
                known = grouped[new]
                known += at
                known.sort()
            else:
                grouped[new] = at
        for new, at in grouped.items():
            uses += (owner, new & 3, new >> 2, len(sites), len(at))
            sites += at
    return uses, sites


def _finish_symbols(b: Builder, remap: list[int], names: list[int], place: Places) -> list[int]:
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
        cells += (names[name], kind, parent, ordinal, flags, line, col, first, last, signature, doc)
        cells += (remap[type_], remap[value])
    return cells
