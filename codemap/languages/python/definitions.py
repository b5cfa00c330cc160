"""Functions, methods, classes and named lambdas: their symbols, namespaces, parameters and results.

Decorators, defaults and annotations are looked up around the definition but belong to it: they stand inside its span.

Source: the Python Language Reference, 8.7, 8.8 and 3.3 (data model).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op, ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.python.docstring import docstring
from codemap.languages.python.targets import SIGNATURE_MAX_BYTES, define_deferred, exported
from codemap.languages.python.walk import Place, Walk, inside

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.extract.builder import Scope

_RETURNS_MAX = 6
"""Distinct results of one function that are kept: more say little."""
_COMMENT = re.compile(r"#[^\n]*")
_BRACKET_SPACE = re.compile(r"([(\[])\s+|,?\s+([)\]])")
_ACCESSORS = frozenset({"property", "cached_property", "abstractproperty", "classproperty", "lazy_property"})
_ACCESSOR_PARTS = frozenset({"setter", "getter", "deleter"})
_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_ABSTRACT_BASES = frozenset({"ABC", "Protocol", "ABCMeta"})
_ABSTRACT = int(SymbolFlag.ABSTRACT)
_ACCESSOR = int(SymbolFlag.ACCESSOR)
_ASYNC = int(SymbolFlag.ASYNC)
_BLOCK_SCOPE = int(ScopeKind.BLOCK)
_CLASS = int(SourceKind.CLASS)
_CLASS_METHOD = int(SymbolFlag.CLASS_METHOD)
_CLASS_SCOPE = int(ScopeKind.CLASS)
_FUNCTION_SCOPE = int(ScopeKind.FUNCTION)
_GENERATOR = int(SymbolFlag.GENERATOR)
_OPAQUE = int(SourceKind.OPAQUE)
_PARAMETER = int(SourceKind.PARAMETER)
_SELF = int(SourceKind.SELF)
_STATIC = int(SymbolFlag.STATIC)
_SYMBOL = int(SourceKind.SYMBOL)
_TYPED = int(SourceKind.TYPED)
_VALUE = int(SourceKind.VALUE)


def decorated(w: Walk, node: Node) -> int:
    children = [child for child in node.named_children if child.type != "comment"]
    if not children:
        return NONE
    *decorators, definition = children
    if definition.type == "function_definition":
        _function(w, definition, decorators, node)
    elif definition.type == "class_definition":
        _class(w, definition, decorators, node)
    else:
        inside(w, node)
    return NONE


def function(w: Walk, node: Node) -> int:
    _function(w, node, [], node)
    return NONE


def class_(w: Walk, node: Node) -> int:
    _class(w, node, [], node)
    return NONE


class _Parts:
    """The children of a definition, by what they are."""

    __slots__ = ("arguments", "body", "name", "parameters", "result", "type_parameters")

    def __init__(self, node: Node) -> None:
        self.name: Node | None = None
        self.parameters: Node | None = None
        self.arguments: Node | None = None
        self.type_parameters: Node | None = None
        self.result: Node | None = None
        self.body: Node | None = None
        for child in node.named_children:
            match child.type:
                case "identifier":
                    self.name = self.name or child
                case "parameters":
                    self.parameters = child
                case "argument_list":
                    self.arguments = child
                case "type_parameter":
                    self.type_parameters = child
                case "type":
                    self.result = child
                case "block":
                    self.body = child
                case _:
                    pass


def _function(w: Walk, node: Node, decorators: list[Node], whole: Node) -> None:
    parts = _Parts(node)
    b = w.b
    name = "" if parts.name is None else w.text(parts.name)
    if parts.name is None or not name:
        inside(w, node)
        return
    namespace = b.function_scope()
    is_method = namespace.kind == _CLASS_SCOPE
    marks = _marks(w, decorators)
    flags = _flags(name, marks, namespace)
    if node.children[0].type == "async":
        flags |= _ASYNC
    outer = w.place
    symbol = outer.functions.get(name, NONE)
    is_accessor = bool(marks & _ACCESSORS) and is_method
    grows = symbol != NONE and (symbol in outer.overload_types or bool(marks & _ACCESSOR_PARTS))
    if grows:
        b.extend_span(symbol, node.end_byte)
    else:
        symbol = b.symbol(
            name,
            _function_kind(namespace, is_accessor=is_accessor),
            parent=namespace.owner,
            at=parts.name.start_byte,
            start=whole.start_byte,
            end=node.end_byte,
            flags=flags | (_ACCESSOR if is_accessor else 0),
            signature=_header(w, node, parts.body),
            doc=docstring(w.source, parts.body),
        )
        b.bind(name, _SYMBOL, symbol, scope=namespace)
        if is_accessor or "overload" in marks:
            outer.functions[name] = symbol
        else:
            outer.functions.pop(name, None)
    owner, scope = b.owner, b.scope
    b.owner = symbol
    _decorate(w, symbol, decorators)
    if parts.type_parameters is not None:
        open_type_parameters(w, parts.type_parameters)
    parameters = [] if parts.parameters is None else _parameters(w, parts.parameters)
    result = NONE if parts.result is None else w.type(parts.result)
    _state_result(w, outer, symbol, result, marks)
    place = w.place = _function_place(outer)
    b.open_scope(_FUNCTION_SCOPE, symbol)
    _bind_parameters(w, parameters, symbol, _receiver_kind(flags) if is_method else None)
    if parts.body is not None:
        w.block(parts.body)
    if not marks & _ACCESSOR_PARTS:
        _add_results(w, symbol, place)
    w.place = outer
    b.owner, b.scope = owner, scope


def _marks(w: Walk, decorators: list[Node]) -> set[str]:
    """The last names of the decorators, called or not."""
    marks: set[str] = set()
    for decorator in decorators:
        inner = decorator.named_children[0] if decorator.named_children else decorator
        if inner.type == "call":
            inner = inner.children[0]
        marks.add(w.text(inner.children[-1] if inner.type == "attribute" else inner))
    return marks


def _flags(name: str, marks: set[str], namespace: Scope) -> int:
    flags = exported(name) if namespace.kind != _FUNCTION_SCOPE else 0
    if "staticmethod" in marks:
        flags |= _STATIC
    if "classmethod" in marks or (name in _CLASS_METHODS and namespace.kind == _CLASS_SCOPE):
        flags |= _CLASS_METHOD
    if "abstractmethod" in marks or "abstractproperty" in marks:
        flags |= _ABSTRACT
    return flags


def _function_kind(namespace: Scope, *, is_accessor: bool) -> SymbolKind:
    if namespace.kind != _CLASS_SCOPE:
        return SymbolKind.FUNCTION
    return SymbolKind.PROPERTY if is_accessor else SymbolKind.METHOD


def _header(w: Walk, node: Node, body: Node | None) -> str:
    """The definition up to its body, without the colon and without comments."""
    start = node.start_byte
    end = node.end_byte if body is None else body.start_byte
    text = w.b.text(start, min(end, start + SIGNATURE_MAX_BYTES)).rstrip()
    if "\n" in text:
        text = _BRACKET_SPACE.sub(r"\1\2", _COMMENT.sub("", text).rstrip() if "#" in text else text)
    return text.removesuffix(":")


def _decorate(w: Walk, symbol: int, decorators: list[Node]) -> None:
    """Visits decorators; `@x.setter` is the accessor's own syntax, not a use of it."""
    for decorator in decorators:
        for child in decorator.named_children:
            if child.type != "attribute" or w.text(child.children[-1]) not in _ACCESSOR_PARTS:
                w.b.decorator(symbol, w.value(child))


