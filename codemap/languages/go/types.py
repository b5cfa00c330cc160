"""Type expressions: what a stated type admits, and the uses inside it.

A pointer is what it points to: methods and fields are the same. Slices, maps and channels are containers whose type
arguments the graph knows by the names in `CONTAINERS`; a type parameter means what its constraint does.

Source: The Go Programming Language Specification, "Types".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.go.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_EXTENDS = int(UseRole.EXTENDS)
NAMED = frozenset({"type_identifier", "qualified_type", "generic_type"})
"""Types that a declaration gave their name."""
_ANYTHING = frozenset({"any", "comparable", "interface{}"})
"""Constraints that say nothing of what values have."""
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_QUALIFIER = re.compile(r"\b\w+\.(?=\w)")


def visit_name(w: Walk, node: Node) -> int:
    return w.b.read(node.start_byte, node.end_byte)


def qualified(w: Walk, node: Node) -> int:
    plain = w.b.read_chain(node.start_byte, node.end_byte)
    if plain is not None:
        return plain
    package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
    if package is None or name is None:
        return NONE
    value = w.b.attribute(w.b.read(package.start_byte, package.end_byte), w.text(name))
    w.b.use(_READ, value, name.start_byte)
    return value


def visit_wrapped(w: Walk, node: Node) -> int:
    """A pointer, a type in parentheses, or a constraint of one type: what is inside."""
    found = [w.value(child) for child in children_of(node)]
    return found[0] if len(found) == 1 else NONE


def generic(w: Walk, node: Node) -> int:
    """A type with type arguments."""
    value = w.field(node, "type")
    return w.b.apply_known(value, arguments(w, node.child_by_field_name("type_arguments")))


def arguments(w: Walk, node: Node | None) -> list[int]:
    """Visits type arguments."""
    return [w.value(child) for child in children_of(node)] if node is not None else []


def visit_embedded(w: Walk, node: Node | None) -> int:
    """What a type embeds; that it extends it says that it uses it."""
    given: list[int] = []
    while node is not None and node.type in ("pointer_type", "parenthesized_type", "generic_type"):
        if node.type == "generic_type":
            given = arguments(w, node.child_by_field_name("type_arguments"))
        inner = node.child_by_field_name("type") or (node.named_children[0] if node.named_children else None)
        node = inner
    if node is None:
        return NONE
    if node.type == "type_identifier":
        return w.b.apply_known(w.b.name(w.text(node)), given)
    package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
    if package is None or name is None:
        return w.value(node)
    value = w.b.attribute(w.b.read(package.start_byte, package.end_byte), w.text(name))
    return w.b.apply_known(value, given)


def slice_(w: Walk, node: Node) -> int:
    w.field(node, "length")
    return container(w, "slice", w.field(node, "element"))


def map_(w: Walk, node: Node) -> int:
    key = w.field(node, "key")
    return container(w, "map", key, w.field(node, "value"))


def chan(w: Walk, node: Node) -> int:
    return container(w, "chan", w.field(node, "value"))


def container(w: Walk, name: str, *arguments: int) -> int:
    """The type of a container by the types of what it holds."""
    if all(argument == NONE for argument in arguments):
        return NONE
    return w.b.apply(w.b.name(name), arguments)


def function(w: Walk, node: Node) -> int:
    b = w.b
    parameters = [type_ for _, type_ in declared(w, node.child_by_field_name("parameters"))]
    return b.expr(Op.FUNCTION, b.args(parameters), result(w, node.child_by_field_name("result"))[0])


def struct(w: Walk, node: Node) -> int:
    """A struct type without a name of its own: a definition that no code names. Its fields are none, but they have
    their types."""
    b = w.b
    fields = [field for listed in node.named_children for field in listed.named_children if field.type != "comment"]
    if not fields:
        return b.literal("struct")
    symbol = b.symbol(
        "struct",
        SymbolKind.CLASS,
        parent=b.owner,
        at=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=int(SymbolFlag.UNNAMED),
        signature=w.header(node.start_byte, node.end_byte),
    )
    members = w.b.namespace(symbol)
    for field in fields:
        type_node = field.child_by_field_name("type")
        names = field.children_by_field_name("name")
        if type_node is None:
            w.value(field)
            continue
        type_expr = w.value(type_node) if names else visit_embedded(w, type_node)
        if not names:
            names = [last_name(type_node)]
            b.base(symbol, _EXTENDS, type_expr, names[0].start_byte)
        for name in names:
            b.bind_typed(w.text(name), type_expr, scope=members)
    return b.expr(Op.SYMBOL, symbol)


def last_name(node: Node) -> Node:
    """The name that an embedded field has: its type's, without package, pointer and type arguments."""
    while node.named_children and node.type != "type_identifier":
        inner = node.child_by_field_name("name") or node.child_by_field_name("type")
        node = inner or node.named_children[0]
    return node


