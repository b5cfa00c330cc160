"""Calls in the body of a class that say what it has: mixins, accessors, visibility, aliases, and what is loaded.

Source: the Ruby documentation of Module and Kernel; of Forwardable; Rails' of ActiveSupport::Concern and `delegate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind, SymbolFlag, UseRole
from codemap.languages.ruby import definitions, generated, methods, reopening
from codemap.languages.ruby.walk import CLASS, Class, Walk, own_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    Macro = Callable[[Walk, Class, Node, list[Node]], bool]

_ACCESSORS = {
    "attr_reader": ("",),
    "attr": ("",),
    "attr_writer": ("=",),
    "attr_accessor": ("", "="),
    "cattr_accessor": ("", "="),
    "mattr_accessor": ("", "="),
    "cattr_reader": ("",),
    "mattr_reader": ("",),
    "class_attribute": ("", "="),
}
_ON_BOTH = frozenset({"cattr_accessor", "mattr_accessor", "cattr_reader", "mattr_reader", "class_attribute"})
VISIBILITY = frozenset({"private", "protected", "public", "module_function"})
_CALL = UseRole.CALL
_LOADS = frozenset({"require", "require_relative", "load", "require_dependency"})


def visit_require(w: Walk, name: str, arguments: list[Node]) -> bool:
    """`require 'a'`, `require_relative 'a'`, `load 'a.rb'`, `autoload :A, 'a'`."""
    listed = arguments[1:] if name == "autoload" else arguments
    if name not in _LOADS and name != "autoload":
        return False
    spelled = methods.literal_name(w, listed[0]) if listed and listed[0].type == "string" else ""
    if not spelled:
        return False
    if name == "require_relative" and not spelled.startswith("."):
        spelled = f"./{spelled}"
    w.b.import_(spelled, NONE, listed[0].start_byte)
    return True


def visibility(w: Walk, name: str) -> bool:
    """`private` alone: of the methods that follow; whether it is that."""
    if name not in VISIBILITY or not w.classes or w.b.owner != w.classes[-1].symbol:
        return False
    cls = w.classes[-1]
    if name == "module_function":
        cls.is_module_function = True
    else:
        cls.visibility = name
    return True


def macro(w: Walk, name: str, node: Node, arguments: list[Node]) -> bool:
    """A call without a receiver in the body of a class; whether it has been taken in."""
    if not w.classes or w.b.owner != w.classes[-1].symbol or w.context != CLASS:
        return False
    cls = w.classes[-1]
    if name in _ACCESSORS:
        return _accessors(w, cls, name, node, arguments)
    generated.visit_call(w, cls, name, arguments)
    found = _MACROS.get(name)
    return found is not None and found(w, cls, node, arguments)


def of_singleton(w: Walk, node: Node, receiver: Node, name: str, arguments: list[Node]) -> bool:
    """`singleton_class.attr_accessor :a`, `singleton_class.send(:define_method, :a) { … }` in the body of a class;
    whether it has been taken in."""
    if w.text(receiver) != "singleton_class" or not w.classes:
        return False
    if name in ("send", "public_send", "__send__") and arguments:
        name, arguments = methods.literal_name(w, arguments[0]), arguments[1:]
    if name not in reopening.DEFINING:
        return False
    with w.classes[-1].singleton():
        return macro(w, name, node, arguments)


def _accessors(w: Walk, cls: Class, name: str, node: Node, arguments: list[Node]) -> bool:
    for argument in arguments:
        spelled = methods.literal_name(w, argument)
        if not spelled:
            w.value(argument)
            continue
        at = argument if argument.type == "simple_symbol" else argument.named_children[0]
        for mark in _ACCESSORS[name]:
            symbol = methods.accessor(w, cls, at, spelled, mark, node)
            if name in _ON_BOTH:
                w.b.bind(own_name(spelled + mark), SourceKind.SYMBOL, symbol, scope=cls.members)
    return True


def _include(w: Walk, cls: Class, node: Node, arguments: list[Node]) -> bool:
    if cls.is_singleton:
        return _extend(w, cls, node, arguments)
    for argument in arguments:
        definitions.mix_in(w, cls, argument)
        if argument.start_byte not in cls.base_starts:
            w.value(argument)
    return True


def _extend(w: Walk, cls: Class, _node: Node, arguments: list[Node]) -> bool:
    for argument in arguments:
        if argument.type == "self":
            cls.is_module_function = True
            continue
        if w.text(argument) == "ActiveSupport::Concern":
            cls.is_concern = True
        cls.extended = w.b.union(cls.extended, w.value(argument))
    return True


def _change(w: Walk, cls: Class, arguments: list[Node], is_public: bool) -> bool:
    for argument in arguments:
        named = argument.named_children if argument.type == "array" else [argument]
        for node in named:
            symbol = cls.methods.get(methods.literal_name(w, node), NONE)
            if symbol == NONE:
                w.value(node)
            elif is_public:
                w.b.add_flags(symbol, SymbolFlag.EXPORTED)
            else:
                w.b.remove_flags(symbol, SymbolFlag.EXPORTED)
    return True


def _with(w: Walk, cls: Class, arguments: list[Node], name: str) -> bool:
    """`private :a, :b`, `private def a … end`, `private attr_reader :a`."""
    before, cls.visibility = cls.visibility, name
    _change(w, cls, arguments, name != "private")
    cls.visibility = before
    return True


def _module_function(w: Walk, cls: Class, _node: Node, arguments: list[Node]) -> bool:
    for argument in arguments:
        spelled = methods.literal_name(w, argument)
        w.value(argument)
        if spelled in cls.methods:
            w.b.bind(own_name(spelled), SourceKind.SYMBOL, cls.methods[spelled], scope=cls.members)
    return True


def _alias_method(w: Walk, cls: Class, node: Node, arguments: list[Node]) -> bool:
    if len(arguments) != 2:
        return False
    new, old = (methods.literal_name(w, argument) for argument in arguments)
    if new and old:
        methods.alias(w, cls, arguments[0], new, arguments[1], old, node)
    return bool(new and old)


def _define_method(w: Walk, cls: Class, node: Node, arguments: list[Node]) -> bool:
    spelled = methods.literal_name(w, arguments[0]) if arguments else ""
    if not spelled:
        return False
    methods.define_method(w, cls, arguments[0], spelled, node)
    for argument in arguments[1:]:
        w.value(argument)
    return True


def _class_methods(w: Walk, cls: Class, node: Node, _arguments: list[Node]) -> bool:
    """`class_methods do … end` of a concern: what includes it has them itself."""
    block = node.child_by_field_name("block")
    body = block.child_by_field_name("body") if block is not None else None
    if body is None:
        return False
    with cls.singleton():
        w.flow.function(lambda: w.value(body))
    return True


def _hook(w: Walk, cls: Class, node: Node, _arguments: list[Node]) -> bool:
    """`included do … end` of a concern: runs as the body of what includes it."""
    block = node.child_by_field_name("block")
    if block is None or not cls.is_concern:
        return False
    w.flow.closure(lambda: w.field(block, "body"))
    return True


def _delegate(w: Walk, cls: Class, node: Node, arguments: list[Node]) -> bool:
    """`delegate :a, :b, to: :c`."""
    to = ""
    for argument in arguments:
        key, value = argument.child_by_field_name("key"), argument.child_by_field_name("value")
        if argument.type == "pair" and key is not None and value is not None and w.text(key) == "to":
            to = methods.literal_name(w, value)
    named = [argument for argument in arguments if argument.type == "simple_symbol"]
    is_plain = all(argument.type == "simple_symbol" or w.text(argument).startswith("to:") for argument in arguments)
    if not to or not is_plain:
        return False
    for argument in named:
        _forward(w, cls, node, argument, w.text(argument)[1:], to)
    return True


def _def_delegators(w: Walk, cls: Class, node: Node, arguments: list[Node]) -> bool:
    """`def_delegators :c, :a, :b` of Forwardable."""
    names = [methods.literal_name(w, argument) for argument in arguments]
    if len(names) < 2 or not all(names):
        return False
    for argument, name in zip(arguments[1:], names[1:], strict=True):
        _forward(w, cls, node, argument, name, names[0])
    return True


def _forward(w: Walk, cls: Class, node: Node, name_node: Node, name: str, to: str) -> None:
    """A method that calls the one of its name on what another method, or a variable, gives."""
    b = w.b
    symbol = methods.accessor(w, cls, name_node, name.removesuffix("="), name[len(name.removesuffix("=")) :], node)
    this = b.expr(Op.SYMBOL if cls.is_singleton else Op.THIS, cls.symbol)
    read = b.attribute(this, own_name(to) if cls.is_singleton else to)
    receiver = read if to.startswith("@") else b.call(read)
    with b.definition(symbol):
        meant = b.attribute(receiver, name)
        w.use(_CALL, meant, name_node.start_byte)
        b.add_value(symbol, b.call(meant))


def _visited(w: Walk, _cls: Class, _node: Node, arguments: list[Node]) -> bool:
    for argument in arguments:
        w.value(argument)
    return True


_MACROS: dict[str, Macro] = {
    "include": _include,
    "prepend": _include,
    "extend": _extend,
    "private": lambda w, cls, _node, arguments: _with(w, cls, arguments, "private"),
    "protected": lambda w, cls, _node, arguments: _with(w, cls, arguments, "protected"),
    "public": lambda w, cls, _node, arguments: _with(w, cls, arguments, "public"),
    "module_function": _module_function,
    "private_class_method": _visited,
    "private_constant": _visited,
    "alias_method": _alias_method,
    "define_method": _define_method,
    "class_methods": _class_methods,
    "included": _hook,
    "prepended": _hook,
    "delegate": _delegate,
    "def_delegators": _def_delegators,
    "def_instance_delegators": _def_delegators,
}
