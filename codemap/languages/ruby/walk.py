"""The state of a walk over a Ruby syntax tree: whose members bare names are, what constants mean, and variables.

Rules of the file:
- Modules are classes, and every `class` and `module` statement is a part of the definition of its full name: it may be
  opened again anywhere.
- What a class has itself is bound with `()`, apart from what its instances have.
- Local variables, and the methods at the top of files, are bound apart from one another.

Source: the Ruby documentation, "Modules and Classes", "Methods", "Assignment".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import CLASSES_MAX, NONE, Builder, Scope
from codemap.fact_building.comments import summary_above
from codemap.fact_building.headers import HASHES
from codemap.fact_building.variable_flow import Flow
from codemap.facts import UNKNOWN, Op, SourceKind, UseRole
from codemap.languages.ruby.builtins import CONSTANTS, ENDS, OUTSIDE, SAME
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_DIRECTIVES = ("rubocop:", "frozen_string_literal:", "encoding:", "-*-", ":nodoc:", "@", "typed:", "--", "==")
INCLUDED = "what is included"
"""What the modules that an example group includes are kept as, among its names."""
TOP, CLASS, INSTANCE = range(3)
"""Whose methods a bare call is of: nobody's, a class's own, its instances'."""


def local(name: str) -> str:
    """What a local variable is bound as."""
    return f"local {name}"


def own_name(name: str) -> str:
    """What a member of a class itself is bound as."""
    return mangle_method(name)


class Pattern(NamedTuple):
    """How the name of a method is made of one that is given."""

    before: str
    after: str
    is_own: bool
    """Whether it is the class's own."""


class Definer(NamedTuple):
    """A method that defines others."""

    position: int
    """Of the argument that names them."""
    is_rest: bool
    """Whether all behind that name some, too."""
    patterns: tuple[Pattern, ...]


class Class:
    """A class or module whose body is being walked."""

    __slots__ = (
        "added",
        "base_starts",
        "extended",
        "fields",
        "has_hook",
        "is_concern",
        "is_module",
        "is_module_function",
        "is_singleton",
        "members",
        "methods",
        "symbol",
        "visibility",
    )

    def __init__(self, symbol: int, members: Scope) -> None:
        self.symbol = symbol
        self.members = members
        self.extended = NONE
        """What it extends itself with, as an expression."""
        self.visibility = "public"
        """Of the methods that follow."""
        self.is_module = False
        self.is_module_function = False
        self.is_singleton = False
        """Whether the body of `class << self` is being walked."""
        self.is_concern = False
        self.has_hook = False
        """Whether what includes the module is extended by its `ClassMethods`."""
        self.fields: dict[str, int] = {}
        """The variables of its instances, and its own, that are assigned in this body, by what they are bound as."""
        self.added: dict[str, int] = {}
        """What is added to such before any is assigned."""
        self.methods: dict[str, int] = {}
        """The methods of its instances that are in this body."""
        self.base_starts: set[int] = set()
        """Offsets of the arguments that have been taken as bases."""

    @contextmanager
    def singleton(self) -> Iterator[None]:
        """While it lasts, methods are the class's own, as in `class << self`."""
        before = (self.is_singleton, self.visibility)
        self.is_singleton, self.visibility = True, "public"
        yield
        self.is_singleton, self.visibility = before