def open_type_parameters(w: Walk, node: Node) -> None:
    """Opens a block scope with the type parameters of a definition, bound to their bounds."""
    b = w.b
    scope = b.open_scope(_BLOCK_SCOPE, b.scope.owner)
    for child in node.named_children:
        inner = child.named_children[0] if child.type == "type" and child.named_children else child
        bound = NONE
        if inner.type == "constrained_type":
            name_node, *bounds = inner.named_children
            for bound_node in bounds:
                bound = w.type(bound_node)
            inner = name_node.named_children[0] if name_node.named_children else name_node
        elif inner.type == "splat_type":
            inner = inner.children[-1]
        if inner.type == "identifier":
            kind = _OPAQUE if bound == NONE else _VALUE
            b.bind(w.text(inner), kind, bound, scope=scope)


class _Parameter:
    """One parameter: its name, what it is bound to, and its default where that says something."""

    __slots__ = ("default", "name", "type")

    def __init__(self, name: str, type_: int, default: int) -> None:
        self.name = name
        self.type = type_
        self.default = default


def _parameters(w: Walk, node: Node) -> list[_Parameter]:
    """Visits annotations and defaults, in the scope around the definition."""
    found: list[_Parameter] = []
    b = w.b
    for child in node.named_children:
        match child.type:
            case "identifier":
                found.append(_Parameter(w.text(child), NONE, NONE))
            case "typed_parameter" | "typed_default_parameter":
                target = child.named_children[0]
                stated = child.child_by_field_name("type")
                type_ = NONE if stated is None else w.type(stated)
                if target.type == "list_splat_pattern":
                    type_ = b.apply(b.expr(Op.GLOBAL, b.intern("tuple")), [type_, NONE]) if type_ != NONE else NONE
                elif target.type == "dictionary_splat_pattern":
                    type_ = b.apply(b.expr(Op.GLOBAL, b.intern("dict")), [NONE, type_]) if type_ != NONE else NONE
                if child.type == "typed_default_parameter":
                    w.value(child.named_children[-1])
                found.append(_Parameter(_parameter_name(w, target), type_, NONE))
            case "default_parameter":
                value_node = child.named_children[-1]
                value = w.value(value_node)
                is_plain = value_node.type in ("call", "identifier", "attribute")
                found.append(_Parameter(_parameter_name(w, child.children[0]), NONE, value if is_plain else NONE))
            case "list_splat_pattern" | "dictionary_splat_pattern" | "tuple_pattern":
                found.append(_Parameter(_parameter_name(w, child), NONE, NONE))
            case "ERROR":
                w.value(child)
            case _:
                pass
    return found


