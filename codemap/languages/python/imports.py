"""Import statements: one row for every name asked for, and the names that they bind.

`import a.b` binds `a` and makes `a.b` known, so it gives two rows; the row of `a.b` binds nothing.

Source: the Python Language Reference, 7.11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Import, ImportFlag, SourceKind
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_SIDE_EFFECT = int(ImportFlag.SIDE_EFFECT)
_IMPORT = int(SourceKind.IMPORT)


def import_(w: Walk, node: Node) -> int:
    for child in node.named_children:
        if child.type == "aliased_import":
            dotted, *_, alias = child.named_children
            row = w.b.import_(_dotted(w, dotted), NONE, dotted.start_byte, w.import_flags)
            _bind(w, w.text(alias), row)
        elif child.type == "dotted_name":
            name = _dotted(w, child)
            first, dot, _ = name.partition(".")
            if dot:
                flags = w.import_flags | _SIDE_EFFECT
                w.b.import_(name, NONE, child.start_byte, flags)
            _bind(w, first, w.b.import_(first, NONE, child.start_byte, w.import_flags))
    return NONE


def import_from(w: Walk, node: Node) -> int:
    module, *names = (child for child in node.named_children if child.type != "comment")
    specifier = _specifier(w, module)
    b = w.b
    for child in names:
        if child.type == "wildcard_import":
            row = b.import_(specifier, Import.STAR, module.start_byte, w.import_flags)
            w.star_imports[specifier.rpartition(".")[2]] = row
            b.bind("*", _IMPORT, row)
        elif child.type == "aliased_import":
            dotted, *_, alias = child.named_children
            _bind(w, w.text(alias), b.import_(specifier, w.text(dotted), dotted.start_byte, w.import_flags))
        elif child.type == "dotted_name":
            name = w.text(child)
            _bind(w, name, b.import_(specifier, name, child.start_byte, w.import_flags))
    return NONE


def import_future(_w: Walk, _node: Node) -> int:
    """A directive to the compiler, not an import."""
    return NONE


def _bind(w: Walk, name: str, row: int) -> None:
    b = w.b
    b.bind(name, _IMPORT, row, scope=b.function_scope())


def _specifier(w: Walk, module: Node) -> str:
    return "".join(w.text(module).split()) if module.type == "relative_import" else _dotted(w, module)


def _dotted(w: Walk, node: Node) -> str:
    text = w.text(node)
    return text if text.isidentifier() else "".join(text.split())
