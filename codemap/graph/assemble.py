"""What the files bound becomes the arrays of a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from codemap.facts import SITE_WIDTH
from codemap.graph.bind import Bound, Span, Target
from codemap.graph.edges import EdgeTable, Ints, UnresolvedTable, starts

_AFTER_NODES = 1 << 40


class Assembly:
    """Collects the rows of every file, in file order; `edges` and `unresolved` then make the tables."""

    def __init__(self, first_external: int) -> None:
        self._first_external = first_external
        self._externals: dict[tuple[str, str], int] = {}
        self._names: dict[str, int] = {}
        self._edge_chunks: list[Ints] = []
        self._site_chunks: list[Ints] = []
        self._open_chunks: list[Ints] = []
        self._open_site_chunks: list[Ints] = []
        self.missing_imports = 0

    @property
    def externals(self) -> tuple[tuple[str, str], ...]:
        return tuple(self._externals)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._names)

    def add(self, bound: Bound) -> None:
        """Takes over one file's rows."""
        externals, first = self._externals, self._first_external
        sites = np.frombuffer(bound.file.facts.sites, dtype="<i4").reshape(-1, SITE_WIDTH)
        if bound.own_sites:
            sites = np.concatenate([sites, _array(bound.own_sites, SITE_WIDTH)])
        edge_rows = []
        picked: list[int] = []
        for (source, target, kind), (confidence, spans) in sorted(bound.edges.items(), key=_edge_order):
            if isinstance(target, tuple):
                target = first + externals.setdefault(target, len(externals))
            edge_rows.append((source, target, kind, confidence, _pick(spans, picked)))
        self._edge_chunks.append(_array(edge_rows, 5))
        self._site_chunks.append(sites[picked])
        open_rows = []
        picked = []
        for (source, name, use_kind), spans in sorted(bound.unresolved.items()):
            number = self._names.setdefault(name, len(self._names))
            open_rows.append((source, number, use_kind, _pick(spans, picked)))
        self._open_chunks.append(_array(open_rows, 4))
        self._open_site_chunks.append(sites[picked])
        self.missing_imports += bound.missing_imports

    def edges(self) -> EdgeTable:
        table = _joined(self._edge_chunks, 5)
        source, target, kind, confidence, count = (np.ascontiguousarray(column) for column in table.T)
        node_count = self._first_external + len(self._externals)
        by_target = np.argsort(target, kind="stable").astype(np.int32)
        return EdgeTable(
            source=source,
            target=target,
            kind=kind,
            confidence=confidence,
            first=_firsts(count),
            count=count,
            sites=_joined(self._site_chunks, 2),
            out_start=starts(source, node_count),
            by_target=by_target,
            in_start=starts(target[by_target], node_count),
        )

    def unresolved(self) -> UnresolvedTable:
        table = _joined(self._open_chunks, 4)
        source, name, kind, count = (np.ascontiguousarray(column) for column in table.T)
        by_name = np.argsort(name, kind="stable").astype(np.int32)
        return UnresolvedTable(
            source=source,
            name=name,
            kind=kind,
            first=_firsts(count),
            count=count,
            sites=_joined(self._open_site_chunks, 2),
            out_start=starts(source, self._first_external + len(self._externals)),
            by_name=by_name,
            name_start=starts(name[by_name], len(self._names)),
        )


def _edge_order(item: tuple[tuple[int, Target, int], object]) -> tuple[int, int, int, tuple[str, str]]:
    """By source, kind, then target, external packages last."""
    source, target, kind = item[0]
    if isinstance(target, int):
        return source, kind, target, ("", "")
    return source, kind, _AFTER_NODES, target


def _pick(spans: list[Span], picked: list[int]) -> int:
    """Appends the site numbers of some spans; returns how many."""
    before = len(picked)
    for first, count in spans:
        picked.extend(range(first, first + count))
    return len(picked) - before


def _array(cells: Sequence[Iterable[int]], width: int) -> Ints:
    return np.array(cells, dtype=np.int32).reshape(-1, width)


def _joined(chunks: list[Ints], width: int) -> Ints:
    return np.concatenate(chunks) if chunks else np.empty((0, width), dtype=np.int32)


def _firsts(count: Ints) -> Ints:
    ends = np.cumsum(count, dtype=np.int64)
    return (ends - count).astype(np.int32)