def declared(w: Walk, node: Node | None) -> list[tuple[Node | None, int]]:
    """Names (None where there is none) and types of a list of parameters or results, in order; visits the types."""
    found: list[tuple[Node | None, int]] = []
    for child in node.named_children if node is not None else ():
        if child.type not in ("parameter_declaration", "variadic_parameter_declaration"):
            continue
        type_ = w.field(child, "type")
        if child.type == "variadic_parameter_declaration":
            type_ = container(w, "slice", type_)
        names = child.children_by_field_name("name")
        found += [(name, type_) for name in names] or [(None, type_)]
    return found


def declare_parameters(w: Walk, named: Sequence[tuple[Node | None, int]]) -> None:
    """Binds parameters and results for the body of a function. Its types, which were visited, do not see them:
    `func prepare(sql string) *sql.Stmt`."""
    for name, type_expr in named:
        if name is not None and w.text(name) != "_":
            w.declare(w.text(name), SourceKind.OPAQUE if type_expr == NONE else SourceKind.TYPED, type_expr)


def result(w: Walk, node: Node | None) -> tuple[int, list[tuple[Node | None, int]]]:
    """The type of a stated result, a tuple where there are several, and the results that have names."""
    if node is None:
        return NONE, []
    if node.type != "parameter_list":
        return w.value(node), []
    found = declared(w, node)
    if len(found) == 1:
        return found[0][1], found
    if all(type_ == NONE for _, type_ in found):
        return NONE, found
    return w.b.tuple_of([w.b.wrap(Op.INSTANCE, type_) for _, type_ in found]), found


def open_parameters(w: Walk, node: Node | None, owner: int) -> None:
    """Binds the type parameters of a definition in the current scope, with their constraints, which it visits."""
    position = 0
    for child in node.named_children if node is not None else ():
        if child.type != "type_parameter_declaration":
            continue
        names = [w.text(name) for name in child.children_by_field_name("name")]
        type_node = child.child_by_field_name("type")
        constraint = w.value(type_node)
        is_any = type_node is not None and w.text(type_node) in _ANYTHING
        for name in names:
            w.b.bind(name, SourceKind.TYPE_PARAMETER, owner, position)
            if constraint != NONE and not is_any:
                w.b.bind(name, SourceKind.VALUE, constraint)
            position += 1
        w.parameters |= frozenset(names)


def spell_shape(w: Walk, node: Node) -> str:
    """The types of a function's parameters and results as text, without names and packages; a type parameter is `_`."""
    parts = []
    for field in ("parameters", "result"):
        side = node.child_by_field_name(field)
        types: list[str] = []
        if side is not None and side.type == "parameter_list":
            for child in side.named_children:
                type_ = child.child_by_field_name("type")
                if type_ is not None:
                    mark = "..." if child.type.startswith("variadic") else ""
                    types += [mark + _plain(w, type_)] * max(1, len(child.children_by_field_name("name")))
        elif side is not None:
            types.append(_plain(w, side))
        parts.append(f"({','.join(types)})")
    return "".join(parts)


def _plain(w: Walk, node: Node) -> str:
    if node.type == "function_type":
        return f"func{spell_shape(w, node)}"
    if node.child_count and "func" in w.text(node):
        return "".join(_plain(w, child) for child in node.children)
    text = _QUALIFIER.sub("", "".join(_COMMENT.sub("", w.text(node)).split())).replace("interface{}", "any")
    return re.sub(r"\b\w+\b", lambda word: "_" if word[0] in w.parameters else word[0], text)