class Walk(shared.Walk):
    """The state of one file's walk."""

    __slots__ = (
        "classes",
        "context",
        "definers",
        "flow",
        "found",
        "groups",
        "in_block",
        "lists",
        "names",
        "outside",
        "results",
        "unknown",
    )

    header_ends = " \t\r\n;="
    comments = HASHES

    def __init__(self, b: Builder, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.flow = Flow(b)
        self.classes: list[Class] = []
        """The classes around, the innermost last."""
        self.context = TOP
        self.groups: list[dict[str, int]] = []
        """The example groups around, the innermost last: what names mean in each."""
        self.in_block = 0
        """How many blocks are around outside of methods."""
        self.lists: dict[str, Node] = {}  # what the constants of the file are assigned, by name
        self.definers: dict[str, Definer] = {}  # methods of the file that define others, by name
        self.results: list[int] = [NONE]
        """What the functions around return before their end, the innermost last."""
        self.names: list[str] = []
        """Names of the methods around, the innermost last."""
        self.outside = b.name_in(b.module, OUTSIDE)
        self.found: dict[tuple[int, str], int] = {}
        """Innermost class, constant -> what it means there."""
        b.bind(UNKNOWN, SourceKind.OPAQUE, scope=b.module)
        self.unknown = b.name(UNKNOWN)
        """A value that nothing is known of, whose members are used."""

    def use(self, role: UseRole, value: int, at: int) -> int:
        self.b.use(int(role), value, at)
        return value

    def member(self, of: int, name: str) -> int:
        return self.b.attribute(self.unknown if of == NONE else of, name)

    # -- constants --------------------------------------------------------------------------------------------------

    def constant(self, name: str) -> int:
        """What a constant means here: of a class around, of what is above one, or of the top."""
        key = (self.classes[-1].symbol if self.classes else NONE, name)
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._constant(name)
        return known

    def _constant(self, name: str) -> int:
        b = self.b
        meant = self.top_constant(name)
        for cls in self.classes[-CLASSES_MAX:]:
            meant = b.either(b.attribute(b.expr(Op.SYMBOL, cls.symbol), name), meant)
        return meant

    def top_constant(self, name: str) -> int:
        """What `::Name` means; a constant that no file has lies outside."""
        meant = self.at_module(name)
        if name in CONSTANTS:
            return meant
        return self.b.either(meant, self.outside)

    def at_module(self, name: str) -> int:
        """A name in the module's scope, whatever the current one is."""
        b = self.b
        return b.name_in(b.module, name)

    # -- self -------------------------------------------------------------------------------------------------------

    def this(self) -> int:
        """The receiver of bare calls."""
        if not self.classes or self.context == TOP:
            return NONE
        return self.b.expr(Op.THIS if self.context == INSTANCE else Op.SYMBOL, self.classes[-1].symbol)

    def mine(self, name: str) -> str:
        """What a member of the receiver of bare calls is bound as."""
        return own_name(name) if self.context == CLASS else name

    def bare(self, name: str) -> int:
        """The method that a bare call means: one of the receiver, or one at the top of a file.

        A block in the body of a class may be kept, and run for an instance: `test "it opens" do … end`; one at the top
        of a file for an instance of whatever takes it: `describe "a store" do … end`. So may a whole file: `workers 2`,
        `def row; cell; end`.
        """
        found = self.at_module(name)
        for own in self.groups:
            if INCLUDED in own:
                found = self.b.either(self.b.attribute(own[INCLUDED], name), found)
        this = self.this()
        if this == NONE:
            return self.b.either(found, self.b.attribute(self.unknown, name))
        if self.context == CLASS and self.in_block:
            found = self.b.either(self.b.attribute(self.b.expr(Op.THIS, self.classes[-1].symbol), name), found)
        return self.b.either(self.b.attribute(this, self.mine(name)), found)

    def maker(self, cls: int) -> int:
        """What `new` of a class runs: its own method of that name, where it has one."""
        return cls if cls == NONE else self.b.either(self.b.attribute(cls, own_name("new")), cls)

    def above(self, name: str) -> int:
        """The method that `super` runs in one of that name."""
        if not self.classes:
            return NONE
        return self.b.attribute(self.b.expr(Op.SUPER, self.classes[-1].symbol), self.mine(name))

    def result(self, name: str, callee: int, given: list[int]) -> int:
        """What a bare call gives."""
        if name in SAME and not (self.classes and name in self.classes[-1].methods):
            return self.this()
        return NONE if name in ENDS else self.b.call(callee, given)

    # -- variables --------------------------------------------------------------------------------------------------

    def is_local(self, name: str) -> bool:
        return self.flow.is_bound(local(name))

    def variable(self, name: str) -> int:
        """`@a`, `@@a`: what the class has assigned to it, or the example group; else only its name is known."""
        if not self.classes:
            return next((own[name] for own in reversed(self.groups) if name in own), self.member(NONE, name))
        return self.member(self.b.expr(Op.THIS, self.classes[-1].symbol), self.variable_name(name))

    def word_start(self, node: Node) -> int:
        """Where the name of `@a` or `@@a` begins without what marks it, as those who look for it write it."""
        return node.start_byte + (2 if self.text(node).startswith("@@") else 1)

    def variable_name(self, name: str) -> str:
        """What a variable of the receiver is bound as: a class has its own."""
        return own_name(name) if self.context == CLASS and not name.startswith("@@") else name

    def within(self, cls: Class, context: int, visit: Callable[[], object]) -> None:
        """Visits what belongs to a class."""
        outer, self.context = self.context, context
        self.classes.append(cls)
        visit()
        self.classes.pop()
        self.context = outer

    def doc(self, start: int) -> str:
        """The first sentence of the comment above a definition; directives to tools are none."""
        text = summary_above(self.chars, start, line=("#",), block=None)
        for mark in _DIRECTIVES:
            if text.startswith(mark):
                return ""
            text = text.partition(f" {mark}")[0] if mark == "@" else text
        return text


def visit_last(w: Walk, node: Node) -> int:
    """Visits statements; gives the value of the last."""
    value = NONE
    values = w.values
    for child in node.named_children:
        if child.type != "comment":
            value = values[child.kind_id](w, child)
    return value


def configures_tests(w: Walk, statement: Node) -> bool:
    """Whether a statement is in the block of `RSpec.configure`, which is run for what the top of a file is of."""
    body = statement.parent
    block = body.parent if body is not None else None
    call = block.parent if block is not None else None
    name = call.child_by_field_name("method") if call is not None and call.type == "call" else None
    receiver = call.child_by_field_name("receiver") if call is not None and name is not None else None
    if name is None or receiver is None:
        return False
    return (w.text(receiver), w.text(name)) == ("RSpec", "configure")
