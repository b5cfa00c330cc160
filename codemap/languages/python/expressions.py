"""Expressions: what their value is, and every name and attribute that they use.

Each handler returns a builder expression for the value and tells the builder the uses inside. A name that is read is a
REFERENCE at the name; `a.b.c()` is a CALL of the whole chain at `c` and a REFERENCE to `a.b` and to `a`.

Source: the Python Language Reference, chapter 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import ImportFlag, Op, ScopeKind, UseRole
from codemap.languages.python.builtin_calls import RESULTS, is_builtin
from codemap.languages.python.builtins import CONTAINERS, TRANSPARENT
from codemap.languages.python.exports import export_all
from codemap.languages.python.narrowing import narrow_positive
from codemap.languages.python.targets import assign
from codemap.languages.python.walk import Handler, Walk, inside, token

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_BLOCK = int(ScopeKind.BLOCK)
_PARTS_MAX = 32
"""Distinct values of a display that are kept: a dispatch table seldom has more, a data table has thousands."""
_TUPLE_MAX = 8
"""Longer tuples are kept as containers: nobody unpacks them into names."""
_QUOTES = b"\"'"
_TYPE_NAMES = frozenset((*CONTAINERS, *TRANSPARENT, "Literal", "Type", "type"))
_OPERATORS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "@": "__matmul__",
    "&": "__and__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
    "**": "__pow__",
}


def identifier(w: Walk, node: Node) -> int:
    start, end = node.start_byte, node.end_byte
    return w.b.read(start, end) if start < end else NONE


def attribute(w: Walk, node: Node) -> int:
    children = node.children
    of = children[0]
    value = w.values[of.kind_id](w, of)
    if value == NONE:
        return NONE
    last = children[-1]
    start = last.start_byte
    b = w.b
    name = w.source[start : last.end_byte].decode("utf-8", "replace")
    if name == "__class__" and _is_receiver(w, of):
        return b.expr(Op.SYMBOL, w.place.class_symbol)
    value = b.attribute(value, name)
    b.use(_READ, value, start)
    return value


def call(w: Walk, node: Node) -> int:
    children = node.children
    callee, arguments = children[0], children[-1]
    kind = callee.kind_id
    b = w.b
    start = callee.start_byte
    if kind == w.kinds.identifier:
        name = w.source[start : callee.end_byte].decode("utf-8", "replace")
        if name in _SPECIAL_CALLS:
            special = _SPECIAL_CALLS[name](w, node, arguments)
            if special is not None:
                return special
        function = b.name(name)
        if name in RESULTS and is_builtin(b, name):
            given = _arguments(w, arguments)
            return RESULTS[name](b, given) if given else NONE
    elif kind == w.kinds.attribute:
        parts = callee.children
        of, last = parts[0], parts[-1]
        function = w.values[of.kind_id](w, of)
        start = last.start_byte
        if function != NONE:
            name = w.source[start : last.end_byte].decode("utf-8", "replace")
            if name in _SPECIAL_METHODS:
                _SPECIAL_METHODS[name](w, of, arguments)
            function = b.attribute(function, name)
    else:
        function = w.values[kind](w, callee)
        start = _last_name(callee)
    b.use(_CALL, function, start)
    return b.call(function, _arguments(w, arguments))


def _arguments(w: Walk, node: Node) -> Sequence[int]:
    """Visits the arguments and returns the values of the positional ones; literals are not worth keeping."""
    if not node.named_child_count:
        return ()
    kinds = w.kinds
    if node.kind_id != kinds.argument_list:  # f(x for x in y)
        return (w.value(node),)
    parts: list[int] = []
    values = w.values
    for child in node.children:
        kind = child.kind_id
        handle = values[kind]
        if handle is token:
            continue
        value = handle(w, child)
        if kind not in kinds.not_positional:
            parts.append(NONE if kind in kinds.literals else value)
    return parts


def keyword_argument(w: Walk, node: Node) -> int:
    value = node.children[-1]
    return w.values[value.kind_id](w, value)


def _last_name(callee: Node) -> int:
    """Offset of the name nearest to the call's parenthesis, where the callee is no plain chain."""
    node = callee
    while node.type in ("call", "subscript", "parenthesized_expression", "await"):
        inner = node.named_children
        if not inner:
            break
        node = inner[-1] if node.type == "await" else inner[0]
    return node.children[-1].start_byte if node.type == "attribute" else node.start_byte


def _super(w: Walk, _node: Node, arguments: Node) -> int | None:
    cls = w.place.class_symbol
    if cls == NONE:
        return None
    _arguments(w, arguments)
    return w.b.expr(Op.SUPER, cls)


def _cast(w: Walk, node: Node, arguments: Node) -> int | None:
    """`cast(T, x)`: the first argument states a type, as a string or not."""
    parts = [child for child in arguments.named_children if child.type != "comment"]
    if len(parts) != 2 or parts[0].type == "keyword_argument":
        return None
    function = w.b.name("cast")
    w.b.use(_CALL, function, node.start_byte)
    return w.b.call(function, [w.type(parts[0]), w.value(parts[1])])


