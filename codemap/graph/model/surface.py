"""What a file shows to others: the part of its facts that the meaning of another file's expressions can depend on.

Two versions of a file with equal surfaces differ only in what is inside functions, and no other file needs to be bound
again. Where they differ, the difference is a set of *names*: an expression that mentions none of them, and depends on
nothing that does, means what it meant.

Positions, signatures as text, docs and uses are no part of a surface. What is rendered here is compared, never read.

The file is long because whatever a file says of a name is rendered in one walk over its tables.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from functools import cache, cached_property
from typing import NamedTuple

from codemap.facts import (
    FIRST,
    OPERANDS,
    SECOND,
    Base,
    Binding,
    Decorator,
    Export,
    FileFacts,
    Import,
    ImportFlag,
    Op,
    Parameter,
    Part,
    ScopeKind,
    Shape,
    Source,
    SourceKind,
    Symbol,
    SymbolKind,
    plain_name,
    rows,
)
from codemap.languages import by_name

_PUBLIC = (ScopeKind.MODULE, ScopeKind.CLASS)
_OF_NAMES = (Op.GLOBAL, Op.LITERAL, Op.CONTAINER)
_OF_SYMBOLS = (Op.SUPER, Op.SYMBOL, Op.THIS)
_SOURCES_OF_SYMBOLS = (
    *(SourceKind.SYMBOL, SourceKind.SELF, SourceKind.CLASS, SourceKind.PARAMETER),
    SourceKind.TYPE_PARAMETER,
)

ITERATION = ("iter", "async_iter", "next", "async_next")
_OPERATIONS = {
    Op.ITER: ITERATION,
    Op.ITEM: ITERATION,
    Op.CALL: ITERATION,
    Op.ENTER: ("enter", "async_enter", "await"),
    Op.AWAIT: ("await",),
    Op.INDEX: ("index",),
    Op.SPECIAL: (*ITERATION, "index"),
}
"""Operator -> operations whose methods it may run without naming them; what a call runs is not among them."""


@cache
def run_by(lang: str) -> Mapping[int, frozenset[str]]:
    """Operator -> the methods that it may run without naming them, by the language's name."""
    protocols = by_name()[lang].protocols
    return {
        op: frozenset(protocols[operation] for operation in operations if operation in protocols)
        for op, operations in _OPERATIONS.items()
    }


Path = tuple[str | int, ...]
"""A definition by its names, from itself to the outermost, and its ordinal."""

Star = tuple[str, Hashable]
"""What a star import asks for everything of: its specifier, and its path as an expression, or None."""

SYMBOL = "symbol"
"""Heads what is said of a definition; its path is next."""

FLAGS = 3
"""Where in that its flags stand."""

BINDING = "binding"
"""Heads what is said of a name in a namespace, whose path is next."""

PART = "part"
"""Heads what a definition that stands for another says of which one that is."""

CONSTRUCTOR = "constructor"
"""Heads what a class says of itself through a method that calling it runs: who calls the class does not mention it."""


def path_of(names: Sequence[str], symbols: memoryview, row: int) -> Path:
    """The path of a symbol of a file; that of the file itself has no names."""
    ordinal = symbols[row * Symbol.WIDTH + Symbol.ORDINAL]
    chain: list[str] = []
    while row > 0:
        chain.append(names[symbols[row * Symbol.WIDTH + Symbol.NAME]])
        row = symbols[row * Symbol.WIDTH + Symbol.PARENT]
    return (*chain, ordinal)


class Only(NamedTuple):
    """Rows of a file's tables."""

    symbols: Sequence[int]
    bindings: Sequence[int]
    classes: Set[int]
    """Symbols whose bases are meant."""
    has_offers: bool
    """Whether exports and stars are meant."""


