"""Functions, properties and what stands in a constructor's header; those with a receiver are members of its type.

A property is also what Java calls to get or set it.

Source: the Kotlin specification, "Function declaration", "Property declaration", "Constructor declaration".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind
from codemap.languages.jvm.semantics import ARRAY
from codemap.languages.jvm.walk import Class, any_name, arguments_name, inside
from codemap.languages.kotlin import calls, headers, types
from codemap.languages.kotlin.walk import TYPES, KotlinWalk, behind, expressions_of, first, first_type, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

CONSTRUCTOR = "<init>"
_VARIADIC_MAX = 6
"""More arguments than these are not counted behind the last one that stands alone."""


def parameters_of(node: Node) -> list[tuple[Node, bool, bool]]:
    """Parameters of a function, each with whether it can be left out, and whether it takes any number of arguments."""
    found: list[tuple[Node, bool, bool]] = []
    is_variadic = False
    for child in getattr(first(node, "function_value_parameters"), "children", ()):
        if child.type == "parameter_modifiers":
            is_variadic = b"vararg" in (child.text or b"")
        elif child.type == "parameter":
            found.append((child, False, is_variadic))
            is_variadic = False
        elif child.type == "=" and found:
            found[-1] = (found[-1][0], True, found[-1][2])
    return found


def argument_counts(_w: KotlinWalk, node: Node) -> range:
    """The numbers of arguments that a function takes."""
    listed = parameters_of(node)
    least = sum(not is_optional and not is_variadic for _, is_optional, is_variadic in listed)
    most = len(listed) + (_VARIADIC_MAX if any(is_variadic for _, _, is_variadic in listed) else 0)
    return range(least, most + 1)


def _bind_method(w: KotlinWalk, cls: Class, name: str, symbol: int, counts: Iterable[int]) -> None:
    for bound in (*(arguments_name(name, count) for count in counts), any_name(name)):
        w.b.bind(bound, SourceKind.SYMBOL, symbol, scope=cls.members)
        w.b.bind(bound, SourceKind.SYMBOL, symbol, scope=cls.frame)


def function(w: KotlinWalk, node: Node) -> int:
    name_node = first(node, "simple_identifier")
    if name_node is None or not w.text(name_node):
        return inside(w, node)
    b = w.b
    name, receiver = w.text(name_node), first(node, "receiver_type")
    scope = b.scope
    cls = w.classes[-1] if w.classes and b.owner == w.classes[-1].symbol else None
    type_parameters = {w.text(child.named_children[0]) for child in _type_parameters(node)}
    extended = None
    if receiver is not None and w.text(types.last_name(receiver)) not in type_parameters:
        extended = _extended(w, receiver)
    kind = SymbolKind.FUNCTION if extended is None and cls is None else SymbolKind.METHOD
    parent = b.owner if extended is None else extended.symbol
    symbol = _symbol(w, node, name_node, kind, parent, first(node, "function_body"))
    if extended is not None:
        _bind_method(w, extended, name, symbol, argument_counts(w, node))
    elif cls is not None:
        _bind_method(w, cls, name, symbol, argument_counts(w, node))
    else:
        b.bind(name, SourceKind.SYMBOL, symbol)
    _body(w, node, symbol, extended)
    b.scope = scope
    return NONE


def _type_parameters(node: Node) -> list[Node]:
    listed = first(node, "type_parameters")
    return [child for child in getattr(listed, "named_children", ()) if child.named_children]


def _extended(w: KotlinWalk, receiver: Node) -> Class | None:
    """The type that a receiver names: a class of the file, or a part that stands for one of elsewhere."""
    b = w.b
    last = types.last_name(receiver)
    name = w.text(last)
    if last.type != "type_identifier":
        return None
    known = w.named.get((b.file, name))
    if known is None:
        symbol = b.symbol(
            name,
            SymbolKind.CLASS,
            parent=b.file,
            at=last.start_byte,
            start=receiver.start_byte,
            end=receiver.end_byte,
            flags=SymbolFlag.EXPORTED,
        )
        b.part(symbol, name, w.bare(name))
        known = w.named[b.file, name] = (symbol, w.namespace(symbol))
    scope = b.scope
    cls = w.open_class(*known)
    cls.has_bases = True
    w.classes.pop()
    b.scope = scope
    return cls


def _symbol(w: KotlinWalk, node: Node, name_node: Node, kind: SymbolKind, parent: int, block: Node | None) -> int:
    is_local = w.b.scope.kind != ScopeKind.MODULE and kind == SymbolKind.FUNCTION
    return w.b.symbol(
        w.text(name_node),
        kind,
        parent=parent,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=0 if is_local else headers.flags_of(w, node),
        signature=headers.signature(w, node, node.end_byte if block is None else block.start_byte),
        doc=headers.doc(w, node.start_byte),
    )


def _body(w: KotlinWalk, node: Node, symbol: int, extended: Class | None) -> None:
    """Visits the signature and the body of a function, in its own scope."""
    b = w.b
    owner, scope, classes = b.owner, b.scope, list(w.classes)
    b.owner = symbol
    headers.annotate(w, node)
    if extended is not None:
        w.value(first_type(first(node, "receiver_type")))
        w.classes.append(extended)
        b.scope = extended.frame
    types.open_parameters(w, node, symbol)
    given = declared(w, node, symbol)
    stated = next((child for child in _behind_parameters(node) if child.type in TYPES), None)
    result = w.value(stated)
    if result != NONE:
        b.set_type(symbol, result)
    b.open_scope(ScopeKind.FUNCTION, symbol)
    for name, type_expr in given:
        b.bind(name, SourceKind.OPAQUE if type_expr == NONE else SourceKind.TYPED, type_expr)
    block = first(node, "function_body")
    if block is not None:
        value = calls.last_value(w, block)
        if has_token(block, "=") and stated is None and value != NONE:
            b.add_value(symbol, value)
    b.owner, b.scope, w.classes = owner, scope, classes


def _behind_parameters(node: Node) -> list[Node]:
    at = next((at for at, child in enumerate(node.children) if child.type == "function_value_parameters"), 0)
    return node.children[at:]


def declared(w: KotlinWalk, node: Node, symbol: int) -> list[tuple[str, int]]:
    """Names and types of a function's parameters, which it states; visits types and defaults."""
    b = w.b
    found = []
    variadic = {parameter.start_byte for parameter, _, is_variadic in parameters_of(node) if is_variadic}
    for child in getattr(first(node, "function_value_parameters"), "named_children", ()):
        if child.type != "parameter":
            w.value(child)
            continue
        name = first(child, "simple_identifier")
        type_expr = w.value(first_type(child))
        if child.start_byte in variadic and type_expr != NONE:
            type_expr = b.apply(b.name(ARRAY), [type_expr])
        b.parameter(symbol, None if name is None else w.text(name), type_expr)
        if name is not None:
            found.append((w.text(name), type_expr))
    return found