def _type_variable(w: Walk, node: Node, arguments: Node) -> int | None:
    """`TypeVar("T", bound="C")`: the bound and the constraints are types."""
    function = w.b.name("TypeVar")
    w.b.use(_CALL, function, node.start_byte)
    for index, child in enumerate(arguments.named_children):
        if child.type == "keyword_argument":
            w.type(child.children[-1])
        elif index:
            w.type(child)
    return w.b.call(function)


def _getattr(w: Walk, _node: Node, arguments: Node) -> int | None:
    """`getattr(x, "name")` reads `x.name`."""
    parts = [child for child in arguments.named_children if child.type != "comment"]
    if len(parts) < 2 or parts[1].type != "string" or not is_builtin(w.b, "getattr"):
        return None
    name = w.text(parts[1])[1:-1]
    if not name.isidentifier():
        return None
    b = w.b
    value = b.attribute(w.value(parts[0]), name)
    b.use(_READ, value, parts[1].start_byte + 1)
    for child in parts[2:]:
        value = b.union(value, w.value(child))
    return value


def _type(w: Walk, _node: Node, arguments: Node) -> int | None:
    """`type(self)` is the class."""
    parts = arguments.named_children
    if len(parts) != 1 or not _is_receiver(w, parts[0]) or not is_builtin(w.b, "type"):
        return None
    return w.b.expr(Op.SYMBOL, w.place.class_symbol)


def _is_receiver(w: Walk, node: Node) -> bool:
    receiver = w.place.receiver
    return bool(receiver) and w.source[node.start_byte : node.end_byte] == receiver


def _import_builtin(w: Walk, _node: Node, arguments: Node) -> int | None:
    _dynamic_import(w, arguments)
    return None


def _import_module(w: Walk, of: Node, arguments: Node) -> None:
    if w.text(of) == "importlib":
        _dynamic_import(w, arguments)


def _import_module_name(w: Walk, _node: Node, arguments: Node) -> int | None:
    _dynamic_import(w, arguments)
    return None


def _dynamic_import(w: Walk, arguments: Node) -> None:
    parts = arguments.named_children
    if parts and parts[0].type == "string":
        text = w.text(parts[0])
        if text[:1] in "\"'" and text.strip("\"'").replace(".", "_").isidentifier():
            flags = ImportFlag.DYNAMIC | ImportFlag.SIDE_EFFECT | w.import_flags
            w.b.import_(text.strip("\"'"), NONE, parts[0].start_byte + 1, flags)


def _all_method(w: Walk, of: Node, arguments: Node) -> None:
    """`__all__.extend([…])`, `__all__.append(…)`, outside functions."""
    if w.b.scope is w.b.module and w.text(of) == "__all__":
        for child in arguments.named_children:
            export_all(w, child)


_SPECIAL_CALLS = {
    "super": _super,
    "cast": _cast,
    "getattr": _getattr,
    "type": _type,
    "TypeVar": _type_variable,
    "__import__": _import_builtin,
    "import_module": _import_module_name,
}
_SPECIAL_METHODS = {"import_module": _import_module, "extend": _all_method, "append": _all_method}


def subscript(w: Walk, node: Node) -> int:
    children = [child for child in node.named_children if child.type != "comment"]
    if _names_type(w, children[0]):
        return w.types[node.kind_id](w, node)
    values = w.values
    of = values[children[0].kind_id](w, children[0])
    index = NONE
    for child in children[1:]:
        index = values[child.kind_id](w, child)
    if len(children) == 2 and children[1].type == "integer":
        return w.b.wrap(Op.INDEX, of, w.b.literal(w.text(children[1])))
    return w.b.wrap(Op.INDEX, of, index if len(children) == 2 else NONE)


def _names_type(w: Walk, node: Node) -> bool:
    """Whether a subscript of this expression makes a type (`Dict[str, C]`), by the names of the typing module."""
    if node.type == "attribute":
        node = node.children[-1]
    return node.type == "identifier" and w.text(node) in _TYPE_NAMES


def string(w: Walk, node: Node) -> int:
    first = w.source[node.start_byte]
    if first in _QUOTES:
        return w.text_literal
    if first not in b"rRuUbB" or w.source[node.start_byte + 1] in b"fFtT":
        for child in node.named_children:
            if child.type == "interpolation":
                inside(w, child)
    return w.b.literal("bytes") if first in b"bB" else w.text_literal


def concatenated_string(w: Walk, node: Node) -> int:
    value = NONE
    for child in node.named_children:
        value = w.value(child)
    return value


def integer(w: Walk, _node: Node) -> int:
    return w.integer_literal


def float_(w: Walk, _node: Node) -> int:
    return w.b.literal("float")


def boolean(w: Walk, _node: Node) -> int:
    return w.boolean_literal


def comparison(w: Walk, node: Node) -> int:
    values = w.values
    for child in node.named_children:
        values[child.kind_id](w, child)
    return w.boolean_literal


