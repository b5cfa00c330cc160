"""How a compact row is related to the node that was asked about, where it is not its neighbor: derived, reached or used
through another one. And the rows of the node's family.
"""

from __future__ import annotations

from codemap.facts import Symbol
from codemap.graph.family import Kin
from codemap.tools.compact import Row, row_place, short_id
from codemap.tools.neighbors.asked import Asked


def kin_row(asked: Asked, node: int, kin: Kin) -> Row:
    file, name = row_place(asked.snapshot, node)
    return Row(file, name, [str(asked.snapshot.cell(node, Symbol.LINE))], [kin.value])


def via_words(asked: Asked, via: int, file: str) -> str:
    """What a neighbor was reached from; in a hierarchy its name is enough, unless another in it has the same."""
    via_file, name = row_place(asked.snapshot, via)
    is_known = asked.is_hierarchy or bool(asked.family)
    is_clear = bool(name) and (via_file == file or (is_known and name not in asked.namesakes))
    word = "of" if asked.is_hierarchy else "to" if asked.params.family else "via"
    return f"{word} {name if is_clear else short_id(asked.snapshot, via)}"