class Surface:
    """The surface of one file's facts, or what some of their rows bring to it."""

    def __init__(self, facts: FileFacts, only: Only | None = None) -> None:
        self._facts = facts
        self._only = only
        language = by_name()[facts.lang]
        self._constructors = {*language.constructors, *language.allocators}
        self._run_by = run_by(facts.lang)
        self._names = facts.names
        self._symbols = rows(facts.symbols)
        self._bindings = rows(facts.bindings)
        self._sources = rows(facts.sources)
        self._imports = rows(facts.imports)
        self._exprs = rows(facts.exprs)
        self._rendered: dict[int, Hashable] = {}
        self._open: set[int] = set()
        """Local bindings that are being rendered: one met again is a cycle."""
        self._mentioned: set[str] = set()
        self.shown: dict[str, set[Hashable]] = {}
        """Name -> everything that this file says of it."""
        self.mentions: dict[str, set[str]] = {}
        """Name shown -> names that its meaning may depend on."""
        self.bases: dict[Path, tuple[Hashable, ...]] = {}
        """Class -> its bases as written."""
        self.base_mentions: dict[Path, set[str]] = {}
        """Class with bases -> names that they depend on."""
        self.stars: set[Star] = set()
        """What every exported name of is brought or offered again."""
        self.parts: set[Path] = set()
        """Definitions that stand for one elsewhere."""
        self.shared: set[tuple[object, ...]] = {()} if language.shares_names else set()
        """Namespaces whose members other files may see without naming this one; the file itself has no names."""
        shapes = rows(facts.shapes)
        self._shapes = {shapes[at]: facts.names[shapes[at + 1]] for at in range(0, len(shapes), Shape.WIDTH)}
        self._read()

    def has(self, chain: tuple[object, ...]) -> bool:
        """Whether there is a definition of these names, from itself to the outermost; the file itself has none."""
        return not chain or chain in self._chains

    @cached_property
    def _chains(self) -> set[tuple[str | int, ...]]:
        return {self._path(row)[:-1] for row in range(1, len(self._symbols) // Symbol.WIDTH)}

    def _read(self) -> None:
        facts, only = self._facts, self._only
        symbols = range(1, len(self._symbols) // Symbol.WIDTH) if only is None else only.symbols
        if symbols:
            parameters = self._by_symbol(facts.parameters, Parameter.WIDTH, Parameter.TYPE)
            decorators = self._by_symbol(facts.decorators, Decorator.WIDTH, Decorator.EXPR)
            for row in symbols:
                self._show_symbol(row, parameters.get(row, []), decorators.get(row, []))
        for binding in range(len(self._bindings) // Binding.WIDTH) if only is None else only.bindings:
            if self._bindings[binding * Binding.WIDTH + Binding.SCOPE] in _PUBLIC:
                self._show_binding(binding)
        if only is None or only.has_offers:
            self._show_exports()
        parts = rows(facts.parts)
        for at in range(0, len(parts), Part.WIDTH):
            path = self._path(parts[at])
            self.parts.add(path)
            self._show(self._names[parts[at + Part.NAME]], (PART, path, self._expr(parts[at + Part.EXPR])))
        bases = rows(facts.bases)
        for at in range(0, len(bases), Base.WIDTH):
            if only is not None and bases[at + Base.CLASS] not in only.classes:
                continue
            path = self._path(bases[at + Base.CLASS])
            base = (bases[at + Base.ROLE], self._expr(bases[at + Base.EXPR]))
            self.bases[path] = (*self.bases.get(path, ()), base)
            self.base_mentions.setdefault(path, set()).update(self._taken())

    def _by_symbol(self, table: bytes, width: int, column: int) -> dict[int, list[int]]:
        cells = rows(table)
        found: dict[int, list[int]] = {}
        for at in range(0, len(cells), width):
            found.setdefault(cells[at], []).append(cells[at + column])
        return found

    def _show_symbol(self, row: int, parameters: list[int], decorators: list[int]) -> None:
        at = row * Symbol.WIDTH
        cells = self._symbols
        name = self._names[cells[at + Symbol.NAME]]
        wanted = [self._expr(parameter) for parameter in parameters]
        while wanted and wanted[-1] is None:
            wanted.pop()  # one without a stated type says as much as none
        path = self._path(row)
        if cells[at + Symbol.KIND] == SymbolKind.MODULE and path[1:-1] in self.shared:
            self.shared.add(path[:-1])
        owner = cells[at + Symbol.PARENT]
        if name in self._constructors and owner > 0:
            called = self._names[cells[owner * Symbol.WIDTH + Symbol.NAME]]
            given = self._expr(cells[at + Symbol.TYPE])
            mentioned = set(self._mentioned)
            self._show(called, (CONSTRUCTOR, self._path(owner), tuple(wanted), given))
            self._mentioned = mentioned
        said = (
            SYMBOL,
            path,
            cells[at + Symbol.KIND],
            cells[at + Symbol.FLAGS],
            self._expr(cells[at + Symbol.TYPE]),
            self._expr(cells[at + Symbol.VALUE]),
            tuple(wanted),
            tuple(self._expr(decorator) for decorator in decorators),
            self._shapes.get(row, ""),
        )
        self._show(name, said)

    def _show_binding(self, binding: int) -> None:
        at = binding * Binding.WIDTH
        name = self._names[self._bindings[at + Binding.NAME]]
        said = (BINDING, self._path(self._bindings[at + Binding.SPACE]), self._sources_of(binding))
        if name == "*":
            self._taken()
        else:
            self._show(name, said)

    def _show_exports(self) -> None:
        exports = rows(self._facts.exports)
        for at in range(0, len(exports), Export.WIDTH):
            name, binding, import_ = exports[at], exports[at + Export.BINDING], exports[at + Export.IMPORT]
            if name < 0:
                continue
            said = (
                "export",
                self._binding(binding) if binding >= 0 else None,
                self._import(import_) if import_ >= 0 else None,
            )
            self._show(self._names[name], said)
        for at in range(0, len(self._imports), Import.WIDTH):
            is_implicit = self._imports[at + Import.FLAGS] & ImportFlag.IMPLICIT
            if self._imports[at + Import.IMPORTED] == Import.STAR and not is_implicit:
                specifier = self._names[self._imports[at + Import.SPECIFIER]]
                self.stars.add((specifier, self._expr(self._imports[at + Import.PATH])))
                self._taken()

    def _show(self, name: str, said: Hashable) -> None:
        self.shown.setdefault(name, set()).add(said)
        self.mentions.setdefault(name, set()).update(self._taken())

    def _taken(self) -> set[str]:
        taken, self._mentioned = self._mentioned, set()
        return taken

    def _path(self, row: int) -> Path:
        return path_of(self._names, self._symbols, row)

    def _expr(self, index: int) -> Hashable:
        if index < 0:
            return None
        at = index * 3
        op, a, b = self._exprs[at], self._exprs[at + 1], self._exprs[at + 2]
        if op == Op.NAME:
            return self._binding(a)
        operands = OPERANDS.get(op, 0)
        self._mentioned.update(self._run_by.get(op, ()))
        if op == Op.ATTR:
            return (op, self._expr(a), self._mention(self._names[b]))
        first: Hashable = self._expr(a) if operands & FIRST else a
        second: Hashable = self._expr(b) if operands & SECOND else b
        if op in _OF_NAMES:
            first = self._mention(self._names[a])
        elif op in _OF_SYMBOLS:
            first = self._path(a)
        elif op == Op.NAMED:
            second = self._names[b]
        return (op, first, second)

    def _mention(self, name: str) -> str:
        self._mentioned |= {name, plain_name(name)}
        return name

    def _binding(self, binding: int) -> Hashable:
        """What a head refers to: a public name by name, a local by what is assigned to it."""
        at = binding * Binding.WIDTH
        name = self._mention(self._names[self._bindings[at + Binding.NAME]])
        if self._bindings[at + Binding.SCOPE] in _PUBLIC:
            return ("name", name, self._path(self._bindings[at + Binding.SPACE]))
        if binding in self._open:
            return ("again", name)
        self._open.add(binding)
        said = self._sources_of(binding)
        self._open.discard(binding)
        return ("local", said)

    def _sources_of(self, binding: int) -> Hashable:
        at = binding * Binding.WIDTH
        first, count = self._bindings[at + Binding.FIRST], self._bindings[at + Binding.COUNT]
        return tuple(self._source(source) for source in range(first, first + count))

    def _source(self, source: int) -> Hashable:
        at = source * Source.WIDTH
        kind, a, b = self._sources[at], self._sources[at + 1], self._sources[at + 2]
        if kind in (SourceKind.VALUE, SourceKind.TYPED):
            return (kind, self._expr(a))
        if kind == SourceKind.IMPORT:
            return (kind, self._import(a))
        if kind in _SOURCES_OF_SYMBOLS and a >= 0:
            return (kind, self._path(a), b)
        return (kind, a, b)

    def _import(self, row: int) -> Hashable:
        at = row * Import.WIDTH
        imported = self._imports[at + Import.IMPORTED]
        specifier = self._mention(self._names[self._imports[at + Import.SPECIFIER]])
        wanted: Hashable = imported if imported < 0 else self._mention(self._names[imported])
        return (specifier, wanted, self._expr(self._imports[at + Import.PATH]))