def constructor(w: KotlinWalk, node: Node) -> int:
    """A constructor in the body of a class."""
    if not w.classes:
        return inside(w, node)
    b, cls = w.b, w.classes[-1]
    at = node.start_byte
    for child in node.children:
        if child.type == "constructor":
            at = child.start_byte
    block = first(node, "statements")
    symbol = b.symbol(
        CONSTRUCTOR,
        SymbolKind.METHOD,
        parent=cls.symbol,
        at=at,
        start=node.start_byte,
        end=node.end_byte,
        flags=headers.flags_of(w, node),
        signature=headers.signature(w, node, _end_of_parameters(node)),
        doc=headers.doc(w, node.start_byte),
    )
    _bind_method(w, cls, CONSTRUCTOR, symbol, argument_counts(w, node))
    owner, scope = b.owner, b.scope
    b.owner = symbol
    headers.annotate(w, node)
    given = declared(w, node, symbol)
    b.open_scope(ScopeKind.FUNCTION, symbol)
    for name, type_expr in given:
        b.bind(name, SourceKind.OPAQUE if type_expr == NONE else SourceKind.TYPED, type_expr)
    delegation = first(node, "constructor_delegation_call")
    if delegation is not None:
        own = b.expr(Op.SYMBOL, cls.symbol)
        receiver, otherwise = (w.super_(), cls.superclass) if has_token(delegation, "super") else (cls.this, own)
        calls.delegate(w, delegation, receiver, otherwise)
    if block is not None:
        inside(w, block)
    b.owner, b.scope = owner, scope
    return NONE


