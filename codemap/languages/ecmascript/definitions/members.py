"""Members of classes, interfaces and object literals: methods, accessors, fields, and what decorates them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, ScopeKind, SourceKind, SymbolKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import functions, properties
from codemap.languages.ecmascript.definitions.parameters import Given
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.types import signature
from codemap.languages.ecmascript.walk import Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = 0


def decorate(w: Walk, node: Node, symbol: int) -> None:
    """A decorator is used by what it decorates."""
    for child in node.named_children:
        expr = w.value(child)
        if symbol != NONE:
            w.b.decorator(symbol, expr)


def is_static(node: Node) -> bool:
    for child in node.children:
        if not child.is_named:
            if child.type == "static":
                return True
        elif child.type not in ("accessibility_modifier", "override_modifier", "decorator"):
            return False
    return False


def _member_flags(node: Node) -> int:
    """`static`, `abstract`, `get` and `set` before the name of a member."""
    flags = 0
    for child in node.children:
        kind = child.type
        if child.is_named:
            if kind not in ("accessibility_modifier", "override_modifier", "decorator"):
                break
        elif kind == "static":
            flags |= flag.STATIC
        elif kind == "abstract":
            flags |= flag.ABSTRACT
        elif kind in ("get", "set"):
            flags |= flag.ACCESSOR
    return flags


def method(w: Walk, node: Node, owner: int, scope: Scope, this: int, flags: int = _PLAIN, wanted: int = NONE) -> None:
    """A method or accessor of the class, interface or object literal `owner`, of which `wanted` is asked.

    Its overload signatures and implementation are one symbol, and so are the accessors of one name.
    """
    b = w.b
    prefix = w.prefix(node)
    name_node = name_of(node)
    name = w.key(name_node)
    if name is None or name_node is None or owner == NONE:
        functions.run(w, node, NONE, this=this)
        return
    flags |= _member_flags(node)
    key = (owner, name, int(bool(flags & flag.STATIC)))
    is_accessor = bool(flags & flag.ACCESSOR)
    symbol = w.overloads.get(key, NONE)
    if symbol == NONE:
        symbol = functions.define(
            w, name, node, prefix, at=name_node.start_byte, signature_from=node.start_byte,
            kind=SymbolKind.PROPERTY if is_accessor else SymbolKind.METHOD, parent=owner, flags=flags,
        )  # fmt: skip
        b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        if is_accessor or node.type != "method_definition":
            w.overloads[key] = symbol
    else:
        b.extend_span(symbol, node.end_byte)
        b.add_flags(symbol, flags | functions.marks(node))
        if not is_accessor and node.type == "method_definition":
            del w.overloads[key]
    for decorator in prefix.decorators:
        _owned_decorator(w, decorator, symbol)
    functions.run(w, node, symbol, this=this, given=Given(wanted=b.attribute(wanted, name)))


def _owned_decorator(w: Walk, node: Node, symbol: int) -> None:
    with w.b.definition(symbol):
        decorate(w, node, symbol)


def _use_decorators(w: Walk, node: Node, symbol: int) -> None:
    """Those of a field are in it; they do not replace what it holds."""
    for child in node.named_children:
        if child.type == "decorator":
            with w.b.definition(symbol):
                visit_children(w, child)


def field(w: Walk, node: Node, owner: int, scope: Scope, this: int) -> None:
    """A field of a class; one that holds a function is a method."""
    b = w.b
    prefix = w.prefix(node)
    name_node = name_of(node) or node.child_by_field_name("property")
    name = w.key(name_node)
    type_node, value_node = node.child_by_field_name("type"), node.child_by_field_name("value")
    saved = w.this
    w.this = this
    if name is None or name_node is None or owner == NONE:
        _use_decorators(w, node, b.owner)
        w.value(type_node)
        w.value(value_node)
        w.this = saved
        return
    plain = None if value_node is None else w.unwrap(value_node)
    flags = _member_flags(node)
    if plain is not None and plain.kind_id in w.kinds.functions:
        symbol = functions.define(
            w, name, plain, prefix, at=name_node.start_byte, signature_from=node.start_byte,
            kind=SymbolKind.METHOD, parent=owner, flags=flags, end=node.end_byte,
        )  # fmt: skip
        b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        for decorator in prefix.decorators:
            _owned_decorator(w, decorator, symbol)
        _use_decorators(w, node, symbol)
        with b.definition(symbol):
            wanted = b.wrap(Op.INSTANCE, w.stated(type_node, prefix.tags))
            functions.run(w, plain, symbol, this=this, given=Given(wanted=wanted))
    else:
        end = node.end_byte if value_node is None else value_node.start_byte
        symbol = properties.define(w, name, name_node, prefix, owner, node, end, flags)
        b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        for decorator in prefix.decorators:
            _owned_decorator(w, decorator, symbol)
        _use_decorators(w, node, symbol)
        with b.definition(symbol):
            inner = b.open_scope(ScopeKind.FUNCTION, symbol)
            stated = w.stated(type_node, prefix.tags)
            if stated != NONE:
                b.set_type(symbol, stated)
            if value_node is not None:
                value = w.value(value_node)
                text = None if plain is None else w.string(plain)
                if text is not None and _is_constant(node, value_node):
                    value = b.with_text(w.literal("String"), text)
                b.add_value(symbol, value)
            w.leave(inner)
    w.this = saved


def _is_constant(node: Node, value: Node) -> bool:
    """Whether a field keeps the type of the literal that it is given: `readonly kind = "A"`, `kind = "A" as const`."""
    return value.type == "as_expression" or any(child.type == "readonly" for child in node.children)


def assigned(w: Walk, symbol: int) -> None:
    """Properties that methods assign (`this.x = …`) and the body does not declare."""
    b = w.b
    scope = w.space(symbol)
    for name, (at, start, end) in w.deferred.pop(symbol, {}).items():
        sources = scope.sources.get(b.intern(name), [])
        if not any(kind == SourceKind.SYMBOL for kind, _, _ in sources):
            prefix = Prefix(start, 0, "", (), start)
            found = w.add(name, SymbolKind.PROPERTY, prefix, parent=symbol, at=at, end=end, signature=(start, end))
            b.bind(name, SourceKind.SYMBOL, found, scope=scope)


def type_of(w: Walk, node: Node, symbol: int) -> int:
    """The type of a member; what an object type in it has can be read from the member, and is no definition."""
    inner = node.named_children[0] if node.type == "type_annotation" and node.named_children else node
    if inner.type != "object_type" or not any(child.type in _READ for child in inner.named_children):
        return w.value(node)
    b = w.b
    space = w.space(symbol)
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    for child in inner.named_children:
        name = w.key(name_of(child)) if child.type in _READ else None
        if name is None:
            w.value(child)
            continue
        stated = signature(w, child) if child.type == "method_signature" else w.field(child, "type")
        if stated == NONE:
            b.bind(name, SourceKind.OPAQUE, scope=space)
        else:
            b.bind(name, SourceKind.TYPED, stated, scope=space)
    w.leave(scope)
    return w.instance(symbol)


_READ = ("property_signature", "method_signature")
