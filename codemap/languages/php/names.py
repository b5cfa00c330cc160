"""Namespaces, and what `use` statements call things.

A file of several namespaces has a symbol for each; the only namespace of a file is its package.

Source: the PHP Manual, "Namespaces".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import SourceKind, SymbolFlag, SymbolKind
from codemap.languages.php import definitions
from codemap.languages.php.builtins import CLASSES, SEPARATOR
from codemap.languages.php.project.modules import star_of
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMESPACE = "namespace_definition"
_PARTS = ("name", "qualified_name", "namespace_name")


def begin(w: Walk, root: Node) -> None:
    """Declares what the file has at its top, and the namespaces whose names it sees without a `use`."""
    spaces = [child for child in root.named_children if child.type == _NAMESPACE]
    names = [_name(w, node) for node in spaces]
    for name in dict.fromkeys(names):
        w.b.package(name.replace(SEPARATOR, "."))
    w.is_shared = len(spaces) > 1
    for name in dict.fromkeys([*(names if len(spaces) == 1 else ()), ""]):
        w.b.implicit_import(star_of(name))
    if not spaces:
        definitions.declare(w, root.named_children)
    elif len(spaces) == 1:
        w.namespace = names[0]
        definitions.declare(w, root.named_children)
        body = spaces[0].child_by_field_name("body")
        if body is not None:
            definitions.declare(w, body.named_children)


def namespace(w: Walk, node: Node) -> int:
    """`namespace A\\B;` holds until the next one, `namespace A\\B {…}` what is in it."""
    b = w.b
    name, body = _name(w, node), node.child_by_field_name("body")
    around = node.parent
    siblings = [child for child in around.named_children if child.type == _NAMESPACE] if around is not None else []
    w.namespace = name
    w.class_names.clear()
    w.function_names.clear()
    if len(siblings) > 1:
        b.owner = b.file
        following = [] if around is None else _following(around, node)
        if name:
            name_node = node.child_by_field_name("name") or node
            end = following[-1].end_byte if following and body is None else node.end_byte
            w.namespace_symbol = b.symbol(
                name,
                SymbolKind.MODULE,
                parent=b.file,
                at=name_node.start_byte,
                start=node.start_byte,
                end=end,
                flags=SymbolFlag.EXPORTED,
                signature=f"namespace {name}",
            )
        else:
            w.namespace_symbol = b.file
        definitions.declare(w, following if body is None else body.named_children)
    if body is not None:
        visit_children(w, body)
        if len(siblings) > 1:
            w.namespace, w.namespace_symbol = "", b.file
    return NONE


def _following(around: Node, node: Node) -> list[Node]:
    """The statements of a namespace that has no braces."""
    found: list[Node] = []
    for child in around.named_children:
        if child.start_byte <= node.start_byte:
            continue
        if child.type == _NAMESPACE:
            break
        found.append(child)
    return found


def _name(w: Walk, node: Node) -> str:
    name = node.child_by_field_name("name")
    return "" if name is None else "".join(w.text(name).split())


def use(w: Walk, node: Node) -> int:
    """`use A\\B, C as D;`, `use function A\\f;`, `use A\\{B, const C};`"""
    prefix = next((child for child in node.named_children if child.type == "namespace_name"), None)
    base = "" if prefix is None else w.text(prefix).lstrip(SEPARATOR) + SEPARATOR
    word = _word(node)
    for child in node.named_children:
        if child.type == "namespace_use_clause":
            _clause(w, child, base, _word(child) or word)
        elif child.type == "namespace_use_group":
            for clause in child.named_children:
                if clause.type == "namespace_use_clause":
                    _clause(w, clause, base, _word(clause) or word)
    return NONE


def _word(node: Node) -> str:
    """`function` or `const`, where the statement or clause says so."""
    return next((child.type for child in node.children if child.type in ("function", "const")), "")


def _clause(w: Walk, clause: Node, base: str, word: str) -> None:
    b = w.b
    alias = clause.child_by_field_name("alias")
    name_node = next((child for child in clause.named_children if child.type in _PARTS and child != alias), None)
    if name_node is None:
        return
    full = base + "".join(w.text(name_node).split()).lstrip(SEPARATOR)
    last = full.rpartition(SEPARATOR)[2]
    called = last if alias is None else w.text(alias)
    at = name_node.end_byte - len(last.encode())
    if word == "function":
        w.function_names[f"{called.lower()}()"] = full
    elif word == "const":
        w.function_names[called] = full
    else:
        w.class_names[called.lower()] = full
    if full and (word or full.lower() not in CLASSES):
        row = b.import_(full, last, at)
        b.bind(f"import {full}", SourceKind.IMPORT, row, scope=b.module)
