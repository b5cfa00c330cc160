"""Members of classes: fields, methods, constructors, components of records, constants of enums.

A component of a record is its accessor, and inside the record a variable; where the record spells the accessor out, the
component is a field. A constructor is named `<init>`, as its class file names it.

Source: The Java Language Specification, "Field Declarations", "Method Declarations", "Record Classes", "Enum Classes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import ScopeKind, SymbolFlag, SymbolKind
from codemap.languages.class_based.walk import Class
from codemap.languages.java import headers, types
from codemap.languages.java.walk import JavaWalk, modifiers_of
from codemap.languages.jvm.semantics import CONSTRUCTOR
from codemap.mangled_names import COUNTED_MAX, mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_PUBLIC_STATIC = SymbolFlag.EXPORTED | SymbolFlag.STATIC
_PARAMETERS = ("formal_parameter", "spread_parameter")


def parameters_of(node: Node) -> list[Node]:
    listed = node.child_by_field_name("parameters")
    return [child for child in listed.named_children if child.type in _PARAMETERS] if listed is not None else []


def argument_counts(node: Node) -> range:
    """The numbers of arguments that a method takes."""
    listed = parameters_of(node)
    is_variadic = bool(listed) and listed[-1].type == "spread_parameter"
    return (
        range(len(listed) - 1, max(len(listed), COUNTED_MAX) + 1)
        if is_variadic
        else range(len(listed), len(listed) + 1)
    )


def field(w: JavaWalk, node: Node) -> int:
    """A declaration of fields: the first owns what its type and its annotations use."""
    if not w.classes:
        return visit_children(w, node)
    b, cls = w.b, w.classes[-1]
    type_node, stated = node.child_by_field_name("type"), NONE
    flags = headers.flags_of(node) | (_PUBLIC_STATIC if cls.is_interface else 0)
    text = w.doc(node.start_byte)
    before = w.signature(node, node.end_byte if type_node is None else type_node.end_byte)
    is_first = True
    for declarator in node.children_by_field_name("declarator"):
        name_node = declarator.child_by_field_name("name")
        if name_node is None:
            continue
        name, value = w.text(name_node), declarator.child_by_field_name("value")
        symbol = b.symbol(
            name,
            SymbolKind.PROPERTY,
            parent=cls.symbol,
            at=name_node.start_byte,
            start=node.start_byte if is_first else declarator.start_byte,
            end=node.end_byte if is_first else declarator.end_byte,
            flags=flags,
            signature=f"{before} {w.text(name_node)}",
            doc=text,
        )
        w.bind_member(cls, name, symbol)
        with b.definition(symbol):
            if is_first:
                headers.annotate(w, node, symbol)
                stated = w.value(type_node)
                is_first = False
            type_expr = types.of_arrays(w, stated, declarator.child_by_field_name("dimensions"))
            if type_expr != NONE:
                b.set_type(symbol, type_expr)
            w.value_for(value, type_expr)
    return NONE


def method(w: JavaWalk, node: Node) -> int:
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    cls = w.classes[-1]
    name = w.text(name_node)
    symbol = _callable(w, node, cls, name, name_node)
    w.bind_method(cls, name, symbol, argument_counts(node))
    _body(w, node, symbol)
    return NONE


def constructor(w: JavaWalk, node: Node) -> int:
    """A constructor; a compact one of a record has the record's parameters."""
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    cls = w.classes[-1]
    symbol = _callable(w, node, cls, CONSTRUCTOR, name_node)
    w.bind_method(cls, CONSTRUCTOR, symbol, argument_counts(node))
    _body(w, node, symbol)
    return NONE


def _callable(w: JavaWalk, node: Node, cls: Class, name: str, name_node: Node) -> int:
    block = node.child_by_field_name("body")
    flags = headers.flags_of(node)
    is_private = any(child.type == "private" for child in getattr(modifiers_of(node), "children", ()))
    if cls.is_interface and not is_private:
        flags |= SymbolFlag.EXPORTED if block is not None else SymbolFlag.EXPORTED | SymbolFlag.ABSTRACT
    if any(parameter.type == "spread_parameter" for parameter in parameters_of(node)):
        flags |= SymbolFlag.VARIADIC
    end = node.end_byte if block is None else block.start_byte
    return w.define(name, SymbolKind.METHOD, node, name_node, parent=cls.symbol, flags=flags, header_end=end)


