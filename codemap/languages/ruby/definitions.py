"""Classes and modules, and what makes them without saying so: `Struct.new`, `Class.new`.

A name in full (`class A::B`) opens the modules that it names, too.

Source: the Ruby documentation, "Modules and Classes", "Struct", "Class".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.ruby import methods
from codemap.languages.ruby.walk import CLASS, Class, Walk, own_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node


_EXTENDS = int(UseRole.EXTENDS)
_ACCESSORS = {"Struct": ("", "="), "Data": ("",)}
_METHODS = ("method", "singleton_method")
_VARIABLES = frozenset({"identifier", "instance_variable", "class_variable", "global_variable"})
_HEIR = ("Struct", "")
"""How a class is made of an heir of a struct: `Options.new(:a) do … end`."""
_MAKERS = frozenset({("Struct", "new"), ("Class", "new"), ("Module", "new"), ("Data", "define")})


def class_(w: Walk, node: Node) -> int:
    """`class A < B`, `class A::B`, `module M`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    superclass = node.child_by_field_name("superclass")
    if name is None or not w.text(name):
        return visit_children(w, node)
    parts = constants(name)
    header_end = (superclass or name).end_byte
    above = superclass.named_children[0] if superclass is not None and superclass.named_children else None
    base = base_value(w, above) if above is not None else NONE
    is_module = node.type == "module"
    _open(w, node, parts, header_end, is_module, lambda cls: _body(w, cls, body, base, above))
    return NONE


def constants(name: Node) -> list[Node]:
    """The parts of `A::B::C`, the outermost first."""
    found: list[Node] = []
    node: Node | None = name
    while node is not None and node.type == "scope_resolution":
        part = node.child_by_field_name("name")
        found += [] if part is None else [part]
        node = node.child_by_field_name("scope")
    found += [] if node is None or node.type != "constant" else [node]
    return found[::-1]


def _open(
    w: Walk, node: Node, parts: list[Node], header_end: int, is_module: bool, visit: Callable[[Class], object]
) -> None:
    """Opens the class that is named by the last of some constants, in those that the others name."""
    if not parts:
        visit_children(w, node)
        return
    is_last = len(parts) == 1
    cls = _part(w, node, parts[0], header_end, is_module if is_last else True, is_last)
    if is_last:
        visit(cls)
    else:
        w.within(cls, CLASS, lambda: _open(w, node, parts[1:], header_end, is_module, visit))


def _part(w: Walk, node: Node, name: Node, header_end: int, is_module: bool, is_last: bool) -> Class:
    b = w.b
    spelled = w.text(name)
    is_absolute = name.parent is not None and w.chars[name.parent.start_byte : name.start_byte].startswith("::")
    around = None if is_absolute or not w.classes else w.classes[-1]
    symbol = b.symbol(
        spelled,
        SymbolKind.CLASS,
        parent=b.file if around is None else around.symbol,
        at=name.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=SymbolFlag.EXPORTED if is_last else SymbolFlag.EXPORTED | SymbolFlag.OPENING,
        signature=w.header(node.start_byte, header_end),
        doc=w.doc(node.start_byte) if is_last else "",
    )
    b.part(symbol, spelled)
    b.bind(spelled, SourceKind.SYMBOL, symbol, scope=b.module if around is None else around.members)
    cls = Class(symbol, w.b.namespace(symbol))
    cls.is_module = is_module
    return cls


def base_value(w: Walk, node: Node) -> int:
    """The value of a superclass or mixin; its own name is used by its role."""
    if node.type == "constant":
        return w.constant(w.text(node))
    if node.type == "scope_resolution":
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if name is not None and name.type == "constant":
            return w.top_constant(w.text(name)) if scope is None else w.b.attribute(w.value(scope), w.text(name))
    return w.value(node)


def last_name(node: Node) -> Node:
    return (node.child_by_field_name("name") or node) if node.type == "scope_resolution" else node


def _body(w: Walk, cls: Class, body: Node | None, base: int, above: Node | None) -> None:
    b = w.b
    with b.definition(cls.symbol):
        if body is not None:
            w.within(cls, CLASS, lambda: mixed_in(w, cls, body.named_children))
        if above is not None and base != NONE:
            b.base(cls.symbol, _EXTENDS, base, last_name(above).start_byte)
        if above is not None and above.type == "call":
            made = _maker(w, above)
            if made is not None:
                _fields(w, cls, above, made)
        w.within(cls, CLASS, lambda: _visit(w, cls, body))