def _end_of_parameters(node: Node) -> int:
    listed = first(node, "function_value_parameters")
    return node.end_byte if listed is None else listed.end_byte


def primary_constructor(w: KotlinWalk, cls: Class, node: Node, parameters: list[Node]) -> None:
    """The constructor in the header of a class that has others."""
    b = w.b
    symbol = b.symbol(
        CONSTRUCTOR,
        SymbolKind.METHOD,
        parent=cls.symbol,
        at=node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=headers.flags_of(w, node),
        signature=headers.signature(w, node, node.end_byte),
    )
    for parameter in parameters:
        name, type_node = first(parameter, "simple_identifier"), first_type(parameter)
        type_expr = types.silent(w, type_node)
        b.parameter(symbol, None if name is None else w.text(name), type_expr)
    least = sum(behind(parameter, "=") is None for parameter in parameters)
    _bind_method(w, cls, CONSTRUCTOR, symbol, range(least, len(parameters) + 1))


def class_parameters(w: KotlinWalk, cls: Class, parameters: list[Node]) -> None:
    """The parameters of a class: properties, or variables of its initializers."""
    b = w.b
    for node in parameters:
        name_node = first(node, "simple_identifier")
        if name_node is None:
            continue
        name, type_node = w.text(name_node), first_type(node)
        owner = b.owner
        symbol = NONE
        if first(node, "binding_pattern_kind") is not None:
            symbol = _property_symbol(w, node, name_node, node.end_byte if type_node is None else type_node.end_byte)
            b.owner = symbol
        headers.annotate(w, node)
        type_expr = w.value(type_node)
        default = behind(node, "=")
        if default is not None:
            w.value(default)
        b.owner = owner
        if symbol != NONE:
            b.set_type(symbol, type_expr)
            _bind_property(w, cls, name, symbol)
        else:
            b.bind(name, SourceKind.OPAQUE if type_expr == NONE else SourceKind.TYPED, type_expr, scope=cls.frame)


def _property_symbol(w: KotlinWalk, node: Node, name_node: Node, end: int, parent: int = NONE) -> int:
    is_member = bool(w.classes) and w.b.owner == w.classes[-1].symbol
    return w.b.symbol(
        w.text(name_node),
        SymbolKind.PROPERTY if is_member or parent != NONE else SymbolKind.VARIABLE,
        parent=w.b.owner if parent == NONE else parent,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=headers.flags_of(w, node),
        signature=headers.signature(w, node, end),
        doc=headers.doc(w, node.start_byte),
    )


def _bind_property(w: KotlinWalk, cls: Class, name: str, symbol: int) -> None:
    b = w.b
    b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)
    b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.frame)
    tail = name[:1].upper() + name[1:]
    for accessor in (arguments_name(f"get{tail}", 0), arguments_name(f"set{tail}", 1)):
        b.bind(accessor, SourceKind.SYMBOL, symbol, scope=cls.members)


