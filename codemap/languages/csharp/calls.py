"""Calls: of methods, of extensions, of constructors; and names that may mean methods.

Which of several methods of a name is called depends on the arguments: `Builder.overload` hands them on. A method that
the receiver has itself comes before extensions.

Source: the C# language specification, "Invocation expressions", "Object creation expressions", "Method group
conversions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, UseRole
from codemap.languages.class_based.walk import Class
from codemap.languages.csharp import parameters, types
from codemap.languages.csharp.builtins import CONSTRUCTOR, GIVING_ARGUMENT, TAKING, out_of
from codemap.languages.csharp.walk import CSharpWalk, find_child
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_FUNCTIONS = ("lambda_expression", "anonymous_method_expression")
_SET = frozenset(("ref", "out"))
_NEW = "implicit_object_creation_expression"
_DECLARATION = "declaration_expression"
_NOT_EXTENDED = ("base", "predefined_type", "generic_name", "alias_qualified_name")


def list_arguments(node: Node | None) -> list[Node]:
    """The arguments in a list."""
    return [child for child in node.named_children if child.type == "argument"] if node is not None else []


def invocation(w: CSharpWalk, node: Node) -> int:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return visit_children(w, node)
    count = len(list_arguments(arguments))
    match function.type:
        case "identifier" | "generic_name":
            name_node = types.name_of(function)
            name = w.text(name_node)
            if name == "nameof" and count == 1:
                return _name_of(w, arguments)
            callee = w.called(name, _mangled(name, arguments, types.count_of(function)))
            stated = types.arguments(w, function)
            return call(w, w.b.apply_known(callee, stated), arguments, name_node.start_byte)
        case "member_access_expression" | "conditional_access_expression":
            receiver, member = split_member(function)
            if member is not None:
                return _member(w, receiver, member, arguments)
    value = w.value(function)
    return call(w, value, arguments, function.start_byte)


def split_member(node: Node) -> tuple[Node | None, Node | None]:
    """The receiver of `a.b` or `a?.b`, and the name; no name where something else follows it."""
    if node.type == "member_access_expression":
        return node.child_by_field_name("expression"), node.child_by_field_name("name")
    binding = find_child(node, "member_binding_expression")
    name = binding.child_by_field_name("name") if binding is not None else None
    return node.child_by_field_name("condition"), name


def _mangled(name: str, arguments: Node | None, type_count: int, receivers: int = 0) -> str:
    """The name under which the methods are bound that such arguments may be for, behind a receiver if it is one of
    them."""
    listed = list_arguments(arguments)
    is_set = any(child.type in _SET for argument in listed for child in argument.children)
    return mangle_method(name, len(listed) + receivers, type_count, by_reference=is_set)


def _member(w: CSharpWalk, receiver: Node | None, member: Node, arguments: Node | None) -> int:
    b = w.b
    value = w.value(receiver)
    name_node = types.name_of(member)
    name = w.text(name_node)
    stated = types.arguments(w, member)
    type_count = types.count_of(member)
    method = b.attribute(value, _mangled(name, arguments, type_count))
    plain = b.attribute(value, name)
    if receiver is None or receiver.type in _NOT_EXTENDED:
        return call(w, b.apply_known(b.either(method, plain), stated), arguments, name_node.start_byte)
    wanted = b.literal(_mangled(name, arguments, type_count, receivers=1))
    extension = NONE if value == NONE else b.apply_known(b.expr(Op.EXTENSION, value, wanted), stated)
    own = b.apply_known(b.either(method, plain), stated)
    given = values(w, arguments, own, (extension, value), name)
    chosen = b.either(b.overload(own, given), b.overload(extension, [value, *given]))
    b.use(_CALL, chosen, name_node.start_byte)
    gives_argument = len(stated) == 1 and stated[0] != NONE and name in GIVING_ARGUMENT
    return b.call(b.either(chosen, stated[0]) if gives_argument else chosen, given)


def call(w: CSharpWalk, callee: int, arguments: Node | None, at: int) -> int:
    """A call of a callee with these arguments, which it visits; gives the result."""
    b = w.b
    given = values(w, arguments, callee)
    chosen = b.overload(callee, given)
    b.use(_CALL, chosen, at)
    return b.call(chosen, given)


def values(
    w: CSharpWalk, arguments: Node | None, callee: int, extended: tuple[int, int] = (NONE, NONE), member: str = ""
) -> list[int]:
    """Visits the arguments of a call; those that are passed by name come last. One with a name before one without is in
    its place. What functions among them are called with, and what variables declared there hold, is known by the
    others. `extended`: the extension that may be called, and what on; `member`: the name that is called."""
    b = w.b
    each = list_arguments(arguments)
    found = [NONE] * len(each)
    functions: list[tuple[int, Node]] = []
    declared: list[tuple[int, Node]] = []
    placed = max((at for at, argument in enumerate(each) if argument.child_by_field_name("name") is None), default=-1)
    names = [w.text(argument.named_children[0]) for argument in each[placed + 1 :]]
    places: list[int | str] = [*range(placed + 1), *names]
    for position, argument in enumerate(each):
        name = argument.child_by_field_name("name")
        inner = next((child for child in reversed(argument.children) if child != name), None)
        if inner is None:
            continue
        if inner.type in _FUNCTIONS:
            functions.append((position, inner))
            found[position] = b.lambda_of(parameters.count_of_lambda(w, inner))
        elif inner.type == _DECLARATION and types.is_implied(inner):
            declared.append((position, inner))
        else:
            found[position] = _given(w, inner, _slot(w, callee, extended, places[position], inner.type))
    if functions:
        extension, receiver = extended
        chosen = b.overload(callee, _pass(w, found, names))
        extension = NONE if extension == NONE else b.overload(extension, [receiver, *_pass(w, found, names)])
        for position, inner in functions:
            found[position] = _given(w, inner, _slot(w, chosen, (extension, receiver), places[position], inner.type))
    for position, inner in declared:
        chosen = b.overload(callee, _pass(w, found, names))
        _declare_set(w, inner, _slot(w, chosen, extended, places[position], inner.type), extended[1], member)
    return _pass(w, found, names)


def _declare_set(w: CSharpWalk, node: Node, slot: int, receiver: int, member: str) -> None:
    """Declares `var x` in `map.TryGetValue(key, out var x)`: of the type of the parameter, else what the container has
    set."""
    declared = node.child_by_field_name("name")
    if declared is not None and declared.type == "identifier":
        b = w.b
        taken = b.call(b.attribute(receiver, out_of(member)), []) if member in TAKING else NONE
        w.declare_typed(w.text(declared), NONE, b.either(slot, taken))


def _pass(w: CSharpWalk, values: list[int], names: list[str]) -> list[int]:
    """Arguments of which the last ones are passed by these names."""
    first = len(values) - len(names)
    named = zip(values[first:], names, strict=True)
    return [*values[:first], *(w.b.expr(Op.NAMED, value, w.b.intern(name)) for value, name in named)]


def _slot(w: CSharpWalk, callee: int, extended: tuple[int, int], place: int | str, kind: str) -> int:
    """What a callee wants as an argument, by its position or name, where that matters to what is given."""
    if kind not in (*_FUNCTIONS, _NEW, _DECLARATION):
        return NONE
    b = w.b
    if isinstance(place, str):
        name = b.intern(place)
        return b.either(b.wrap(Op.SLOT_NAMED, callee, name), b.wrap(Op.SLOT_NAMED, extended[0], name))
    return b.either(b.wrap(Op.SLOT, callee, place), b.wrap(Op.SLOT, extended[0], place + 1))


def _given(w: CSharpWalk, node: Node, slot: int) -> int:
    if node.type in _FUNCTIONS:
        return w.value_for(node, slot)
    if node.type == _NEW:
        return new(w, node, slot, is_value=True)
    return function_or_value(w, node)


def function_or_value(w: CSharpWalk, node: Node | None) -> int:
    """Visits an expression in a place where a function may be wanted: a name may mean methods, by their name alone."""
    if node is None:
        return NONE
    b = w.b
    if node.type == "identifier":
        value = w.simple(w.text(node), has_methods=True)
        b.use(_READ, value, node.start_byte)
        return value
    if node.type == "member_access_expression":
        receiver, member = split_member(node)
        if member is not None:
            name_node = types.name_of(member)
            if types.is_constant(w, receiver, name_node):
                return w.value(receiver)
            types.arguments(w, member)
            owner = w.value(receiver)
            name = w.text(name_node)
            value = b.either(b.attribute(owner, name), b.attribute(owner, mangle_method(name)))
            b.use(_READ, value, name_node.start_byte)
            return value
    return w.value(node)


def expected_value(w: CSharpWalk, node: Node | None, type_expr: int) -> int:
    """Visits an expression in a place where a value of a type is wanted: `new()`, and the parameters of a lambda, are
    of that."""
    if node is None:
        return NONE
    if node.type in _FUNCTIONS:
        return w.value_for(node, w.b.wrap(Op.INSTANCE, type_expr))
    if node.type == _NEW:
        return new(w, node, type_expr, is_value=False)
    return function_or_value(w, node)


def _name_of(w: CSharpWalk, arguments: Node | None) -> int:
    for argument in list_arguments(arguments):
        for child in argument.named_children:
            function_or_value(w, child)
    return w.b.literal("string")


def delegate(w: CSharpWalk, cls: Class, arguments: Node | None, at: int, *, is_base: bool) -> None:
    """`: this(…)` or `: base(…)` of a constructor."""
    b = w.b
    name = mangle_method(CONSTRUCTOR, len(list_arguments(arguments)))
    if is_base:
        callee = b.either(b.attribute(b.expr(Op.SUPER, cls.symbol), name), cls.superclass)
    else:
        callee = b.either(b.attribute(cls.this, name), b.expr(Op.SYMBOL, cls.symbol))
    call(w, callee, arguments, at)


def creation(w: CSharpWalk, node: Node) -> int:
    """`new C(…) {…}`"""
    b = w.b
    type_node = node.child_by_field_name("type")
    if type_node is None:
        return visit_children(w, node)
    type_expr = types.use_type(w, type_node, _CALL)
    values(w, node.child_by_field_name("arguments"), type_expr)
    value = b.wrap(Op.INSTANCE, type_expr)
    initialize(w, node.child_by_field_name("initializer"), value)
    return value


def new_plain(w: CSharpWalk, node: Node) -> int:
    return new(w, node, NONE, is_value=False)


def new(w: CSharpWalk, node: Node, expected: int, *, is_value: bool) -> int:
    """`new(…) {…}` makes what is expected there: a type, or the type of a value."""
    if expected != NONE and not is_value:
        w.b.use(_CALL, expected, node.start_byte)
    values(w, find_child(node, "argument_list"), NONE if is_value else expected)
    value = expected if is_value else w.b.wrap(Op.INSTANCE, expected)
    initialize(w, find_child(node, "initializer_expression"), value)
    return value


def initialize(w: CSharpWalk, node: Node | None, value: int) -> None:
    """`{ A = 1, B = { … }, [k] = v, x }`: sets members of a new value, or adds to it."""
    b = w.b
    for child in node.named_children if node is not None else ():
        left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
        if child.type != "assignment_expression" or left is None:
            w.value(child)
            continue
        member = NONE
        if left.type == "identifier":
            member = b.attribute(value, w.text(left))
            b.use(_READ, member, left.start_byte)
        else:
            w.value(left)
        if right is not None and right.type == "initializer_expression":
            initialize(w, right, member)
        elif right is not None and right.type in _FUNCTIONS:
            w.value_for(right, member)
        else:
            function_or_value(w, right)
