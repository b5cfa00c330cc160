"""Calls: of methods on receivers and without, of `new`, `super`; blocks, lambdas, and methods named by symbols.

Source: the Ruby documentation, "Calling Methods", "Proc", "Method".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, UseRole
from codemap.languages.ruby import assignments, definitions, example_groups, generated, macros, methods, reopening
from codemap.languages.ruby.builtins import ARRAY, EVERY_CLASS, EVERY_OBJECT, KERNEL, SAME
from codemap.languages.ruby.prefixes import beginning
from codemap.languages.ruby.walk import CLASS, TOP, Walk, own_name

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL, _READ = UseRole.CALL, UseRole.REFERENCE
_MAPS = ("map", "collect", "filter_map")
"""Methods that give a list of what their block gives."""
_BY_NAME = frozenset({"send", "public_send", "__send__", "try", "try!"})
_NAMED = frozenset({"method", "instance_method", "public_method", "respond_to?"})
_EACH_WORDS = (
    "each map flat_map collect select filter reject find detect any? all? none? each_with_index each_with_object"
    " sort_by group_by partition min_by max_by sum filter_map find_all reverse_each each_entry each_slice times"
)
_EACH = frozenset(_EACH_WORDS.split())
"""Methods of containers that give an element to their block first."""
_OPENS = frozenset({"class_eval", "class_exec", "module_eval", "module_exec", "instance_eval", "instance_exec"})
_CLASSES = ("Class", "Module")
"""What makes classes, of which nothing is known where no constant names them and no block says what they have."""
_MAKES = frozenset({"new", "define"})
_PUSHES = frozenset({"push", "append", "unshift", "prepend"})


def call(w: Walk, node: Node) -> int:
    """`a.m(b) { … }`, `m b`, `m`, `a.()`."""
    receiver, name_node = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    if name_node is not None and name_node.type == "super":
        return _super(w, name_node, node)
    if receiver is not None:
        return _on(w, node, receiver, name_node)
    if name_node is None:
        return visit_children(w, node)
    return _bare(w, node, name_node)


def _listed(node: Node) -> list[Node]:
    arguments = node.child_by_field_name("arguments")
    return children_of(arguments) if arguments is not None else []


def _bare(w: Walk, node: Node, name_node: Node) -> int:
    name, arguments = w.text(name_node), _listed(node)
    if name_node.type != "identifier" and name_node.type != "constant":
        return visit_children(w, node)
    if macros.visit_require(w, name, arguments) or macros.macro(w, name, node, arguments):
        return NONE
    if name == "include" and (reopening.mix_into_all(w, node, arguments) or example_groups.include(w, arguments)):
        return NONE
    if name in _NAMED or name in _BY_NAME:
        _symbol_called(w, w.this(), name, arguments, w.context == CLASS)
    given = [w.value(argument) for argument in arguments]
    block = node.child_by_field_name("block")
    if name == "new" and w.context == CLASS:
        this = w.this()
        w.use(_CALL, w.maker(this), name_node.start_byte)
        _block(w, block, NONE)
        return w.b.wrap(Op.INSTANCE, this)
    if name in ("lambda", "proc", "loop"):
        _block(w, block, NONE)
        return NONE
    if block is not None and example_groups.defines(w, name):
        example_groups.define(w, name, arguments, _block(w, block, NONE))
        return NONE
    is_brought = name in EVERY_OBJECT | KERNEL or (block is not None and example_groups.is_word(w, name))
    callee = NONE if w.context == TOP and is_brought else w.bare(name)
    w.use(_CALL, callee, name_node.start_byte)
    with example_groups.group(w, name, arguments, given):
        _block(w, block, w.this() if name in ("tap", "then") else NONE)
    return w.result(name, callee, given)


def _super(w: Walk, name_node: Node, node: Node | None) -> int:
    """`super`, with its arguments or with those of the method."""
    given = [w.value(argument) for argument in _listed(node)] if node is not None else []
    callee = w.above(w.names[-1]) if w.names else NONE
    w.use(_CALL, callee, name_node.start_byte)
    if node is not None:
        _block(w, node.child_by_field_name("block"), NONE)
    given_back = w.b.call(callee, given)
    if w.context == CLASS and w.names and w.names[-1] == "new":
        return w.b.either(given_back, w.b.wrap(Op.INSTANCE, w.this()))
    return given_back


def super_(w: Walk, node: Node) -> int:
    return _super(w, node, None)


def _on(w: Walk, node: Node, receiver: Node, name_node: Node | None) -> int:
    """A call on a receiver."""
    b = w.b
    arguments, block = _listed(node), node.child_by_field_name("block")
    name = "call" if name_node is None else w.text(name_node)
    if block is not None and name in _OPENS and reopening.reopen(w, node, receiver, name, block):
        return NONE
    if block is not None and w.context == CLASS and w.classes and w.b.owner == w.classes[-1].symbol:
        generated.visit_loop(w, w.classes[-1], receiver, name, block)
    if block is None and reopening.mix_into(w, node, receiver, name, arguments):
        return NONE
    if name == "include" and block is None and reopening.mix_into_all(w, node, arguments):
        return NONE
    if receiver.type == "identifier" and macros.of_singleton(w, node, receiver, name, arguments):
        return NONE
    if block is not None and name in _MAKES:
        made = definitions.anonymous(w, node, block)
        if made != NONE:
            return made
    of = w.value(receiver)
    at = receiver.end_byte if name_node is None else name_node.start_byte
    is_class = _is_class(w, receiver)
    if name == "class" and not arguments:
        return b.attribute(of, name)
    if name in _BY_NAME or name in _NAMED:
        _symbol_called(w, of, name, arguments, is_class)
    given = [w.value(argument) for argument in arguments]
    if name in _PUSHES and given:
        assignments.add(w, receiver, b.container(ARRAY, b.unions(given)))
    _symbols_passed(w, of, arguments)
    if name == "new":
        w.use(_CALL, w.maker(of), at)
        made = NONE if w.text(receiver) in _CLASSES else b.wrap(Op.INSTANCE, of)
        held = _block(w, block, NONE)
        return b.container(ARRAY, held) if held != NONE and w.text(receiver) == ARRAY else made
    if name == "tap" or name == "then":
        _block(w, block, of)
        return of if name == "tap" else NONE
    element = b.wrap(Op.ITER, of) if name in _EACH else NONE
    if name in (EVERY_CLASS if is_class else EVERY_OBJECT):
        w.use(_CALL, _member(w, of, name, receiver, is_class), at)
        _block(w, block, element)
        return of if name in SAME else NONE
    callee = _member(w, of, name, receiver, is_class)
    w.use(_CALL, callee, at)
    with example_groups.group(w, name if w.text(receiver) == "RSpec" else "", arguments, given):
        made = _block(w, block, element) if block is not None else _passed(w, element, arguments)
    return b.container(ARRAY, made) if name in _MAPS and made != NONE else b.call(callee, given)


def _member(w: Walk, of: int, name: str, receiver: Node, is_class: bool) -> int:
    """The method of a receiver; a constant in capitals may hold an instance."""
    if not is_class:
        return w.member(of, name)
    callee = w.member(of, own_name(name))
    last = receiver.child_by_field_name("name") or receiver
    is_value = last.type == "constant" and w.text(last).isupper()
    return w.b.either(callee, w.member(of, name)) if is_value else callee


def _is_class(w: Walk, receiver: Node) -> bool:
    """Whether a receiver is a class, by its spelling."""
    if receiver.type in ("constant", "scope_resolution") or example_groups.is_described(w, receiver):
        return True
    if receiver.type == "self":
        return w.context == CLASS
    method = receiver.child_by_field_name("method")
    return receiver.type == "call" and method is not None and w.text(method) == "class"


def _symbol_called(w: Walk, of: int, name: str, arguments: list[Node], is_class: bool) -> None:
    """`a.send(:m)` calls m, `a.method(:m)` and the like refer to it; `a.send("on_#{b}")` calls some method that begins
    so."""
    if of == NONE or not arguments:
        return
    spelled, first = methods.literal_name(w, arguments[0]), arguments[0]
    if spelled:
        role = _CALL if name in _BY_NAME else _READ
        whole = w.b.wrap(Op.INSTANCE, of) if name == "instance_method" else of
        member = own_name(spelled) if is_class and name != "instance_method" else spelled
        w.use(role, w.member(whole, member), first.start_byte + 1)
    elif name in _BY_NAME and (prefix := beginning(w, first)).strip("_"):
        is_text = first.type in ("string", "delimited_symbol")
        at = first.named_children[0].start_byte if is_text else first.start_byte
        w.use(_CALL, w.b.wrap(Op.PREFIX, of, w.b.literal(prefix)), at)


def _symbols_passed(w: Walk, of: int, arguments: list[Node]) -> None:
    """`items.map(&:name)` calls `name` on each."""
    for argument in arguments:
        if argument.type == "block_argument" and argument.named_children:
            symbol = argument.named_children[0]
            if symbol.type == "simple_symbol":
                element = w.b.wrap(Op.ITER, of)
                w.use(_CALL, w.member(element, w.text(symbol)[1:]), symbol.start_byte + 1)


def _passed(w: Walk, element: int, arguments: list[Node]) -> int:
    """What `&:name` gives for each element; NONE for other arguments."""
    last = arguments[-1].named_children if arguments and arguments[-1].type == "block_argument" else []
    if element == NONE or not last or last[0].type != "simple_symbol":
        return NONE
    return w.b.call(w.member(element, w.text(last[0])[1:]))


def _block(w: Walk, node: Node | None, first: int) -> int:
    """Visits a block, whose first parameter is given `first`; gives what it gives."""
    if node is None:
        return NONE
    found: list[int] = []
    w.in_block += 1
    w.flow.closure(lambda: found.append(_closure(w, node, first)))
    w.in_block -= 1
    return found[-1]


def _closure(w: Walk, node: Node, first: int) -> int:
    methods.parameters(w, node.child_by_field_name("parameters"), NONE, first)
    body = node.child_by_field_name("body")
    return NONE if body is None else w.value(body)


def lambda_(w: Walk, node: Node) -> int:
    """`->(a) { … }`."""
    w.flow.closure(lambda: _lambda(w, node))
    return NONE


def _lambda(w: Walk, node: Node) -> None:
    methods.parameters(w, node.child_by_field_name("parameters"), NONE)
    body = node.child_by_field_name("body")
    if body is not None:
        _block(w, body, NONE)


def splat(w: Walk, node: Node) -> int:
    for child in node.named_children:
        w.value(child)
    return NONE


def pair(w: Walk, node: Node) -> int:
    """`key: value`; `key:` alone reads the variable or calls the method of its name."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if value is None and key is not None and key.type == "hash_key_symbol":
        name = w.text(key)
        if not w.is_local(name):
            w.use(_CALL, w.bare(name), key.start_byte)
        return NONE
    if key is not None and key.type != "hash_key_symbol":
        w.value(key)
    return w.value(value)


def yielded(w: Walk, node: Node) -> int:
    visit_children(w, node)
    return NONE
