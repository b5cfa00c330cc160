"""The one walk over a C syntax tree: its state, and what frames it.

Rules of the file:
- A pointer, an array and what they point to are one: members and calls are the same.
- Type names are read at the top level unless a block declares the type: a variable often has the name of its struct.

Source: ISO/IEC 9899:2018, 6.2.1 "Scopes of identifiers", 6.2.3 "Name spaces of identifiers".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import NONE, Builder, Scope
from codemap.fact_building.comments import summary_above
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import ScopeKind, SourceKind, SymbolFlag

if TYPE_CHECKING:
    from tree_sitter import Node


class Walk(shared.BlockWalk):
    """The state of one file's walk."""

    members_are_functions = False
    """Whether a member that has parameters behind a macro is a function, and not a pointer to one."""
    __slots__ = (
        "bodies",
        "conditions",
        "defined",
        "guard",
        "holder",
        "is_header",
        "later",
        "local_types",
        "named",
        "nameless",
    )

    header_ends = " \t\r\n;="

    def __init__(self, b: Builder, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.bodies: set[int] = set()
        """Blocks that have been visited with the macro in front of them."""
        self.local_types: set[str] = set()
        """Names of types that some block declares."""
        self.nameless: dict[int, Node] = {}
        """Node of a struct without a tag -> the name that its `typedef` gives it."""
        self.defined: dict[str, int] = {}
        """Symbols of the top level by `key`, tags with `struct` before them."""
        self.later: list[Callable[[], None]] = []
        """Reports of what only declares, made when all that the file defines is known."""
        self.holder = NONE
        """The variable whose type is visited, which has what a struct without a name in it has."""
        self.guard = ""
        """The macro that keeps a header from being read twice; empty where there is none."""
        self.named: list[tuple[str, int]] = []
        """Macros without parameters: their names and symbols."""
        self.conditions = 0
        """How many conditionals of the preprocessor are around."""
        self.is_header = False
        """Whether what the file keeps to itself is there for those that include it."""

    def is_local(self, name: str) -> bool:
        """Whether a function around binds the name."""
        number = self.b.names.get(name)
        scope: Scope | None = self.b.scope
        while scope is not None and scope.kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
            if number is not None and number in scope.sources:
                return True
            scope = scope.parent
        return False

    def key(self, name: str) -> str:
        """The name under which `defined` has what the current namespace defines."""
        return f"{self.b.scope.number} {name}"

    def defer(self, report: Callable[[], None]) -> None:
        """Runs a report when all that the file defines is known, as if it were made here."""
        b = self.b
        owner, scope, conditions = b.owner, b.scope, self.conditions

        def later() -> None:
            b.owner, b.scope, self.conditions = owner, scope, conditions
            report()

        self.later.append(later)

    def read_type(self, node: Node) -> int:
        """The type that a name or tag means, used by the current owner."""
        b = self.b
        if b.scope is b.module or self.text(node) in self.local_types:
            return b.read(node.start_byte, node.end_byte)
        scope = b.scope
        b.scope = b.module
        found = b.read(node.start_byte, node.end_byte)
        b.scope = scope
        return found

    def pointer(self, type_expr: int, _count: int) -> int:
        """The type of that many pointers to a type."""
        return type_expr

    def own_parameters(self, symbol: int) -> None:
        """Gives the parameters of the template around, if any, to a definition. C has none."""

    def use_fixture(self, symbol: int) -> None:
        """Uses, in a function that a macro makes, the class that it runs in, if any. C has none."""

    def doc(self, start: int) -> str:
        """The summary of the comment above an offset."""
        return summary_above(self.chars, start, line=("///", "//!", "//"), block=("/*", "*/"))

    def linkage(self, node: Node) -> int:
        """The flags of what a declaration declares: other files see it unless it is static, or the file is there to be
        included; and a condition may be around it."""
        if not self.is_top():
            return 0
        is_static = any(
            child.type == "storage_class_specifier" and self.text(child) == "static" for child in node.children
        )
        return (int(SymbolFlag.EXPORTED) if self.is_header or not is_static else 0) | self.condition()

    def condition(self) -> int:
        """The flag of what is there in some builds only."""
        return int(SymbolFlag.CONDITIONAL) if self.conditions else 0

    def declare_function(self, name: str, symbol: int) -> None:
        """Binds the name of a function. Where some builds alone have it, its name may mean another that the file sees,
        as it does in the other builds."""
        if not self.conditions or self.b.scope is not self.b.module:
            self.declare(name, SourceKind.SYMBOL, symbol)

    def find_function(self, name: str, parameters: Node | None) -> int | None:  # noqa: ARG002
        """The symbol that the file has for a function with these parameters, or for something else of its name."""
        return self.defined.get(self.key(name))

    def note_function(self, name: str, symbol: int, parameters: Node | None) -> None:
        """Keeps what tells a function from others of its name. In C it has none."""

    def visit_behind(self, parameters: Node | None) -> int:  # noqa: ARG002
        """Visits what is behind the parameters of a function, and gives the type of its result that is stated there. C
        has nothing there."""
        return NONE

    def declare_behind(self, symbol: int, parameters: Node | None, found: Sequence[tuple[Node | None, int]]) -> None:
        """The same of a function without a body, by its parameters' names and types."""

    def constructs(self, parameters: Node | None) -> bool:  # noqa: ARG002
        """Whether what looks like the parameters of a function declared in a block are the arguments of a constructor,
        which are visited then. C has none."""
        return False

    def make(self, type_node: Node | None, type_expr: int, value: Node | None = None) -> None:
        """An object of a type, if one is named, is declared with a value: a constructor runs. C has none."""

    def shared(self) -> int:
        """The visibility of types, which belong to whoever can name them."""
        return int(SymbolFlag.EXPORTED) if self.is_top() else 0


def block(w: Walk, node: Node) -> int:
    """A block, or a statement whose header declares names: they end with it."""
    if node.id not in w.bodies:
        with w.block():
            visit_children(w, node)
    return NONE


def visit_first(w: Walk, node: Node) -> int:
    """Visits the children; the node is what the first of them is."""
    found = [w.value(child) for child in children_of(node)]
    return found[0] if found else NONE
