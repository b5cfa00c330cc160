"""Members whose names are made when the code runs, of which the beginning is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.graph.model.values import NOTHING, VALUES_MAX, Confidence, Meaning, Tag, Value
from codemap.graph.resolve.classes import is_class, order
from codemap.graph.resolve.files import GraphFile

if TYPE_CHECKING:
    from codemap.graph.resolve.evaluate import Evaluator


def beginning_with(ev: Evaluator, file: GraphFile, receiver: Meaning, prefix: str) -> Meaning:
    """Candidates for a member whose name is made when the code runs: those that begin with a prefix.

    They are looked for in the class of the receiver, and in its bases and heirs, as far as these stand in `file`.
    """
    rows: dict[int, int] = {}
    for value in receiver.values:
        if value.tag in (Tag.INSTANCE, Tag.SYMBOL) and isinstance(value.a, int):
            for row in _relatives(ev, file, value.a):
                rows.update(dict.fromkeys(_members_with(file, row, prefix), value.a))
    if not rows or len(rows) > VALUES_MAX:
        return NOTHING
    return Meaning(Confidence.CANDIDATE, tuple(Value(Tag.SYMBOL, file.base + row, of) for row, of in rows.items()))


def _relatives(ev: Evaluator, file: GraphFile, cls: int) -> list[int]:
    """Rows of the classes of a file that are this one, above it or below it."""
    own = Value(Tag.SYMBOL, cls)
    above = order(ev, cls).values if is_class(ev, cls) else (own,)
    heirs = [row for row in file.base_rows if own in order(ev, file.base + row).values]
    nodes = [value.a for value in above if isinstance(value.a, int)] + [file.base + row for row in heirs]
    return [node - file.base for node in dict.fromkeys(nodes) if file.base < node < file.base + file.symbol_count]


def _members_with(file: GraphFile, row: int, prefix: str) -> list[int]:
    children = file.children.get(row, {})
    return [child for name, child in children.items() if name.startswith(prefix)]
