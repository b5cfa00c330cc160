"""Expressions but for calls: what their value is, and every name and member that they use.

Source: the PHP Manual, "Expressions", "Operators".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children, visit_inner
from codemap.facts import Op, SourceKind, UseRole
from codemap.languages.php import narrowing, types
from codemap.languages.php.builtins import ARRAY
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {
    "string": "string",
    "integer": "int",
    "float": "float",
    "boolean": "bool",
    "nowdoc": "string",
}
_READ = UseRole.REFERENCE
_TEXT = ("__toString",)
_INDEX = ("offsetGet",)
TESTED = ("offsetExists&", "offsetGet")
"""Of what is read where it is there: `??`, `empty`."""
_CHOICES = frozenset({"??", "?:"})


def literal(w: Walk, node: Node) -> int:
    return w.b.literal(LITERALS[node.type])


def text(w: Walk, node: Node) -> int:
    """A string with values in it, which become text."""
    for child in node.named_children:
        w.b.operate(w.value(child), _TEXT, child.start_byte)
    return w.b.literal("string")


def variable(w: Walk, node: Node) -> int:
    return w.variable(w.text(node))


def name(w: Walk, node: Node) -> int:
    """A bare name is a constant."""
    spelled = w.text(node)
    at = node.named_children[-1].start_byte if node.named_children else node.start_byte
    if spelled.startswith("__") and spelled.isupper():
        return w.b.literal("string")  # __DIR__, __CLASS__
    value = w.constant(spelled, at)
    return w.use(_READ, value, at)


def scope(w: Walk, node: Node | None) -> int:
    """What comes before `::`: a class, or a value."""
    if node is None:
        return NONE
    if node.type in types.NAMES:
        return types.use_class(w, node, _READ)
    if node.type == "relative_scope":
        return w.class_(w.text(node), node.start_byte)
    return w.value(node)


def member(w: Walk, node: Node) -> int:
    """`$a->b`, `$a?->b`."""
    owner = w.field(node, "object")
    value = _member(w, owner, node.child_by_field_name("name"), "$")
    narrowed = narrowing.property_name(w, node)
    return w.variable(narrowed) if narrowed and w.flow.is_bound(narrowed) else value


def static_member(w: Walk, node: Node) -> int:
    """`A::$b`."""
    owner = scope(w, node.child_by_field_name("scope"))
    return _member(w, owner, node.child_by_field_name("name"), "")


def _member(w: Walk, owner: int, name_node: Node | None, mark: str) -> int:
    if name_node is None:
        return NONE
    if name_node.type != ("name" if mark else "variable_name"):
        w.value(name_node)
        return w.unknown
    return w.use(_READ, w.member(owner, mark + w.text(name_node)), name_node.start_byte)


def constant(w: Walk, node: Node) -> int:
    """`A::B`; `A::class` is the class, whose name it gives."""
    parts = node.named_children
    owner = scope(w, parts[0]) if parts else NONE
    if len(parts) < 2:
        return NONE
    if parts[1].type != "name":
        w.value(parts[1])
        return w.unknown
    spelled = w.text(parts[1])
    if spelled == "class":
        return owner
    return w.use(_READ, w.member(owner, spelled), parts[1].start_byte)


def index(w: Walk, node: Node) -> int:
    """`$a[b]`; of an object, what its class says."""
    return _index(w, node, _INDEX)


def place(w: Walk, node: Node, methods: tuple[str, ...]) -> int:
    """What is asked for or removed (`isset($a[b])`); of an object, by a method of its own for elements."""
    return _index(w, node, methods) if node.type == "subscript_expression" else w.value(node)


def _index(w: Walk, node: Node, methods: tuple[str, ...]) -> int:
    parts = node.named_children
    value = w.value(parts[0]) if parts else NONE
    for child in parts[1:]:
        w.value(child)
    w.b.operate(value, methods, node.start_byte)
    return w.b.wrap(Op.INDEX, value)


def array(w: Walk, node: Node) -> int:
    """`[a, 'k' => b, ...c]`; `[a, 'm']` may be a method of a."""
    elements = [child for child in node.named_children if child.type == "array_element_initializer"]
    values = []
    for element in elements:
        parts = element.named_children
        found = [w.value(part) for part in parts]
        if found:
            values.append(found[-1])
    if len(elements) == 2:
        _callable(w, elements, values)
    return w.b.container(ARRAY, w.b.unions(values))


def _callable(w: Walk, elements: list[Node], values: list[int]) -> None:
    """`[$this, 'm']`, `[A::class, 'm']`: the method, where there is one."""
    parts = elements[1].named_children
    if values[0] == NONE or len(elements[0].named_children) != 1 or len(parts) != 1 or parts[0].type != "string":
        return
    spelled = w.text(parts[0])[1:-1]
    if spelled.isidentifier():
        meant = w.b.either(w.b.attribute(values[0], spelled), w.b.literal("string"))
        w.use(_READ, meant, parts[0].start_byte + 1)


def unpacking(w: Walk, node: Node) -> int:
    """`...$a`: what it holds, one by one."""
    return w.b.wrap(Op.ITER, visit_inner(w, node))


def cast(w: Walk, node: Node) -> int:
    type_node, value_node = node.child_by_field_name("type"), node.child_by_field_name("value")
    value = w.value(value_node)
    cast_to = "" if type_node is None else w.text(type_node).strip().lower()
    if cast_to == "string" and value_node is not None:
        w.b.operate(value, _TEXT, value_node.start_byte)
    return value if cast_to in ("object", "array") else w.b.literal(cast_to)


def conditional(w: Walk, node: Node) -> int:
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    tested = w.value(condition)
    holds, fails = list(narrowing.narrow_true(w, condition)), list(narrowing.narrow_false(w, condition))
    left = tested if body is None else narrowing.visit_narrowed(w, holds, lambda: w.value(body))
    return w.b.union(left, narrowing.visit_narrowed(w, fails, lambda: w.field(node, "alternative")))


def binary(w: Walk, node: Node) -> int:
    """`a . b`, `a ?? b`, `a instanceof B`."""
    operator = node.child_by_field_name("operator")
    left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = "" if operator is None else operator.type
    left = w.value(left_node) if left_node is None or sign != "??" else place(w, left_node, TESTED)
    if sign == "instanceof" and right_node is not None and right_node.type in types.NAMES:
        types.use_class(w, right_node, _READ)
        return w.b.literal("bool")
    right = narrowing.visit_narrowed(w, narrowing.narrow_right(w, node), lambda: w.value(right_node))
    if sign in _CHOICES:
        return w.b.union(left, right)
    if sign == ".":
        for value, part in ((left, left_node), (right, right_node)):
            if part is not None:
                w.b.operate(value, _TEXT, part.start_byte)
        return w.b.literal("string")
    return NONE


def clone(w: Walk, node: Node) -> int:
    value = NONE
    for child in node.named_children:
        value = w.value(child)
        w.b.operate(value, ("__clone",), child.start_byte)
    return value


def match(w: Walk, node: Node) -> int:
    """`match (a) { b, c => d }`: one of the results."""
    w.field(node, "condition")
    body = node.child_by_field_name("body")
    value = NONE
    for arm in body.named_children if body is not None else ():
        for child in arm.named_children:
            if child != arm.child_by_field_name("return_expression"):
                w.value(child)
        value = w.b.union(value, w.field(arm, "return_expression"))
    return value


def visit_include(w: Walk, node: Node) -> int:
    """`require __DIR__ . '/a.php'`: the file, where its path is spelled; its value is what the file returns."""
    inner = children_of(node)
    spelled = _path(w, inner[-1]) if inner else ""
    if not spelled.endswith((".php", ".phtml")):
        return visit_children(w, node)
    b = w.b
    row = b.import_(spelled, NONE, node.start_byte)
    unspellable = f"import {spelled}"
    b.bind(unspellable, SourceKind.IMPORT, row, scope=b.module)
    return b.call(b.name(unspellable))


def _path(w: Walk, node: Node, depth: int = 0) -> str:
    """The path that an expression spells, from the folder of the file; empty where it is unknown."""
    if node.type == "parenthesized_expression" and len(inner := children_of(node)) == 1:
        return _path(w, inner[0], depth)
    if node.type in ("string", "encapsed_string"):
        parts = node.named_children
        return w.text(parts[0]) if len(parts) == 1 and parts[0].type == "string_content" else ""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "binary_expression" or left is None or right is None or depth > 4:
        return ""
    rest = _path(w, right, depth + 1)
    spelled = "".join(w.text(left).split())
    if spelled in ("__DIR__", "dirname(__FILE__)"):
        return f".{rest}" if rest.startswith("/") else ""
    if spelled in ("dirname(__DIR__)", "dirname(dirname(__FILE__))", "dirname(__FILE__,2)"):
        return f"..{rest}" if rest.startswith("/") else ""
    if spelled in ("dirname(__DIR__,2)", "dirname(__FILE__,3)"):
        return f"../..{rest}" if rest.startswith("/") else ""
    before = _path(w, left, depth + 1)
    if before:
        return before + rest if rest else ""
    is_constant = left.type == "name" and rest and not rest.startswith(".")
    return rest.lstrip("/") if is_constant else ""
