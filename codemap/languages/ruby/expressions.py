"""Expressions but for calls: what their value is, and every name that they use; and what assignments bind.

Source: the Ruby documentation, "Assignment", "Literals", "Control Expressions", "Pattern Matching".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.ruby import definitions, headers, macros
from codemap.languages.ruby.walk import ARRAY, CLASS, Class, Walk, inside, local, own

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
    "hash": "Hash",
    "range": "Range",
    "string_array": ARRAY,
    "symbol_array": ARRAY,
}
_READ, _CALL = UseRole.REFERENCE, UseRole.CALL

_VALUES = ("&&", "||", "and", "or")
_TESTS = frozenset({"is_a?", "kind_of?", "instance_of?"})


def literal(w: Walk, node: Node) -> int:
    """A literal, which may hold expressions."""
    if node.named_child_count:
        inside(w, node)
    return w.b.literal(LITERALS[node.type])


def array(w: Walk, node: Node) -> int:
    values = [w.value(child) for child in node.named_children]
    return w.b.container(ARRAY, w.b.unions(values))


def identifier(w: Walk, node: Node) -> int:
    """A local variable, or a call without arguments."""
    name = w.text(node)
    if w.is_local(name):
        return w.b.name(local(name))
    if macros.visibility(w, name):
        return NONE
    callee = w.use(_CALL, w.bare(name), node.start_byte)
    return w.b.call(callee)


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
    return _variable(w, w.text(node))


def _variable(w: Walk, name: str) -> int:
    if not w.classes:
        return w.unknown
    return w.member(w.b.expr(Op.THIS, w.classes[-1].symbol), _bound(w, name))


def _bound(w: Walk, name: str) -> str:
    return own(name) if w.context == CLASS and not name.startswith("@@") else name


def binary(w: Walk, node: Node) -> int:
    """`a + b`, `a || b`, `a << b`: an operator runs the method of its name."""
    left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    left, right = w.value(left_node), w.value(right_node)
    sign = "" if operator is None else operator.type
    if sign in _VALUES:
        return right if sign in ("&&", "and") else w.b.union(left, right)
    if operator is not None and sign:
        w.b.operate(left, (sign,), operator.start_byte)
    if sign == "<<" and left_node is not None and right != NONE:
        add(w, left_node, w.b.container(ARRAY, right))
        return left
    return NONE


def unary(w: Walk, node: Node) -> int:
    for child in node.named_children:
        w.value(child)
    return NONE


def index(w: Walk, node: Node) -> int:
    """`a[b]`."""
    whole_node = node.child_by_field_name("object")
    whole = w.value(whole_node)
    for child in node.named_children:
        if child != whole_node:
            w.value(child)
    w.b.operate(whole, ("[]",), node.start_byte if whole_node is None else whole_node.end_byte)
    return w.b.wrap(Op.INDEX, whole)


def conditional(w: Walk, node: Node) -> int:
    """`a ? b : c`."""
    w.value(node.child_by_field_name("condition"))
    left = w.value(node.child_by_field_name("consequence"))
    return w.b.union(left, w.value(node.child_by_field_name("alternative")))


# -- statements -------------------------------------------------------------------------------------------------------


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
    w.flow.block(lambda: inside(w, node))
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
                inside(w, pattern)
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
    value = w.value(node.child_by_field_name("value"))
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
        assign(w, variable_node.named_children[0], w.b.wrap(Op.INSTANCE, w.b.unions(kinds)))
    return w.value(node.child_by_field_name("body"))


def for_(w: Walk, node: Node) -> int:
    """`for a in b`: its variable is the method's."""
    whole = w.value(node.child_by_field_name("value"))
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        assign(w, pattern, w.b.wrap(Op.ITER, whole))
    w.flow.block(lambda: w.value(node.child_by_field_name("body")))
    return NONE


def returned(w: Walk, node: Node) -> int:
    for child in node.named_children:
        found = [w.value(part) for part in child.named_children]
        if len(found) == 1:
            w.results[-1] = w.b.union(w.results[-1], found[0])
    return NONE


# -- assignments ------------------------------------------------------------------------------------------------------


