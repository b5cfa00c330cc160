"""Expressions but for calls: what their value is, and every name that they use; and what assignments bind.

Source: the Ruby documentation, "Assignment", "Literals", "Control Expressions", "Pattern Matching".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, UseRole
from codemap.languages.ruby import assignments, example_groups, macros
from codemap.languages.ruby.builtins import ARRAY
from codemap.languages.ruby.operators import UNARY, operate
from codemap.languages.ruby.walk import CLASS, Walk, local, own_name

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {
    "string": "String",
    "chained_string": "String",
    "heredoc_body": "String",
    "character": "String",
    "subshell": "String",
    "integer": "Integer",
    "float": "Float",
    "rational": "Rational",
    "complex": "Complex",
    "simple_symbol": "Symbol",
    "delimited_symbol": "Symbol",
    "true": "TrueClass",
    "false": "FalseClass",
    "regex": "Regexp",
    "range": "Range",
    "string_array": ARRAY,
    "symbol_array": ARRAY,
}
_TEXTS = frozenset({"string", "heredoc_body", "subshell", "delimited_symbol", "regex"})
_READ, _CALL = UseRole.REFERENCE, UseRole.CALL

_VALUES = ("&&", "||", "and", "or")


def literal(w: Walk, node: Node) -> int:
    """A literal, which may hold expressions: a text does behind a `#`."""
    kind = node.type
    if node.named_child_count and (kind not in _TEXTS or "#" in w.chars[node.start_byte : node.end_byte]):
        visit_children(w, node)
    return w.b.literal(LITERALS[kind])


def array(w: Walk, node: Node) -> int:
    values = [w.value(child) for child in node.named_children]
    return w.b.container(ARRAY, w.b.unions(values))


def identifier(w: Walk, node: Node) -> int:
    """A local variable, or a call without arguments."""
    name = w.text(node)
    if w.is_local(name):
        return w.b.name(local(name))
    meant = example_groups.meaning(w, name) if w.groups else None
    if meant is not None:
        return meant
    if macros.visibility(w, name):
        return NONE
    if name == "new" and w.context == CLASS:
        w.use(_CALL, w.maker(w.this()), node.start_byte)
        return w.b.wrap(Op.INSTANCE, w.this())
    callee = w.use(_CALL, w.bare(name), node.start_byte)
    return w.result(name, callee, [])


def constant(w: Walk, node: Node) -> int:
    return w.use(_READ, w.constant(w.text(node)), node.start_byte)


def scoped(w: Walk, node: Node) -> int:
    """`A::B`, `::A`."""
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    owner = w.value(scope)
    if name is None:
        return NONE
    spelled = w.text(name)
    value = w.top_constant(spelled) if scope is None else w.member(owner, spelled)
    return w.use(_READ, value, name.start_byte)


def this(w: Walk, _node: Node) -> int:
    return w.this()


def variable(w: Walk, node: Node) -> int:
    """`@a`, `@@a`: what the class has assigned to it."""
    value = w.variable(w.text(node))
    return w.use(_READ, value, w.word_start(node)) if w.classes else value


def binary(w: Walk, node: Node) -> int:
    """`a + b`, `a || b`, `a << b`: an operator runs the method of its name."""
    left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    left, right = w.value(left_node), w.value(right_node)
    sign = "" if operator is None else operator.type
    if sign in _VALUES:
        return right if sign in ("&&", "and") else w.b.union(left, right)
    if operator is not None and sign:
        operate(w, left, sign, operator.start_byte)
    if sign == "<<" and left_node is not None and right != NONE:
        assignments.add(w, left_node, w.b.container(ARRAY, right))
        return left
    return NONE


def unary(w: Walk, node: Node) -> int:
    """`-a`, `!a`; `defined? a` runs nothing."""
    operator, operand = node.child_by_field_name("operator"), node.child_by_field_name("operand")
    of = w.value(operand)
    if operator is not None and operator.type in UNARY:
        operate(w, of, UNARY[operator.type], operator.start_byte)
    return NONE


def index(w: Walk, node: Node) -> int:
    """`a[b]`; of a class, its own method of that name: `Price[1]`."""
    whole_node = node.child_by_field_name("object")
    whole = w.value(whole_node)
    given = [w.value(child) for child in node.named_children if child != whole_node]
    at = node.start_byte if whole_node is None else whole_node.end_byte
    element = w.b.wrap(Op.INDEX, whole)
    if whole_node is None or not _is_class(w, whole_node) or whole == NONE:
        operate(w, whole, "[]", at)
        return element
    own = w.b.attribute(whole, own_name("[]"))
    w.use(_CALL, own, at)
    return w.b.either(w.b.call(own, given), element)


def conditional(w: Walk, node: Node) -> int:
    """`a ? b : c`."""
    w.field(node, "condition")
    left = w.field(node, "consequence")
    return w.b.union(left, w.field(node, "alternative"))


def _is_class(w: Walk, node: Node) -> bool:
    """Whether a constant names a class, by its spelling: one in capitals holds some value."""
    last = (node.child_by_field_name("name") or node) if node.type == "scope_resolution" else node
    return last.type == "constant" and not w.text(last).isupper()
