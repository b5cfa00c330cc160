"""Statements that run one branch of several, or often: what they give, and what their tests say of a variable.

Source: the Ruby documentation, "Control Expressions", "Pattern Matching", "Exceptions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind
from codemap.languages.ruby import assignments
from codemap.languages.ruby.walk import Walk, local

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS = frozenset({"is_a?", "kind_of?", "instance_of?"})


def if_(w: Walk, node: Node) -> int:
    """`if`, `unless`, `elsif`, and as modifiers: one of the branches."""
    condition = node.child_by_field_name("condition")
    w.value(condition)
    narrowed = _narrowed(w, condition) if condition is not None and "if" in node.type else None
    value = NONE
    for field in ("consequence", "body", "alternative"):
        child = node.child_by_field_name(field)
        if child is not None:
            found = _branch(w, child, narrowed if field != "alternative" else None)
            value = w.b.union(value, found)
    return value


def _branch(w: Walk, node: Node, narrowed: tuple[str, int] | None) -> int:
    found = [NONE]

    def visit() -> None:
        if narrowed is not None:
            w.flow.narrow(narrowed[0], SourceKind.TYPED, narrowed[1])
        found[0] = w.value(node)

    w.flow.block(visit)
    return found[0]


def _narrowed(w: Walk, node: Node) -> tuple[str, int] | None:
    """The local variable of which a test that holds says the class: `x.is_a?(A)`."""
    method, receiver = node.child_by_field_name("method"), node.child_by_field_name("receiver")
    arguments = node.child_by_field_name("arguments")
    if node.type != "call" or method is None or receiver is None or arguments is None:
        return None
    named = arguments.named_children
    if w.text(method) not in _TESTS or receiver.type != "identifier" or len(named) != 1:
        return None
    return _class_narrowed(w, receiver, named)


def _class_narrowed(w: Walk, subject: Node, classes: list[Node]) -> tuple[str, int] | None:
    if subject.type != "identifier" or not w.is_local(w.text(subject)):
        return None
    if not classes or any(child.type != "constant" for child in classes):
        return None
    return local(w.text(subject)), w.b.unions(w.constant(w.text(child)) for child in classes)


def block(w: Walk, node: Node) -> int:
    """What is run often, or not at all."""
    w.flow.block(lambda: visit_children(w, node))
    return NONE


def case(w: Walk, node: Node) -> int:
    """`case a when B … else … end`: one of the branches; a class says what the subject is."""
    subject = node.child_by_field_name("value")
    w.value(subject)
    value = NONE
    for child in node.named_children:
        if child.type == "when":
            patterns = [pattern for pattern in child.named_children if pattern.type == "pattern"]
            for pattern in patterns:
                visit_children(w, pattern)
            classes = [named for pattern in patterns for named in pattern.named_children]
            narrowed = None if subject is None else _class_narrowed(w, subject, classes)
            body = child.child_by_field_name("body")
            value = w.b.union(value, NONE if body is None else _branch(w, body, narrowed))
        elif child != subject:
            value = w.b.union(value, _branch(w, child, None))
    return value


def pattern_clause(w: Walk, node: Node) -> int:
    """`in pattern` of `case … in`."""
    body = node.child_by_field_name("body")
    for child in node.named_children:
        if child != body:
            w.value(child)
    return w.value(body)


def pattern_name(w: Walk, node: Node) -> int:
    """`pattern => name`; in a pattern a bare name is bound."""
    name = node.child_by_field_name("name")
    value = w.field(node, "value")
    if name is not None:
        w.flow.assign(local(w.text(name)), SourceKind.VALUE, w.b.wrap(Op.INSTANCE, value))
    return NONE


def pattern_key(w: Walk, node: Node) -> int:
    """`key:` of a hash pattern binds its name, `key: pattern` does not."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if value is None and key is not None:
        w.flow.assign(local(w.text(key)), SourceKind.OPAQUE, NONE)
    return _pattern(w, value)


def pattern_list(w: Walk, node: Node) -> int:
    for child in node.named_children:
        _pattern(w, child)
    return NONE


def _pattern(w: Walk, node: Node | None) -> int:
    if node is not None and node.type == "identifier":
        w.flow.assign(local(w.text(node)), SourceKind.OPAQUE, NONE)
        return NONE
    return w.value(node)


def rescue(w: Walk, node: Node) -> int:
    """`rescue A, B => e`."""
    found = [NONE]
    w.flow.block(lambda: found.__setitem__(0, _rescue(w, node)))
    return found[0]


def _rescue(w: Walk, node: Node) -> int:
    classes = node.child_by_field_name("exceptions")
    variable_node = node.child_by_field_name("variable")
    kinds = [w.value(child) for child in classes.named_children] if classes is not None else []
    if variable_node is not None and variable_node.named_children:
        assignments.assign(w, variable_node.named_children[0], w.b.wrap(Op.INSTANCE, w.b.unions(kinds)))
    return w.field(node, "body")


def for_(w: Walk, node: Node) -> int:
    """`for a in b`: its variable is the method's."""
    whole = w.field(node, "value")
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        assignments.assign(w, pattern, w.b.wrap(Op.ITER, whole))
    w.flow.block(lambda: w.field(node, "body"))
    return NONE


def visit_return(w: Walk, node: Node) -> int:
    for child in node.named_children:
        found = [w.value(part) for part in child.named_children]
        if len(found) == 1:
            w.results[-1] = w.b.union(w.results[-1], found[0])
    return NONE
