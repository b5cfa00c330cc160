"""`__all__`: the explicit list of what a module offers to `from m import *`.

Source: the Python Language Reference, 7.11; the forms are those that type checkers accept (typing specification,
"Distributing type information", library interface).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.python.walk import Walk


def export_all(w: Walk, node: Node) -> None:
    """The names that an expression adds to `__all__`: literals, and the `__all__` of other modules."""
    match node.type:
        case "string":
            text = w.text(node)
            name = text.strip("\"'")
            if text[:1] in "\"'" and name.isidentifier():
                w.all_names.add(name)
                w.b.export(name, local=name, at=node.start_byte + 1)
        case "attribute":
            module, last = node.children[0], node.children[-1]
            _export_all_of(w, module, last)
        case "list" | "tuple" | "expression_list" | "parenthesized_expression" | "binary_operator" | "list_splat":
            for child in node.named_children:
                export_all(w, child)
        case "call":
            for child in node.children[-1].named_children:
                export_all(w, child)
        case _:
            pass


def _export_all_of(w: Walk, module: Node, last: Node) -> None:
    if w.text(last) != "__all__":
        return
    name = w.text(module).rpartition(".")[2]
    row = w.star_imports.get(name)
    if row is not None:
        w.b.export(None, import_=row, at=last.start_byte)