def _parameter_name(w: Walk, node: Node) -> str:
    if node.type != "identifier":
        inner = node.named_children
        return w.text(inner[-1]) if inner else ""
    return w.text(node)


def _receiver_kind(flags: int) -> int | None:
    """What the first parameter of a method holds; None when it is a parameter like others."""
    if flags & _STATIC:
        return None
    return _CLASS if flags & _CLASS_METHOD else _SELF


def _bind_parameters(w: Walk, parameters: list[_Parameter], symbol: int, receiver: int | None) -> None:
    b = w.b
    place = w.place
    for position, parameter in enumerate(parameters):
        name = parameter.name
        if not name:
            continue
        if position == 0 and receiver is not None:
            place.receiver = name.encode()
            b.bind(name, receiver, place.class_symbol)
            continue
        if name.encode() == place.receiver:
            place.receiver = b""
        if parameter.type != NONE:
            b.bind(name, _TYPED, parameter.type)
            continue
        b.bind(name, _PARAMETER, symbol, position)
        if parameter.default != NONE:
            b.bind(name, _VALUE, parameter.default)


def _function_place(outer: Place) -> Place:
    place = Place()
    place.class_symbol = outer.class_symbol
    place.members = outer.members
    place.receiver = outer.receiver
    return place


def _state_result(w: Walk, outer: Place, symbol: int, result: int, marks: set[str]) -> None:
    """The stated result; overloads state several, and then the implementation's own says nothing more."""
    b = w.b
    if "overload" in marks:
        result = outer.overload_types[symbol] = b.union(outer.overload_types.get(symbol, NONE), result)
    elif outer.overload_types.pop(symbol, NONE) != NONE or marks & _ACCESSOR_PARTS:
        return
    if result != NONE:
        b.set_type(symbol, result)


def _add_results(w: Walk, symbol: int, place: Place) -> None:
    if place.is_generator:
        w.b.add_flags(symbol, _GENERATOR)
    results = dict.fromkeys(place.yields if place.is_generator else place.returns)
    results.pop(NONE, None)
    for value in list(results)[:_RETURNS_MAX]:
        w.b.add_value(symbol, value)


def lambda_(w: Walk, node: Node) -> int:
    """A lambda that no name is given to: what is in it belongs to the definition around it."""
    _lambda_body(w, node, None)
    return NONE


def define_lambda(w: Walk, node: Node, name: str, statement: Node) -> int:
    """A lambda that an assignment names: a function."""
    b = w.b
    namespace = b.function_scope()
    symbol = b.symbol(
        name,
        _function_kind(namespace, is_accessor=False),
        parent=namespace.owner,
        at=statement.start_byte,
        start=statement.start_byte,
        end=statement.end_byte,
        flags=_flags(name, set(), namespace),
        signature=b.text(statement.start_byte, min(statement.end_byte, statement.start_byte + SIGNATURE_MAX_BYTES)),
    )
    b.bind(name, _SYMBOL, symbol, scope=namespace)
    owner = b.owner
    b.owner = symbol
    _lambda_body(w, node, symbol)
    b.owner = owner
    return b.expr(Op.SYMBOL, symbol)


