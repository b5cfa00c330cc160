"""Classes, modules and methods, and what makes them without saying so: `Struct.new`, `Class.new`.

A name in full (`class A::B`) opens the modules that it names, too.

Source: the Ruby documentation, "Modules and Classes", "Methods", "Struct", "Class".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.ruby import headers
from codemap.languages.ruby.walk import CLASS, INSTANCE, TOP, Class, Walk, inside, local, own

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from codemap.extract.builder import Scope

_EXTENDS = int(UseRole.EXTENDS)
_READ = UseRole.REFERENCE
_ACCESSORS = {"Struct": ("", "="), "Data": ("",)}
_MAKERS = {("Struct", "new"), ("Class", "new"), ("Module", "new"), ("Data", "define")}
_NAMED_PARAMETERS = (
    "optional_parameter",
    "keyword_parameter",
    "splat_parameter",
    "hash_splat_parameter",
    "block_parameter",
)


# -- classes and modules ----------------------------------------------------------------------------------------------


def class_(w: Walk, node: Node) -> int:
    """`class A < B`, `class A::B`, `module M`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    superclass = node.child_by_field_name("superclass")
    if name is None or not w.text(name):
        return inside(w, node)
    parts = _names(name)
    header_end = (superclass or name).end_byte
    above = superclass.named_children[0] if superclass is not None and superclass.named_children else None
    base = _base_value(w, above) if above is not None else NONE
    is_module = node.type == "module"
    _open(w, node, parts, header_end, is_module, lambda cls: _body(w, cls, body, base, above))
    return NONE


def _names(name: Node) -> list[Node]:
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
        inside(w, node)
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
        flags=SymbolFlag.EXPORTED,
        signature=headers.signature(w, node.start_byte, header_end),
        doc=headers.doc(w, node) if is_last else "",
    )
    b.part(symbol, spelled)
    b.bind(spelled, SourceKind.SYMBOL, symbol, scope=b.module if around is None else around.members)
    cls = Class(symbol, _namespace(w, symbol))
    cls.is_module = is_module
    return cls


def _namespace(w: Walk, symbol: int) -> Scope:
    b = w.b
    scope = b.scope
    members = b.open_scope(ScopeKind.CLASS, symbol)
    b.scope = scope
    return members


def _base_value(w: Walk, node: Node) -> int:
    """The value of a superclass or mixin; its own name is used by its role."""
    if node.type == "constant":
        return w.constant(w.text(node))
    if node.type == "scope_resolution":
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if name is not None and name.type == "constant":
            return w.top_constant(w.text(name)) if scope is None else w.b.attribute(w.value(scope), w.text(name))
    return w.value(node)


def _last_name(node: Node) -> Node:
    return (node.child_by_field_name("name") or node) if node.type == "scope_resolution" else node


def _body(w: Walk, cls: Class, body: Node | None, base: int, above: Node | None) -> None:
    b = w.b
    owner, scope = b.owner, b.scope
    b.owner = cls.symbol
    if body is not None:
        w.within(cls, CLASS, lambda: _mixed_in(w, cls, body.named_children))
    if above is not None and base != NONE:
        b.base(cls.symbol, _EXTENDS, base, _last_name(above).start_byte)
    if above is not None and above.type == "call":
        made = _maker(w, above)
        if made is not None:
            _fields(w, cls, above, made)
    w.within(cls, CLASS, lambda: _visit(w, cls, body))
    b.owner, b.scope = owner, scope


def _visit(w: Walk, cls: Class, body: Node | None) -> None:
    if body is not None:
        w.flow.function(lambda: inside(w, body))
    if cls.is_module_function:
        for name, symbol in cls.methods.items():
            w.b.bind(own(name), SourceKind.SYMBOL, symbol, scope=cls.members)
    if cls.extended != NONE:
        w.b.metaclass(cls.symbol, cls.extended, 0)


def _mixed_in(w: Walk, cls: Class, statements: list[Node]) -> None:
    """The modules that a body includes stand above the class, the last of them first, and prepended ones before."""
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
    w.b.base(cls.symbol, _EXTENDS, _base_value(w, node), _last_name(node).start_byte)


def singleton(w: Walk, node: Node) -> int:
    """`class << self`: its methods are the class's own."""
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if value is None or value.type != "self" or not w.classes:
        w.value(value)
        w.flow.function(lambda: w.value(body))
        return NONE
    cls = w.classes[-1]
    before = (cls.is_singleton, cls.visibility)
    cls.is_singleton, cls.visibility = True, "public"
    if body is not None:
        w.flow.function(lambda: inside(w, body))
    cls.is_singleton, cls.visibility = before
    return NONE


