"""What the expressions of a file mean: the heart of name resolution.

`Evaluator.expr` gives what an expression denotes (a variable denotes its definition); `value_of` what it holds when
something is read from it. Types are in `typed`, operations on values in `operate` and `inside`, modules and exports in
`linkage`, classes and members in `classes`. No rule names a language: what differs is a field of its `Language` record.

Confidence is the weakest step's: scope and `self` are `exact`, an import binding is `import`, and whatever needed the
type of a value is `type`.

The file is long because the kinds of expressions and of values that names hold stand together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from codemap.facts import Binding, Op, SourceKind, Symbol, SymbolFlag, SymbolKind
from codemap.graph.model.definitions import Definitions, Place
from codemap.graph.model.values import (
    BEHIND,
    NOTHING,
    WITHIN,
    Confidence,
    Meaning,
    Tag,
    Value,
    container,
    every,
    join,
    one,
    tuple_of,
    weaken,
)
from codemap.graph.resolve import (
    classes,
    extensions,
    generics,
    inside,
    linkage,
    operate,
    overloads,
    prefixes,
    shared,
    special,
    stand_ins,
    typed,
)
from codemap.graph.resolve.files import GraphFile, GraphFiles
from codemap.graph.resolve.includes import Includes
from codemap.graph.resolve.solve import NEVER, Cell, Frame, Nobody, Solver
from codemap.languages import languages
from codemap.languages.project import ModuleResolver

if TYPE_CHECKING:
    from codemap.graph.resolve.structural import Methods

SYMBOL, INSTANCE = Tag.SYMBOL, Tag.INSTANCE
EXACT, IMPORT, TYPE = Confidence.EXACT, Confidence.IMPORT, Confidence.TYPE
ACCESSOR = int(SymbolFlag.ACCESSOR)
_ATTR, _NAME, _SPECIAL, _CALL = int(Op.ATTR), int(Op.NAME), int(Op.SPECIAL), int(Op.CALL)
_VALUE_KINDS = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))
_OF_SYMBOLS = (int(SourceKind.SYMBOL), int(SourceKind.CLASS))
_OF_NOTHING = (int(SourceKind.PARAMETER), int(SourceKind.OPAQUE))
_SELF, _IMPORT = int(SourceKind.SELF), int(SourceKind.IMPORT)
_TYPE_ALIAS = int(SymbolKind.TYPE_ALIAS)
_SYMBOL_WIDTH, _KIND, _FLAGS = Symbol.WIDTH, Symbol.KIND, Symbol.FLAGS
_BINDING_WIDTH, _BINDING_FIRST, _BINDING_COUNT = Binding.WIDTH, Binding.FIRST, Binding.COUNT


class Elsewhere(Nobody):
    """The owner of answers that are of no single file."""

    def __init__(self, key: tuple[object, ...]) -> None:
        super().__init__()
        self.key = key


class Evaluator:
    """Evaluation over one set of files; everything computed is kept, so ask it about one state only."""

    def __init__(self, files: GraphFiles, resolvers: Mapping[str, ModuleResolver], definitions: Definitions) -> None:
        self.files = files
        self.definitions = definitions
        """Every file's definitions by name."""
        self.methods: dict[int, Methods] = {}
        """Methods of types and interfaces, by node; see `structural`."""
        self.includes = Includes(files, resolvers)
        self.file_of_node = files.of_node
        self.resolvers = resolvers
        """Language name -> its module resolver for this project."""
        self.containers = frozenset[str]().union(*(language.containers for language in languages()))
        """Names of the generic types of any language whose values hold others."""
        self.class_of = frozenset[str]().union(*(language.class_of for language in languages()))
        """Attributes that give the class of an instance in any language."""
        self.solver = Solver()
        self.spaces: dict[int, tuple[tuple[Value, ...], list[classes.Space], list[classes.Stated]]] = {}
        """The order of a class, by node, and the namespaces and metaclasses in it; see `classes`."""
        self.extensions: dict[tuple[str, str], list[Place]] = {}
        """Functions called as members, by language family and name as calls spell it; see `extensions`."""
        self.forms: dict[int, int] = {}
        """What calling a node calls, by node; see `bind`."""
        self.cells: dict[object, Cell] = {}
        """Memo of the questions that are not expressions, by a key that begins with the question's name."""
        self.elsewhere_of: dict[object, Elsewhere] = {}
        """Owners of what is of no single file, by the question."""
        self.members: dict[tuple[object, object, bool, str], Meaning] = {}
        """Members that are known for good: of a node, how it was reached, whether itself or a value of it, by name."""

    def ask(self, owner: Frame, key: tuple[object, ...], compute: Callable[[], Meaning]) -> Meaning:
        """The memoized meaning of a question that is not an expression. It is answered in the terms of its owner;
        where somebody else asks it, that is noted."""
        solver = self.solver
        frame = solver.frame
        if frame is not owner:
            frame.asked.add(key)
        cell = self.cells.get(key)
        if cell.__class__ is Meaning:
            return cell
        known = solver.known(cell)
        if known is not None:
            return known

        def put(cell: Cell) -> None:
            self.cells[key] = cell

        solver.frame = owner
        found = solver.solve(put, compute)
        solver.frame = frame
        return found

    def elsewhere(self, *key: object) -> Elsewhere:
        """Stands for the owner of what is asked of no single file."""
        known = self.elsewhere_of.get(key)
        if known is None:
            known = self.elsewhere_of[key] = Elsewhere(key)
        return known

    def note(self, *key: object) -> None:
        """Notes that the answer that is being made depends on what is looked up by a name."""
        self.solver.frame.asked.add(key)

    # -- expressions ------------------------------------------------------------------------------------------------

    def expr(self, file: GraphFile, index: int) -> Meaning:
        """What expression row `index` of a file denotes."""
        if index < 0:
            return NOTHING
        memo = file.memo
        cell = memo[index]
        if cell.__class__ is Meaning:
            return cell
        solver = self.solver
        assert solver.frame is file, "of another file, questions are asked"
        if cell is not None:
            known = solver.known(cell)
            if known is not None:
                return known
        outer_low, solver.low = solver.low, NEVER  # `begin`, without a call
        at = index * 3
        exprs = file.exprs
        op, a, b = exprs[at], exprs[at + 1], exprs[at + 2]
        # Most expressions are one of these, and a member of an enumeration costs more to look up than to compare.
        if op == _ATTR:
            meaning = operate.attribute(self, self.value_of(self.expr(file, a)), file.names[b], file)
        elif op == _NAME:
            meaning = self.binding(file, a)
        elif op == _SPECIAL:
            meaning = special.method(self, file, a, b)
        elif op == _CALL:
            meaning = operate.call(self, file, a, b)
        else:
            meaning = self._compute(file, op, a, b)
        if solver.low == NEVER:
            solver.low = outer_low
            memo[index] = meaning
        else:
            memo[index] = solver.end(outer_low, meaning)
        return meaning

    def _compute(self, file: GraphFile, op: int, a: int, b: int) -> Meaning:
        match op:
            case Op.GLOBAL:
                return self._global(file, file.names[a])
            case Op.INSTANCE:
                return typed.instances(self, file, a)
            case Op.UNION:
                return join(self.value_of(self.expr(file, a)), self.value_of(self.expr(file, b)))
            case Op.SUPER:
                return one(EXACT, Value(Tag.INSTANCE, stand_ins.node_meant(self, file, a), "super"))
            case Op.THIS:
                return one(EXACT, Value(Tag.INSTANCE, stand_ins.node_meant(self, file, a)))
            case Op.SYMBOL:
                return stand_ins.meant(self, file, a)
            case Op.LITERAL:
                return one(EXACT, Value(Tag.OUTSIDE_INSTANCE, "", file.names[a]))
            case Op.CONTAINER:
                element = weaken(self.value_of(self.expr(file, b)), TYPE)
                return one(EXACT, container(element, element, NOTHING, file.names[a]))
            case Op.TUPLE:
                parts = tuple(self.value_of(self.expr(file, part)) for part in self.arguments(file, a))
                return one(EXACT, tuple_of(parts))
            case Op.APPLY:
                return self.expr(file, a)
            case Op.INDEX:
                return inside.index(self, file, a, b)
            case Op.ITER:
                return inside.part(self, self.value_of(self.expr(file, a)), "iter")
            case Op.ENTER:
                return inside.part(self, self.value_of(self.expr(file, a)), "enter")
            case Op.AWAIT:
                return inside.part(self, self.value_of(self.expr(file, a)), "await")
            case Op.FUNCTION:
                return typed.function(self, file, a, b)
            case Op.SLOT:
                return operate.wanted(self, file, a, b)
            case Op.PARAM:
                return operate.slot(self, file, self.value_of(self.expr(file, a)), b)
            case Op.OTHER:
                return typed.other_than(self, self.value_of(self.expr(file, a)), typed.instances(self, file, b))
            case Op.PREFIX:
                prefix = file.names[file.exprs[b * 3 + 1]]
                return prefixes.beginning_with(self, file, self.value_of(self.expr(file, a)), prefix)
            case Op.ELSE:
                return overloads.first(self, file, a, b)
            case Op.OVERLOAD:
                return overloads.fitting(self, file, a, b)
            case Op.EXTENSION:
                name = file.names[file.exprs[b * 3 + 1]]
                return extensions.found(self, file, self.value_of(self.expr(file, a)), name)
            case Op.ITEM:
                return inside.item(self, self.value_of(self.expr(file, a)), b)
            case _:
                return NOTHING

    def arguments(self, file: GraphFile, index: int) -> list[int]:
        """The expressions of an ARG list; -1 where one is not known."""
        found = []
        while index >= 0:
            found.append(file.exprs[index * 3 + 1])
            index = file.exprs[index * 3 + 2]
        return found

    def binding(self, file: GraphFile, index: int) -> Meaning:
        """What a binding of a file denotes: its definitions and imports, else what it is known to hold."""
        memo = file.binding_memo
        cell = memo[index]
        if cell.__class__ is Meaning:
            return cell
        at = index * _BINDING_WIDTH
        bindings = file.bindings
        if bindings[at + _BINDING_COUNT] == 1:
            source = bindings[at + _BINDING_FIRST] * 3
            kind, a = file.sources[source], file.sources[source + 1]
            if kind in _OF_SYMBOLS:
                if a in file.stand_ins:
                    return stand_ins.meant(self, file, a)
                memo[index] = meaning = one(EXACT, Value(SYMBOL, file.base + a))
                return meaning
            if kind == _SELF:
                return one(EXACT, Value(INSTANCE, stand_ins.node_meant(self, file, a)))
            if kind == _IMPORT:
                return linkage.imported(self, file, a)
            if kind in _OF_NOTHING:
                return NOTHING
        assert self.solver.frame is file, "of another file, questions are asked"
        known = self.solver.known(cell)
        if known is not None:
            return known
        return self.solver.solve(partial(memo.__setitem__, index), partial(self._binding, file, index))

    def bound(self, file: GraphFile, space: int, name: str) -> Meaning:
        """What a name denotes in a namespace of another file than the one that asks."""
        binding = file.members.get(space, {}).get(name)
        if binding is None:
            return NOTHING
        return self.ask(file, ("bound", file.base + space, name), lambda: self.binding(file, binding))

    def _binding(self, file: GraphFile, index: int) -> Meaning:
        sources = self.sources(file, index)
        if file.language.has_overloads and all(kind == SourceKind.SYMBOL for kind, _, _ in sources):
            return every([stand_ins.meant(self, file, a) for _, a, _ in sources])
        meaning = NOTHING
        for kind, a, b in sources:
            if kind in (SourceKind.SYMBOL, SourceKind.CLASS):
                meaning = join(meaning, stand_ins.meant(self, file, a))
            elif kind == SourceKind.IMPORT:
                meaning = join(meaning, linkage.imported(self, file, a))
            elif kind == SourceKind.SELF:
                meaning = join(meaning, one(EXACT, Value(Tag.INSTANCE, stand_ins.node_meant(self, file, a))))
            elif kind == SourceKind.TYPE_PARAMETER:
                return one(EXACT, Value(Tag.PARAMETER, file.base + a, b))
        return meaning if meaning.values else self.held(file, sources)

    def held(self, file: GraphFile, sources: list[tuple[int, int, int]]) -> Meaning:
        """What a place holds by its stated types, or else by what is assigned to it."""
        meaning = NOTHING
        for kind, a, _ in sources:
            if kind == SourceKind.TYPED:
                meaning = join(meaning, typed.instances(self, file, a))
        if meaning.values and typed.says_what(file.language, meaning):
            return meaning
        given = NOTHING
        for kind, a, _ in sources:
            if kind == SourceKind.VALUE:
                given = join(given, self.value_of(self.expr(file, a)))
        return weaken(given, TYPE) if not meaning.values else join(meaning, typed.definitions(given))

    def _global(self, file: GraphFile, name: str) -> Meaning:
        if name in file.language.builtins:
            return one(EXACT, Value(Tag.OUTSIDE, "", name))
        language = file.language
        found = NOTHING if language.sees == "includes" else linkage.star_imported(self, file, name)
        return found if found.values or not language.shares_names else shared.unbound(self, file, name)

    # -- values -------------------------------------------------------------------------------------------------------

    def value_of(self, meaning: Meaning) -> Meaning:
        """What is there to read from: variables, properties and accessors give what they hold."""
        values = meaning.values
        if len(values) == 1:
            value = values[0]
            return self._held_by(value, meaning.confidence) if value.tag is SYMBOL else meaning
        for value in values:
            if value.tag is SYMBOL:
                break
        else:
            return meaning
        result = NOTHING
        for value in meaning.values:
            result = join(result, self._held_by(value, meaning.confidence))
        return result

    def _held_by(self, value: Value, confidence: Confidence) -> Meaning:
        if value.tag is not SYMBOL:
            return one(confidence, value)
        node = value.a
        assert isinstance(node, int)
        file = self.file_of_node(node)
        row = node - file.base
        symbols, at = file.symbols, row * _SYMBOL_WIDTH
        kind = symbols[at + _KIND]
        if symbols[at + _FLAGS] & ACCESSOR:
            return weaken(operate.returned(self, value), max(confidence, TYPE))
        if kind in _VALUE_KINDS:
            held = self.held_by_symbol(node)
            if value.b is not None:
                held = generics.seen_through(self, file, row, value.b, held)
            held = weaken(held, max(confidence, TYPE))
            if not classes.has_members(file, row):
                return held
            is_stated = file.cell(row, Symbol.TYPE) >= 0 and any(v.tag is INSTANCE for v in held.values)
            within = tuple(Value(SYMBOL, v.a, WITHIN) if v.tag is SYMBOL and v.b is None else v for v in held.values)
            own = Value(SYMBOL, node, BEHIND) if is_stated else value
            return join(one(confidence, own), Meaning(held.confidence, within))
        if kind == _TYPE_ALIAS:
            return weaken(self.aliased(node), confidence)
        return one(confidence, value)

    def held_by_symbol(self, node: int) -> Meaning:
        """What a variable or property holds."""
        file = self.file_of_node(node)
        return self.ask(file, ("held", node), lambda: self._symbol_value(file, node - file.base))

    def aliased(self, node: int) -> Meaning:
        """What the type of an alias denotes."""
        file = self.file_of_node(node)
        return self.ask(file, ("alias", node), lambda: self.expr(file, file.cell(node - file.base, Symbol.TYPE)))

    def _symbol_value(self, file: GraphFile, row: int) -> Meaning:
        """What a variable or property holds: by the stated type, or else by the values assigned anywhere."""
        stated = file.cell(row, Symbol.TYPE)
        if stated >= 0:
            admitted = typed.instances(self, file, stated)
            if admitted.values:
                value = file.cell(row, Symbol.VALUE)
                if value < 0 or typed.says_what(file.language, admitted):
                    return admitted
                return join(admitted, typed.definitions(self.value_of(self.expr(file, value))))
        meaning = self.value_of(self.expr(file, file.cell(row, Symbol.VALUE)))
        parent = file.cell(row, Symbol.PARENT)
        binding = file.members.get(parent, {}).get(file.names[file.cell(row, Symbol.NAME)])
        if binding is None:
            return meaning
        sources = self.sources(file, binding)
        held = self.held(file, sources)
        is_typed = held.values and any(kind == SourceKind.TYPED for kind, _, _ in sources)
        return held if is_typed else join(meaning, held)

    def sources(self, file: GraphFile, binding: int) -> list[tuple[int, int, int]]:
        at = binding * _BINDING_WIDTH
        first, count = file.bindings[at + _BINDING_FIRST] * 3, file.bindings[at + _BINDING_COUNT] * 3
        cells = file.sources
        return [(cells[s], cells[s + 1], cells[s + 2]) for s in range(first, first + count, 3)]