def assignment(w: Walk, node: Node) -> int:
    """`a = b`, `A = b`, `a, b = c`, `a.b = c`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return inside(w, node)
    if left.type == "constant":
        return _constant(w, node, left, right)
    if left.type == "identifier" and not w.is_local(w.text(left)):
        w.flow.declare(local(w.text(left)), SourceKind.OPAQUE)  # `a = a` reads the variable
    value = array(w, right) if right.type == "right_assignment_list" else w.value(right)
    assign(w, left, value)
    return value


def changed(w: Walk, node: Node) -> int:
    """`a ||= b`, `a += b`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None:
        return w.value(right)
    if left.type == "constant":
        return NONE if right is None else _constant(w, node, left, right)
    if left.type == "identifier" and not w.is_local(w.text(left)):
        w.flow.declare(local(w.text(left)), SourceKind.OPAQUE)
    before = w.value(left)
    value = w.value(right)
    if left.type == "call":
        assign(w, left, value, is_visited=True)
    if operator is None or operator.type not in ("||=", "&&="):
        return NONE
    add(w, left, value)
    return w.b.union(before, value)


def assign(w: Walk, target: Node, value: int, *, is_visited: bool = False) -> None:
    """A place gets a value; where it is visited, only what runs is told."""
    match target.type:
        case "identifier":
            w.flow.assign(local(w.text(target)), SourceKind.VALUE, value)
        case "instance_variable" | "class_variable":
            add(w, target, value)
        case "call":
            _written(w, target, is_visited)
        case "element_reference":
            whole_node = target.child_by_field_name("object")
            whole = w.value(whole_node)
            for child in target.named_children:
                if child != whole_node:
                    w.value(child)
            w.b.operate(whole, ("[]=",), target.start_byte if whole_node is None else whole_node.end_byte)
            if whole_node is not None and value != NONE:
                add(w, whole_node, w.b.container(ARRAY, value))
        case "left_assignment_list" | "destructured_left_assignment":
            for position, part in enumerate(target.named_children):
                assign(w, part, w.b.wrap(Op.ITEM, value, position))
        case "rest_assignment":
            for part in target.named_children:
                assign(w, part, NONE)
        case _:
            w.value(target)


def _written(w: Walk, target: Node, is_visited: bool) -> None:
    """`a.b = c` runs `b=`."""
    receiver, name = target.child_by_field_name("receiver"), target.child_by_field_name("method")
    if receiver is None or name is None:
        w.value(target)
        return
    of = _again(w, receiver) if is_visited else w.value(receiver)
    member = f"{w.text(name)}="
    is_own = receiver.type == "constant" or (receiver.type == "self" and w.context == CLASS)
    w.use(_CALL, w.member(of, own(member) if is_own else member), name.start_byte)


def _again(w: Walk, receiver: Node) -> int:
    """What a receiver is that has told its uses."""
    match receiver.type:
        case "self":
            return w.this()
        case "identifier" if w.is_local(w.text(receiver)):
            return w.b.name(local(w.text(receiver)))
        case "constant":
            return w.constant(w.text(receiver))
        case "instance_variable" | "class_variable":
            return _variable(w, w.text(receiver))
        case _:
            return NONE


def add(w: Walk, target: Node, value: int) -> None:
    """A place may hold a value, beside others."""
    if value == NONE:
        return
    if target.type == "identifier" and w.is_local(w.text(target)):
        w.flow.add(local(w.text(target)), value)
    elif target.type in ("instance_variable", "class_variable") and w.classes:
        w.b.member(w.classes[-1].members, _bound(w, w.text(target)), SourceKind.VALUE, value)


def _constant(w: Walk, node: Node, left: Node, right: Node) -> int:
    """`A = b`: a constant of the class around, or of the top; or a class."""
    if definitions.made(w, node, left, right):
        return NONE
    b = w.b
    cls: Class | None = w.classes[-1] if w.classes else None
    name = w.text(left)
    symbol = b.symbol(
        name,
        SymbolKind.VARIABLE if cls is None else SymbolKind.PROPERTY,
        parent=b.file if cls is None else cls.symbol,
        at=left.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=SymbolFlag.EXPORTED if cls is None else SymbolFlag.EXPORTED | SymbolFlag.STATIC,
        signature=headers.signature(w, node.start_byte, node.end_byte),
        doc=headers.doc(w, node),
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=b.module if cls is None else cls.members)
    owner, b.owner = b.owner, symbol
    value = w.value(right)
    b.add_value(symbol, value)
    b.owner = owner
    return value