def made(w: Walk, node: Node, name: Node, value: Node) -> bool:
    """`Name = Struct.new(:a) do … end`: a class; whether the assignment is of one."""
    maker = _maker(w, value)
    if maker is None:
        return False
    arguments = value.child_by_field_name("arguments")
    listed = arguments.named_children if arguments is not None else []
    block = value.child_by_field_name("block")
    body = block.child_by_field_name("body") if block is not None else None
    above = listed[0] if maker[0] == "Class" and listed else None
    base = _base_value(w, above) if above is not None else w.constant(maker[0])
    end = value.end_byte if block is None else block.start_byte

    def visit(cls: Class) -> None:
        if maker[0] in _ACCESSORS:
            _fields(w, cls, value, maker)
        _body(w, cls, body, base, above)

    _open(w, node, [name], end, maker[0] == "Module", visit)
    return True


def _maker(w: Walk, node: Node) -> tuple[str, str] | None:
    receiver, method_ = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    if node.type != "call" or receiver is None or method_ is None or receiver.type != "constant":
        return None
    found = (w.text(receiver), w.text(method_))
    return found if found in _MAKERS else None


def _fields(w: Walk, cls: Class, node: Node, maker: tuple[str, str]) -> None:
    """The accessors of a struct's fields."""
    arguments = node.child_by_field_name("arguments")
    for field in arguments.named_children if arguments is not None else ():
        if field.type == "simple_symbol":
            for mark in _ACCESSORS.get(maker[0], ()):
                accessor(w, cls, field, w.text(field)[1:], mark)


# -- members ----------------------------------------------------------------------------------------------------------


def literal_name(w: Walk, node: Node) -> str:
    """The name that a symbol or string spells; empty for any other node."""
    if node.type == "simple_symbol":
        return w.text(node)[1:]
    parts = node.named_children
    return w.text(parts[0]) if node.type == "string" and len(parts) == 1 and parts[0].type == "string_content" else ""


def accessor(w: Walk, cls: Class, node: Node, name: str, mark: str, statement: Node | None = None) -> None:
    """A method that reads (or, marked with `=`, writes) the variable of its name."""
    around = statement or node
    symbol = _method_symbol(w, cls, name + mark, around, around.end_byte, node.start_byte)
    if not mark:
        w.b.add_value(symbol, w.member(w.b.expr(Op.THIS, cls.symbol), _variable(cls, name)))


def _variable(cls: Class, name: str) -> str:
    return own(f"@{name}") if cls.is_singleton else f"@{name}"


def _method_symbol(w: Walk, cls: Class, name: str, node: Node, end: int, at: int) -> int:
    """The symbol of a method of a class's instances, or in `class << self` of the class itself, bound there."""
    b = w.b
    flags = SymbolFlag(0) if cls.visibility == "private" else SymbolFlag.EXPORTED
    if cls.is_singleton:
        flags |= SymbolFlag.STATIC
    symbol = b.symbol(
        name,
        SymbolKind.METHOD,
        parent=cls.symbol,
        at=at,
        start=node.start_byte,
        end=node.end_byte,
        flags=flags,
        signature=headers.signature(w, node.start_byte, end),
        doc=headers.doc(w, node),
    )
    b.bind(own(name) if cls.is_singleton else name, SourceKind.SYMBOL, symbol, scope=cls.members)
    if not cls.is_singleton:
        cls.methods[name] = symbol
    return symbol


def alias(w: Walk, cls: Class, name_node: Node, name: str, old_node: Node, old: str, statement: Node) -> None:
    """`alias new old`: a method that is another one."""
    b = w.b
    symbol = _method_symbol(w, cls, name, statement, statement.end_byte, name_node.start_byte)
    owner, b.owner = b.owner, symbol
    this = b.expr(Op.SYMBOL if cls.is_singleton else Op.THIS, cls.symbol)
    meant = b.attribute(this, own(old) if cls.is_singleton else old)
    w.use(_READ, meant, old_node.start_byte)
    b.add_value(symbol, b.call(meant))
    b.owner = owner


def alias_statement(w: Walk, node: Node) -> int:
    new, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if new is not None and old is not None and w.classes:
        alias(w, w.classes[-1], new, w.text(new).lstrip(":"), old, w.text(old).lstrip(":"), node)
    return NONE


