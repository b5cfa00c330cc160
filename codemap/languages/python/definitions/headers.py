"""What functions and classes have in common: their parts, decorators, flags and headers.

Decorators, defaults and annotations are looked up around the definition but belong to it: they are inside its span.

Source: the Python Language Reference, 8.7 and 8.8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.headers import HASHES, clean_header
from codemap.facts import ScopeKind, SymbolFlag, SymbolKind
from codemap.languages.python.targets import SIGNATURE_MAX_BYTES, exported
from codemap.languages.python.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Scope


_ACCESSOR_PARTS = frozenset({"setter", "getter", "deleter"})
_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_ABSTRACT = int(SymbolFlag.ABSTRACT)
_CLASS_METHOD = int(SymbolFlag.CLASS_METHOD)
_CLASS_SCOPE = int(ScopeKind.CLASS)
_FUNCTION_SCOPE = int(ScopeKind.FUNCTION)
_STATIC = int(SymbolFlag.STATIC)


class Parts:
    """The children of a definition, by what they are."""

    __slots__ = ("arguments", "body", "errors", "name", "parameters", "result", "type_parameters")

    def __init__(self, node: Node) -> None:
        self.name: Node | None = None
        self.parameters: Node | None = None
        self.arguments: Node | None = None
        self.type_parameters: Node | None = None
        self.result: Node | None = None
        self.body: Node | None = None
        self.errors: list[Node] = []
        """Broken source in the header."""
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
                case "ERROR":
                    self.errors.append(child)
                case _:
                    pass


def marks_of(w: Walk, decorators: list[Node]) -> set[str]:
    """The last names of the decorators, called or not."""
    marks: set[str] = set()
    for decorator in decorators:
        inner = decorator.named_children[0] if decorator.named_children else decorator
        if inner.type == "call":
            inner = inner.children[0]
        marks.add(w.text(inner.children[-1] if inner.type == "attribute" else inner))
    return marks


def flags_of(name: str, marks: set[str], namespace: Scope) -> int:
    flags = exported(name) if namespace.kind != _FUNCTION_SCOPE else 0
    if "staticmethod" in marks:
        flags |= _STATIC
    if "classmethod" in marks or (name in _CLASS_METHODS and namespace.kind == _CLASS_SCOPE):
        flags |= _CLASS_METHOD
    if "abstractmethod" in marks or "abstractproperty" in marks:
        flags |= _ABSTRACT
    return flags


def function_kind(namespace: Scope, *, is_accessor: bool) -> SymbolKind:
    if namespace.kind != _CLASS_SCOPE:
        return SymbolKind.FUNCTION
    return SymbolKind.PROPERTY if is_accessor else SymbolKind.METHOD


def header(w: Walk, node: Node, body: Node | None, *, start: int) -> str:
    """The definition up to its body, without the colon and without comments."""
    end = node.end_byte if body is None else body.start_byte
    text = w.b.text(start, min(end, start + SIGNATURE_MAX_BYTES))
    return clean_header(text, HASHES).rstrip().removesuffix(":")


def decorate(w: Walk, symbol: int, decorators: list[Node]) -> None:
    """Visits decorators; `@x.setter` is the accessor's own syntax, not a use of it."""
    for decorator in decorators:
        for child in decorator.named_children:
            if child.type != "attribute" or w.text(child.children[-1]) not in _ACCESSOR_PARTS:
                w.b.decorator(symbol, w.value(child))
