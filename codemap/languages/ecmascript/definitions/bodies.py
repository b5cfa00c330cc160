"""The inside of a function or class expression that something else has named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.languages.ecmascript.definitions import classes, functions
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def run(w: Walk, plain: Node, symbol: int, this: int) -> None:
    """Visits what `symbol` stands for; `this` is what a function sees that is no arrow."""
    if plain.kind_id == w.kinds.CLASS:
        classes.run(w, plain, symbol)
    else:
        functions.run(w, plain, symbol, this=w.this if plain.type == "arrow_function" else this)