def method(w: Walk, node: Node) -> int:
    """`def name`: of instances of the class around, of the class in `class << self`, or of nobody."""
    b = w.b
    name_node = node.child_by_field_name("name")
    name = "" if name_node is None else w.text(name_node)
    if name_node is None or not name:
        return inside(w, node)
    end = _header_end(node)
    if not w.classes:
        symbol = b.symbol(
            name,
            SymbolKind.FUNCTION,
            parent=b.owner,
            at=name_node.start_byte,
            start=node.start_byte,
            end=node.end_byte,
            flags=SymbolFlag(0) if w.in_block else SymbolFlag.EXPORTED,
            signature=headers.signature(w, node.start_byte, end),
            doc=headers.doc(w, node),
        )
        b.bind(name, SourceKind.SYMBOL, symbol, scope=b.module)
        _run(w, node, symbol, TOP, name)
        return b.literal("Symbol")
    cls = w.classes[-1]
    symbol = _method_symbol(w, cls, name, node, end, name_node.start_byte)
    _run(w, node, symbol, CLASS if cls.is_singleton else INSTANCE, name)
    return b.literal("Symbol")


def singleton_method(w: Walk, node: Node) -> int:
    """`def self.name`, `def Name.name`."""
    name_node, object_ = node.child_by_field_name("name"), node.child_by_field_name("object")
    if name_node is None or not w.text(name_node):
        return inside(w, node)
    is_own = object_ is not None and (
        object_.type == "self" or (object_.type == "constant" and _is_class(w, w.text(object_)))
    )
    if not w.classes or not is_own:
        w.value(object_)
        w.flow.function(lambda: w.value(node.child_by_field_name("body")))
        return NONE
    cls = w.classes[-1]
    before = (cls.is_singleton, cls.visibility)
    cls.is_singleton, cls.visibility = True, "public"
    symbol = _method_symbol(w, cls, w.text(name_node), node, _header_end(node), name_node.start_byte)
    cls.is_singleton, cls.visibility = before
    _run(w, node, symbol, CLASS, w.text(name_node))
    return w.b.literal("Symbol")


def _is_class(w: Walk, name: str) -> bool:
    b = w.b
    return bool(w.classes) and b.names.get(name) == b.symbols[w.classes[-1].symbol][0]


def _header_end(node: Node) -> int:
    parameters, name = node.child_by_field_name("parameters"), node.child_by_field_name("name")
    return (parameters or name or node).end_byte


def _run(w: Walk, node: Node, symbol: int, context: int, name: str) -> None:
    """Visits the parameters and body of a method."""
    b = w.b
    owner, outer, blocks = b.owner, w.context, w.in_block
    b.owner, w.context, w.in_block = symbol, context, 0
    w.results.append(NONE)
    w.names.append(name)
    w.flow.function(lambda: _function(w, node, symbol))
    w.names.pop()
    w.results.pop()
    b.owner, w.context, w.in_block = owner, outer, blocks


def _function(w: Walk, node: Node, symbol: int) -> None:
    parameters(w, node.child_by_field_name("parameters"), symbol)
    body = node.child_by_field_name("body")
    value = w.b.union(w.results[-1], w.value(body))
    value = w.b.union(value, w.results[-1])
    if value != NONE:
        w.b.add_value(symbol, value)


def parameters(w: Walk, node: Node | None, symbol: int, first: int = NONE) -> None:
    """Binds parameters; `first` is what is known of the first one."""
    for position, child in enumerate(node.named_children if node is not None else ()):
        known = first if position == 0 else NONE
        if child.type == "identifier":
            _parameter(w, symbol, w.text(child), known)
        elif child.type in _NAMED_PARAMETERS:
            name = child.child_by_field_name("name")
            value = w.value(child.child_by_field_name("value"))
            if name is not None:
                is_plain = child.type in ("optional_parameter", "keyword_parameter")
                _parameter(w, symbol, w.text(name), value if is_plain else NONE)
        elif child.type == "destructured_parameter":
            parameters(w, child, NONE)


def _parameter(w: Walk, symbol: int, name: str, value: int) -> None:
    if symbol != NONE:
        w.b.parameter(symbol, name)
    w.flow.declare(local(name), SourceKind.VALUE, value)


def defined(w: Walk, cls: Class, name_node: Node, name: str, call: Node) -> None:
    """`define_method(:name) { |x| … }`."""
    block = call.child_by_field_name("block")
    end = call.end_byte if block is None else block.start_byte
    symbol = _method_symbol(w, cls, name, call, end, name_node.start_byte)
    if block is not None:
        _run(w, block, symbol, CLASS if cls.is_singleton else INSTANCE, name)


def body(w: Walk, node: Node) -> int:
    """Statements, with what rescues them: the value of the last, or of what is done instead."""
    value = NONE
    for child in node.named_children:
        if child.type in ("rescue", "else"):
            value = w.b.union(value, w.value(child))
        elif child.type == "ensure":
            w.value(child)
        elif child.type != "comment":
            value = w.value(child)
    return value