def property_(w: KotlinWalk, node: Node) -> int:
    """`val x: T = …`, `val (a, b) = …`, `val x by …`, `val T.x get() = …`."""
    b = w.b
    cls = w.classes[-1] if w.classes and b.owner == w.classes[-1].symbol else None
    variable, receiver = first(node, "variable_declaration"), first(node, "receiver_type")
    name_node = first(variable, "simple_identifier")
    if variable is None or name_node is None or (cls is None and b.owner != b.file):
        return _local(w, node, variable)
    extended = _extended(w, receiver) if receiver is not None else None
    parent = NONE if extended is None else extended.symbol
    symbol = w.last_property = _property_symbol(w, node, name_node, variable.end_byte, parent)
    name = w.text(name_node)
    if extended is not None:
        _bind_property(w, extended, name, symbol)
    elif cls is not None:
        _bind_property(w, cls, name, symbol)
    else:
        b.bind(name, SourceKind.SYMBOL, symbol)
    owner, scope, classes = b.owner, b.scope, list(w.classes)
    b.owner = symbol
    headers.annotate(w, node)
    types.open_parameters(w, node, symbol)
    stated = w.value(first_type(variable))
    if stated != NONE:
        b.set_type(symbol, stated)
    if extended is not None and receiver is not None:
        w.value(first_type(receiver))
        w.classes.append(extended)
        b.scope = extended.frame
    value = _initial(w, node)
    if stated == NONE and value != NONE:
        b.add_value(symbol, value)
    for accessor_node in node.named_children:
        if accessor_node.type in ("getter", "setter"):
            accessor(w, accessor_node)
    b.owner, b.scope, w.classes = owner, scope, classes
    return NONE


def _initial(w: KotlinWalk, node: Node) -> int:
    """What a property is given, or its delegate makes."""
    value = behind(node, "=")
    if value is not None:
        return w.value(value)
    delegate = first(node, "property_delegate")
    parts = expressions_of(delegate) if delegate is not None else []
    return calls.made_by(w, parts[0]) if parts else NONE


def _local(w: KotlinWalk, node: Node, variable: Node | None) -> int:
    value = _initial(w, node)
    several = first(node, "multi_variable_declaration")
    if several is not None:
        destructure(w, several, value)
    elif variable is not None:
        declare_variable(w, variable, value)
    return NONE


def declare_variable(w: KotlinWalk, variable: Node, value: int) -> None:
    """A variable of a block, by its stated type or its value."""
    name = first(variable, "simple_identifier")
    stated = w.value(first_type(variable))
    if name is not None:
        w.declare_typed(w.text(name), stated, value)


def destructure(w: KotlinWalk, several: Node, value: int) -> None:
    """`(a, b)`: parts of a value, which are known where it is a pair of known parts."""
    for position, variable in enumerate(several.named_children):
        if variable.type == "variable_declaration":
            declare_variable(w, variable, w.b.wrap(Op.ITEM, value, position))


def accessor(w: KotlinWalk, node: Node) -> int:
    """A getter or setter, which may stand behind its property: what it uses belongs to that."""
    b = w.b
    symbol = w.last_property
    owner, scope = b.owner, b.scope
    if symbol != NONE:
        b.owner = symbol
    b.open_scope(ScopeKind.FUNCTION, b.owner)
    parameter = first(node, "parameter_with_optional_type")
    name = first(parameter, "simple_identifier")
    if name is not None:
        b.bind(w.text(name), SourceKind.OPAQUE)
    b.bind("field", SourceKind.OPAQUE)
    stated = w.value(first_type(node))
    block = first(node, "function_body")
    if block is not None:
        value = calls.last_value(w, block)
        if node.type == "getter" and symbol != NONE and b.symbols[symbol][7] == NONE:
            if stated != NONE:
                b.set_type(symbol, stated)
            elif has_token(block, "=") and value != NONE:
                b.add_value(symbol, value)
    b.owner, b.scope = owner, scope
    return NONE


def alias(w: KotlinWalk, node: Node) -> int:
    """`typealias A = B`."""
    b = w.b
    name_node = first(node, "type_identifier")
    if name_node is None:
        return NONE
    symbol = b.symbol(
        w.text(name_node),
        SymbolKind.TYPE_ALIAS,
        parent=b.owner,
        at=name_node.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=headers.flags_of(w, node),
        signature=headers.signature(w, node, node.end_byte),
        doc=headers.doc(w, node.start_byte),
    )
    b.bind(w.text(name_node), SourceKind.SYMBOL, symbol)
    owner, scope = b.owner, b.scope
    b.owner = symbol
    types.open_parameters(w, node, symbol)
    b.set_type(symbol, w.value(first_type(node)))
    b.owner, b.scope = owner, scope
    return NONE
