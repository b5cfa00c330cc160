"""Calls and what they are made of: receivers, arguments, lambdas.

Of the functions that run a block on their receiver, the block's `it` or `this` is known, and so is what they give.

Source: the Kotlin specification, "Call and property access expressions", "Lambda literals"; the Kotlin documentation,
"Scope functions".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import RECEIVER, Op, ScopeKind, SourceKind, UseRole
from codemap.languages.kotlin import references, types
from codemap.languages.kotlin.builtins import TEXT_TO_TEXT
from codemap.languages.kotlin.walk import KotlinWalk, expressions_of, find_child, has_token
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_ON_IT = frozenset({"let", "also", "takeIf", "takeUnless"})
_ON_THIS = frozenset({"apply", "run"})
_CLOSE = (mangle_method("close", 0),)
_GIVES_RECEIVER = frozenset({"also", "apply", "takeIf", "takeUnless"})
_GIVES_RESULT = frozenset({"let", "run", "with", "lazy", "synchronized", "runBlocking", "withContext"})
RECEIVERS_MAX = 4
"""Receivers of lambdas around one another that names are looked for in: each costs every name in them a look."""
_LISTS = {
    **dict.fromkeys(("listOf", "mutableListOf", "arrayListOf", "listOfNotNull"), "List"),
    **dict.fromkeys(("setOf", "mutableSetOf", "hashSetOf", "linkedSetOf"), "Set"),
    **dict.fromkeys(("arrayOf", "sequenceOf"), "Array"),
}


def call(w: KotlinWalk, node: Node) -> int:
    parts = expressions_of(node)
    suffix = find_child(node, "call_suffix")
    if not parts or suffix is None:
        return visit_children(w, node)
    callee = parts[0]
    if callee.end_point[0] < suffix.start_point[0] and suffix.children[0].type == "value_arguments":
        return _two_statements(w, callee, suffix)
    listed, block = find_child(suffix, "value_arguments"), _lambda_of(suffix)
    if block is not None and listed is None:
        if callee.type == "call_expression":
            return _applied(w, callee, block)
        if (head := w.parted_callees.get(callee.id)) is not None:
            return call_of(w, *head, callee, block)
    stated = types.list_arguments(w, find_child(suffix, "type_arguments"))
    return call_of(w, callee, stated, listed, block)


def call_of(w: KotlinWalk, callee: Node, stated: list[int], listed: Node | None, block: Node | None) -> int:
    """A call by what is called, its type arguments, what lists its arguments, if anything does, and its block."""
    count = len(_values(listed)) + (block is not None)
    if callee.type == "simple_identifier":
        return _bare(w, callee, stated, count, listed, block)
    if callee.type == "navigation_expression":
        return _member(w, callee, stated, count, listed, block)
    value = w.value(callee)
    w.b.use(_CALL, value, callee.start_byte)
    return w.b.call(value, arguments(w, listed, value, block))


def _two_statements(w: KotlinWalk, callee: Node, suffix: Node) -> int:
    """An expression, and one in parentheses on a line below it, which the grammar takes for its arguments."""
    w.value(callee)
    value = NONE
    for argument in _values(find_child(suffix, "value_arguments")):
        for part in expressions_of(argument):
            value = w.value(part)
    return value


def _applied(w: KotlinWalk, callee: Node, block: Node) -> int:
    """`f(a) {…}`: the block is the last argument, wherever the grammar puts it."""
    parts, suffix = expressions_of(callee), find_child(callee, "call_suffix")
    if not parts or suffix is None:
        return visit_children(w, callee)
    stated = types.list_arguments(w, find_child(suffix, "type_arguments"))
    return call_of(w, parts[0], stated, find_child(suffix, "value_arguments"), block)


def _lambda_of(suffix: Node) -> Node | None:
    return find_child(find_child(suffix, "annotated_lambda"), "lambda_literal")


def _values(listed: Node | None) -> list[Node]:
    """The arguments that a node lists; an expression in parentheses is one."""
    if listed is not None and listed.type == "parenthesized_expression":
        return [listed]
    return [child for child in getattr(listed, "named_children", ()) if child.type == "value_argument"]


def _bare(w: KotlinWalk, callee: Node, stated: list[int], count: int, listed: Node | None, block: Node | None) -> int:
    b = w.b
    name = w.text(callee)
    meant = b.apply_known(w.called(name, count), stated)
    if name == "with" and block is not None and count == 2:
        receiver = arguments(w, listed, NONE)[0]
        b.use(_CALL, meant, callee.start_byte)
        return on_this(w, block, receiver)
    is_outside = b.names.get(name) not in b.module.sources
    given = arguments(w, listed, meant, block, wants_value=name in _GIVES_RESULT)
    chosen = b.overload(meant, given)
    b.use(_CALL, chosen, callee.start_byte)
    if is_outside and name in _LISTS and given:
        return b.container(_LISTS[name], b.unions(given))
    return b.call(chosen, given)


def _member(w: KotlinWalk, callee: Node, stated: list[int], count: int, listed: Node | None, block: Node | None) -> int:
    b = w.b
    receiver = w.value(callee.named_children[0]) if callee.named_children else NONE
    name_node = find_child(find_child(callee, "navigation_suffix"), "simple_identifier")
    if name_node is None:
        return b.call(receiver, arguments(w, listed, receiver, block))
    name = w.text(name_node)
    plain = b.attribute(receiver, name)
    method = b.attribute(receiver, mangle_method(name, count))
    meant = b.apply_known(plain if name[:1].isupper() else b.either(method, plain), stated)
    if block is not None and count == 1 and name in _ON_IT | _ON_THIS:
        b.use(_CALL, method, name_node.start_byte)
        value = on_this(w, block, receiver) if name in _ON_THIS else lambda_(w, block, NONE, it=receiver)
        return receiver if name in _GIVES_RECEIVER else value
    if block is not None and count == 1 and name == "use":
        b.use(_CALL, b.either(method, b.special(receiver, _CLOSE)), name_node.start_byte)
        slot = b.wrap(Op.SLOT, method, -1)
        return b.either(b.call(method), lambda_(w, block, slot, it=b.either(b.wrap(Op.PARAM, slot, 0), receiver)))
    given = arguments(w, listed, method, block)
    chosen = b.overload(meant, given)
    b.use(_CALL, chosen, name_node.start_byte)
    return receiver if name in TEXT_TO_TEXT and receiver == b.literal("String") else b.call(chosen, given)


def arguments(
    w: KotlinWalk, listed: Node | None, callee: int, block: Node | None = None, *, wants_value: bool = False
) -> list[int]:
    """Visits the arguments of a call; those that are passed by name come last. One with a name before one without is in
    its place."""
    b = w.b
    found: list[int] = []
    named: list[int] = []
    each = _values(listed)
    placed = max((at for at, argument in enumerate(each) if not has_token(argument, "=")), default=-1)
    for position, argument in enumerate(each):
        parts = expressions_of(argument)
        name = w.text(argument.named_children[0]) if position > placed else ""
        value = NONE
        if parts:
            slot = b.wrap(Op.SLOT_NAMED, callee, b.intern(name)) if name else b.wrap(Op.SLOT, callee, position)
            if parts[-1].type == "lambda_literal":
                lambda_(w, parts[-1], slot)
                value = _function_of(w, parts[-1])
            else:
                value = w.value(parts[-1])
        if name:
            named.append(b.expr(Op.NAMED, value, b.intern(name)))
        else:
            found.append(value)
    if block is not None:
        function = _function_of(w, block)
        wanted = callee
        if named or any(value != NONE for value in found):
            wanted = b.overload(callee, [*found, function, *named])
        value = lambda_(w, block, b.wrap(Op.SLOT, wanted, -1))
        found.append(value if wants_value else function)
    return found + named


def _function_of(w: KotlinWalk, block: Node) -> int:
    """What distinguishes a lambda from other arguments; it may leave out its only parameter."""
    return w.b.lambda_of(len(getattr(find_child(block, "lambda_parameters"), "named_children", ())))


def delegate(w: KotlinWalk, node: Node, receiver: int, otherwise: int) -> None:
    """`this(…)` or `super(…)` of a constructor."""
    b = w.b
    listed = find_child(node, "value_arguments")
    name = mangle_method("<init>", len(_values(listed)))
    callee = b.either(b.attribute(receiver, name), otherwise)
    chosen = b.overload(callee, arguments(w, listed, callee))
    b.use(_CALL, chosen, node.start_byte)


def made_lazily(w: KotlinWalk, node: Node) -> int | None:
    """What the block of `lazy {…}` gives; None where a delegate is something else."""
    suffix = find_child(node, "call_suffix")
    block = _lambda_of(suffix) if suffix is not None else None
    callee = find_child(node, "simple_identifier")
    if node.type == "call_expression" and callee is not None and block is not None and w.text(callee) == "lazy":
        w.b.use(_CALL, w.called("lazy", 1), callee.start_byte)
        return lambda_(w, block, NONE)
    return None


def navigation(w: KotlinWalk, node: Node) -> int:
    """`a.b`, `a?.b`, `this::b`."""
    return navigate(w, node.named_children)


def navigate(w: KotlinWalk, parts: Sequence[Node]) -> int:
    """A value and suffixes of it; what is assigned to (`a.b[i].c = x`) has all of them side by side."""
    value = w.value(parts[0]) if parts else NONE
    for suffix in parts[1:]:
        name_node = find_child(suffix, "simple_identifier") if suffix.type == "navigation_suffix" else None
        if name_node is not None:
            value = _member_of(w, value, suffix, name_node)
        else:
            visit_children(w, suffix)
            value = w.b.wrap(Op.INDEX, value) if suffix.type == "indexing_suffix" else NONE
    return value


def _member_of(w: KotlinWalk, receiver: int, suffix: Node, name_node: Node) -> int:
    b = w.b
    name = w.text(name_node)
    if name == "java" and references.is_class(w, receiver):
        return references.java_class(w, receiver)
    if has_token(suffix, "::"):
        value = b.either(b.attribute(receiver, mangle_method(name)), b.attribute(receiver, name))
    else:
        value = b.attribute(receiver, name)
    b.use(_READ, value, name_node.start_byte)
    return value


def of_type(w: KotlinWalk, node: Node, stated: int) -> int:
    """The value of an expression where a type is stated; of a lambda nothing is known but that type."""
    if stated == NONE or node.type != "lambda_literal":
        return w.value(node)
    lambda_(w, node, w.b.wrap(Op.INSTANCE, stated))
    return NONE


def lambda_(w: KotlinWalk, node: Node, expected: int, *, it: int = NONE) -> int:
    """A lambda, whose uses belong to the definition around it; gives what its last expression does."""
    b = w.b
    scope = b.scope
    b.open_scope(ScopeKind.FUNCTION, scope.owner)
    listed = find_child(node, "lambda_parameters")
    if listed is None:
        value = it if it != NONE else b.wrap(Op.PARAM, expected, 0)
        b.bind("it", SourceKind.OPAQUE if value == NONE else SourceKind.VALUE, value)
    for position, parameter in enumerate(getattr(listed, "named_children", ())):
        value = it if it != NONE and position == 0 else b.wrap(Op.PARAM, expected, position)
        _parameter(w, parameter, value)
    receiver = b.wrap(Op.PARAM, expected, RECEIVER)
    is_deep = sum(cls.symbol < 0 for cls in w.classes[-RECEIVERS_MAX:]) >= RECEIVERS_MAX
    result = (
        last_value(w, node) if receiver == NONE or is_deep else _on_receiver(w, receiver, lambda: last_value(w, node))
    )
    b.scope = scope
    return result


def _parameter(w: KotlinWalk, node: Node, value: int) -> None:
    variables = children_of(node) if node.type == "multi_variable_declaration" else [node]
    for position, variable in enumerate(variables):
        name = find_child(variable, "simple_identifier")
        stated = w.value(next((child for child in variable.named_children if child.type != "simple_identifier"), None))
        given = value if variable is node else w.b.wrap(Op.ITEM, value, position)
        if name is not None:
            w.declare_typed(w.text(name), stated, given)


def on_this(w: KotlinWalk, block: Node, receiver: int) -> int:
    """A lambda in which bare names are members of a value, first of all."""
    if receiver == NONE:
        return lambda_(w, block, NONE)
    return _on_receiver(w, receiver, lambda: lambda_(w, block, NONE))


def _on_receiver(w: KotlinWalk, receiver: int, visit: Callable[[], int]) -> int:
    """Visits what has a receiver, or none where nothing is known of that."""
    b = w.b
    symbol = w.classes[-1].symbol if w.classes else b.file
    cls = w.make_class(symbol, b.module, b.either(receiver, w.this()))
    cls.has_bases = True
    cls.symbol = -2  # no definition in the block is a member
    with w.body_of(cls):
        return visit()


def last_value(w: KotlinWalk, node: Node) -> int:
    """Visits a body; gives what its last statement or its only expression is."""
    holder = find_child(node, "statements") or node
    value = NONE
    for child in holder.named_children:
        if child.type not in ("lambda_parameters", "line_comment", "multiline_comment"):
            value = w.value(child)
    return value
