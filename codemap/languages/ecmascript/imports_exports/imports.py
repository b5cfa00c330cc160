"""`import` statements of every form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, visit_nothing
from codemap.facts import ImportFlag, SourceKind
from codemap.languages.ecmascript.walk import Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

DEFAULT = "default"


def is_type_only(node: Node) -> bool:
    """Whether `type` (or Flow's `typeof`) is among the first words of an import, export or specifier."""
    return any(child.type in ("type", "typeof") and not child.is_named for child in node.children[:2])


def specifier_of(w: Walk, node: Node) -> tuple[str, Node] | None:
    """The module that an import or export statement names."""
    source = node.child_by_field_name("source")
    text = w.string(source)
    return None if source is None or not text else (text, source)


def import_statement(w: Walk, node: Node) -> int:
    if w.b.scope is w.b.module:
        w.is_module = True
    flags = ImportFlag.TYPE_ONLY if is_type_only(node) else ImportFlag(0)
    clause = None
    for child in node.named_children:
        if child.type == "import_clause":
            clause = child
        elif child.type == "import_require_clause":
            return _require_clause(w, child, flags)
    found = specifier_of(w, node)
    if found is None:
        return NONE
    specifier, source = found
    if clause is None:
        w.b.import_(specifier, NONE, source.start_byte, flags | ImportFlag.SIDE_EFFECT)
        return NONE
    for child in clause.named_children:
        match child.type:
            case "identifier":
                _bind(w, child, specifier, DEFAULT, child, flags)
            case "namespace_import":
                for name in child.named_children:
                    _bind(w, name, specifier, NONE, source, flags)
            case "named_imports":
                for each in child.named_children:
                    _named(w, each, specifier, flags)
            case _:
                pass
    return NONE


def _named(w: Walk, node: Node, specifier: str, flags: ImportFlag) -> None:
    name, alias = name_of(node), node.child_by_field_name("alias")
    if name is None or node.type != "import_specifier":
        return
    own = flags | ImportFlag.TYPE_ONLY if is_type_only(node) else flags
    _bind(w, name if alias is None else alias, specifier, w.key(name) or "", name, own)


def _require_clause(w: Walk, node: Node, flags: ImportFlag) -> int:
    """`import x = require('m')`."""
    found = specifier_of(w, node)
    name = node.named_children[0] if node.named_children else None
    if found is not None and name is not None:
        _bind(w, name, found[0], NONE, found[1], flags | ImportFlag.REQUIRE)
    return NONE


def _bind(w: Walk, local: Node, specifier: str, imported: str | int, at: Node, flags: ImportFlag) -> None:
    row = w.b.import_(specifier, imported, at.start_byte, flags)
    w.b.bind(w.text(local), SourceKind.IMPORT, row)


def import_alias(w: Walk, node: Node) -> int:
    """`import x = N.M`."""
    children = node.named_children
    if len(children) < 2:
        return NONE
    value = w.value(children[1])
    name = w.text(children[0])
    w.b.bind(name, SourceKind.VALUE if value != NONE else SourceKind.OPAQUE, value)
    if w.flags and w.b.scope is w.b.module:
        w.b.export(name, local=name, at=children[0].start_byte)
    return NONE


HANDLERS: Mapping[str, Handler] = {
    "import_statement": import_statement,
    "import_alias": import_alias,
    "import_attribute": visit_nothing,
    "import": visit_nothing,
}
