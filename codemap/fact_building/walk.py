"""The walk over a syntax tree that all languages share: dispatch by kind of node, spellings, definitions, blocks.

Rules of handlers:
- Every node is visited once. A handler of an expression returns what its value is (a builder expression) and has
  reported every use inside it to the builder; a handler of a statement returns NONE.
- A handler is named by the syntax that it visits; every other function by what it does.
- Broken source lacks children: None is always possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from codemap.fact_building.builder import NONE, Builder
from codemap.fact_building.headers import SLASHES, clean_header
from codemap.fact_building.spelling import decoded
from codemap.facts import ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

Handler = Callable[[Any, "Node"], int]
"""Visits one node; returns the handle of its value, NONE for statements and for values that nothing is known of."""

Wanted = Callable[[Any, "Node", int], int]
"""The same for an expression whose place asks for a value of a type, or for a value like another."""

COMMENTS = frozenset({"comment", "line_comment", "block_comment", "multiline_comment"})
"""Types of nodes, in all languages."""
SIGNATURE_MAX_BYTES = 800
"""Enough for the longest signature that the builder keeps, whatever its characters."""
_BLOCK, _FUNCTION, _MODULE = int(ScopeKind.BLOCK), int(ScopeKind.FUNCTION), int(ScopeKind.MODULE)


class Walk:
    """The state of one file's walk, as far as every language has it."""

    __slots__ = ("b", "chars", "values", "wanted")
    header_ends: str | None = " \t\r\n{;="
    """What is between the header of a definition and its body; None: white space."""
    comments = SLASHES
    """Strings, as the first group, and comments."""

    def __init__(self, b: Builder, values: Mapping[int, Handler]) -> None:
        self.b = b
        self.chars = b.chars
        self.values = values
        self.wanted: Mapping[str, Wanted] = {}
        """Handlers of the expressions that depend on what their place asks for, by type of node."""

    def text(self, node: Node) -> str:
        spelling = self.chars[node.start_byte : node.end_byte]
        return spelling if spelling.isascii() else decoded(spelling)

    def value(self, node: Node | None) -> int:
        """Visits an expression or type (in broken source, anything) and returns what it is."""
        return NONE if node is None else self.values[node.kind_id](self, node)

    def value_for(self, node: Node | None, wanted: int) -> int:
        """Visits an expression whose place asks for something: the parameters of a function follow from that."""
        if node is None:
            return NONE
        visit = self.wanted.get(node.type)
        return self.values[node.kind_id](self, node) if visit is None else visit(self, node, wanted)

    def field(self, node: Node, name: str) -> int:
        """Visits the child in a field, if there is one, and returns what it is."""
        child = node.child_by_field_name(name)
        return NONE if child is None else self.values[child.kind_id](self, child)

    # -- how definitions show in lists ----------------------------------------------------------------------------

    def define(
        self,
        name: str,
        kind: int,
        node: Node,
        at: Node,
        *,
        parent: int = NONE,
        flags: int = 0,
        body: Node | None = None,
        header_end: int = NONE,
    ) -> int:
        """Adds the definition that a node is, and does not bind its name.

        `at` is the node of the name; `parent` is the owner by default. What lists show ends where `body` begins, at the
        offset `header_end`, or with the node.
        """
        b, start, end = self.b, node.start_byte, node.end_byte
        if body is not None:
            header_end = body.start_byte
        elif header_end == NONE:
            header_end = end
        return b.symbol(
            name,
            kind,
            parent=b.owner if parent == NONE else parent,
            at=at.start_byte,
            start=start,
            end=end,
            flags=flags,
            signature=self.signature(node, header_end),
            doc=self.doc(start),
        )

    def signature(self, node: Node, end: int) -> str:
        """A definition up to an offset, as it shows in lists."""
        return self.header(node.start_byte, end)

    def header(self, start: int, end: int) -> str:
        """The source between two offsets, without comments and without what ends a header."""
        text = self.b.text(start, min(end, start + SIGNATURE_MAX_BYTES))
        return clean_header(text, self.comments).rstrip(self.header_ends)

    def doc(self, start: int) -> str:
        """The first sentence of the documentation above an offset; empty where there is none."""
        raise NotImplementedError


class BlockWalk(Walk):
    """The walk of a language whose blocks declare names from their place on: a block has a scope from its first
    declaration."""

    __slots__ = ("has_scope",)

    def __init__(self, b: Builder, values: Mapping[int, Handler]) -> None:
        super().__init__(b, values)
        self.has_scope = True
        """Whether the current scope is the innermost block's own."""

    def is_top(self) -> bool:
        return self.b.scope is self.b.module

    def declare(self, name: str, kind: int, a: int = NONE, b: int = NONE) -> None:
        """Binds a name in the innermost block, or at the top level; what was read before meant something else."""
        builder = self.b
        scope = builder.scope
        is_read = name in scope.heads and not builder.is_bound_here(name)
        if scope.kind != _MODULE and (not self.has_scope or is_read):
            builder.open_scope(_BLOCK, scope.owner)
            self.has_scope = True
        builder.bind(name, kind, a, b)

    @contextmanager
    def block(self) -> Iterator[None]:
        """The names that it declares end with it."""
        b, has_scope = self.b, self.has_scope
        scope, self.has_scope = b.scope, False
        yield
        b.scope, self.has_scope = scope, has_scope

    @contextmanager
    def function(self, symbol: int) -> Iterator[None]:
        """The parameters and the body of a function: a scope of its own, and what it uses belongs to `symbol`."""
        b, has_scope = self.b, self.has_scope
        with b.definition(symbol):
            b.open_scope(_FUNCTION, symbol)
            self.has_scope = True
            yield
        self.has_scope = has_scope


def children_of(node: Node) -> list[Node]:
    """The named children without comments."""
    return [child for child in node.named_children if child.type not in COMMENTS]


def visit_children(w: Walk, node: Node) -> int:
    """Visits the children of a node that means nothing itself."""
    values = w.values
    for child in node.named_children:
        values[child.kind_id](w, child)
    return NONE


def visit_inner(w: Walk, node: Node) -> int:
    """Visits the children of a node that is what the one expression or type in it is (parentheses, a sign); comments
    beside that mean nothing."""
    values = w.values
    found = NONE
    for child in node.named_children:
        value = values[child.kind_id](w, child)
        found = found if value == NONE else value
    return found


def visit_nothing(_w: Walk, _node: Node) -> int:
    """Visits nothing: the node cannot hold a name."""
    return NONE
