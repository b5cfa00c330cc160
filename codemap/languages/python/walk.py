"""The one walk over a Python syntax tree: its state, its dispatch tables, and the stages that frame it.

Rules of the file:
- What a handler may look up about its surroundings is in `Walk.place`; syntax nodes are never asked for their parents.
- Comments may be between any two children; handlers that count children leave them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import NONE, Builder
from codemap.languages.python.special_methods import GET_ITEM

if TYPE_CHECKING:
    from tree_sitter import Node


class Place:
    """Where the walk is: the innermost class and function, and what they have collected so far."""

    __slots__ = (
        "class_symbol",
        "depth",
        "functions",
        "globals",
        "is_generator",
        "members",
        "overload_types",
        "receiver",
        "returns",
        "variables",
        "yields",
    )

    def __init__(self) -> None:
        self.class_symbol = NONE
        """The class that `super()` and `self` mean here."""
        self.receiver = b""
        """The name of the parameter that holds the instance or the class; empty outside methods."""
        self.members: dict[str, Deferred] = {}
        """What methods assign to attributes of that instance or class."""
        self.depth = 0
        """How many blocks are open in the function around: in the first, each statement runs after those before it."""
        self.globals: frozenset[str] = frozenset()
        """Names that the function around declares `global`."""
        self.variables: dict[str, int] = {}
        """Variables and properties that the namespace around has defined so far, by name."""
        self.functions: dict[str, int] = {}
        """Functions of the namespace around that can still grow, by name: overloads and accessors."""
        self.overload_types: dict[int, int] = {}
        """What the overloads of a function so far say that it returns, by its symbol."""
        self.returns: list[int] = []
        self.yields: list[int] = []
        self.is_generator = False


class Deferred:
    """A name assigned from inside a function; it becomes a symbol when the body of its namespace has none."""

    __slots__ = ("at", "end", "start", "types", "use", "values")

    def __init__(self, at: int, start: int, end: int) -> None:
        self.at = at
        self.start = start
        self.end = end
        self.use: tuple[int, int] | None = None
        """The function that assigns it there, and what it assigns; a use where the symbol is defined elsewhere."""
        self.values: list[int] = []
        self.types: list[int] = []


class Kinds(msgspec.Struct, frozen=True):
    """The grammar's numbers of some kinds of node."""

    not_positional: frozenset[int]
    """What is among the arguments of a call without being a positional one."""
    literals: frozenset[int]
    identifier: int
    attribute: int
    argument_list: int
    call: int
    string: int
    keyword_argument: int
    parameters: int
    type: int
    comment: int


class Tables(msgspec.Struct, frozen=True):
    """What the walk dispatches by: handlers of every kind of node, statements included, by the kind's number."""

    values: Mapping[int, shared.Handler]
    types: Mapping[int, shared.Handler]
    """The same where an expression states a type."""
    statements: Mapping[int, shared.Handler]
    """The same where nobody takes the value."""
    kinds: Kinds


class Walk(shared.Walk):
    """The state of one file's walk."""

    __slots__ = (
        "all_names",
        "boolean_literal",
        "called",
        "called_at",
        "enums",
        "global_names",
        "import_flags",
        "integer_literal",
        "item_methods",
        "kinds",
        "place",
        "source",
        "star_imports",
        "statements",
        "stored",
        "text_literal",
        "types",
    )

    def __init__(self, b: Builder, tables: Tables) -> None:
        super().__init__(b, tables.values)
        self.source = b.source
        self.types = tables.types
        self.statements = tables.statements
        self.kinds = tables.kinds
        self.place = Place()
        self.global_names: dict[str, Deferred] = {}
        """What functions assign to names that they declare `global`."""
        self.text_literal = b.literal("str")
        self.integer_literal = b.literal("int")
        self.boolean_literal = b.literal("bool")
        self.item_methods = GET_ITEM
        """What the subscript that is visited next runs: one that is assigned to or deleted is not read."""
        self.called, self.called_at = 0, 0
        """The last call of what is no plain chain: its node's id, and the offset of the name that it calls."""
        self.import_flags = 0
        """ImportFlag of the imports here."""
        self.star_imports: dict[str, int] = {}
        """Last segment of the module -> import row, for `from m import *`."""
        self.stored: dict[int, int] = {}
        """Variable -> how many elements it was seen to be given."""
        self.all_names: set[str] = set()
        """Names that `__all__` lists."""
        self.enums: set[str] = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"}
        """Names of enumeration classes: those of the standard library, and those of this file so far."""

    def is_receiver(self, node: Node) -> bool:
        """Whether a node is the name that holds the instance or the class."""
        receiver = self.place.receiver
        return bool(receiver) and self.source[node.start_byte : node.end_byte] == receiver

    def type(self, node: Node) -> int:
        """Visits an expression that states a type; strings in it are expressions, too."""
        return self.types[node.kind_id](self, node)

    def block(self, node: Node) -> None:
        """Visits the statements of a block; what its guards narrow ends with it."""
        b, place = self.b, self.place
        scope = b.scope
        handlers = self.statements
        place.depth += 1
        for child in node.children:
            handlers[child.kind_id](self, child)
        place.depth -= 1
        b.scope = scope


def token(_w: Walk, _node: Node) -> int:
    """Visits a keyword or a sign; loops over all children skip it by its handler."""
    return NONE
