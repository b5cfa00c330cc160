"""What adds to a class which something else than its own statement names: `class << self`, `A.class_eval`, `A.prepend`,
`include` at the top of a file.

Source: the Ruby documentation of Module#class_eval, BasicObject#instance_eval, Object#singleton_class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import SymbolFlag, SymbolKind
from codemap.languages.ruby import definitions, methods
from codemap.languages.ruby.builtins import EVERYWHERE
from codemap.languages.ruby.walk import CLASS, Class, Walk, configures_tests

if TYPE_CHECKING:
    from tree_sitter import Node

_DEFINITIONS = frozenset({"method", "singleton_method", "alias", "class", "module", "singleton_class"})
_DEFINING = "attr_reader attr_writer attr_accessor attr define_method alias_method delegate include prepend extend"
DEFINING = frozenset(_DEFINING.split())
"""Calls by which a class body says what the class has."""


def singleton(w: Walk, node: Node) -> int:
    """`class << self`: its methods are the class's own."""
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if value is not None and body is not None and value.type != "self" and is_class_name(w, value):
        _again(w, node, value, body, is_singleton=True)
    elif value is None or value.type != "self" or not w.classes:
        w.value(value)
        w.flow.function(lambda: w.value(body))
    elif body is not None:
        with w.classes[-1].singleton():
            w.flow.function(lambda: visit_children(w, body))
    return NONE


def is_class_name(w: Walk, node: Node) -> bool:
    """Whether a node spells a class or module in full; a constant in capitals holds some value."""
    return _is_constant(w, node) and not w.text(definitions.constants(node)[-1]).isupper()


def _is_constant(w: Walk, node: Node) -> bool:
    if node.type not in ("constant", "scope_resolution"):
        return False
    names = definitions.constants(node)
    return len(names) == w.text(node).count("::") + (w.text(node)[:2] != "::")


def reopen(w: Walk, node: Node, receiver: Node, name: str, block: Node) -> bool:
    """`A.class_eval do … end`, `A.instance_eval do … end`, `A.singleton_class.class_eval do … end`: whether the block
    defines methods, and has been visited as the body of that class, whose name may be in capitals: `JSON`."""
    is_singleton = name.startswith("instance_")
    method_ = receiver.child_by_field_name("method")
    if receiver.type == "call" and method_ is not None and w.text(method_) == "singleton_class":
        is_singleton, receiver = True, receiver.child_by_field_name("receiver") or receiver
    body = block.child_by_field_name("body")
    if body is None or not _is_constant(w, receiver) or not any(_defines(w, child) for child in body.named_children):
        return False
    _again(w, node, receiver, body, is_singleton=is_singleton)
    return True


def mix_into(w: Walk, node: Node, receiver: Node, name: str, arguments: list[Node]) -> bool:
    """`A.prepend M`, `A.send(:include, M)`: whether a part of the class has got the modules as bases."""
    if name == "send" and arguments:
        name, arguments = methods.literal_name(w, arguments[0]), arguments[1:]
    if name not in ("include", "prepend") or not arguments or not is_class_name(w, receiver):
        return False
    if not all(_is_constant(w, each) for each in arguments):
        return False
    cls = _part(w, node, receiver, node.end_byte, int(SymbolFlag.UNNAMED))
    for each in arguments:
        definitions.mix_in(w, cls, each)
    return True


def mix_into_all(w: Walk, node: Node, arguments: list[Node]) -> bool:
    """`include M` at the top of a file: whether what is above all classes has got the modules as bases. The same of
    `config.include M` in `RSpec.configure do |config|`."""
    if w.classes or w.b.owner != w.b.file or not arguments:
        return False
    if not all(_is_constant(w, each) for each in arguments):
        return False
    receiver = node.child_by_field_name("receiver")
    if w.in_block and not (configures_tests(w, node) and (receiver is None or receiver.type == "identifier")):
        return False
    b = w.b
    symbol = b.symbol(
        "Object",
        SymbolKind.CLASS,
        parent=b.file,
        at=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=SymbolFlag.EXPORTED | SymbolFlag.UNNAMED,
        signature=w.header(node.start_byte, node.end_byte),
    )
    anything = EVERYWHERE[not b.is_worded]
    b.part(symbol, anything, w.at_module(anything))
    cls = Class(symbol, b.namespace(symbol))
    for each in arguments:
        definitions.mix_in(w, cls, each)
    return True


def _defines(w: Walk, node: Node) -> bool:
    if node.type in _DEFINITIONS:
        return True
    name = node.child_by_field_name("method") if node.type == "call" else None
    return name is not None and node.child_by_field_name("receiver") is None and w.text(name) in DEFINING


def _again(w: Walk, node: Node, named: Node, body: Node, *, is_singleton: bool) -> None:
    """A part of the class that some name means: what the body defines is the class's."""
    b = w.b
    cls = _part(w, node, named, body.start_byte, 0)
    owner, scope, b.owner = b.owner, b.scope, cls.symbol
    cls.is_singleton = is_singleton
    if not is_singleton:
        w.within(cls, CLASS, lambda: definitions.mixed_in(w, cls, body.named_children))
    w.within(cls, CLASS, lambda: w.flow.closure(lambda: visit_children(w, body)))
    if cls.extended != NONE:
        b.metaclass(cls.symbol, cls.extended, 0)
    b.owner, b.scope = owner, scope


def _part(w: Walk, node: Node, named: Node, header_end: int, flags: int) -> Class:
    b = w.b
    whole = definitions.base_value(w, named)
    name = definitions.last_name(named)
    symbol = b.symbol(
        w.text(name),
        SymbolKind.CLASS,
        parent=w.classes[-1].symbol if w.classes else b.file,
        at=name.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=int(SymbolFlag.EXPORTED) | flags,
        signature=w.header(node.start_byte, header_end),
    )
    b.part(symbol, w.text(name), whole)
    return Class(symbol, b.namespace(symbol))
