"""The state of a walk over a C# syntax tree, and what a bare name means in it.

A type is bound under its name, for where a value may be, and under its name with the number of its type parameters,
for where only a type may: so neither a property that is named like its type, nor a type of the same name with other
parameters, is taken for it. A type without type parameters hides one with some where a value may be.

Source: the C# language specification, "Scopes", "Namespace and type names", "Simple names".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codemap.fact_building.builder import CLASSES_MAX, NONE, Builder, Scope
from codemap.fact_building.comments import summary_above
from codemap.fact_building.headers import SLASHES_AND_DIRECTIVES
from codemap.fact_building.walk import Handler
from codemap.facts import SourceKind
from codemap.languages.class_based.walk import Walk
from codemap.mangled_names import mangle_method, mangle_type

if TYPE_CHECKING:
    from tree_sitter import Node

_REFERENCE_TAG = re.compile(
    r"""<(?:see|seealso|paramref|typeparamref)\s+(?:cref|name|langword)\s*=\s*["'](?:\w:)?([^"']*)["']\s*/?>"""
)
_TAG = re.compile(r"</?[A-Za-z]\w*[^<>]*>")
_END = re.compile(r"</summary>.*|<(?:param|returns|remarks|exception|typeparam|value|example)\b.*", re.DOTALL)
_DIRECTIVES = frozenset({"preproc_if", "preproc_elif", "preproc_else"})


class CSharpWalk(Walk):
    """The state of one file's walk."""

    __slots__ = ("method_keys", "result", "spaces")
    comments = SLASHES_AND_DIRECTIVES

    def __init__(self, b: Builder, values: Mapping[int, Handler]) -> None:
        super().__init__(b, values)
        self.spaces: dict[tuple[str, ...], tuple[int, Scope]] = {}
        """Namespaces that are symbols of the file -> symbol and scope."""
        self.result = NONE
        """The type that the innermost function states for what it returns; NONE where that is another's in a task."""
        self.method_keys: dict[int, list[str]] = {}
        """Offset of a method -> the names under which it is bound; see `members`."""

    @contextmanager
    def returning(self, result: int) -> Iterator[None]:
        """What is returned meanwhile is of this type."""
        outer, self.result = self.result, result
        yield
        self.result = outer

    def type_(self, name: str, count: int = 0) -> int:
        """What a bare name means where only a type may be."""
        return self.bare(mangle_type(name, count))

    def simple(self, name: str, *, has_methods: bool = False) -> int:
        """What a bare name means where a value may be: a variable, a member, a type or a namespace; methods of that
        name, too, where a function is wanted."""
        key = (self.b.scope.number, f"{name} ()" if has_methods else f"{name} ")
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._simple(name, [name, mangle_method(name)] if has_methods else [name])
        return known

    def called(self, name: str, mangled: str) -> int:
        """What a call of a bare name calls: a method that is bound under a mangled name, or what holds a function."""
        key = (self.b.scope.number, mangled)
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._simple(name, [mangled, name])
        return known

    def _simple(self, name: str, wanted: list[str]) -> int:
        b = self.b
        number = b.names.get(name)
        heirs: list[int] = []
        scope: Scope | None = b.scope
        meant = NONE
        while scope is not None and meant == NONE:
            cls = self.frames.get(scope.number)
            if cls is None:
                if number is not None and number in scope.sources:
                    meant = b.name(name)
            else:
                meant = next((b.name(each) for each in wanted if each in cls.declared), NONE)
                if meant == NONE and cls.has_bases:
                    heirs.append(cls.this)
            scope = scope.parent
        if meant == NONE:
            meant = self._outer(name, wanted)
        for this in reversed(heirs[:CLASSES_MAX]):
            for each in reversed(wanted):
                meant = b.either(b.attribute(this, each), meant)
        return meant

    def _outer(self, name: str, wanted: list[str]) -> int:
        """What a name means that neither the file nor a class around binds."""
        b = self.b
        meant = b.either(b.name(mangle_type(name, 0)), b.name(name))
        for star in reversed(self.static_stars):
            for each in reversed(wanted):
                meant = b.either(b.attribute(star, each), meant)
        return meant

    def declare_function(self, name: str, symbol: int) -> None:
        """Binds a local function in the current block."""
        self.b.bind(name, SourceKind.SYMBOL, symbol)

    def signature(self, node: Node, end: int) -> str:
        """A definition up to an offset, without its attributes."""
        start = node.start_byte
        for child in node.children:
            if child.type not in ("attribute_list", "comment") and not child.type.startswith("preproc"):
                start = child.start_byte
                break
        return self.header(start, end)

    def doc(self, start: int) -> str:
        """The first sentence of the comment above an offset, without tags."""
        text = summary_above(self.chars, start, line=("///", "//"), block=("/*", "*/"))
        if "<" in text:
            text = _TAG.sub("", _REFERENCE_TAG.sub(r"\1", _END.sub("", text)))
        return " ".join(text.split())


def bind_type(w: CSharpWalk, name: str, count: int, symbol: int, scope: Scope) -> None:
    """Binds a type in a scope; one with type parameters under its bare name only where no other has it."""
    w.b.bind(mangle_type(name, count), SourceKind.SYMBOL, symbol, scope=scope)
    if count == 0:
        w.b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)


def type_keys(name: str, count: int) -> tuple[str, ...]:
    """The names under which `bind_type` binds."""
    return (mangle_type(name, count), name) if count == 0 else (mangle_type(name, count),)


def flatten(nodes: list[Node]) -> Iterator[Node]:
    """Nodes of one level, those in all branches of conditionals included."""
    for node in nodes:
        if node.type in _DIRECTIVES:
            yield from flatten([child for child in node.named_children if not _is_condition(node, child)])
        else:
            yield node


def _is_condition(node: Node, child: Node) -> bool:
    return child == node.child_by_field_name("condition")


def modifiers_of(node: Node) -> set[str]:
    """The modifiers of a declaration or a parameter."""
    return {(child.text or b"").decode("utf-8", "replace") for child in node.children if child.type == "modifier"}


def find_child(node: Node | None, *kinds: str) -> Node | None:
    """The first child of some kinds."""
    for child in node.named_children if node is not None else ():
        if child.type in kinds:
            return child
    return None


def has_token(node: Node, token: str) -> bool:
    return any(child.type == token for child in node.children)
