"""Classes: their symbols, namespaces and bases; and definitions with decorators.

Source: the Python Language Reference, 8.8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.python.definitions.docstring import docstring
from codemap.languages.python.definitions.functions import define_function
from codemap.languages.python.definitions.headers import Parts, decorate, flags_of, header
from codemap.languages.python.definitions.parameters import open_type_parameters
from codemap.languages.python.errors import broken_header
from codemap.languages.python.targets import define_deferred
from codemap.languages.python.walk import Place, Walk

if TYPE_CHECKING:
    from tree_sitter import Node


_ABSTRACT_BASES = frozenset({"ABC", "Protocol", "ABCMeta"})
_ABSTRACT = int(SymbolFlag.ABSTRACT)
_CLASS_SCOPE = int(ScopeKind.CLASS)
_BLOCK_SCOPE = int(ScopeKind.BLOCK)
_IMPORT = int(SourceKind.IMPORT)
_SYMBOL = int(SourceKind.SYMBOL)


def visit_decorated(w: Walk, node: Node) -> int:
    children = children_of(node)
    if not children:
        return NONE
    *decorators, definition = children
    if definition.type == "function_definition":
        define_function(w, definition, decorators, node)
    elif definition.type == "class_definition":
        define_class(w, definition, decorators, node)
    else:
        visit_children(w, node)
    return NONE


def class_(w: Walk, node: Node) -> int:
    define_class(w, node, [], node)
    return NONE


def define_class(w: Walk, node: Node, decorators: list[Node], whole: Node) -> None:
    parts = Parts(node)
    b = w.b
    name = "" if parts.name is None else w.text(parts.name)
    if parts.name is None or not name:
        visit_children(w, node)
        return
    start = broken_header(w, node) if parts.errors else whole.start_byte
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
        start=start,
        end=node.end_byte,
        flags=flags_of(name, set(), namespace) | (0 if base_names.isdisjoint(_ABSTRACT_BASES) else _ABSTRACT),
        signature=header(w, node, parts.body, start=start if parts.errors else node.start_byte),
        doc=docstring(w.source, parts.body),
    )
    outer, owner, scope = w.place, b.owner, b.scope
    shadowed = _shadowed(w, name, namespace)
    b.bind(name, _SYMBOL, symbol, scope=namespace)
    if shadowed:
        b.open_scope(_BLOCK_SCOPE, b.scope.owner).sources[b.intern(name)] = shadowed
    b.owner = symbol
    decorate(w, symbol, decorators)
    if parts.type_parameters is not None:
        open_type_parameters(w, parts.type_parameters)
    for child in arguments:
        _base(w, symbol, child)
    if shadowed:
        b.scope = scope
    place = w.place = Place()
    place.class_symbol = symbol
    class_scope = b.open_scope(_CLASS_SCOPE, symbol)
    if parts.body is not None:
        w.block(parts.body)
    define_deferred(w, place.members, class_scope, SymbolKind.PROPERTY)
    w.place = outer
    b.owner, b.scope = owner, scope


def _shadowed(w: Walk, name: str, namespace: Scope) -> list[tuple[int, int, int]]:
    """Takes away what imports bound a name to that a class at the top of the module takes over; its bases still see
    that."""
    number = w.b.intern(name)
    sources = namespace.sources.get(number, [])
    if w.place.depth != 1 or namespace is not w.b.module or not all(kind == _IMPORT for kind, _, _ in sources):
        return []
    return namespace.sources.pop(number, [])


def _base_name(w: Walk, node: Node) -> str:
    if node.type == "keyword_argument":
        node = node.children[-1]
    if node.type in ("subscript", "call"):
        node = node.children[0]
    return w.text(node.children[-1] if node.type == "attribute" else node)


def _base(w: Walk, symbol: int, node: Node) -> None:
    b = w.b
    match node.type:
        case "keyword_argument" if w.text(node.children[0]) == "metaclass":
            b.metaclass(symbol, w.value(node.children[-1]), node.children[-1].start_byte)
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
            b.base(symbol, UseRole.EXTENDS, b.apply(of, stated), last.start_byte)
        case _:
            b.base(symbol, UseRole.EXTENDS, w.value(node), node.start_byte)
