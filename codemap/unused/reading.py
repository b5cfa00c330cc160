"""Reads from facts what the graph leaves out: decorators, outside bases, lists of exports, imports of whole modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from codemap.facts import (
    EXPR_WIDTH,
    Base,
    Binding,
    Decorator,
    Export,
    FileFacts,
    Import,
    ImportFlag,
    Op,
    ScopeKind,
    Source,
    SourceKind,
    Use,
    rows,
)
from codemap.graph.model.indexed_file import IndexedFile, read_facts
from codemap.graph.model.named_expressions import last_name

Place = tuple[int, int]
"""Line and column."""


class Read(msgspec.Struct, frozen=True):
    """What one file says. Rows are those of its symbol table."""

    decorators: dict[int, tuple[str, ...]]
    """Row -> last names of its decorators."""
    bases: dict[int, tuple[tuple[str, Place], ...]]
    """Row of a class -> last names of its bases, and where they are; metaclasses and mixins too."""
    bound: frozenset[int]
    """Rows of what some name means in this file."""
    exported: frozenset[Place]
    """Where names are in lists of exports."""
    listed: frozenset[str]
    """The names in those lists."""
    starred: frozenset[Place]
    """Where imports are that bring, or pass on, all names of a module."""
    whole: frozenset[Place]
    """Where modules are imported as values that are used for more than their members."""
    import_lines: frozenset[int]
    """Lines with imports: strings there name modules."""


def read(file: IndexedFile) -> Read:
    facts = read_facts(file.held)
    exports = rows(facts.exports).tolist()
    places, names = set(), set()
    for at in range(0, len(exports), Export.WIDTH):
        places.add((exports[at + Export.LINE], exports[at + Export.COL]))
        if exports[at + Export.NAME] >= 0:
            names.add(facts.names[exports[at + Export.NAME]])
    return Read(
        _by_row(facts),
        _bases(facts),
        frozenset(_bound(facts)),
        frozenset(places),
        frozenset(names),
        frozenset(_starred(facts)),
        frozenset(_whole(facts)),
        frozenset(rows(facts.imports)[Import.LINE :: Import.WIDTH].tolist()),
    )


def _by_row(facts: FileFacts) -> dict[int, tuple[str, ...]]:
    table = rows(facts.decorators).tolist()
    found: dict[int, tuple[str, ...]] = {}
    for at in range(0, len(table), Decorator.WIDTH):
        row = table[at + Decorator.SYMBOL]
        found[row] = (*found.get(row, ()), last_name(facts, table[at + Decorator.EXPR]))
    return found


def _bases(facts: FileFacts) -> dict[int, tuple[tuple[str, Place], ...]]:
    table = rows(facts.bases).tolist()
    found: dict[int, tuple[tuple[str, Place], ...]] = {}
    for at in range(0, len(table), Base.WIDTH):
        row, place = table[at + Base.CLASS], (table[at + Base.LINE], table[at + Base.COL])
        found[row] = (*found.get(row, ()), (last_name(facts, table[at + Base.EXPR]), place))
    return found


def _bound(facts: FileFacts) -> Iterator[int]:
    """What a name means outside of it: a function that is a value may have a name for itself alone, as in a block."""
    bindings, sources = rows(facts.bindings).tolist(), rows(facts.sources).tolist()
    for at in range(0, len(bindings), Binding.WIDTH):
        first, space = bindings[at + Binding.FIRST], bindings[at + Binding.SPACE]
        for source in range(first, first + bindings[at + Binding.COUNT]):
            kind, symbol = sources[source * Source.WIDTH : source * Source.WIDTH + 2]
            if kind == SourceKind.SYMBOL and symbol != space and bindings[at + Binding.SCOPE] != ScopeKind.BLOCK:
                yield symbol


def _starred(facts: FileFacts) -> Iterator[Place]:
    table = rows(facts.imports).tolist()
    for at in range(0, len(table), Import.WIDTH):
        if table[at + Import.IMPORTED] == Import.STAR and not table[at + Import.FLAGS] & ImportFlag.IMPLICIT:
            yield table[at + Import.LINE], table[at + Import.COL]


def _whole(facts: FileFacts) -> Iterator[Place]:
    """Modules that are bound to a name which is used by itself, or to none."""
    table = rows(facts.imports).tolist()
    modules = {
        at // Import.WIDTH: (table[at + Import.LINE], table[at + Import.COL])
        for at in range(0, len(table), Import.WIDTH)
        if table[at + Import.IMPORTED] == -1 and not table[at + Import.FLAGS] & ImportFlag.SIDE_EFFECT
    }
    if not modules:
        return
    bindings, sources = rows(facts.bindings).tolist(), rows(facts.sources).tolist()
    bound: dict[int, int] = {}
    for at in range(0, len(bindings), Binding.WIDTH):
        first = bindings[at + Binding.FIRST]
        for source in range(first, first + bindings[at + Binding.COUNT]):
            if sources[source * Source.WIDTH] == SourceKind.IMPORT and sources[source * Source.WIDTH + 1] in modules:
                bound[at // Binding.WIDTH] = sources[source * Source.WIDTH + 1]
    exprs = np.frombuffer(facts.exprs, "<i4").reshape(-1, EXPR_WIDTH)
    uses = np.frombuffer(facts.uses, "<i4").reshape(-1, Use.WIDTH)
    used = exprs[uses[:, Use.EXPR]]
    counts: Counter[int] = Counter()
    """By binding, the sites at which it is used, less those of its members."""
    for (op, a, _), count in zip(used.tolist(), uses[:, Use.COUNT].tolist(), strict=True):
        if op == Op.NAME:
            counts[a] += count
        elif op == Op.ATTR and exprs[a, 0] == Op.NAME:
            counts[int(exprs[a, 1])] -= count
    for binding, module in bound.items():
        if counts[binding] > 0:
            yield modules[module]
    for module in modules.keys() - set(bound.values()):
        yield modules[module]
