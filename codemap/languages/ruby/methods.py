"""Methods: of the instances of a class, of the class itself, or of nobody; their parameters, accessors and aliases.

Source: the Ruby documentation, "Methods", Module#attr_accessor, Module#alias_method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.ruby.walk import CLASS, INSTANCE, TOP, Class, Walk, configures_tests, local, own_name

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = UseRole.REFERENCE
CONCERN_METHODS = "ClassMethods"
"""The module, inside one that is included, of what the including class has itself, by convention."""
_NAMED_PARAMETERS = (
    "optional_parameter",
    "keyword_parameter",
    "splat_parameter",
    "hash_splat_parameter",
    "block_parameter",
)


def literal_name(w: Walk, node: Node) -> str:
    """The name that a symbol or string spells; empty for any other node."""
    if node.type == "simple_symbol":
        return w.text(node)[1:]
    parts = node.named_children
    return w.text(parts[0]) if node.type == "string" and len(parts) == 1 and parts[0].type == "string_content" else ""


def accessor(w: Walk, cls: Class, node: Node, name: str, mark: str, statement: Node | None = None) -> int:
    """A method that reads (or, marked with `=`, writes) the variable of its name; gives its symbol."""
    around = statement or node
    symbol = _method_symbol(w, cls, name + mark, around, around.end_byte, _word_start(w, node))
    variable = w.member(w.b.expr(Op.THIS, cls.symbol), _variable(cls, name))
    with w.b.definition(symbol):
        w.use(UseRole.REFERENCE, variable, _word_start(w, node))
    if not mark:
        w.b.add_value(symbol, variable)
    return symbol


def _word_start(w: Walk, node: Node) -> int:
    """Where a name begins without what marks a symbol."""
    return node.start_byte + w.text(node).startswith(":")


def _variable(cls: Class, name: str) -> str:
    return own_name(f"@{name}") if cls.is_singleton else f"@{name}"


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
        signature=w.header(node.start_byte, end),
        doc=w.doc(node.start_byte),
    )
    b.bind(own_name(name) if cls.is_singleton else name, SourceKind.SYMBOL, symbol, scope=cls.members)
    if not cls.is_singleton:
        cls.methods[name] = symbol
    return symbol


def alias(w: Walk, cls: Class, name_node: Node, name: str, old_node: Node, old: str, statement: Node) -> None:
    """`alias new old`: a method that is another one."""
    b = w.b
    symbol = _method_symbol(w, cls, name, statement, statement.end_byte, _word_start(w, name_node))
    with b.definition(symbol):
        this = b.expr(Op.SYMBOL if cls.is_singleton else Op.THIS, cls.symbol)
        meant = b.attribute(this, own_name(old) if cls.is_singleton else old)
        w.use(_READ, meant, _word_start(w, old_node))
        b.add_value(symbol, b.call(meant))
        b.add_flags(symbol, SymbolFlag.ALIAS)


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
        return visit_children(w, node)
    end = _header_end(node)
    if not w.classes:
        symbol = w.define(
            name,
            SymbolKind.FUNCTION,
            node,
            name_node,
            flags=SymbolFlag(0) if w.in_block and not configures_tests(w, node) else SymbolFlag.EXPORTED,
            header_end=end,
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
        return visit_children(w, node)
    is_own = object_ is not None and (
        object_.type == "self" or (object_.type == "constant" and _is_class(w, w.text(object_)))
    )
    if not w.classes or not is_own:
        w.value(object_)
        return _of_object(w, node, name_node)
    cls = w.classes[-1]
    with cls.singleton():
        symbol = _method_symbol(w, cls, w.text(name_node), node, _header_end(node), name_node.start_byte)
    if w.text(name_node) == "included":
        cls.has_hook |= _extends(w, node)
    _run(w, node, symbol, CLASS, w.text(name_node))
    return w.b.literal("Symbol")


def _of_object(w: Walk, node: Node, name_node: Node) -> int:
    """`def object.name`, `def self.name` in a block: of an object that is not known."""
    name, cls = w.text(name_node), w.classes[-1] if w.classes else None
    kind = SymbolKind.FUNCTION if cls is None else SymbolKind.METHOD
    parent = w.b.file if cls is None else cls.symbol
    symbol = w.define(name, kind, node, name_node, parent=parent, flags=SymbolFlag(0), header_end=_header_end(node))
    if cls is None:
        w.b.bind(name, SourceKind.SYMBOL, symbol, scope=w.b.module)
    _run(w, node, symbol, TOP, name)
    return w.b.literal("Symbol")


def _is_class(w: Walk, name: str) -> bool:
    b = w.b
    return bool(w.classes) and b.names.get(name) == b.symbols[w.classes[-1].symbol][0]


def _extends(w: Walk, node: Node) -> bool:
    """Whether a hook (`def self.included(base)`) has what includes the module extended (`base.extend ClassMethods`)."""
    body = node.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        receiver, name = child.child_by_field_name("receiver"), child.child_by_field_name("method")
        if child.type == "call" and receiver is not None and receiver.type == "identifier" and name is not None:
            arguments = child.child_by_field_name("arguments")
            if w.text(name) == "extend" and arguments is not None:
                return any(w.text(argument).endswith(CONCERN_METHODS) for argument in arguments.named_children)
    return False


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
            value = w.field(child, "value")
            if name is not None:
                is_plain = child.type in ("optional_parameter", "keyword_parameter")
                _parameter(w, symbol, w.text(name), value if is_plain else NONE)
                if is_plain and value != NONE:
                    w.b.bind(local(w.text(name)), SourceKind.PARAMETER, NONE)
        elif child.type == "destructured_parameter":
            parameters(w, child, NONE)


def _parameter(w: Walk, symbol: int, name: str, value: int) -> None:
    if symbol != NONE:
        w.b.parameter(symbol, name)
    w.b.bind(local(name), SourceKind.PARAMETER if value == NONE else SourceKind.VALUE, value)


def define_method(w: Walk, cls: Class, name_node: Node, name: str, call: Node) -> None:
    """`define_method(:name) { |x| … }`."""
    block = call.child_by_field_name("block")
    end = call.end_byte if block is None else block.start_byte
    symbol = _method_symbol(w, cls, name, call, end, _word_start(w, name_node))
    if block is not None:
        _run(w, block, symbol, CLASS if cls.is_singleton else INSTANCE, name)


def generated(w: Walk, cls: Class, name: str, node: Node, at: int, *, is_own: bool) -> None:
    """A method that code makes, under a name that is given where `node` is."""
    if is_own and not cls.is_singleton:
        with cls.singleton():
            _method_symbol(w, cls, name, node, node.end_byte, at)
    else:
        _method_symbol(w, cls, name, node, node.end_byte, at)


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