def parenthesized(w: Walk, node: Node) -> int:
    value = NONE
    values = w.values
    for child in node.named_children:
        value = values[child.kind_id](w, child)
    return value


def boolean_operator(w: Walk, node: Node) -> int:
    """`e or f` is either; `e and f` is f where it matters, and sees what e narrows."""
    left, operator, *_, right = node.children
    if operator.type == "and":
        scope = w.b.scope
        w.value(left)
        narrow_positive(w, left)
        value = w.value(right)
        w.b.scope = scope
        return value
    value = w.value(left)
    return w.b.union(value, w.value(right))


def binary_operator(w: Walk, node: Node) -> int:
    spine = []
    while node.type == "binary_operator":
        left, operator, *_, right = node.children
        spine.append((operator, right))
        node = left
    b = w.b
    value = w.value(node)
    is_literal = node.type in _LITERALS
    for operator, right in reversed(spine):
        other = w.value(right)
        if is_literal:
            continue
        sign = operator.type
        if sign == "|":
            value = b.union(value, other)
        elif sign in _OPERATORS:
            value = b.call(b.attribute(value, _OPERATORS[sign]))
    return value


_LITERALS = frozenset({"string", "concatenated_string", "integer", "float"})


def conditional_expression(w: Walk, node: Node) -> int:
    parts = [child for child in node.named_children if child.type != "comment"]
    if len(parts) != 3:
        return inside(w, node)
    yes, condition, no = parts
    w.value(condition)
    scope = w.b.scope
    narrow_positive(w, condition)
    value = w.value(yes)
    w.b.scope = scope
    return w.b.union(value, w.value(no))


def named_expression(w: Walk, node: Node) -> int:
    target, value_node = node.children[0], node.children[-1]
    value = w.value(value_node)
    assign(w, target, value, w.b.function_scope())
    return value


def list_(w: Walk, node: Node) -> int:
    return w.b.container("list", _union_of(w, node.named_children))


def set_(w: Walk, node: Node) -> int:
    return w.b.container("set", _union_of(w, node.named_children))


def tuple_(w: Walk, node: Node) -> int:
    children = [child for child in node.named_children if child.type != "comment"]
    if len(children) > _TUPLE_MAX or any(child.type == "list_splat" for child in children):
        return w.b.container("tuple", _union_of(w, children))
    return w.b.tuple_of([w.value(child) for child in children])


def dictionary(w: Walk, node: Node) -> int:
    """A dictionary is known by its values."""
    return w.b.container("dict", _union_of(w, node.named_children))


def pair(w: Walk, node: Node) -> int:
    children = node.children
    values = w.values
    key, value = children[0], children[-1]
    values[key.kind_id](w, key)
    return values[value.kind_id](w, value)


def _union_of(w: Walk, nodes: list[Node]) -> int:
    values = w.values
    found: dict[int, None] = {}
    for node in nodes:
        found[values[node.kind_id](w, node)] = None
    found.pop(NONE, None)
    if not found:
        return NONE
    return w.b.unions(found) if len(found) <= _PARTS_MAX else NONE


def list_splat(w: Walk, node: Node) -> int:
    return w.b.wrap(Op.ITER, w.value(node.children[-1]))


def dictionary_splat(w: Walk, node: Node) -> int:
    return w.b.wrap(Op.INDEX, w.value(node.children[-1]))


def await_(w: Walk, node: Node) -> int:
    return w.b.wrap(Op.AWAIT, w.value(node.children[-1]))


def unary(w: Walk, node: Node) -> int:
    w.value(node.children[-1])
    return NONE


def comprehension(name: str) -> Handler:
    """The handler of a comprehension that makes a `name`."""

    def visit(w: Walk, node: Node) -> int:
        return w.b.container(name, _comprehend(w, node))

    return visit


def _comprehend(w: Walk, node: Node) -> int:
    """Visits a comprehension in a block scope of its own and returns its element; the first iterable stays outside."""
    b = w.b
    children = [child for child in node.named_children if child.type != "comment"]
    outer = b.scope
    first = NONE
    for clause in children:
        if clause.type == "for_in_clause":
            first = w.value(clause.children[-1])
            break
    scope = b.open_scope(_BLOCK, b.scope.owner)
    is_first = True
    for clause in children[1:]:
        if clause.type == "for_in_clause":
            value = first if is_first else w.value(clause.children[-1])
            is_first = False
            target = clause.child_by_field_name("left")
            if target is not None:
                assign(w, target, w.b.wrap(Op.ITER, value), scope)
        else:
            inside(w, clause)
            for condition in clause.named_children:
                narrow_positive(w, condition)
    element = w.value(children[0])
    b.scope = outer
    return element


def yield_(w: Walk, node: Node) -> int:
    place = w.place
    place.is_generator = True
    is_from = len(node.children) > 1 and node.children[1].type == "from"
    for child in node.named_children:
        value = w.value(child)
        place.yields.append(w.b.wrap(Op.ITER, value) if is_from else value)
    return NONE