def _body(w: JavaWalk, node: Node, symbol: int) -> None:
    """Visits the signature and the body of a method, in its own scope."""
    b = w.b
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        types.generic_scope(w, node, symbol)
        result = types.of_arrays(w, w.field(node, "type"), node.child_by_field_name("dimensions"))
        if result != NONE:
            b.set_type(symbol, result)
        b.open_scope(ScopeKind.FUNCTION, symbol)
        for parameter in parameters_of(node):
            name, type_expr = declared(w, parameter)
            b.parameter(symbol, name or None, type_expr)
            if name:
                b.bind_typed(name, type_expr)
        for child in node.named_children:
            if child.type == "throws":
                w.value(child)
        block = node.child_by_field_name("body")
        if block is not None:
            visit_children(w, block)
        elif node.type == "annotation_type_element_declaration":
            w.field(node, "value")


def declared(w: JavaWalk, parameter: Node) -> tuple[str, int]:
    """Name and type of a parameter; visits its type and its annotations."""
    modifiers = modifiers_of(parameter)
    if modifiers is not None:
        w.value(modifiers)
    holder, type_node = parameter, parameter.child_by_field_name("type")
    if parameter.type == "spread_parameter":
        for child in parameter.named_children:
            if child.type == "variable_declarator":
                holder = child
            elif child.type != "modifiers":
                type_node = child
    name = holder.child_by_field_name("name")
    type_expr = types.of_arrays(w, w.value(type_node), holder.child_by_field_name("dimensions"))
    if parameter.type == "spread_parameter":
        type_expr = types.array_of(w, type_expr)
    return "" if name is None else w.text(name), type_expr


def component_names(w: JavaWalk, components: Node) -> list[str]:
    """What the components of a record bind: variables, and accessors."""
    found = []
    for parameter in components.named_children:
        name = parameter.child_by_field_name("name")
        if parameter.type in _PARAMETERS and name is not None:
            found += [w.text(name), mangle_method(w.text(name), 0), mangle_method(w.text(name))]
    return found


def components(w: JavaWalk, cls: Class, listed: Node, body: list[Node]) -> None:
    """The components of a record, whose body has the accessors that are spelled out."""
    b = w.b
    spelled = {name for child in body for name in [_accessor(w, child)] if name}
    for parameter in listed.named_children:
        name_node = parameter.child_by_field_name("name")
        if parameter.type not in _PARAMETERS or name_node is None:
            continue
        name = w.text(name_node)
        symbol = b.symbol(
            name,
            SymbolKind.PROPERTY if name in spelled else SymbolKind.METHOD,
            parent=cls.symbol,
            at=name_node.start_byte,
            start=parameter.start_byte,
            end=parameter.end_byte,
            flags=0 if name in spelled else SymbolFlag.EXPORTED,
            signature=w.signature(parameter, parameter.end_byte),
        )
        with b.definition(symbol):
            _, type_expr = declared(w, parameter)
            if type_expr != NONE:
                b.set_type(symbol, type_expr)
        if name in spelled:
            w.bind_member(cls, name, symbol)
            continue
        w.bind_method(cls, name, symbol, (0,))
        for scope in (cls.members, cls.frame):
            b.bind_typed(name, type_expr, scope=scope)


def initializer(w: JavaWalk, node: Node) -> int:
    """A block that runs when its class or an instance is made: its uses belong to the class."""
    with w.b.block(ScopeKind.FUNCTION):
        visit_children(w, node)
    return NONE


def _accessor(w: JavaWalk, node: Node) -> str:
    """The name of a method without parameters; empty for other members."""
    name = node.child_by_field_name("name")
    is_accessor = node.type == "method_declaration" and name is not None and not parameters_of(node)
    return w.text(name) if is_accessor and name is not None else ""
