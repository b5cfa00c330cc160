"""What the expressions of a file mean: the heart of name resolution.

`Evaluator.expr` gives what an expression denotes (a variable denotes its definition); `value_of` what it holds when
something is read from it; `instances` what a type expression admits. Modules and exports are in `linkage`, classes and
members in `classes`. No rule names a language: what differs is a field of its `Language` record.

Confidence is the weakest step's: scope and `self` are `exact`, an import binding is `import`, and whatever needed the
type of a value is `type`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from codemap.facts import Binding, Op, SourceKind, Symbol, SymbolFlag, SymbolKind
from codemap.graph import classes, linkage
from codemap.graph.files import GraphFile
from codemap.graph.solve import Cell, Solver
from codemap.graph.values import (
    NO_PARTS,
    NOTHING,
    Confidence,
    Meaning,
    Parts,
    Tag,
    Value,
    join,
    one,
    weaken,
)
from codemap.languages.language import Container, Language, Module, ModuleResolver

EXACT, IMPORT, TYPE = Confidence.EXACT, Confidence.IMPORT, Confidence.TYPE
_VALUE_KINDS = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
CLASS_KINDS = (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM)


class Evaluator:
    """Evaluation over one set of files; everything computed is kept, so ask it about one state only."""

    def __init__(
        self,
        files: Mapping[str, GraphFile],
        file_of_node: Callable[[int], GraphFile],
        resolvers: Mapping[str, ModuleResolver],
    ) -> None:
        self.files = files
        self.file_of_node = file_of_node
        self.resolvers = resolvers
        """Language name -> its module resolver for this project."""
        self.solver = Solver()
        self.cells: dict[object, Cell] = {}
        """Memo of the questions that are not expressions, by a key that begins with the question's name."""
        self.orders: dict[int, classes.Order] = {}

    def ask(self, key: object, compute: Callable[[], Meaning]) -> Meaning:
        """The memoized meaning of a question that is not an expression."""
        known = self.solver.known(self.cells.get(key))
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
            return cell  # type: ignore[return-value]  # the class was just compared
        known = self.solver.known(cell)
        if known is not None:
            return known

        def put(cell: Cell) -> None:
            memo[index] = cell

        return self.solver.solve(put, lambda: self._compute(file, index))

    def _compute(self, file: GraphFile, index: int) -> Meaning:
        at = index * 3
        op, a, b = file.exprs[at], file.exprs[at + 1], file.exprs[at + 2]
        match op:
            case Op.ATTR:
                return self.attribute(self.value_of(self.expr(file, a)), file.names[b])
            case Op.NAME:
                return self.binding(file, a)
            case Op.GLOBAL:
                return self._global(file, file.names[a])
            case Op.CALL:
                return self._call(file, a, b)
            case Op.INSTANCE:
                return self.instances(file, a)
            case Op.UNION:
                return join(self.value_of(self.expr(file, a)), self.value_of(self.expr(file, b)))
            case Op.SUPER:
                return one(EXACT, Value(Tag.INSTANCE, file.base + a, "super"))
            case Op.THIS:
                return one(EXACT, Value(Tag.INSTANCE, file.base + a))
            case Op.SYMBOL:
                return one(EXACT, Value(Tag.SYMBOL, file.base + a))
            case Op.LITERAL:
                return one(EXACT, Value(Tag.OUTSIDE_INSTANCE, "", file.names[a]))
            case Op.CONTAINER:
                element = weaken(self.value_of(self.expr(file, b)), TYPE)
                return one(EXACT, Value(Tag.CONTAINER, Parts(element, element, NOTHING), file.names[a]))
            case Op.TUPLE:
                parts = tuple(self.value_of(self.expr(file, part)) for part in self.arguments(file, a))
                return one(EXACT, Value(Tag.TUPLE, parts))
            case Op.APPLY:
                return self.expr(file, a)
            case Op.INDEX:
                return self._index(file, a, b)
            case Op.ITER:
                return self._part(self.value_of(self.expr(file, a)), "iter")
            case Op.ENTER:
                return self._part(self.value_of(self.expr(file, a)), "enter")
            case Op.AWAIT:
                return self._part(self.value_of(self.expr(file, a)), "await")
            case Op.ITEM:
                return self._item(self.value_of(self.expr(file, a)), b)
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
        sources = self.sources(file, index)
        meaning = NOTHING
        for kind, a, _ in sources:
            if kind == SourceKind.SYMBOL:
                meaning = join(meaning, one(EXACT, Value(Tag.SYMBOL, file.base + a)))
            elif kind == SourceKind.IMPORT:
                meaning = join(meaning, linkage.imported(self, file, a))
            elif kind == SourceKind.SELF:
                meaning = join(meaning, one(EXACT, Value(Tag.INSTANCE, file.base + a)))
            elif kind == SourceKind.CLASS:
                meaning = join(meaning, one(EXACT, Value(Tag.SYMBOL, file.base + a)))
        return meaning if meaning.values else self.held(file, sources)

    def held(self, file: GraphFile, sources: list[tuple[int, ...]]) -> Meaning:
        """What a place holds by its stated types, or else by what is assigned to it."""
        meaning = NOTHING
        for kind, a, _ in sources:
            if kind == SourceKind.TYPED:
                meaning = join(meaning, self.instances(file, a))
        if meaning.values:
            return meaning
        for kind, a, _ in sources:
            if kind == SourceKind.VALUE:
                meaning = join(meaning, self.value_of(self.expr(file, a)))
        return weaken(meaning, TYPE)

    def _global(self, file: GraphFile, name: str) -> Meaning:
        if name in file.language.builtins:
            return one(EXACT, Value(Tag.OUTSIDE, "", name))
        return linkage.star_imported(self, file, name)

    # -- values -------------------------------------------------------------------------------------------------------

    def value_of(self, meaning: Meaning) -> Meaning:
        """What is there to read from: variables, properties and accessors give what they hold."""
        if not any(value.tag == Tag.SYMBOL for value in meaning.values):
            return meaning
        result = NOTHING
        for value in meaning.values:
            result = join(result, self._held_by(value, meaning.confidence))
        return result

    def _held_by(self, value: Value, confidence: Confidence) -> Meaning:
        if value.tag != Tag.SYMBOL:
            return one(confidence, value)
        node = value.a
        assert isinstance(node, int)
        file = self.file_of_node(node)
        row = node - file.base
        kind = file.cell(row, Symbol.KIND)
        if kind in _VALUE_KINDS:
            held = self.ask(("held", node), lambda: self._symbol_value(file, row))
            held = weaken(held, max(confidence, TYPE))
            return join(one(confidence, value), held) if classes.has_members(file, row) else held
        if kind == SymbolKind.TYPE_ALIAS:
            return weaken(self.expr(file, file.cell(row, Symbol.TYPE)), confidence)
        if file.cell(row, Symbol.FLAGS) & SymbolFlag.ACCESSOR:
            return weaken(self.result(value), max(confidence, TYPE))
        return one(confidence, value)

    def _symbol_value(self, file: GraphFile, row: int) -> Meaning:
        """What a variable or property holds: by the stated type, or else by the values assigned anywhere."""
        stated = file.cell(row, Symbol.TYPE)
        if stated >= 0:
            typed = self.instances(file, stated)
            if typed.values:
                return typed
        meaning = self.value_of(self.expr(file, file.cell(row, Symbol.VALUE)))
        parent = file.cell(row, Symbol.PARENT)
        binding = file.members.get(parent, {}).get(file.names[file.cell(row, Symbol.NAME)])
        if binding is None:
            return meaning
        sources = self.sources(file, binding)
        held = self.held(file, sources)
        is_typed = held.values and any(kind == SourceKind.TYPED for kind, _, _ in sources)
        return held if is_typed else join(meaning, held)

    def sources(self, file: GraphFile, binding: int) -> list[tuple[int, ...]]:
        at = binding * Binding.WIDTH
        first, count = file.bindings[at + Binding.FIRST], file.bindings[at + Binding.COUNT]
        return [tuple(file.sources[s * 3 : s * 3 + 3]) for s in range(first, first + count)]

    # -- types --------------------------------------------------------------------------------------------------------

    def instances(self, file: GraphFile, index: int) -> Meaning:
        """The values that a type expression admits."""
        if index < 0:
            return NOTHING
        return self.ask(("instances", file.base, index), lambda: weaken(self._instances(file, index), TYPE))

    def _instances(self, file: GraphFile, index: int) -> Meaning:
        at = index * 3
        op, a, b = file.exprs[at], file.exprs[at + 1], file.exprs[at + 2]
        match op:
            case Op.UNION:
                return join(self.instances(file, a), self.instances(file, b))
            case Op.APPLY:
                return self._applied(file, a, self.arguments(file, b))
            case Op.INDEX:
                is_tuple = b >= 0 and file.exprs[b * 3] == Op.TUPLE
                return self._applied(file, a, self.arguments(file, file.exprs[b * 3 + 1]) if is_tuple else [b])
            case Op.CALL:
                position = self._cast_position(file, a)
                arguments = self.arguments(file, b)
                if position is None or position >= len(arguments):
                    return NOTHING
                return self.instances(file, arguments[position])
            case Op.LITERAL | Op.THIS | Op.CONTAINER | Op.TUPLE | Op.INSTANCE:
                return self.expr(file, index)
            case _:
                return self._instances_of(file, self.expr(file, index))

    def _instances_of(self, file: GraphFile, types: Meaning) -> Meaning:
        result = NOTHING
        for value in types.values:
            result = join(result, self._instance_of(value, types.confidence))
        return result

    def _instance_of(self, value: Value, confidence: Confidence) -> Meaning:
        if value.tag == Tag.OUTSIDE:
            return one(confidence, Value(Tag.OUTSIDE_INSTANCE, value.a, value.b))
        if value.tag != Tag.SYMBOL:
            return NOTHING
        node = value.a
        assert isinstance(node, int)
        file = self.file_of_node(node)
        row = node - file.base
        kind = file.cell(row, Symbol.KIND)
        if kind in CLASS_KINDS or kind == SymbolKind.FUNCTION:
            return one(confidence, Value(Tag.INSTANCE, node))
        if kind == SymbolKind.TYPE_ALIAS:
            return weaken(self.instances(file, file.cell(row, Symbol.TYPE)), confidence)
        if kind in _VALUE_KINDS:
            return weaken(self.instances(file, file.cell(row, Symbol.VALUE)), confidence)
        return NOTHING

    def _applied(self, file: GraphFile, base: int, arguments: list[int]) -> Meaning:
        """A type with type arguments."""
        language = file.language
        result = NOTHING
        bases = self.expr(file, base)
        for value in bases.values:
            name = str(value.b).rpartition(".")[2] if value.tag == Tag.OUTSIDE else ""
            if name in language.transparent:
                position = language.transparent[name]
                wanted = arguments if position < 0 else arguments[position : position + 1]
                for argument in wanted:
                    result = join(result, self.instances(file, argument))
            elif name in language.type_of:
                result = join(result, self.expr(file, arguments[0]) if arguments else NOTHING)
            elif name in language.containers:
                parts = self._parts(file, language.containers[name], arguments)
                result = join(result, one(bases.confidence, Value(Tag.CONTAINER, parts, name)))
            else:
                result = join(result, self._instance_of(value, bases.confidence))
        return result

    def _parts(self, file: GraphFile, container: Container, arguments: list[int]) -> Parts:
        def part(position: int) -> Meaning:
            if not 0 <= position < len(arguments):
                return NOTHING
            return self.instances(file, arguments[position])

        return Parts(part(container.element), part(container.value), part(container.result))

    def _cast_position(self, file: GraphFile, callee: int) -> int | None:
        for value in self.expr(file, callee).values:
            if value.tag == Tag.OUTSIDE:
                return file.language.casts.get(str(value.b).rpartition(".")[2])
        return None

    # -- operations -----------------------------------------------------------------------------------------------------

    def attribute(self, receiver: Meaning, name: str) -> Meaning:
        """What `receiver.name` denotes."""
        result = NOTHING
        for value in receiver.values:
            match value.tag:
                case Tag.MODULE:
                    assert isinstance(value.a, Module)
                    found = linkage.module_member(self, value.a, name, str(value.b))
                    found = weaken(found, max(receiver.confidence, IMPORT))
                case Tag.SYMBOL | Tag.INSTANCE:
                    found = weaken(classes.member(self, value, name), receiver.confidence)
                case Tag.OUTSIDE:
                    dotted = f"{value.b}.{name}" if value.b else name
                    found = one(receiver.confidence, Value(Tag.OUTSIDE, value.a, dotted))
                case Tag.OUTSIDE_INSTANCE:
                    found = one(receiver.confidence, Value(Tag.OUTSIDE, value.a, ""))
                case Tag.CONTAINER:
                    found = one(receiver.confidence, Value(Tag.CONTAINER_METHOD, value.a, name))
                case _:
                    found = one(receiver.confidence, Value(Tag.OUTSIDE, "", ""))
            result = join(result, found)
        return result

    def _call(self, file: GraphFile, callee: int, arguments: int) -> Meaning:
        result = NOTHING
        target = self.value_of(self.expr(file, callee))
        for value in target.values:
            if value.tag == Tag.OUTSIDE:
                found = self._call_outside(file, value, arguments)
            elif value.tag == Tag.CONTAINER_METHOD:
                found = self._call_container(file, value)
            else:
                found = self.result(value)
            result = join(result, weaken(found, max(target.confidence, TYPE)))
        return result

    def _call_outside(self, file: GraphFile, value: Value, arguments: int) -> Meaning:
        language = file.language
        name = str(value.b).rpartition(".")[2]
        if arguments >= 0:
            given = self.arguments(file, arguments)
            if name in language.casts and language.casts[name] < len(given):
                return self.instances(file, given[language.casts[name]])
            if name in language.forwarders:
                return self.value_of(self.expr(file, given[0]))
            if name in language.containers:
                element = self._part(self.value_of(self.expr(file, given[0])), "iter")
                return one(TYPE, Value(Tag.CONTAINER, Parts(element, element, NOTHING), name))
        return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, value.a, value.b))

    def _call_container(self, file: GraphFile, value: Value) -> Meaning:
        parts = value.a
        assert isinstance(parts, Parts)
        match file.language.container_methods.get(str(value.b)):
            case "element":
                return parts.element
            case "value":
                return parts.value
            case "result":
                return parts.result
            case "self":
                return one(TYPE, Value(Tag.CONTAINER, parts))
            case "elements":
                return one(TYPE, Value(Tag.CONTAINER, Parts(parts.element, parts.element, NOTHING)))
            case "values":
                return one(TYPE, Value(Tag.CONTAINER, Parts(parts.value, parts.value, NOTHING)))
            case "items":
                pair = one(TYPE, Value(Tag.TUPLE, (parts.element, parts.value)))
                return one(TYPE, Value(Tag.CONTAINER, Parts(pair, pair, NOTHING)))
            case _:
                return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, "", ""))

    def result(self, value: Value) -> Meaning:
        """What calling a value gives."""
        match value.tag:
            case Tag.INSTANCE:
                return self._protocol(value, "call")
            case Tag.MODULE:
                assert isinstance(value.a, Module)
                return self._results(self.value_of(linkage.module_value(self, value.a)))
            case Tag.SYMBOL:
                node = value.a
                assert isinstance(node, int)
                file = self.file_of_node(node)
                row = node - file.base
                kind = file.cell(row, Symbol.KIND)
                if kind in CLASS_KINDS:
                    return one(TYPE, Value(Tag.INSTANCE, node))
                if kind not in (SymbolKind.FUNCTION, SymbolKind.METHOD):
                    return NOTHING
                result = self.ask(("result", node), lambda: self._function_result(file, row))
                if not result.values and classes.has_members(file, row):
                    return one(TYPE, Value(Tag.INSTANCE, node))
                return self._for_receiver(file, row, value.b, result)
            case Tag.OUTSIDE | Tag.OUTSIDE_INSTANCE:
                return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, value.a, ""))
            case _:
                return NOTHING

    def _results(self, callees: Meaning) -> Meaning:
        result = NOTHING
        for value in callees.values:
            result = join(result, weaken(self.result(value), callees.confidence))
        return result

    def _function_result(self, file: GraphFile, row: int) -> Meaning:
        flags = file.cell(row, Symbol.FLAGS)
        stated = file.cell(row, Symbol.TYPE)
        if stated >= 0:
            result = self.instances(file, stated)
            is_wrapped = flags & SymbolFlag.ASYNC and "await" in file.language.protocols
        else:
            result = weaken(self.value_of(self.expr(file, file.cell(row, Symbol.VALUE))), TYPE)
            if result.values and flags & SymbolFlag.GENERATOR:
                return one(TYPE, Value(Tag.CONTAINER, Parts(result, NOTHING, result)))
            is_wrapped = flags & SymbolFlag.ASYNC
        if is_wrapped and result.values:
            return one(TYPE, Value(Tag.CONTAINER, NO_PARTS._replace(result=result)))
        return result

    def _for_receiver(self, file: GraphFile, row: int, receiver: object, result: Meaning) -> Meaning:
        """A method's result where it says "whatever I was called on": `Self`, or a plain `return self`."""
        owner = file.base + file.cell(row, Symbol.PARENT)
        this = receiver if isinstance(receiver, int) else owner
        is_stated = file.cell(row, Symbol.TYPE) >= 0
        values = []
        for value in result.values:
            names_self = value.tag == Tag.OUTSIDE_INSTANCE and str(value.b) in file.language.self_types
            returns_self = not is_stated and value.tag == Tag.INSTANCE and value.a == owner
            values.append(Value(Tag.INSTANCE, this) if names_self or returns_self else value)
        return Meaning(result.confidence, tuple(values))

    def _protocol(self, value: Value, operation: str) -> Meaning:
        """The result of the method that the value's class has for an operation."""
        node = value.a
        assert isinstance(node, int)
        method = self.file_of_node(node).language.protocols.get(operation)
        if method is None:
            return NOTHING
        return self._results(self.value_of(classes.member(self, value, method)))

    def _part(self, whole: Meaning, operation: str) -> Meaning:
        """What iterating, entering, awaiting or indexing gives."""
        result = NOTHING
        for value in whole.values:
            result = join(result, weaken(self._part_of(value, operation), max(whole.confidence, TYPE)))
        return result

    def _part_of(self, value: Value, operation: str) -> Meaning:
        match value.tag:
            case Tag.CONTAINER:
                parts = value.a
                assert isinstance(parts, Parts)
                if operation == "iter":
                    return parts.element
                if operation == "index":
                    return parts.value
                return parts.result if parts.result.values or operation == "await" else parts.element
            case Tag.TUPLE:
                assert isinstance(value.a, tuple)
                result = NOTHING
                for part in value.a:
                    result = join(result, part)
                return result
            case Tag.INSTANCE:
                return self._part_of_instance(value, operation)
            case Tag.OUTSIDE | Tag.OUTSIDE_INSTANCE:
                return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, value.a, ""))
            case Tag.SYMBOL if operation == "index":
                return one(TYPE, value)
            case _:
                return NOTHING

    def _part_of_instance(self, value: Value, operation: str) -> Meaning:
        result = self._protocol(value, operation)
        if operation == "iter":
            result = join(result, self._protocol(value, "async_iter"))
            elements = self._part(Meaning(result.confidence, tuple(v for v in result.values if v != value)), "iter")
            if elements.values:
                return elements
            for iterator in result.values:
                if iterator.tag == Tag.INSTANCE:
                    elements = join(elements, self._protocol(iterator, "next"))
            return elements
        if operation == "enter":
            return join(result, self._part(self._protocol(value, "async_enter"), "await"))
        if operation == "await" and "await" not in self._language_of(value).protocols:
            return one(TYPE, value)
        return result

    def _language_of(self, value: Value) -> Language:
        assert isinstance(value.a, int)
        return self.file_of_node(value.a).language

    def _index(self, file: GraphFile, of: int, key: int) -> Meaning:
        whole = self.value_of(self.expr(file, of))
        return self._part(whole, "index")

    def _item(self, whole: Meaning, position: int) -> Meaning:
        result = NOTHING
        for value in whole.values:
            if value.tag == Tag.TUPLE:
                assert isinstance(value.a, tuple)
                part = value.a[position] if position < len(value.a) else NOTHING
            else:
                part = self._part_of(value, "iter")
            result = join(result, weaken(part, max(whole.confidence, TYPE)))
        return result
