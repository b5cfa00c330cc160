"""Statements that open blocks or declare variables; all others are visited for what they hold. Query expressions, whose
clauses declare variables, too.

Source: the C# language specification, "Statements", "Query expressions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op
from codemap.languages.csharp import calls, functions, types
from codemap.languages.csharp.walk import CSharpWalk, find_child
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_DISPOSE = (mangle_method("Dispose", 0),)
_ITERATE = (mangle_method("GetEnumerator", 0),)


def block(w: CSharpWalk, node: Node) -> int:
    """A block, or a statement whose header declares names: they end with it."""
    with w.b.block():
        functions.function_body(w, node) if node.type == "block" else visit_children(w, node)
    return NONE


def branch(w: CSharpWalk, node: Node) -> int:
    """`if (x is T y) … else …`: what the condition declares is there behind the statement, too; what a branch declares,
    one statement as well as a block, is not."""
    inner = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
    for child in node.named_children:
        if child in inner and child.type != "block":
            with w.b.block():
                w.value(child)
        else:
            w.value(child)
    return NONE


def local(w: CSharpWalk, node: Node) -> int:
    """`T a = …, b;`, `using var a = …;`"""
    holder = find_child(node, "variable_declaration")
    if holder is None:
        return visit_children(w, node)
    is_used = any(child.type == "using" for child in node.children)
    variables(w, holder, is_used=is_used)
    return NONE


def variable_declaration(w: CSharpWalk, node: Node) -> int:
    variables(w, node, is_used=False)
    return NONE


def variables(w: CSharpWalk, node: Node, *, is_used: bool) -> None:
    """Declares variables; those that are used are disposed of in the end."""
    stated = types.visit_type(w, node.child_by_field_name("type"))
    for declarator in node.named_children:
        if declarator.type != "variable_declarator":
            continue
        name = declarator.child_by_field_name("name")
        pattern = find_child(declarator, "tuple_pattern")
        given = [child for child in declarator.named_children if child not in (name, pattern)]
        value = NONE
        for child in given:
            if child.type == "bracketed_argument_list":
                w.value(child)
            else:
                value = calls.expected_value(w, child, stated)
        if pattern is not None:
            _unpack(w, pattern, value)
        if name is not None:
            w.declare_typed(w.text(name), stated, value)
            if is_used:
                held = value if stated == NONE else w.b.wrap(Op.INSTANCE, stated)
                w.b.operate(held, _DISPOSE, name.start_byte)


def _unpack(w: CSharpWalk, node: Node, value: int) -> None:
    """`var (a, b) = …`"""
    for position, child in enumerate(node.named_children):
        part = w.b.wrap(Op.ITEM, value, position)
        if child.type == "identifier":
            w.declare_typed(w.text(child), NONE, part)
        elif child.type == "tuple_pattern":
            _unpack(w, child, part)


def visit_foreach(w: CSharpWalk, node: Node) -> int:
    """`foreach (T x in xs)`: asks for an enumerator."""
    with w.b.block():
        _each(w, node)
    return NONE


def _each(w: CSharpWalk, node: Node) -> None:
    stated = types.visit_type(w, node.child_by_field_name("type"))
    left, whole_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    whole = w.value(whole_node)
    if whole_node is not None:
        w.b.operate(whole, _ITERATE, whole_node.start_byte)
    part = w.b.wrap(Op.ITER, whole)
    if left is not None and left.type == "identifier":
        w.declare_typed(w.text(left), stated, part)
    elif left is not None and left.type == "tuple_pattern":
        _unpack(w, left, part)
    elif left is not None:
        w.value(left)
    w.field(node, "body")


def using(w: CSharpWalk, node: Node) -> int:
    """`using (T x = …) …`, `using (x) …`: what is disposed of in the end."""
    with w.b.block():
        _using(w, node)
    return NONE


def _using(w: CSharpWalk, node: Node) -> None:
    body = node.child_by_field_name("body")
    for child in node.named_children:
        if child.type == "variable_declaration":
            variables(w, child, is_used=True)
        elif child != body:
            w.b.operate(w.value(child), _DISPOSE, child.start_byte)
    w.value(body)


def visit_catch(w: CSharpWalk, node: Node) -> int:
    """`catch (E e)`."""
    stated, name = types.visit_type(w, node.child_by_field_name("type")), node.child_by_field_name("name")
    if name is not None:
        w.declare_typed(w.text(name), stated)
    return NONE


def visit_return(w: CSharpWalk, node: Node) -> int:
    """`return e;`, `=> e`, `yield return e;`: may be a method."""
    value = NONE
    wanted = NONE if node.type == "yield_statement" else w.result
    for child in node.named_children:
        value = calls.function_or_value(w, child) if wanted == NONE else calls.expected_value(w, child, wanted)
    return value


def label(w: CSharpWalk, node: Node) -> int:
    """`label: …`: the label is no variable."""
    for child in node.named_children[1:]:
        w.value(child)
    return NONE


def query(w: CSharpWalk, node: Node) -> int:
    """`from x in xs … select e`: a sequence, of the elements of the first where nothing else is selected."""
    found: list[int] = []
    with w.b.block():
        found.append(_clauses(w, node))
    return found[0] if found else NONE


def _clauses(w: CSharpWalk, node: Node) -> int:
    b = w.b
    result = NONE
    for child in node.named_children:
        parts = child.named_children
        match child.type:
            case "from_clause":
                stated, name = types.visit_type(w, child.child_by_field_name("type")), child.child_by_field_name("name")
                whole = w.value(parts[-1]) if parts else NONE
                if name is not None:
                    w.declare_typed(w.text(name), stated, b.wrap(Op.ITER, whole))
            case "let_clause" if len(parts) > 1:
                w.declare_typed(w.text(parts[0]), NONE, w.value(parts[-1]))
            case "join_clause":
                _join(w, child)
            case "select_clause":
                value = w.value(parts[-1]) if parts else NONE
                result = b.container("IEnumerable", value)
            case "group_clause":
                values = [w.value(part) for part in parts]
                held = b.container("IEnumerable", values[0]) if values else NONE
                result = b.container("IEnumerable", held)
            case "identifier":
                w.declare_typed(w.text(child), NONE, b.wrap(Op.ITER, result))
            case _:
                w.value(child)
    return result


def _join(w: CSharpWalk, node: Node) -> None:
    """`join y in ys on a equals b into g`."""
    stated = node.child_by_field_name("type")
    parts = [child for child in node.named_children if child != stated]
    type_expr = types.visit_type(w, stated)
    whole = w.value(parts[1]) if len(parts) > 1 else NONE
    if parts and parts[0].type == "identifier":
        w.declare_typed(w.text(parts[0]), type_expr, w.b.wrap(Op.ITER, whole))
    for part in parts[2:]:
        if part.type == "join_into_clause":
            name = part.named_children[-1] if part.named_children else None
            if name is not None:
                w.declare_typed(w.text(name), NONE, whole)
        else:
            w.value(part)
