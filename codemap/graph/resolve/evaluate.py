"""What the expressions of a file mean: the heart of name resolution.

`Evaluator.expr` gives what an expression denotes (a variable denotes its definition); `value_of` what it holds when
something is read from it. Types are in `type_expressions`, operations on values in `members`, `calls` and `protocols`,
modules and exports in `import_resolution`, the order of bases in `method_resolution_order`, members of classes in
`class_members`. No rule names a language: what differs is a field of its `Language` record.

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
    calls,
    class_members,
    extension_methods,
    generics,
    import_resolution,
    members,
    namespaces,
    operators,
    overloads,
    partial_definitions,
    protocols,
    type_expressions,
)
from codemap.graph.resolve.files import GraphFile, GraphFiles
from codemap.graph.resolve.fixpoint import NEVER, Cell, Solver
from codemap.graph.resolve.includes import Includes
from codemap.languages import languages
from codemap.languages.project import ModuleResolver

if TYPE_CHECKING:
    from codemap.graph.resolve.implicit_interfaces import Methods

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


class Evaluator:
    """Evaluation over one set of files; everything computed is kept, so ask it about one state only."""

    def __init__(self, files: GraphFiles, resolvers: Mapping[str, ModuleResolver], definitions: Definitions) -> None:
        self.files = files
        self.definitions = definitions
        """Every file's definitions by name."""
        self.methods: dict[int, Methods] = {}
        """Methods of types and interfaces, by node; see `implicit_interfaces`."""
        self.includes = Includes(files, resolvers)
        self.file_of_node = files.of_node
        self.resolvers = resolvers
        """Language name -> its module resolver for this project."""
        self.containers = frozenset[str]().union(*(language.containers for language in languages()))
        """Names of the generic types of any language whose values hold others."""
        self.class_of = frozenset[str]().union(*(language.class_of for language in languages()))
        """Attributes that give the class of an instance in any language."""
        self.solver = Solver()
        self.spaces: dict[int, tuple[tuple[Value, ...], list[class_members.Space], list[class_members.Stated]]] = {}
        """The order of a class, by node, and the namespaces and metaclasses in it; see `class_members`."""
        self.extensions: dict[tuple[str, str], list[Place]] = {}
        """Functions called as members, by language family and name as calls spell it; see `extension_methods`."""
        self.forms: dict[int, int] = {}
        """What calling a node calls, by node; see `bind`."""
        self.cells: dict[object, Cell] = {}
        """Memo of the questions that are not expressions, by a key that begins with the question's name."""
        self.members: dict[tuple[object, object, bool, str], Meaning] = {}
        """Members that are known for good: of a node, how it was reached, whether itself or a value of it, by name."""

    def ask(self, key: object, compute: Callable[[], Meaning]) -> Meaning:
        """The memoized meaning of a question that is not an expression."""
        cell = self.cells.get(key)
        if cell.__class__ is Meaning:
            return cell
        known = self.solver.known(cell)
        if known is not None:
            return known

        def put(cell: Cell) -> None:
            self.cells[key] = cell

        return self.solver.solve(put, compute)

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
            meaning = members.find_attribute(self, self.value_of(self.expr(file, a)), file.names[b], file)
        elif op == _NAME:
            meaning = self.binding(file, a)
        elif op == _SPECIAL:
            meaning = operators.find_methods(self, file, a, b)
        elif op == _CALL:
            meaning = calls.evaluate_call(self, file, a, b)
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
                return type_expressions.evaluate_type(self, file, a)
            case Op.UNION:
                return join(self.value_of(self.expr(file, a)), self.value_of(self.expr(file, b)))
            case Op.SUPER:
                return one(EXACT, Value(Tag.INSTANCE, partial_definitions.resolve_node(self, file, a), "super"))
            case Op.THIS:
                return one(EXACT, Value(Tag.INSTANCE, partial_definitions.resolve_node(self, file, a)))
            case Op.SYMBOL:
                return partial_definitions.resolve_symbol(self, file, a)
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
                return protocols.evaluate_subscript(self, file, a, b)
            case Op.ITER:
                return protocols.apply_protocol(self, self.value_of(self.expr(file, a)), "iter")
            case Op.ENTER:
                return protocols.apply_protocol(self, self.value_of(self.expr(file, a)), "enter")
            case Op.AWAIT:
                return protocols.apply_protocol(self, self.value_of(self.expr(file, a)), "await")
            case Op.FUNCTION:
                return type_expressions.evaluate_function_type(self, file, a, b)
            case Op.SLOT:
                return calls.find_parameter_type(self, file, a, b)
            case Op.PARAM:
                return calls.find_argument_type(self, file, self.value_of(self.expr(file, a)), b)
            case Op.OTHER:
                return type_expressions.exclude_types(
                    self, self.value_of(self.expr(file, a)), type_expressions.evaluate_type(self, file, b)
                )
            case Op.PREFIX:
                prefix = file.names[file.exprs[b * 3 + 1]]
                return class_members.find_by_prefix(self, file, self.value_of(self.expr(file, a)), prefix)
            case Op.ELSE:
                return overloads.choose_nearer(self, file, a, b)
            case Op.OVERLOAD:
                return overloads.select_overloads(self, file, a, b)
            case Op.EXTENSION:
                name = file.names[file.exprs[b * 3 + 1]]
                return extension_methods.find_extensions(self, file, self.value_of(self.expr(file, a)), name)
            case Op.ITEM:
                return protocols.unpack_item(self, self.value_of(self.expr(file, a)), b)
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
                    return partial_definitions.resolve_symbol(self, file, a)
                memo[index] = meaning = one(EXACT, Value(SYMBOL, file.base + a))
                return meaning
            if kind == _SELF:
                return one(EXACT, Value(INSTANCE, partial_definitions.resolve_node(self, file, a)))
            if kind == _IMPORT:
                return import_resolution.resolve_import(self, file, a)
            if kind in _OF_NOTHING:
                return NOTHING
        known = self.solver.known(cell)
        if known is not None:
            return known
        return self.solver.solve(partial(memo.__setitem__, index), partial(self._binding, file, index))

    def _binding(self, file: GraphFile, index: int) -> Meaning:
        sources = self.sources(file, index)
        if file.language.has_overloads and all(kind == SourceKind.SYMBOL for kind, _, _ in sources):
            return every([partial_definitions.resolve_symbol(self, file, a) for _, a, _ in sources])
        meaning = NOTHING
        for kind, a, b in sources:
            if kind in (SourceKind.SYMBOL, SourceKind.CLASS):
                meaning = join(meaning, partial_definitions.resolve_symbol(self, file, a))
            elif kind == SourceKind.IMPORT:
                meaning = join(meaning, import_resolution.resolve_import(self, file, a))
            elif kind == SourceKind.SELF:
                meaning = join(
                    meaning, one(EXACT, Value(Tag.INSTANCE, partial_definitions.resolve_node(self, file, a)))
                )
            elif kind == SourceKind.TYPE_PARAMETER:
                return one(EXACT, Value(Tag.PARAMETER, file.base + a, b))
        return meaning if meaning.values else self.held(file, sources)

    def held(self, file: GraphFile, sources: list[tuple[int, int, int]]) -> Meaning:
        """What a place holds by its stated types, or else by what is assigned to it."""
        meaning = NOTHING
        for kind, a, _ in sources:
            if kind == SourceKind.TYPED:
                meaning = join(meaning, type_expressions.evaluate_type(self, file, a))
        if meaning.values and type_expressions.is_informative(file.language, meaning):
            return meaning
        given = NOTHING
        for kind, a, _ in sources:
            if kind == SourceKind.VALUE:
                given = join(given, self.value_of(self.expr(file, a)))
        return weaken(given, TYPE) if not meaning.values else join(meaning, type_expressions.select_definitions(given))

    def _global(self, file: GraphFile, name: str) -> Meaning:
        if name in file.language.builtins:
            return one(EXACT, Value(Tag.OUTSIDE, "", name))
        language = file.language
        found = NOTHING if language.sees == "includes" else import_resolution.resolve_starred(self, file, name)
        return found if found.values or not language.shares_names else namespaces.resolve_unbound(self, file, name)

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
        for value in values:
            if value.tag is not SYMBOL or not self._is_type_beside(value, values):
                result = join(result, self._held_by(value, meaning.confidence))
        return result

    def _is_type_beside(self, value: Value, values: tuple[Value, ...]) -> bool:
        """Whether a value is the alias of a type beside a variable of the same name: only that is there at run time."""
        assert isinstance(value.a, int)
        file = self.file_of_node(value.a)
        row = value.a - file.base
        if file.cell(row, _KIND) != _TYPE_ALIAS:
            return False
        same = (file.cell(row, Symbol.PARENT), file.cell(row, Symbol.NAME))
        others = [v.a - file.base for v in values if v.tag is SYMBOL and isinstance(v.a, int)]
        return any(
            0 < other < file.symbol_count
            and file.cell(other, _KIND) in _VALUE_KINDS
            and (file.cell(other, Symbol.PARENT), file.cell(other, Symbol.NAME)) == same
            for other in others
        )

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
            return weaken(calls.evaluate_result(self, value), max(confidence, TYPE))
        if kind in _VALUE_KINDS:
            held = self.ask(("held", node), lambda: self._symbol_value(file, row))
            if value.b is not None:
                held = protocols.read_descriptors(self, held)
                held = generics.substitute_receiver(self, file, row, value.b, held)
            held = weaken(held, max(confidence, TYPE))
            if not class_members.has_members(file, row):
                return held
            is_stated = file.cell(row, Symbol.TYPE) >= 0 and any(v.tag is INSTANCE for v in held.values)
            within = tuple(Value(SYMBOL, v.a, WITHIN) if v.tag is SYMBOL and v.b is None else v for v in held.values)
            own = Value(SYMBOL, node, BEHIND) if is_stated else value
            return join(one(confidence, own), Meaning(held.confidence, within))
        if kind == _TYPE_ALIAS:
            named = self.ask(("alias", node), lambda: self.expr(file, file.cell(row, Symbol.TYPE)))
            return weaken(named, confidence)
        return one(confidence, value)

    def _symbol_value(self, file: GraphFile, row: int) -> Meaning:
        """What a variable or property holds: by the stated type, or else by the values assigned anywhere."""
        stated = file.cell(row, Symbol.TYPE)
        if stated >= 0:
            admitted = type_expressions.evaluate_type(self, file, stated)
            if admitted.values:
                value = file.cell(row, Symbol.VALUE)
                if value < 0 or type_expressions.is_informative(file.language, admitted):
                    return admitted
                return join(admitted, type_expressions.select_definitions(self.value_of(self.expr(file, value))))
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
