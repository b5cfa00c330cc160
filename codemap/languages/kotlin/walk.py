"""The state of a walk over a Kotlin syntax tree, and how its nodes are looked at: the grammar names hardly any field.

A function that extends a type is a member of it: of the class, where the file declares it, else of a part that
represents it here. Calls look for a member that takes so many arguments; what is called without a receiver may also be
a class or a variable.

Source: the Kotlin specification, "Scopes and identifiers", "Overload resolution".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Builder, Scope
from codemap.fact_building.comments import summary_above
from codemap.fact_building.walk import COMMENTS, Handler
from codemap.languages.class_based.walk import Class, Walk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

TYPES = frozenset({"user_type", "nullable_type", "function_type", "parenthesized_type", "not_nullable_type"})
_LINK = re.compile(r"\[([^\[\]]+)\](?:\[[^\[\]]*\])?")
_BLOCK_TAG = re.compile(r"(?:^|\s)@\w+\s.*", re.DOTALL)
_NOT_EXPRESSIONS = COMMENTS | {"modifiers", "annotation", "type_arguments"}


class KotlinWalk(Walk):
    """The state of one file's walk."""

    __slots__ = ("last_extended", "last_property", "local_extensions", "named", "parted_callees", "plain_properties")

    def __init__(self, b: Builder, values: Mapping[int, Handler]) -> None:
        super().__init__(b, values)
        self.named: dict[tuple[int, str], tuple[int, Scope]] = {}
        """Owner and name of classes, and of parts that stand for them -> symbol and namespace."""
        self.parted_callees: dict[int, tuple[Node, list[int]]] = {}
        """ID of an expression in parentheses or a lambda -> what it is the argument of, elsewhere in the tree, and the
        type arguments."""
        self.plain_properties: set[tuple[int, str]] = set()
        """Class and name of those that are said to be of a type with a name: a call of their name means a function that
        is called so."""
        self.local_extensions: set[tuple[int, str]] = set()
        """Number of the scope and name of extensions that functions define for themselves."""
        self.last_property = NONE
        """The property that an accessor behind it belongs to."""
        self.last_extended: Class | None = None
        """What that property extends."""

    def called(self, name: str, count: int) -> int:
        """What a call of a bare name calls: a method of a class around, or whatever else has the name."""
        b = self.b
        mangled = mangle_method(name, count)
        key = (b.scope.number, mangled)
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._called(name, mangled)
        return known

    def _called(self, name: str, mangled: str) -> int:
        b = self.b
        number = b.names.get(name)
        heirs: list[int] = []
        scope: Scope | None = b.scope
        meant = NONE
        while scope is not None and (number is None or number not in scope.sources or scope.number in self.frames):
            cls = self.frames.get(scope.number)
            if cls is not None and mangled in cls.declared:
                around = self._find_local(name, scope.parent)
                meant = b.name(mangled) if around is None else b.either(b.name_in(around, name), b.name(mangled))
                break
            if cls is not None and (cls.symbol, name) in self.plain_properties and scope.parent is not None:
                meant = b.either(b.name_in(scope.parent, name), b.name(name))
                break
            if cls is not None and name in cls.declared:
                break
            if cls is not None and cls.has_bases:
                heirs.append(cls.this)
            scope = scope.parent
        if meant == NONE:
            meant = b.name(name)
            is_local = scope is not None and scope is not b.module and scope.number not in self.frames
            if is_local and any(mangled in cls.declared for cls in self.classes):
                meant = b.either(meant, b.name(mangled))  # a variable that cannot be called hides no method
            if scope is None:
                for star in reversed(self.static_stars):
                    meant = b.either(b.attribute(star, mangled), meant)
                for owner, own_name in reversed(self.static_names.get(name, ())):
                    own = b.attribute(owner, own_name + mangled[len(name) :])
                    meant = b.either(own, b.either(b.attribute(owner, own_name), meant))
        local = b.name(name) if heirs and self._is_local(name, scope) else NONE
        for this in reversed(heirs):
            meant = b.either(b.attribute(this, mangled), meant)
        return meant if local == NONE else b.either(local, meant)

    def _find_local(self, name: str, scope: Scope | None) -> Scope | None:
        """The scope of a function around that has a name: what is local and can be called goes before all members."""
        while scope is not None and not self._is_local(name, scope):
            scope = scope.parent
        return scope

    def _is_local(self, name: str, scope: Scope | None) -> bool:
        """Whether a scope is one of a function, and binds a name other than to an extension."""
        if scope is None or scope is self.b.module or scope.number in self.frames:
            return False
        return self.b.names.get(name) in scope.sources and (scope.number, name) not in self.local_extensions

    def signature(self, node: Node, end: int) -> str:
        """A definition up to an offset, without its annotations."""
        holder = find_child(node, "modifiers")
        return (
            self.header(node.start_byte, end)
            if holder is None
            else self.header_behind(modifiers(self, node), holder.end_byte, end)
        )

    def doc(self, start: int) -> str:
        """The first sentence of the comment above an offset, without links and block tags."""
        text = summary_above(self.chars, start, line=("//",), block=("/*", "*/"))
        return " ".join(_BLOCK_TAG.sub("", _LINK.sub(r"\1", text)).split()) if text else ""


EXPECT = "expect"
"""What platforms define."""


def modifiers(w: KotlinWalk, node: Node) -> list[str]:
    """The modifiers of a definition, without annotations."""
    holder = find_child(node, "modifiers")
    return [w.text(child) for child in holder.named_children if child.type != "annotation"] if holder else []


def find_child(node: Node | None, *kinds: str) -> Node | None:
    """The first child of some kinds."""
    if node is not None:
        for child in node.named_children:
            if child.type in kinds:
                return child
    return None


def first_type(node: Node | None) -> Node | None:
    return next((child for child in node.named_children if child.type in TYPES), None) if node is not None else None


def expressions_of(node: Node) -> list[Node]:
    """The children that are no modifiers or comments."""
    return [child for child in node.named_children if child.type not in _NOT_EXPRESSIONS]


def has_token(node: Node, token: str) -> bool:
    return any(child.type == token for child in node.children)


def find_behind(node: Node, token: str) -> Node | None:
    """The first named child behind a token."""
    is_behind = False
    for child in node.children:
        if is_behind and child.is_named and child.type not in COMMENTS:
            return child
        is_behind |= child.type == token
    return None
