"""The walk over a C++ syntax tree: C's, with namespaces, classes and templates around a name.

Rules of the file:
- A name in a class means its member where it has one; members of base classes are found as well.
- A parameter of a template is a type that the arguments of the template say.

Source: ISO/IEC 14882:2020, 6.5 "Name lookup".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import CLASSES_MAX, NONE, Builder, Scope
from codemap.fact_building.walk import Handler, children_of
from codemap.facts import Op, SourceKind, UseRole
from codemap.languages.c.keywords import KEYWORDS
from codemap.languages.c.walk import Walk
from codemap.languages.cpp.conversions import NAMES, VOID
from codemap.languages.cpp.parameter_types import are_arguments, find_class_name, find_given, spell_parameters
from codemap.languages.cpp.trailing import has_trailing, visit_trailing

if TYPE_CHECKING:
    from tree_sitter import Node

_READ, _CALL = int(UseRole.REFERENCE), int(UseRole.CALL)
_GIVEN = frozenset({"argument_list", "initializer_list"})


class Class(NamedTuple):
    """A class that the file defines, or has members of."""

    symbol: int
    members: Scope


class Fixture(NamedTuple):
    """What a macro makes the code a member of (`TEST_F(Fixture, name) {…}`)."""

    cls: int
    at: int
    """Where the macro names it."""
    instance: int
    is_sure: bool
    """Whether its members come before what is around: the macro is known to take a fixture."""


class Header(NamedTuple):
    """The list of parameters of a template."""

    nodes: tuple[Node, ...]
    names: tuple[str, ...]
    """In order; empty where a parameter has none."""
    clauses: tuple[Node, ...]
    """`requires …`, behind the list."""
    space: Scope
    """Where they are bound."""


class CppWalk(Walk):
    """The state of one file's walk."""

    members_are_functions = True

    __slots__ = (
        "access",
        "begins",
        "builtin",
        "classes",
        "fixture",
        "functions",
        "headers",
        "inline",
        "opened",
        "outers",
        "outside",
        "parameters",
        "parts",
        "path",
        "spaces",
        "templates",
        "top",
        "used",
        "uses_standard",
    )

    def __init__(self, b: Builder, values: Mapping[int, Handler]) -> None:
        super().__init__(b, values)
        self.access = 0
        """The flags of an alias that is a member of a class, while it is visited."""
        self.top = b.module
        """The namespace around."""
        self.path: tuple[str, ...] = ()
        """Names of the namespaces around."""
        self.spaces: dict[tuple[str, ...], Class] = {}
        """Namespaces by path."""
        self.inline: set[tuple[str, ...]] = set()
        """Paths of those whose names the one around has as well."""
        self.classes: list[Class] = []
        """Classes around, the innermost last."""
        self.fixture: Fixture | None = None
        self.functions: dict[str, list[tuple[int, Node | None, Mapping[str, int]]]] = {}
        """Functions of the top level by `key`: their symbols, parameters, and those of the templates around."""
        self.opened: frozenset[str] = frozenset()
        """Namespaces that the macros of the file open."""
        self.used: list[tuple[str, ...]] = []
        """Paths of namespaces as the file says that it uses them (`using namespace a::b`)."""
        self.uses_standard = False
        """Whether the file has said that it uses names of the standard library without a qualifier."""
        self.outers: tuple[int, ...] = ()
        """Classes that the name of what is defined says are around (`A` in `void A::B::f() {…}`), the outermost
        first."""
        self.outside: list[tuple[str, ...]] = []
        """Paths of what the file has members of and does not define: classes, or namespaces."""
        self.parts: dict[tuple[str, ...], Class] = {}
        """Classes by their path."""
        self.builtin: dict[int, str] = {}
        """The names of builtin types, by their expressions."""
        self.parameters: Mapping[str, int] = {}
        """Parameters of the templates around, by name."""
        self.headers: tuple[Header, ...] = ()
        """Of the templates around, those whose definition is not known yet, the outermost first."""
        self.templates: list[Header] = []
        """All of the file."""
        self.begins: dict[int, int] = {}
        """Where a definition begins, or a template around it -> where its template begins."""

    def is_top(self) -> bool:
        return self.b.scope is self.top

    def defer(self, report: Callable[[], None]) -> None:
        around = self.top, self.parameters, self.headers

        def within() -> None:
            outer = self.top, self.parameters, self.headers
            self.top, self.parameters, self.headers = around
            report()
            self.top, self.parameters, self.headers = outer

        super().defer(within)

    def this(self) -> int:
        return self.b.expr(Op.THIS, self.classes[-1].symbol) if self.classes else NONE

    def outermost(self, name: str) -> int:
        """What a name means outside all classes and namespaces (`::name`)."""
        return self.b.name_in(self.b.module, name)

    def bare(self, name: str, *, has_arguments: bool = False) -> int:
        """What a name without a qualifier means: a local, a member, or what the namespaces around have. With arguments
        the name of a class around means its template (13.8.2 "Locally declared names", 1)."""
        b = self.b
        if name in self.parameters:
            return self.parameters[name]
        meant = b.name(name)
        if not self.is_local(name):
            for outer in self.outers[-CLASSES_MAX:]:
                meant = b.either(b.attribute(outer, name), meant)
            for cls in self.classes[-CLASSES_MAX:]:
                if not (has_arguments and self._is_name_of(cls, name)):
                    meant = b.either(b.attribute(b.expr(Op.THIS, cls.symbol), name), meant)
            if self.fixture is not None:
                member = b.attribute(self.fixture.instance, name)
                meant = b.either(member, meant) if self.fixture.is_sure else b.either(meant, member)
        return meant

    def _is_name_of(self, cls: Class, name: str) -> bool:
        return self.b.names[name] == self.b.symbols[cls.symbol][0]

    def literal(self, name: str) -> int:
        """A builtin type, or a value of one."""
        made = self.b.literal(name)
        self.builtin[made] = name
        return made

    def pointer(self, type_expr: int, count: int) -> int:
        name = self.builtin.get(type_expr, "")
        if not count or type_expr == NONE:
            return NONE if name == VOID else type_expr
        return self.literal(name + "*" * count) if name else self.b.wrap(Op.ADDRESS, type_expr)

    def use_fixture(self, symbol: int) -> None:
        if self.fixture is not None and self.fixture.is_sure:
            with self.b.definition(symbol):
                for role in (_READ, _CALL):
                    self.b.use(role, self.fixture.cls, self.fixture.at)

    def shared(self) -> int:
        return super().shared() | self.access

    def own_parameters(self, symbol: int) -> None:
        if self.headers:
            *others, header = self.headers
            self.headers = tuple(others)
            self.own_header(symbol, header, {name: position for position, name in enumerate(header.names)})

    def own_header(self, symbol: int, header: Header, positions: Mapping[str, int]) -> None:
        """Gives the parameters of a template to a definition, at these positions, with what defaults and constraints
        use."""
        b = self.b
        for name in header.names:
            if name and name in positions:
                b.bind(name, SourceKind.TYPE_PARAMETER, symbol, positions[name], scope=header.space)
        with b.definition(symbol):
            for each in header.nodes:
                for field in ("type", "default_type", "default_value"):
                    self.field(each, field)
            for each in header.clauses:
                self.value(each)

    def choose(self, callee: int, given: Sequence[int]) -> int:
        """Of functions of one name, those that take so many arguments, of such types."""
        if callee == NONE or not given:
            return callee
        listed = NONE
        for argument in reversed(given):
            listed = self.b.expr(Op.ARG, argument, listed)
        return self.b.expr(Op.OVERLOAD, callee, listed)

    def find_function(self, name: str, parameters: Node | None) -> int | None:
        known = super().find_function(name, parameters)
        listed = self.functions.get(self.key(name), [])
        if known is None or not listed or parameters is None:
            return known
        spelt = spell_parameters(parameters, self.text, [*self.parameters])
        for symbol, others, made in listed:
            if others is None or spell_parameters(others, self.text, [*made]) == spelt:
                return symbol
        return None

    def note_function(self, name: str, symbol: int, parameters: Node | None) -> None:
        self.functions.setdefault(self.key(name), []).append((symbol, parameters, self.parameters))

    def visit_behind(self, parameters: Node | None) -> int:
        return visit_trailing(self, parameters)

    def declare_behind(self, symbol: int, parameters: Node | None, found: Sequence[tuple[Node | None, int]]) -> None:
        if has_trailing(parameters):
            with self.function(symbol):
                for name_node, type_expr in found:
                    if name_node is not None:
                        self.b.bind_typed(self.text(name_node), type_expr)
                given = visit_trailing(self, parameters)
            if given != NONE:
                self.b.set_type(symbol, given)

    def constructs(self, parameters: Node | None) -> bool:
        given = [] if parameters is None else children_of(parameters)
        if not are_arguments(given):
            return False
        for each in given:
            self._argument(each)
        return True

    def _argument(self, node: Node) -> None:
        """Visits an argument that the grammar takes for a parameter without a name."""
        name, *others = node.named_children
        given = find_given(node)
        if name.type != "type_identifier":
            self.value(name)
        elif self.text(name) not in KEYWORDS:
            self.b.use(_READ if given is None else _CALL, self.bare(self.text(name)), name.start_byte)
        for child in others if given is None else ():
            self.value(child)
        for each in given or ():
            self._argument(each)

    def make(self, type_node: Node | None, type_expr: int, value: Node | None = None) -> None:
        named = find_class_name(type_node) if value is None or value.type in _GIVEN else None
        if named is not None and type_expr != NONE:
            self.b.use(_CALL, type_expr, named.start_byte)

    def read_type(self, node: Node) -> int:
        name = self.text(node)
        if name in self.parameters:
            return self.parameters[name]
        if name in NAMES:
            return self.literal(NAMES[name])
        meant = self.find_type(name)
        self.b.use(_READ, meant, node.start_byte)
        return meant

    def find_type(self, name: str) -> int:
        """What the name of a type means, other than a parameter or a builtin one."""
        b = self.b
        scope = b.scope
        if name not in self.local_types:
            b.scope = self.top
        meant = b.name(name)
        b.scope = scope
        for outer in self.outers[-CLASSES_MAX:]:
            meant = b.either(b.attribute(outer, name), meant)
        for cls in self.classes[-CLASSES_MAX:]:
            if not self._is_name_of(cls, name):
                meant = b.either(b.attribute(b.expr(Op.SYMBOL, cls.symbol), name), meant)
        return meant
