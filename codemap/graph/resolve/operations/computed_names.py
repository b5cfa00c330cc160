"""Members whose names are computed at run time: those that begin alike."""

from __future__ import annotations

from codemap.facts import Symbol
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import NOTHING, Confidence, Definition, Instance, Meaning
from codemap.graph.resolve import method_resolution_order

_ALIKE_MAX = 256
"""Members whose names begin alike: a visitor has one for each kind of node."""


def find_by_prefix(ev: Evaluator, file: GraphFile, receiver: Meaning, prefix: str) -> Meaning:
    """Candidates for a member whose name is computed at run time: those that begin with a prefix.

    They are looked for in the class of the receiver, and in its bases and heirs, as far as these are in `file`.
    """
    rows: dict[int, int] = {}
    for value in receiver.values:
        if isinstance(value, Definition | Instance):
            for row in _find_relatives(ev, file, value.node):
                rows.update(dict.fromkeys(_find_with_prefix(file, row, prefix), value.node))
    if not rows or len(rows) > _ALIKE_MAX:
        return NOTHING
    return Meaning(Confidence.CANDIDATE, tuple(Definition(file.base + row, of) for row, of in rows.items()))


def _find_relatives(ev: Evaluator, file: GraphFile, cls: int) -> list[int]:
    """Rows of the classes of a file that are this one, above it or below it."""
    own = Definition(cls)
    above = (
        method_resolution_order.compute_order(ev, cls).values if method_resolution_order.is_class(ev, cls) else (own,)
    )
    heirs = [row for row in file.base_rows if own in method_resolution_order.compute_order(ev, file.base + row).values]
    nodes = [value.node for value in above if isinstance(value, Definition)] + [file.base + row for row in heirs]
    return [node - file.base for node in dict.fromkeys(nodes) if file.base < node < file.base + file.symbol_count]


def _find_with_prefix(file: GraphFile, row: int, prefix: str) -> list[int]:
    inside = [at for at in range(row + 1, file.symbol_count) if file.cell(at, Symbol.PARENT) == row]
    return [at for at in inside if file.name_of(at).startswith(prefix)]
