"""The one walk over a Rust syntax tree: its state, and what frames it.

Rules of the file:
- Items are known in the whole of what holds them (`Space`), locals from where they are: a local hides an item only
  where a value is meant, never at the beginning of a path.
- A module inside a file does not see the names around it, unless it asks for all of them (`use super::*`).
- Methods are bound with brackets (`len()`), apart from fields of their name; macros with their sign (`vec!`).

Source: the Rust Reference, "Names", "Scopes", "Namespaces".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import NONE, Builder, Scope
from codemap.fact_building.comments import summary_above
from codemap.fact_building.spelling import decoded
from codemap.facts import ImportFlag, ScopeKind, SourceKind
from codemap.languages.rust.builtins import BUILTINS, OWN_CRATES
from codemap.languages.rust.project.specifiers import ROOT_2015

if TYPE_CHECKING:
    from tree_sitter import Node

RAW = "r#"
_OF_BUILDS = re.compile(r"#!?[ \t]*\[[ \t]*cfg[ \t]*\((?![ \t]*test[ \t]*\))")
"""An attribute of what is for some builds only, others than tests."""
_BLOCK = int(ScopeKind.BLOCK)


class Type(NamedTuple):
    """A type of the file, or a part of one from elsewhere."""

    symbol: int
    members: Scope


class Space:
    """What holds items: the file, a module in it, an implementation, the body of a function."""

    __slots__ = (
        "aliases",
        "declared",
        "has_stars",
        "is_module",
        "name",
        "parent",
        "places",
        "scope",
        "stars",
        "symbol",
        "types",
        "within",
    )

    def __init__(self, scope: Scope, parent: Space | None, symbol: int, *, is_module: bool) -> None:
        self.scope = scope
        self.parent = parent
        """The space around it, as far as its names are seen here; None around a module that does not ask for them."""
        self.symbol = symbol
        self.is_module = is_module
        self.name = ""
        self.declared: set[str] = set()
        """Names of its items, and of what it imports from elsewhere than a crate of that name."""
        self.aliases: dict[str, str] = {}
        """What it imports under another name -> its own."""
        self.types: dict[str, Type] = {}
        self.places: dict[int, Type] = {}
        """Its types by the offsets of their names: under several conditions there may be several of one name."""
        self.stars: list[int] = []
        """What it imports all names of; the graph looks into those of the file itself."""
        self.has_stars = False
        self.within: tuple[Space, ...] = () if parent is None else parent.within
        """The modules inside the file around it, from the outermost in."""


class Walk(shared.BlockWalk):
    """The state of one file's walk."""

    __slots__ = (
        "bounds",
        "expanded",
        "function_block",
        "generics",
        "has_builds",
        "implements",
        "macro_crates",
        "macro_nodes",
        "macro_paths",
        "macros",
        "made",
        "open_locals",
        "own_methods",
        "owner_type",
        "parsed_again",
        "self_arguments",
        "space",
        "trait",
        "visible",
    )

    header_ends = None

    def __init__(self, b: Builder, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.space = Space(b.module, None, b.file, is_module=True)
        self.has_builds = _OF_BUILDS.search(self.chars) is not None
        """Whether any of its code is for some builds only, so that it may call what others define otherwise."""
        self.function_block = 0
        """The body of the function that is visited, by `Node.id`."""
        self.macros: dict[str, int] = {}
        """Macros that the file defines, by name."""
        self.generics: dict[int, tuple[Scope, list[str]]] = {}
        """Types of the file -> where their type parameters are bound, and how these are called."""
        self.bounds: list[tuple[int, int, int]] = []
        """What implementations state of type parameters: type, position, bound."""
        self.expanded: set[int] = set()
        """Offsets of the calls of macros whose tokens are items."""
        self.macro_nodes: dict[str, Node] = {}
        """Definitions of macros in the file, by name."""
        self.made: set[int] = set()
        """Offsets of the names of items that calls of macros make."""
        self.parsed_again = 0
        """Bytes of them that were parsed."""
        self.macro_paths: dict[str, int] = {}
        """Name of what the file imports -> what it is imported from."""
        self.macro_crates: dict[str, str] = {}
        """Name of what the file imports from the root of a crate -> that crate."""
        self.open_locals: set[tuple[int, str]] = set()
        """Locals whose declarations do not say of what type they are: the number of the scope, and the name."""
        self.owner_type: int = NONE
        """The type or trait whose items are visited."""
        self.self_arguments: list[int] = []
        """The type arguments that the implementation which is visited states for its type."""
        self.trait = False
        """Whether that is a trait."""
        self.implements = False
        """Whether they implement a trait."""
        self.own_methods: set[tuple[int, str]] = set()
        """Methods that types have themselves, not from a trait: the scope that binds them, and how calls spell them."""
        self.visible = 0
        """Flags that its items have by standing in it."""

    def text(self, node: Node) -> str:
        name = self.chars[node.start_byte : node.end_byte]
        if not name.isascii():
            name = decoded(name)
        return name[2:] if name[:2] == RAW else name

    # -- names --------------------------------------------------------------------------------------------------------

    def declare(self, name: str, kind: int, a: int = NONE, b: int = NONE) -> None:
        """Binds a local; what was read before meant something else."""
        builder = self.b
        scope = builder.scope
        if not self.has_scope or name in scope.heads or builder.is_bound_here(name):
            builder.open_scope(_BLOCK, scope.owner)
            self.has_scope = True
        builder.bind(name, kind, a, b)

    def leave_open(self, name: str) -> None:
        """Leaves the type of a local that has just been declared to what is assigned to it (`infer`)."""
        self.open_locals.add((self.b.scope.number, name))

    def infer(self, name: str, value: int) -> None:
        """Takes the type of a local from an assigned value, where its declaration was left open (`leave_open`)."""
        number = self.b.names.get(name)
        scope: Scope | None = self.b.scope
        while scope is not None and number not in scope.sources:
            scope = scope.parent
        if scope is not None and value != NONE and (scope.number, name) in self.open_locals:
            self.b.bind(name, SourceKind.VALUE, value, scope=scope)

    def name(self, name: str) -> int:
        """A name that may mean a local."""
        return self._looked_up(name, self.b.scope)

    def item(self, name: str) -> int:
        """A name that means no local: a type, or what a path begins with."""
        return self._looked_up(name, self.space.scope)

    def _looked_up(self, name: str, scope: Scope) -> int:
        b = self.b
        value = scope.heads.get(name)
        if value is None:
            value = b.name_in(scope, name)
        if name in BUILTINS:
            return value
        stars: list[int] = []
        """Those of inner spaces first: they hide what is bound around them."""
        space: Space | None = self.space
        while space is not None:
            if space.stars and not self.is_bound(name, scope, space.scope):
                stars += space.stars
            space = space.parent
        for star in reversed(stars):
            value = b.either(b.attribute(star, name), value)
        return value

    def is_bound(self, name: str, scope: Scope | None, last: Scope | None = None) -> bool:
        """Whether a scope or one around it, at most `last`, binds a name."""
        number = self.b.names.get(name)
        while scope is not None:
            if number in scope.sources:
                return True
            scope = None if scope is last else scope.parent
        return False

    def is_declared(self, name: str) -> bool:
        """Whether an item of that name is seen here, without those that stars bring."""
        space: Space | None = self.space
        while space is not None:
            if name in space.declared:
                return True
            space = space.parent
        return False

    def sees_stars(self) -> bool:
        space: Space | None = self.space
        while space is not None:
            if space.has_stars:
                return True
            space = space.parent
        return False

    def own_name(self, name: str) -> str:
        """The name that a definition has itself which is imported here under this one."""
        space: Space | None = self.space
        while space is not None:
            if name in space.aliases:
                return space.aliases[name]
            space = space.parent
        return name

    def type_of(self, name: str) -> Type | None:
        """The type of that name which is declared here."""
        space: Space | None = self.space
        while space is not None:
            if name in space.types:
                return space.types[name]
            space = space.parent
        return None

    def unknown(self) -> int:
        """A value that nothing is known of: what is called on it stays open under its name."""
        b = self.b
        if "?" not in b.names:
            b.bind("?", SourceKind.OPAQUE, scope=b.module)
        return b.name_in(b.module, "?")

    # -- what paths begin with ----------------------------------------------------------------------------------------

    def head(self, specifier: str) -> int:
        """A module that no statement imports."""
        b = self.b
        name = f"::{specifier}"
        outer, b.scope = b.scope, b.module
        if not b.is_bound_here(name):
            b.bind(name, SourceKind.IMPORT, b.import_(specifier, NONE, 0, ImportFlag.HEAD))
        value = b.name(name)
        b.scope = outer
        return value

    def crate(self, name: str) -> int:
        """The crate of that name; or, before the edition of 2018, what the root of the own one has under it."""
        found = self.head(name)
        return found if name in OWN_CRATES else self.b.either(found, self.b.attribute(self.head(ROOT_2015), name))

    # -- texts --------------------------------------------------------------------------------------------------------

    def doc(self, start: int) -> str:
        """The summary of the documentation above an offset, where nothing else precedes it on its line."""
        if self.chars[self.chars.rfind("\n", 0, start) + 1 : start].strip():
            return ""
        return summary_above(self.chars, start, line=("///",), block=("/**", "*/"))

    def header(self, start: int, end: int) -> str:
        """The beginning of a definition as it shows in lists."""
        return super().header(start, end).rstrip("{;,").rstrip()