def _visit(w: Walk, cls: Class, body: Node | None) -> None:
    if body is not None:
        w.flow.function(lambda: visit_children(w, body))
    if cls.is_module_function:
        for name, symbol in cls.methods.items():
            w.b.bind(own_name(name), SourceKind.SYMBOL, symbol, scope=cls.members)
    if cls.is_concern or cls.has_hook:
        own_methods = w.b.attribute(w.b.expr(Op.SYMBOL, cls.symbol), methods.CONCERN_METHODS)
        cls.extended = w.b.union(cls.extended, own_methods)
    elif cls.is_module:
        w.b.mixin(cls.symbol)
    if cls.extended != NONE:
        w.b.metaclass(cls.symbol, cls.extended, 0)


def mixed_in(w: Walk, cls: Class, statements: list[Node]) -> None:
    """The modules that a body includes are above the class, the last of them first, and prepended ones before."""
    found: dict[str, list[list[Node]]] = {"prepend": [], "include": []}
    for statement in statements:
        name = statement.child_by_field_name("method") if statement.type == "call" else None
        if name is None or statement.child_by_field_name("receiver") is not None:
            continue
        arguments = statement.child_by_field_name("arguments")
        if arguments is not None and w.text(name) in found:
            found[w.text(name)].append(arguments.named_children)
    for listed in found.values():
        for nodes in reversed(listed):
            for node in nodes:
                mix_in(w, cls, node)


def mix_in(w: Walk, cls: Class, node: Node) -> None:
    """`include M`: what M has, instances of the class have."""
    if node.type not in ("constant", "scope_resolution") or node.start_byte in cls.base_starts:
        return
    cls.base_starts.add(node.start_byte)
    w.b.base(cls.symbol, _EXTENDS, base_value(w, node), last_name(node).start_byte)


def anonymous(w: Walk, node: Node, block: Node) -> int:
    """`Class.new(Base) do … end` that no constant names; NONE for any other call."""
    maker = _maker(w, node)
    if maker is None:
        return NONE
    b = w.b
    place = node.parent.child_by_field_name("left") if node.parent is not None else None
    name = w.text(place).lstrip("@") if place is not None and place.type in _VARIABLES else maker[0]
    symbol = b.symbol(
        name,
        SymbolKind.CLASS,
        parent=b.owner,
        at=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=SymbolFlag.UNNAMED,
        signature=w.header(node.start_byte, block.start_byte),
    )
    cls = Class(symbol, w.b.namespace(symbol))
    cls.is_module = maker[0] == "Module"
    _make(w, cls, node, maker)
    return b.expr(Op.SYMBOL, symbol)


def make_class(w: Walk, node: Node, name: Node, value: Node) -> bool:
    """`Name = Struct.new(:a) do … end`: a class; whether the assignment is of one. So it is where the block of another
    `new` defines methods: what is made is an heir of a struct."""
    maker = _maker(w, value) or _find_struct(w, value)
    if maker is None:
        return False
    block = value.child_by_field_name("block")
    end = value.end_byte if block is None else block.start_byte
    _open(w, node, [name], end, maker[0] == "Module", lambda cls: _make(w, cls, value, maker))
    return True


def _make(w: Walk, cls: Class, value: Node, maker: tuple[str, str]) -> None:
    """What a class has that a call makes."""
    arguments, block = value.child_by_field_name("arguments"), value.child_by_field_name("block")
    listed = arguments.named_children if arguments is not None else []
    above = listed[0] if maker[0] == "Class" and listed else None
    if maker is _HEIR:
        above = value.child_by_field_name("receiver")
    base = base_value(w, above) if above is not None else w.constant(maker[0])
    if maker[0] in _ACCESSORS:
        _fields(w, cls, value, maker)
    _body(w, cls, block.child_by_field_name("body") if block is not None else None, base, above)


def _maker(w: Walk, node: Node) -> tuple[str, str] | None:
    receiver, method_ = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    if node.type != "call" or receiver is None or method_ is None or receiver.type != "constant":
        return None
    found = (w.text(receiver), w.text(method_))
    return found if found in _MAKERS else None


def _find_struct(w: Walk, node: Node) -> tuple[str, str] | None:
    receiver, method_ = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    block = node.child_by_field_name("block") if node.type == "call" else None
    body = block.child_by_field_name("body") if block is not None else None
    if receiver is None or method_ is None or body is None or w.text(method_) != "new":
        return None
    is_class = receiver.type in ("constant", "scope_resolution")
    return _HEIR if is_class and any(child.type in _METHODS for child in body.named_children) else None


def _fields(w: Walk, cls: Class, node: Node, maker: tuple[str, str]) -> None:
    """The accessors of a struct's fields."""
    arguments = node.child_by_field_name("arguments")
    for field in arguments.named_children if arguments is not None else ():
        if field.type == "simple_symbol":
            for mark in _ACCESSORS.get(maker[0], ()):
                methods.accessor(w, cls, field, w.text(field)[1:], mark)