def _lambda_body(w: Walk, node: Node, symbol: int | None) -> None:
    b = w.b
    children = node.named_children
    has_parameters = bool(children) and children[0].type == "lambda_parameters"
    parameters = _parameters(w, children[0]) if has_parameters else []
    outer, scope = w.place, b.scope
    namespace = b.function_scope()
    place = w.place = _function_place(outer)
    b.open_scope(_FUNCTION_SCOPE, b.owner)
    if symbol is None:
        for parameter in parameters:
            if parameter.name:
                b.bind(parameter.name, _OPAQUE)
    else:
        _bind_parameters(w, parameters, symbol, _SELF if namespace.kind == _CLASS_SCOPE else None)
    for child in children[1:] if has_parameters else children:
        value = w.value(child)
        if symbol is not None and child.type != "comment":
            place.returns.append(value)
    if symbol is not None:
        _add_results(w, symbol, place)
    w.place, b.scope = outer, scope


def _class(w: Walk, node: Node, decorators: list[Node], whole: Node) -> None:
    parts = _Parts(node)
    b = w.b
    name = "" if parts.name is None else w.text(parts.name)
    if parts.name is None or not name:
        inside(w, node)
        return
    namespace = b.function_scope()
    arguments = [] if parts.arguments is None else [c for c in parts.arguments.named_children if c.type != "comment"]
    base_names = {_base_name(w, child) for child in arguments}
    is_enum = not base_names.isdisjoint(w.enums)
    if is_enum:
        w.enums.add(name)
    symbol = b.symbol(
        name,
        SymbolKind.ENUM if is_enum else SymbolKind.CLASS,
        parent=namespace.owner,
        at=parts.name.start_byte,
        start=whole.start_byte,
        end=node.end_byte,
        flags=_flags(name, set(), namespace) | (0 if base_names.isdisjoint(_ABSTRACT_BASES) else _ABSTRACT),
        signature=_header(w, node, parts.body),
        doc=docstring(w.source, parts.body),
    )
    b.bind(name, _SYMBOL, symbol, scope=namespace)
    outer, owner, scope = w.place, b.owner, b.scope
    b.owner = symbol
    _decorate(w, symbol, decorators)
    if parts.type_parameters is not None:
        open_type_parameters(w, parts.type_parameters)
    for child in arguments:
        _base(w, symbol, child)
    place = w.place = Place()
    place.class_symbol = symbol
    class_scope = b.open_scope(_CLASS_SCOPE, symbol)
    if parts.body is not None:
        w.block(parts.body)
    define_deferred(w, place.members, class_scope, SymbolKind.PROPERTY)
    w.place = outer
    b.owner, b.scope = owner, scope


def _base_name(w: Walk, node: Node) -> str:
    if node.type == "keyword_argument":
        node = node.children[-1]
    if node.type in ("subscript", "call"):
        node = node.children[0]
    return w.text(node.children[-1] if node.type == "attribute" else node)


def _base(w: Walk, symbol: int, node: Node) -> None:
    b = w.b
    match node.type:
        case "keyword_argument" | "dictionary_splat":
            w.value(node.children[-1])
        case "identifier":
            b.base(symbol, UseRole.EXTENDS, b.name(w.text(node)), node.start_byte)
        case "attribute":
            last = node.children[-1]
            of = b.attribute(w.value(node.children[0]), w.text(last))
            b.base(symbol, UseRole.EXTENDS, of, last.start_byte)
        case "subscript":
            base, *arguments = (child for child in node.named_children if child.type != "comment")
            last = base.children[-1] if base.type == "attribute" else base
            name = w.text(last)
            of = b.attribute(w.value(base.children[0]), name) if base.type == "attribute" else b.name(name)
            stated = [w.type(child) for child in arguments]
            if name not in ("Generic", "Protocol"):
                of = b.apply(of, stated)
            b.base(symbol, UseRole.EXTENDS, of, last.start_byte)
        case _:
            b.base(symbol, UseRole.EXTENDS, w.value(node), node.start_byte)
