"""Calls: of functions, of methods, of constructors; closures, and references to what can be called.

Source: the PHP Manual, "Functions", "Classes and Objects", "First class callable syntax".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, UseRole
from codemap.languages.php import definitions, expressions, members, types
from codemap.languages.php.builtins import ARRAY
from codemap.languages.php.headers import name_at
from codemap.languages.php.prefixes import beginning
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = UseRole.CALL
_READ = UseRole.REFERENCE
_COUNT = ("count",)
_EXISTS = ("offsetExists",)
_SUBJECTS = ("$array", "$value", "$iterator")
"""What the first parameters of the functions in `_SPECIAL` are called."""


def _arguments(w: Walk, node: Node | None) -> tuple[list[int], bool]:
    """The values of some arguments, those passed by name last, and whether they only say what is meant to be called."""
    given: list[int] = []
    named: list[int] = []
    is_reference = False
    for child in node.named_children if node is not None else ():
        kind = child.type
        if kind == "argument":
            parts = child.named_children
            name = None
            if len(parts) != 1 or parts[0].type == "name":
                name = child.child_by_field_name("name")
                parts = [part for part in parts if part != name]
            found = [w.value(part) for part in parts]
            value = found[-1] if found else NONE
            if name is None:
                given.append(value)
            else:
                named.append(w.b.expr(Op.NAMED, value, w.b.intern(f"${w.text(name)}")))
        elif kind == "variadic_placeholder":
            is_reference = True
        else:
            w.value(child)
    return given + named, is_reference


def _call(w: Walk, callee: int, node: Node, at: int) -> int:
    given, is_reference = _arguments(w, node.child_by_field_name("arguments"))
    if is_reference:
        return w.use(_READ, callee, at)
    w.use(_CALL, callee, at)
    return w.b.call(callee, given)


def function(w: Walk, node: Node) -> int:
    callee_node = node.child_by_field_name("function")
    if callee_node is None:
        return visit_children(w, node)
    if callee_node.type not in types.NAMES:
        callee = w.value(callee_node)
        return _call(w, callee, node, callee_node.start_byte)
    spelled, at = w.text(callee_node), name_at(callee_node)
    arguments = node.child_by_field_name("arguments")
    word = spelled.lstrip("\\").lower()
    if word in _SPECIAL and arguments is not None:
        return _SPECIAL[word](w, node, arguments)
    return _call(w, w.function(spelled, at), node, at)


def method(w: Walk, node: Node) -> int:
    """`$a->m()`, `$a?->m()`."""
    owner = w.field(node, "object")
    return _method(w, owner, node)


def static_method(w: Walk, node: Node) -> int:
    """`A::m()`, `parent::m()`."""
    owner = expressions.scope(w, node.child_by_field_name("scope"))
    return _method(w, owner, node)


def _method(w: Walk, owner: int, node: Node) -> int:
    """A method of a value or class; one whose name is put together is undecided among those that begin as it does."""
    name = node.child_by_field_name("name")
    if name is None or name.type != "name":
        w.value(name)
        _arguments(w, node.child_by_field_name("arguments"))
        prefix = "" if name is None else beginning(w, name)
        if name is not None and prefix.strip("_"):
            w.use(_CALL, w.b.wrap(Op.PREFIX, owner, w.b.literal(prefix)), name.start_byte)
        return w.unknown
    return _call(w, w.member(owner, w.text(name)), node, name.start_byte)


def creation(w: Walk, node: Node) -> int:
    """`new A(…)`, `new static`, `new $class`, `new class(…) {…}`."""
    parts = node.named_children
    made = parts[0] if parts else None
    arguments = next((child for child in parts if child.type == "arguments"), None)
    if made is None:
        return NONE
    if made.type == "anonymous_class":
        for child in made.named_children:
            if child.type == "arguments":
                _arguments(w, child)
        symbol = definitions.anonymous(w, made)
        w.use(_CALL, w.b.expr(Op.SYMBOL, symbol), made.start_byte)
        return w.b.expr(Op.THIS, symbol)
    if made.type in types.NAMES:
        cls = types.use_class(w, made, _CALL)
    else:
        cls = w.value(made) if made.type != "arguments" else NONE
        w.use(_CALL, cls, made.start_byte)
    _arguments(w, arguments)
    return w.b.wrap(Op.INSTANCE, cls)


def closure(w: Walk, node: Node) -> int:
    """A function without a name: what it uses belongs to the definition around it."""
    members.function_body(w, node, NONE)
    return NONE


def _subject(w: Walk, arguments: Node) -> int:
    """The first argument, whatever its place is where it is passed by name; visits all."""
    given, _ = _arguments(w, arguments)
    exprs = w.b.exprs
    named = [exprs[one] for one in given if one != NONE and exprs[one][0] == Op.NAMED]
    first = {w.b.intern(name) for name in _SUBJECTS}
    if len(named) < len(given):
        return given[0]
    return next((value for _, value, name in named if name in first), NONE)


def _first(w: Walk, _node: Node, arguments: Node) -> int:
    """`current($a)`, `reset($a)`, `array_pop($a)`: one of what an array holds."""
    return w.b.wrap(Op.ITER, _subject(w, arguments))


def _same(w: Walk, _node: Node, arguments: Node) -> int:
    """`array_filter($a)`, `array_values($a)`: an array of the same."""
    return _subject(w, arguments)


def _all(w: Walk, _node: Node, arguments: Node) -> int:
    """`array_merge($a, $b)`: an array of what each of the arrays holds."""
    given, _ = _arguments(w, arguments)
    return w.b.unions(given)


def _second(w: Walk, _node: Node, arguments: Node) -> int:
    """`array_map($f, $a)`: what the function gives is not known."""
    _arguments(w, arguments)
    return NONE


def _count(w: Walk, node: Node, arguments: Node) -> int:
    value = _subject(w, arguments)
    if value != NONE:
        w.b.operate(value, _COUNT, node.start_byte)
    return w.b.literal("int")


def _is_set(w: Walk, node: Node, arguments: Node) -> int:
    """`isset($a[b], $c->d)`, `empty($a[b])`: constructs of the language."""
    methods = expressions.TESTED if w.text(node).lower().startswith("empty") else _EXISTS
    for argument in arguments.named_children:
        for child in argument.named_children:
            expressions.place(w, child, methods)
    return w.b.literal("bool")


def _iterated(w: Walk, _node: Node, arguments: Node) -> int:
    """`iterator_to_array($a)`."""
    return w.b.container(ARRAY, w.b.wrap(Op.ITER, _subject(w, arguments)))


def _define(w: Walk, node: Node, arguments: Node) -> int:
    """`define('NAME', value)`."""
    listed = [child for child in arguments.named_children if child.type == "argument"]
    given, _ = _arguments(w, arguments)
    named = listed[0].named_children[-1] if listed and listed[0].named_children else None
    if named is not None and named.type == "string" and len(given) > 1:
        spelled = w.text(named)[1:-1]
        if spelled.rpartition("\\")[2].isidentifier():
            definitions.declare_constant(w, spelled, node, named, given[1])
    return NONE


_SPECIAL = {
    **dict.fromkeys(("current", "reset", "end", "next", "prev", "array_pop", "array_shift"), _first),
    **dict.fromkeys(("array_filter", "array_values", "array_reverse", "array_slice", "array_unique"), _same),
    **dict.fromkeys(("array_merge", "array_replace"), _all),
    "array_map": _second,
    "count": _count,
    **dict.fromkeys(("isset", "empty"), _is_set),
    "iterator_to_array": _iterated,
    "define": _define,
}
