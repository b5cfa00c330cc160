"""Structs, unions and enumerations, their members, and types by name.

A tag belongs to the top level even where the struct is inside another, and so do the constants of an enumeration. A
struct without a tag has the name of its `typedef`, or is the field that it is the type of.

Source: ISO/IEC 9899:2018, 6.7.2 "Type specifiers".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import COMMENTS, visit_children
from codemap.facts import Op, SourceKind, SymbolKind
from codemap.languages.c import declarators
from codemap.languages.c.inactive_regions import compiled_children
from codemap.languages.c.keywords import MACRO_NAME
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_MACRO = re.compile(MACRO_NAME)
_RECORDS = frozenset({"struct_specifier", "union_specifier", "class_specifier"})


def record(w: Walk, node: Node) -> int:
    """A struct or union: defines it where it has a body, else names it."""
    body, name_node = node.child_by_field_name("body"), _name_of(w, node)
    if body is None:
        return named_record(w, node, name_node)
    if name_node is None:
        owner, w.holder = w.b.owner if w.holder == NONE else w.holder, NONE
        _fields(w, body, owner, w.b.namespace(owner))
        return NONE
    symbol = _define(w, node, name_node, body, SymbolKind.CLASS)
    with w.b.definition(symbol):
        _fields(w, body, symbol, w.b.namespace(symbol))
    return w.b.expr(Op.SYMBOL, symbol)


def is_nameless(node: Node) -> bool:
    """Whether a type is a struct, union or class that is defined where it is used, without a name."""
    has_name = node.child_by_field_name("name") is not None
    return node.type in _RECORDS and not has_name and node.child_by_field_name("body") is not None


def _name_of(w: Walk, node: Node) -> Node | None:
    return node.child_by_field_name("name") or w.nameless.get(node.id)


def _define(w: Walk, node: Node, name_node: Node, body: Node, kind: SymbolKind) -> int:
    b = w.b
    name = w.text(name_node)
    is_inner = b.kind_of(b.owner) in (SymbolKind.CLASS, SymbolKind.PROPERTY) and w.is_top()
    symbol = b.symbol(
        name,
        kind,
        parent=b.file if is_inner else b.owner,
        at=name_node.start_byte,
        start=node.start_byte,
        end=max(node.end_byte, name_node.end_byte),
        flags=w.shared(),
        signature=_signature(w, node, name_node, body),
        doc=w.doc(b.chars.rfind("\n", 0, node.start_byte) + 1),
    )
    if w.is_top():
        w.defined.setdefault(w.key(f"struct {name}"), symbol)
    else:
        w.local_types.add(name)
    w.declare(name, SourceKind.SYMBOL, symbol)
    return symbol


def _signature(w: Walk, node: Node, name_node: Node, body: Node) -> str:
    head = w.header(node.start_byte, body.start_byte)
    return head if name_node.start_byte < body.start_byte else f"typedef {head} {w.text(name_node)}"


def named_record(w: Walk, node: Node, name_node: Node | None) -> int:
    """`struct s` means a type; alone, it declares one that another file may define."""
    if name_node is None:
        return NONE
    if w.is_top() and stands_alone(node):
        return forward(w, node, name_node)
    return w.read_type(name_node)


def stands_alone(node: Node) -> bool:
    """Whether nothing is declared of a type but the type itself: `struct s;`."""
    following = node.next_sibling
    while following is not None and following.type in COMMENTS:
        following = following.next_sibling
    return following is not None and following.type == ";"


def forward(w: Walk, node: Node, name_node: Node) -> int:
    """Declares a type that another file may define, or this one further down."""
    w.defer(lambda: _declare(w, node, name_node))
    return w.b.name(w.text(name_node))


def is_behind_macro(w: Walk, node: Node, type_node: Node, given: list[Node]) -> bool:
    """Whether a class is declared behind a macro (`class EXPORT Shop;`), and no variable of a class so called."""
    is_class = type_node.type == "class_specifier"
    if not is_class and (
        type_node.type != "struct_specifier" or node.parent is None or node.parent.type != "template_declaration"
    ):
        return False
    name = type_node.child_by_field_name("name")
    is_macro = (
        name is not None
        and type_node.child_by_field_name("body") is None
        and _MACRO.fullmatch(w.text(name)) is not None
    )
    return is_macro and len(given) == 1 and given[0].type == "identifier"


def _declare(w: Walk, node: Node, name_node: Node) -> None:
    b = w.b
    name = w.text(name_node)
    if w.key(f"struct {name}") in w.defined:
        return
    symbol = w.define(
        name, SymbolKind.ENUM if node.type == "enum_specifier" else SymbolKind.CLASS, node, name_node, flags=w.shared()
    )
    b.declaration(symbol)
    b.bind(name, SourceKind.SYMBOL, symbol)
    w.defined[w.key(f"struct {name}")] = symbol


def _fields(w: Walk, body: Node, owner: int, members: Scope) -> None:
    for child in compiled_children(body):
        if child.type == "field_declaration":
            _field(w, child, owner, members)
        elif child.type.startswith("preproc_"):
            if child.type in ("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_else", "preproc_elifdef"):
                _fields(w, child, owner, members)
            else:
                w.value(child)


def _field(w: Walk, node: Node, owner: int, members: Scope) -> None:
    b = w.b
    type_node = node.child_by_field_name("type")
    given = node.children_by_field_name("declarator")
    body = type_node.child_by_field_name("body") if type_node is not None and is_nameless(type_node) else None
    if body is not None and not given:
        _fields(w, body, owner, members)
        return
    base = NONE if body is not None else w.value(type_node)
    for each in given:
        declared = declarators.read(w, each)
        if declared.name is None:
            continue
        name = w.text(declared.name)
        symbol = w.define(name, SymbolKind.PROPERTY, node, declared.name, parent=owner, flags=w.shared())
        b.bind(name, SourceKind.SYMBOL, symbol, scope=members)
        type_expr = declarators.type_of(w, declared, base)
        if type_expr != NONE:
            b.set_type(symbol, type_expr)
        if body is not None:
            _fields(w, body, symbol, w.b.namespace(symbol))
    for child in node.named_children:
        if child.type == "bitfield_clause":
            visit_children(w, child)


def enumeration(w: Walk, node: Node) -> int:
    """An enumeration: defines it and its constants where it has a body, else names it."""
    body, name_node = node.child_by_field_name("body"), _name_of(w, node)
    symbol = NONE
    if body is None:
        return named_record(w, node, name_node)
    if name_node is not None:
        symbol = _define(w, node, name_node, body, SymbolKind.ENUM)
    type_expr = NONE if symbol == NONE else w.b.expr(Op.SYMBOL, symbol)
    _constants(w, body, type_expr)
    return type_expr


def _constants(w: Walk, body: Node, type_expr: int) -> None:
    b = w.b
    for child in compiled_children(body):
        name_node = child.child_by_field_name("name")
        if child.type != "enumerator":
            if child.type.startswith("preproc_") and child.type not in ("preproc_def", "preproc_function_def"):
                _constants(w, child, type_expr)
            elif child.type != "identifier":
                w.value(child)
            continue
        if name_node is None:
            continue
        w.field(child, "value")
        name = w.text(name_node)
        if not w.is_top():
            declarators.bind(w, name, type_expr, NONE)
            continue
        symbol = w.define(name, SymbolKind.VARIABLE, child, name_node, parent=b.file, flags=w.shared())
        b.bind(name, SourceKind.SYMBOL, symbol, scope=b.module)
        if type_expr != NONE:
            b.set_type(symbol, type_expr)


def visit_name(w: Walk, node: Node) -> int:
    return w.read_type(node)


def descriptor(w: Walk, node: Node) -> int:
    """A type without a name, as in a cast."""
    base = w.field(node, "type")
    return declarators.type_of(w, declarators.read(w, node.child_by_field_name("declarator")), base)
