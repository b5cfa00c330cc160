"""The state of a walk over a syntax tree of Java, Kotlin or C#, and what a bare name means in it.

Rules of the file:
- The members of a class are bound twice: in its namespace, for the graph, and in its frame, a scope around its body,
  where bare names find them. What a class may inherit comes before what surrounds it.
- Methods are bound by the number of their arguments, so that no field or variable is taken for one.

Source: The Java Language Specification, "Names", "Scope of a Declaration"; the Kotlin specification, "Scopes and
identifiers"; the C# language specification, "Scopes".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import CLASSES_MAX, NONE, Builder, Scope
from codemap.facts import Op, ScopeKind, SourceKind, UseRole
from codemap.mangled_names import demangle, mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCK = int(ScopeKind.BLOCK)
_READ = int(UseRole.REFERENCE)
_SYMBOL = int(SourceKind.SYMBOL)


class Class:
    """A class whose body is being walked; in Kotlin also what a function extends, or a block is about."""

    __slots__ = ("declared", "frame", "has_bases", "is_interface", "members", "superclass", "symbol", "this")

    def __init__(self, symbol: int, members: Scope, frame: Scope, this: int) -> None:
        self.symbol = symbol
        self.this = this
        """An instance of it, as an expression."""
        self.members = members
        self.frame = frame
        self.declared: set[str] = set()
        """Names of all members as they are bound, those included that are not yet."""
        self.has_bases = False
        self.is_interface = False
        self.superclass = NONE
        """The class that it extends, as an expression."""


class Walk(shared.Walk):
    """The state of one file's walk."""

    __slots__ = (
        "anonymous",
        "classes",
        "found",
        "frames",
        "static_names",
        "static_stars",
        "types",
    )

    def __init__(self, b: Builder, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.classes: list[Class] = []
        """The classes around, the innermost last."""
        self.frames: dict[int, Class] = {}
        """Number of a frame's scope -> its class."""
        self.found: dict[tuple[int, str], int] = {}
        """Number of a scope, bare name -> what it means there."""
        self.static_names: dict[str, list[tuple[int, str]]] = {}
        """What an import of a member binds -> the classes that it is imported from, and its own name."""
        self.static_stars: list[int] = []
        """Classes all of whose static members are imported."""
        self.types: dict[int, tuple[int, Scope]] = {}
        """Offset of a type's declaration -> its symbol and namespace."""
        self.anonymous: dict[tuple[int, str], int] = {}
        """Owner and base -> how many classes without a name there are."""

    def this(self) -> int:
        return self.classes[-1].this if self.classes else NONE

    def super_(self) -> int:
        return self.b.expr(Op.SUPER, self.classes[-1].symbol) if self.classes else NONE

    def class_around(self) -> Class | None:
        """The class of which a definition at this place is a member; None inside of members, too."""
        return self.classes[-1] if self.classes and self.b.owner == self.classes[-1].symbol else None

    def make_class(self, symbol: int, members: Scope, this: int = NONE) -> Class:
        """Makes a class whose body begins here; an instance of it is `this`, unless that is the definition's own."""
        frame = self.b.namespace(symbol, ScopeKind.BLOCK)
        return Class(symbol, members, frame, self.b.expr(Op.THIS, symbol) if this == NONE else this)

    @contextmanager
    def body_of(self, cls: Class) -> Iterator[None]:
        """Bare names are members of a class, first of all."""
        outer, self.b.scope = self.b.scope, cls.frame
        self.frames[cls.frame.number] = cls
        self.classes.append(cls)
        yield
        self.classes.pop()
        self.b.scope = outer

    def header_behind(self, words: list[str], start: int, end: int) -> str:
        """The modifiers of a definition, and what follows them between two offsets."""
        while start < end and self.chars[start].isspace():
            start += 1
        return " ".join([*words, self.header(start, end)])

    def bind_member(self, cls: Class, name: str, symbol: int) -> None:
        bind = self.b.bind
        bind(name, _SYMBOL, symbol, scope=cls.members)
        bind(name, _SYMBOL, symbol, scope=cls.frame)

    def bind_method(self, cls: Class, name: str, symbol: int, counts: Iterable[int]) -> None:
        """Binds a method by the numbers of arguments that it takes, and among all of its name."""
        for count in counts:
            self.bind_member(cls, mangle_method(name, count), symbol)
        self.bind_member(cls, mangle_method(name), symbol)

    # -- bare names -------------------------------------------------------------------------------------------------

    def bare(self, name: str) -> int:
        """What a bare name means: a variable, a member of a class around, a type, or the first part of a package."""
        key = (self.b.scope.number, name)
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._bare(name)
        return known

    def bare_type(self, name: str) -> int:
        """What a bare name means where a type must stand; see `Builder.value_kinds`."""
        key = (self.b.scope.number, f"type {name}")
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._bare(name, self.b.only_type(name))
        return known

    def _bare(self, name: str, own: int = NONE) -> int:
        """`own`: what the name means in the scopes around, where it is not just anything of the name."""
        b = self.b
        number = b.names.get(name)
        heirs: list[Class] = []  # classes between the name and what binds it: they may inherit it
        scope: Scope | None = b.scope
        while scope is not None and (number is None or number not in scope.sources):
            cls = self.frames.get(scope.number)
            if cls is not None and name in cls.declared:
                break
            if cls is not None and cls.has_bases:
                heirs.append(cls)
            scope = scope.parent
        if scope is not None and scope.number not in self.frames:
            heirs = [cls for cls in heirs if cls.symbol >= 0]  # a local goes before the members of a lambda's receiver
        meant = b.name(name) if own == NONE else own
        if scope is b.module or (scope is None and name in b.builtins):
            return meant  # types that classes inherit are hardly named like those that a file imports
        if scope is None:
            plain = demangle(name)
            for star in reversed(self.static_stars):
                meant = b.either(b.attribute(star, name), meant)
            for owner, own_name in reversed(self.static_names.get(plain, ())):
                meant = b.either(b.attribute(owner, own_name + name[len(plain) :]), meant)
        for cls in reversed(heirs[:CLASSES_MAX]):
            meant = b.either(b.attribute(cls.this, name), meant)
        return meant

    def read(self, node: Node) -> int:
        """A bare name, read by the current owner."""
        meant = self.bare(self.text(node))
        self.b.use(_READ, meant, node.start_byte)
        return meant

    # -- scopes -----------------------------------------------------------------------------------------------------

    def declare(self, name: str, kind: int, a: int = NONE) -> None:
        """Binds a variable in the current block; in one of its own where the name was something else before."""
        b = self.b
        scope = b.scope
        if name in scope.heads or b.is_bound_here(name):
            b.open_scope(_BLOCK, scope.owner)
        b.bind(name, kind, a)

    def declare_typed(self, name: str, type_expr: int, value: int = NONE) -> None:
        """Binds a variable by its stated type, else by its value."""
        if type_expr != NONE:
            self.declare(name, SourceKind.TYPED, type_expr)
        elif value != NONE:
            self.declare(name, SourceKind.VALUE, value)
        else:
            self.declare(name, SourceKind.OPAQUE)
