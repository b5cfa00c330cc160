"""What `new` makes, and constants of enums: classes without a name, in the definition around them.

Source: The Java Language Specification, "Class Instance Creation Expressions", "Enum Constants".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SymbolFlag, SymbolKind, UseRole
from codemap.languages.java import calls, definitions, headers, types
from codemap.languages.java.walk import JavaWalk
from codemap.languages.jvm.semantics import CONSTRUCTOR
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL, _EXTENDS = int(UseRole.CALL), int(UseRole.EXTENDS)
_PUBLIC_STATIC = SymbolFlag.EXPORTED | SymbolFlag.STATIC


def creation(w: JavaWalk, node: Node) -> int:
    """`new C(…)`, `outer.new C(…)`, `new C(…) {…}`."""
    b = w.b
    type_node, arguments = node.child_by_field_name("type"), node.child_by_field_name("arguments")
    if type_node is None:
        return visit_children(w, node)
    first = node.named_children[0]
    for child in node.named_children:
        if child.type.endswith("annotation") or child.type == "type_arguments":
            w.value(child)
    is_inner = first.start_byte < type_node.start_byte and not first.type.endswith(("annotation", "type_arguments"))
    if is_inner:
        outer = w.value(first)
        name = types.last_name(type_node)
        type_expr = b.attribute(outer, w.text(name))
        b.use(_CALL, type_expr, name.start_byte)
    else:
        type_expr = types.use_type(w, type_node, _CALL)
    calls.visit_arguments(w, type_expr, arguments)
    body = next((child for child in node.named_children if child.type == "class_body"), None)
    if body is not None:
        return anonymous(w, body, type_expr, types.last_name(type_node))
    return b.wrap(Op.INSTANCE, type_expr)


def anonymous(w: JavaWalk, node: Node, base_expr: int, base_name: Node) -> int:
    """`new Base() {…}`: a class without a name, in the definition around it; gives an instance of it."""
    b = w.b
    key = (b.owner, w.text(base_name))
    number = w.anonymous[key] = w.anonymous.get(key, 0) + 1
    symbol = b.symbol(
        f"{key[1]}${number}",
        SymbolKind.CLASS,
        parent=b.owner,
        at=base_name.start_byte,
        start=base_name.start_byte,
        end=node.end_byte,
        signature=f"new {key[1]}()",
    )
    with b.definition(symbol):
        cls = w.make_class(symbol, b.namespace(symbol))
        if base_expr != NONE:
            b.base(symbol, _EXTENDS, base_expr, base_name.start_byte)
            cls.has_bases = True
            cls.superclass = base_expr
        definitions.body(w, cls, node, None)
    return b.expr(Op.THIS, symbol)


def constant(w: JavaWalk, node: Node) -> int:
    """A constant of an enum; one with a body is of a class of its own."""
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    b, cls = w.b, w.classes[-1]
    symbol = b.symbol(
        w.text(name_node),
        SymbolKind.PROPERTY,
        parent=cls.symbol,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=_PUBLIC_STATIC,
        signature=w.text(name_node),
        doc=w.doc(node.start_byte),
    )
    w.bind_member(cls, w.text(name_node), symbol)
    b.set_type(symbol, b.expr(Op.SYMBOL, cls.symbol))
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        arguments = node.child_by_field_name("arguments")
        if arguments is not None:
            callee = b.attribute(
                b.expr(Op.THIS, cls.symbol), mangle_method(CONSTRUCTOR, len(calls.list_arguments(arguments)))
            )
            calls.call(w, callee, arguments, name_node.start_byte)
        block = node.child_by_field_name("body")
        if block is not None:
            anonymous(w, block, b.expr(Op.SYMBOL, cls.symbol), name_node)
    return NONE
