"""One file of the graph: its facts with the views and indexes that evaluation reads."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from codemap.facts import (
    EXPR_WIDTH,
    Base,
    Binding,
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
    rows,
)
from codemap.graph.model.indexed_file import IndexedFile, table
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.project import Resolution

_IMPLICIT = int(ImportFlag.IMPLICIT)
_HAVE_MEMBERS = np.array([scope in (ScopeKind.MODULE, ScopeKind.CLASS) for scope in ScopeKind])
"""By scope kind."""
_OWN_NAMESPACE = (*CLASS_KINDS, int(SymbolKind.MODULE), int(SymbolKind.VARIABLE))


class GraphFile:
    """Facts of one file while a snapshot is built. `base` is the node of the file; symbol row r is node base + r."""

    __slots__ = (
        "__dict__",
        "asked",
        "base",
        "bases",
        "binding_memo",
        "bindings",
        "exports",
        "exprs",
        "facts",
        "full_names",
        "import_memo",
        "imports",
        "language",
        "memo",
        "names",
        "parameters",
        "path",
        "resolved",
        "sources",
        "spoken",
        "symbols",
        "unbound",
        "uses",
    )
    # What is computed once is in the dictionary, which would slow down all the rest, were it there, too.

    def __init__(self, path: str, facts: FileFacts, language: Language, base: int) -> None:
        self.path = path
        self.facts = facts
        self.language = language
        self.spoken = by_name()[facts.dialect] if facts.dialect else language
        """The language whose rules its definitions follow: a header may be written in C++."""
        self.base = base
        self.names = facts.names
        self.symbols = rows(facts.symbols)
        self.exprs = rows(facts.exprs)
        self.bindings = rows(facts.bindings)
        self.sources = rows(facts.sources)
        self.imports = rows(facts.imports)
        self.exports = rows(facts.exports)
        self.bases = rows(facts.bases)
        self.parameters = rows(facts.parameters)
        self.uses = rows(facts.uses)
        self.resolved: dict[int, Resolution] = {}
        """Row of an import -> what its specifier means; see `import_resolution`."""
        self.full_names: dict[int, str] = {}
        """Symbol -> its dotted name with that of its package; see `partial_definitions`."""
        self.start_answers()

    def start_answers(self) -> None:
        """Makes the places for what is found out in an evaluation, empty."""
        self.memo: list[object] = []
        """Cells of the solver, by expression, none until `make_memo`; likewise by binding and by import."""
        self.binding_memo: list[object] = [None] * (len(self.bindings) // Binding.WIDTH)
        self.import_memo: list[object] = [None] * (len(self.imports) // Import.WIDTH)
        self.unbound: dict[object, object] = {}
        """Cells of the solver, by the question what a name denotes that nothing in the file binds."""
        self.asked: dict[tuple[object, ...], None] = {}
        """Questions that were asked from here of what is not here."""

    @classmethod
    def of(cls, file: IndexedFile, base: int = 0) -> GraphFile:
        """A file of a snapshot, by itself where its nodes do not matter."""
        return cls(file.path, file.facts, by_name()[file.lang], base)

    def make_memo(self) -> list[object]:
        """Makes `memo`, which takes as much memory as most of the facts: few files are asked at a time."""
        self.memo = [None] * (len(self.exprs) // EXPR_WIDTH)
        return self.memo

    def forget_expressions(self) -> None:
        """Lets go of what its expressions and unbound names denote, which others seldom ask; then it is found out
        again."""
        self.memo, self.unbound = [], {}

    def forget_answers(self) -> None:
        """Lets go of all that was found out, once nothing is evaluated any more."""
        self.memo, self.binding_memo, self.import_memo, self.unbound = [], [], [], {}
        self.__dict__.clear()

    @property
    def symbol_count(self) -> int:
        return len(self.symbols) // Symbol.WIDTH

    def cell(self, symbol: int, column: int) -> int:
        return self.symbols[symbol * Symbol.WIDTH + column]

    def name_of(self, symbol: int) -> str:
        return self.names[self.symbols[symbol * Symbol.WIDTH + Symbol.NAME]]

    def is_implicit(self, row: int) -> bool:
        """Whether no statement makes an import."""
        return bool(self.imports[row * Import.WIDTH + Import.FLAGS] & _IMPLICIT)

    @cached_property
    def module_names(self) -> dict[str, int]:
        """Name -> binding, of the module's namespace."""
        return self.members.get(0, {})

    @cached_property
    def members(self) -> dict[int, dict[str, int]]:
        """Symbol -> name -> binding, of modules, classes and whatever else has members."""
        found: dict[int, dict[str, int]] = {}
        names = self.names
        bindings = table(self.facts.bindings, Binding.WIDTH)
        chosen = np.flatnonzero(_HAVE_MEMBERS[bindings[:, Binding.SCOPE]])
        cells = bindings[chosen][:, [Binding.SPACE, Binding.NAME]].tolist()
        for number, (space, name) in zip(chosen.tolist(), cells, strict=True):
            found.setdefault(space, {})[names[name]] = number
        return found

    @cached_property
    def children(self) -> dict[int, dict[str, int]]:
        """Symbol -> name -> the first child symbol of that name, of whatever is a namespace of its own."""
        found: dict[int, dict[str, int]] = {}
        has_overloads, width = self.language.has_overloads, Symbol.WIDTH
        names, kinds, parents = (
            self.symbols[column::width].tolist() for column in (Symbol.NAME, Symbol.KIND, Symbol.PARENT)
        )
        for row in range(1, len(names)):
            if has_overloads and kinds[row] == SymbolKind.METHOD:
                continue  # its members' names are longer than its own
            if kinds[parents[row]] in _OWN_NAMESPACE:
                found.setdefault(parents[row], {}).setdefault(self.names[names[row]], row)
        return found

    @cached_property
    def stand_ins(self) -> dict[int, int]:
        """Symbol that stands for a definition elsewhere -> the expression that means that, or -1."""
        if not self.facts.parts:
            return {}
        parts = rows(self.facts.parts)
        return {parts[at]: parts[at + Part.EXPR] for at in range(0, len(parts), Part.WIDTH)}

    @cached_property
    def shapes(self) -> dict[int, str]:
        """Method -> what it must have in common with one that it implements."""
        shapes = rows(self.facts.shapes)
        return {shapes[at]: self.names[shapes[at + 1]] for at in range(0, len(shapes), Shape.WIDTH)}

    @cached_property
    def own_name_imports(self) -> list[int]:
        """Imports that bind the name that the module declares for itself."""
        imports = self.imports
        found = range(0, len(imports), Import.WIDTH)
        return [at // Import.WIDTH for at in found if imports[at + Import.FLAGS] & ImportFlag.OWN_NAME]

    @cached_property
    def export_rows(self) -> dict[str, int]:
        """Exported name -> row of `exports`; "=" is the module's own value."""
        exports = self.exports
        return {self.names[exports[at]]: at // 5 for at in range(0, len(exports), 5) if exports[at] >= 0}

    @cached_property
    def star_exports(self) -> list[int]:
        """Imports whose every exported name is exported again."""
        exports = self.exports
        return [exports[at + 2] for at in range(0, len(exports), 5) if exports[at] < 0]

    @cached_property
    def parameters_of(self) -> dict[int, list[int]]:
        """Function symbol -> the stated types of its parameters, type expressions or -1, in order."""
        found: dict[int, list[int]] = {}
        for at in range(0, len(self.parameters), Parameter.WIDTH):
            found.setdefault(self.parameters[at], []).append(self.parameters[at + Parameter.TYPE])
        return found

    @cached_property
    def parameter_names_of(self) -> dict[int, list[str]]:
        """Function symbol -> the names of its parameters, in order; empty for a pattern."""
        found: dict[int, list[str]] = {}
        for at in range(0, len(self.parameters), Parameter.WIDTH):
            name = self.parameters[at + Parameter.NAME]
            found.setdefault(self.parameters[at], []).append(self.names[name] if name >= 0 else "")
        return found

    @cached_property
    def base_rows(self) -> dict[int, list[int]]:
        """Class symbol -> rows of `bases`, in the order written, those that state bases."""
        found: dict[int, list[int]] = {}
        for at in range(0, len(self.bases), Base.WIDTH):
            if self.bases[at + Base.ROLE] < Base.METACLASS:
                found.setdefault(self.bases[at], []).append(at // Base.WIDTH)
        return found

    @cached_property
    def generic_bases(self) -> dict[int, list[tuple[int, list[int]]]]:
        """Class symbol -> its bases with type arguments: the expression of each, and those of the arguments."""
        found: dict[int, list[tuple[int, list[int]]]] = {}
        exprs = self.exprs
        for cls, base_rows in self.base_rows.items():
            for row in base_rows:
                expr = self.bases[row * Base.WIDTH + Base.EXPR]
                if exprs[expr * EXPR_WIDTH] == Op.APPLY:
                    listed, at = [], exprs[expr * EXPR_WIDTH + 2]
                    while at >= 0:
                        listed.append(exprs[at * EXPR_WIDTH + 1])
                        at = exprs[at * EXPR_WIDTH + 2]
                    found.setdefault(cls, []).append((expr, listed))
        return found

    @cached_property
    def type_parameters(self) -> dict[int, dict[int, list[int]]]:
        """Symbol -> which of its type parameters -> its bindings, of those that something refers to."""
        found: dict[int, dict[int, list[int]]] = {}
        kinds = self.sources[Source.KIND :: Source.WIDTH].tolist()
        if SourceKind.TYPE_PARAMETER not in kinds:
            return found
        firsts = self.bindings[Binding.FIRST :: Binding.WIDTH].tolist()
        for binding, first in enumerate(firsts):
            if kinds[first] == SourceKind.TYPE_PARAMETER:
                symbol, position = self.sources[first * Source.WIDTH + Source.A], self.sources[first * Source.WIDTH + 2]
                found.setdefault(symbol, {}).setdefault(position, []).append(binding)
        return found

    @cached_property
    def metaclasses(self) -> dict[int, int]:
        """Class symbol -> expression of its metaclass."""
        bases = self.bases
        starts = range(0, len(bases), Base.WIDTH)
        return {bases[at]: bases[at + Base.EXPR] for at in starts if bases[at + Base.ROLE] == Base.METACLASS}

    @cached_property
    def mixins(self) -> frozenset[int]:
        """Class symbols of which only the instances of their heirs inherit."""
        bases = self.bases
        starts = range(0, len(bases), Base.WIDTH)
        return frozenset(bases[at] for at in starts if bases[at + Base.ROLE] == Base.MIXIN)
