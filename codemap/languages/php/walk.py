"""The state of a walk over a PHP syntax tree: namespaces, names in full, and variables.

Rules of the file:
- Names are made full where they are read: what a class is called elsewhere is never a question of this file. A full
  name that the file does not declare is bound in the module's scope under a name that no program can spell.
- Properties are bound with their `$`, apart from the methods and constants of the same name.

Source: The PHP Manual, "Name resolution rules", "Variable scope".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import NONE, Builder, Scope
from codemap.fact_building.comments import summary_above
from codemap.fact_building.headers import SLASHES_AND_HASHES
from codemap.fact_building.variable_flow import Flow
from codemap.facts import UNKNOWN, ImportFlag, Op, SourceKind, UseRole
from codemap.languages.php.builtins import CLASSES, SEPARATOR

if TYPE_CHECKING:
    from tree_sitter import Node

_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]*)\}")
_BLOCK_TAG = re.compile(r"(?:^|\s)@[\w-]+(?:\s.*|$)", re.DOTALL)
ATTRIBUTES = "attribute_list"
CONSTANT = "="
"""Ends the names of constants in `Walk.declared`."""


class Class:
    """A class whose body is being walked."""

    __slots__ = ("declared", "has_bases", "has_traits", "members", "parent", "symbol", "templates")

    def __init__(self, symbol: int, members: Scope) -> None:
        self.symbol = symbol
        self.members = members
        self.parent = NONE
        """The class that it extends, as an expression."""
        self.has_bases = False
        self.has_traits = False
        self.declared: set[str] = set()
        """Names of its properties, with `$`."""
        self.templates: frozenset[str] = frozenset()
        """Names that its documentation gives to types that are not known."""


class Function:
    """A function whose body is being walked; a closure is no symbol."""

    __slots__ = ("globals", "result", "symbol", "templates")

    def __init__(self, symbol: int) -> None:
        self.symbol = symbol
        self.result = NONE
        """What it returns anywhere."""
        self.templates: frozenset[str] = frozenset()
        self.globals: dict[str, str] = {}
        """Types that its documentation states of variables that are not its own."""


class Walk(shared.Walk):
    """The state of one file's walk."""

    __slots__ = (
        "class_names",
        "classes",
        "declared",
        "flow",
        "function_names",
        "functions",
        "is_shared",
        "namespace",
        "namespace_symbol",
        "unknown",
    )

    header_ends = " \t\r\n{;=,"
    comments = SLASHES_AND_HASHES

    def __init__(self, b: Builder, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.flow = Flow(b)
        self.namespace = ""
        self.is_shared = False
        """Whether the file has several namespaces: then it sees none of them whole."""
        self.namespace_symbol = b.file
        self.class_names: dict[str, str] = {}
        """What a `use` calls a class or namespace, in lower case -> its full name."""
        self.function_names: dict[str, str] = {}
        """The same for functions, in lower case and with `()`, and for constants."""
        self.declared: dict[str, list[int]] = {}
        """Full name in lower case, of functions with `()`, of constants with `=` -> the file's symbols of that name."""
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        b.bind(UNKNOWN, SourceKind.OPAQUE, scope=b.module)
        self.unknown = b.name(UNKNOWN)
        """A value that nothing is known of, whose members are used."""

    def use(self, role: UseRole, value: int, at: int) -> int:
        self.b.use(int(role), value, at)
        return value

    # -- names in full ----------------------------------------------------------------------------------------------

    def full(self, name: str) -> str:
        """The full name, without a leading `\\`, that the spelling of a class or of a qualified name means."""
        if name.startswith(SEPARATOR):
            return name[1:]
        first, _, rest = name.partition(SEPARATOR)
        if rest and first.lower() == "namespace":
            return self.own(rest)
        used = self.class_names.get(first.lower())
        if used is None:
            return self.own(name)
        return f"{used}{SEPARATOR}{rest}" if rest else used

    def own(self, name: str) -> str:
        """The full name of a definition of the current namespace."""
        return f"{self.namespace}{SEPARATOR}{name}" if self.namespace else name

    def class_(self, name: str, at: int) -> int:
        """The class that a spelling at an offset means; `self`, `static` and `parent` are of the class around."""
        word = name.lower()
        if word in ("self", "static"):
            return self.b.expr(Op.SYMBOL, self.classes[-1].symbol) if self.classes else NONE
        if word == "parent":
            return self.parent()
        return self.class_of(self.full(name), at)

    def class_of(self, full: str, at: int) -> int:
        return self.b.name(full) if full.lower() in CLASSES else self.definition(full, full.lower(), at)

    def parent(self) -> int:
        """The class above: looked up in the order of the bases, where no trait comes before it there."""
        if not self.classes:
            return NONE
        cls = self.classes[-1]
        return cls.parent if cls.has_traits or cls.parent == NONE else self.b.expr(Op.SUPER, cls.symbol)

    def definition(self, full: str, key: str, at: int) -> int:
        """What a full name means: definitions of this file, or what another one has under it."""
        b = self.b
        symbols = self.declared.get(key)
        if symbols is not None:
            return b.unions(b.expr(Op.SYMBOL, symbol) for symbol in symbols)
        name = f"import {full}"
        number = b.names.get(name)
        if number is None or number not in b.module.sources:
            row = b.import_(full, full.rpartition(SEPARATOR)[2], at, ImportFlag.IMPLICIT)
            b.bind(name, SourceKind.IMPORT, row, scope=b.module)
        return b.name_in(b.module, name)

    def function(self, name: str, at: int) -> int:
        """The function that a spelling means; what the own namespace does not have is looked for outside any."""
        return self._unqualified(name, f"{name.lower()}()", at, "()")

    def constant(self, name: str, at: int) -> int:
        return self._unqualified(name, name, at, CONSTANT)

    def _unqualified(self, name: str, key: str, at: int, mark: str) -> int:
        b = self.b
        if SEPARATOR in name:
            full = self.full(name)
            meant = self.definition(full, full.lower() + mark, at)
            is_global = SEPARATOR not in full
            return b.either(meant, b.name(f"{SEPARATOR}{full}")) if is_global else meant
        used = self.function_names.get(key)
        full = used or self.own(name)
        if used is not None or full.lower() + mark in self.declared:
            return self.definition(full, full.lower() + mark, at)
        if self.is_shared and self.namespace:
            return b.either(self.definition(full, full.lower() + mark, at), b.name(name))
        return b.name(name)

    # -- values -----------------------------------------------------------------------------------------------------

    def this(self) -> int:
        return self.b.expr(Op.THIS, self.classes[-1].symbol) if self.classes else self.unknown

    def member(self, of: int, name: str) -> int:
        return self.b.attribute(self.unknown if of == NONE else of, name)

    # -- variables --------------------------------------------------------------------------------------------------

    def variable(self, name: str) -> int:
        return self.this() if name == "$this" else self.b.name(name)

    def assign(self, name: str, kind: int, value: int) -> None:
        """A variable gets a value, for the rest of the current block."""
        if name != "$this":
            self.flow.assign(name, kind, value)

    def add(self, name: str, value: int) -> None:
        """A variable may hold a value beside those that it holds (`$x[] = …`)."""
        if name != "$this":
            self.flow.add(name, value)

    def function_scope(self, symbol: int, visit: Callable[[], object]) -> None:
        """Visits a function, whose variables are its own; a closure is no symbol, NONE."""
        self.functions.append(Function(symbol))
        if symbol == NONE:
            self.functions[-1].templates = self.functions[-2].templates
        self.flow.function(visit)
        self.functions.pop()

    # -- how definitions show in lists ----

    def signature(self, node: Node, end: int) -> str:
        """A definition up to an offset, without its attributes."""
        return self.header(start_of(node), end)

    def doc(self, start: int) -> str:
        """The first sentence of the comment above an offset, without tags."""
        text = summary_above(self.chars, start, line=("//", "#"), block=("/*", "*/"))
        return _BLOCK_TAG.sub("", _INLINE_TAG.sub(r"\1", text)) if "@" in text else text


def start_of(node: Node) -> int:
    """Where a definition begins, behind its attributes."""
    for child in node.children:
        if child.type != ATTRIBUTES:
            return child.start_byte
    return node.start_byte
