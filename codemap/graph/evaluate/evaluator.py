"""The evaluator: computes what the expressions of files denote, each once.

`Evaluator.expr` gives what an expression denotes (a variable denotes its definition); `value_of` what it holds when
something is read from it. What an operator, a binding or a type means is a rule; rules are registered in `rules` and
handed to the evaluator, which knows none of them. They reach one another through the evaluator where they would
otherwise import one another in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from codemap.facts import EXPR_WIDTH, TRIPLE, Binding, Op, Symbol
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.evaluate.fixpoint import NEVER, Cell, Frame, Nobody, Solver
from codemap.graph.evaluate.graph_files import GraphFiles
from codemap.graph.evaluate.includes import Includes
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.places import Place
from codemap.graph.model.values import NOTHING, Confidence, Definition, Meaning, Value, weaken
from codemap.languages import languages
from codemap.project import ModuleResolver

_NAMED = int(Op.NAMED)
TYPE = Confidence.TYPE
_triple, _triples, _TRIPLE_BYTES = TRIPLE.unpack_from, TRIPLE.iter_unpack, TRIPLE.size
_BINDING_WIDTH, _BINDING_FIRST, _BINDING_COUNT = Binding.WIDTH, Binding.FIRST, Binding.COUNT
Space = tuple[Mapping[str, int], Mapping[str, int], GraphFile, int]
"""The bindings and the child symbols of a class by name; its file, and its row there."""
StatedMetaclass = tuple[GraphFile, int]
"""The file and row of a class that states a metaclass."""


class Methods(NamedTuple):
    """The methods that a type has, or an interface asks for."""

    shapes: Mapping[str, str]
    """Name -> shape."""
    hidden_in: frozenset[str]
    """Folders of those that only types in the same one can have."""
    is_open: bool
    """Whether it may have others."""


class Rules(msgspec.Struct, frozen=True):
    """The rules that an evaluator works by, so that it need not import them."""

    expressions: tuple[Callable[[Evaluator, GraphFile, int, int], Meaning], ...]
    """By operator: what an expression denotes, of its operands."""
    binding: Callable[[Evaluator, GraphFile, int], Meaning]
    """What a binding denotes that is not known yet."""
    read_value: Callable[[Evaluator, Value, Confidence], Meaning]
    """What reading a definition gives."""
    read_values: Callable[[Evaluator, Meaning], Meaning]
    """What reading several values gives, definitions among them."""
    type: Callable[[Evaluator, GraphFile, int], Meaning]
    """The values that a type expression admits."""
    attribute: Callable[[Evaluator, Meaning, str], Meaning]
    """What an attribute of some values denotes."""


class Elsewhere(Nobody):
    """The owner of answers that are of no single file."""

    def __init__(self, key: tuple[object, ...]) -> None:
        super().__init__()
        self.key = key


class Evaluator:
    """Evaluation over one set of files; everything computed is kept, so ask it about one state only."""

    def __init__(
        self,
        files: GraphFiles,
        resolvers: Mapping[str, ModuleResolver],
        definitions: Definitions,
        rules: Rules,
    ) -> None:
        self._expressions = rules.expressions
        self._evaluate_binding = rules.binding
        self._read_value = rules.read_value
        self._read_values = rules.read_values
        self._evaluate_type = rules.type
        self._find_attribute = rules.attribute
        self.files = files
        self.definitions = definitions
        """Every file's definitions by name; `look_up` while a file is bound."""
        self.methods: dict[int, Methods] = {}
        """Methods of types and interfaces, by node; see `implicit_interfaces`."""
        self.includes = Includes(files, resolvers)
        self.file_of_node = files.of_node
        self.resolvers = resolvers
        """Language name -> its module resolver for this project."""
        self.containers = frozenset[str]().union(*(language.containers.types for language in languages()))
        self.open_types = frozenset[str]().union(*(language.outside.open_types for language in languages()))
        """Names of the generic container types of any language."""
        self.class_of = frozenset[str]().union(*(language.class_of for language in languages()))
        """Attributes that give the class of an instance in any language."""
        self.solver = Solver()
        self.spaces: dict[int, tuple[tuple[Value, ...], list[Space], list[StatedMetaclass]]] = {}
        """The order of a class, by node, and the namespaces and metaclasses in it; see `class_members`."""
        self.extensions: dict[tuple[str, str], list[Place]] = {}
        """Functions called as members, by language family and name as calls spell it; see `extension_methods`."""
        self.forms: dict[int, int] = {}
        """How calls of a node are bound, by node; see `bind`."""
        self.cells: dict[object, Cell] = {}
        """Memo of the questions that are not expressions, by a key that begins with the question's name."""
        self.elsewhere_of: dict[object, Elsewhere] = {}
        """Owners of what is of no single file, by the question."""
        self.members: dict[tuple[object, object, bool, str], Meaning] = {}
        """Members that are known for good: of a node, how it was reached, whether itself or a value of it, by name."""

    def kind_of_node(self, node: int) -> int:
        """`SymbolKind` of a definition."""
        file = self.file_of_node(node)
        return file.cell(node - file.base, Symbol.KIND)

    def ask(
        self,
        owner: Frame,
        key: tuple[object, ...],
        compute: Callable[[], Meaning],
        cells: dict[object, Cell] | None = None,
    ) -> Meaning:
        """The memoized meaning of a question that is not an expression. It is answered in the terms of its owner;
        where somebody else asks it, that is noted. `cells` are the memo, where it is not `Evaluator.cells`."""
        solver = self.solver
        frame = solver.frame
        if frame is not owner:
            frame.asked[key] = None
        memo = self.cells if cells is None else cells
        cell = memo.get(key)
        if cell.__class__ is Meaning:
            return cell
        if cell is not None:
            known = solver.known(cell)
            if known is not None:
                return known

        def put(cell: Cell) -> None:
            memo[key] = cell

        solver.frame = owner
        found = solver.solve(cell, put, compute)
        solver.frame = frame
        return found

    def elsewhere(self, *key: object) -> Elsewhere:
        """The owner of a question that belongs to no single file."""
        known = self.elsewhere_of.get(key)
        if known is None:
            known = self.elsewhere_of[key] = Elsewhere(key)
        return known

    def forget_answers(self) -> None:
        """Lets go of all answers but for the orders of classes, once nothing is evaluated any more."""
        for file in self.files.made():
            file.forget_answers()
        self.cells = {key: cell for key, cell in self.cells.items() if key[0] == "order"}  # type: ignore[index]
        self.members.clear()
        self.spaces.clear()
        self.forms.clear()

    def note(self, *key: object) -> None:
        """Notes that the answer that is being made depends on what is looked up by a name."""
        self.solver.frame.asked[key] = None

    def look_up(
        self, among: Literal["tops", "parts", "members", "interfaces", "ambients"], family: str, name: str
    ) -> tuple[Place, ...]:
        """Every file's definitions of a name, of one kind; notes that the present answer depends on them."""
        self.solver.frame.asked[among, family, name] = None
        found: tuple[Place, ...] = getattr(self.definitions, among)(family, name)
        return found

    # -- expressions ------------------------------------------------------------------------------------------------

    def expr(self, file: GraphFile, index: int) -> Meaning:
        """What expression row `index` of a file denotes. Of another file than the one that asks, `ask` instead."""
        if index < 0:
            return NOTHING
        memo = file.memo or file.make_memo()
        cell = memo[index]
        if cell.__class__ is Meaning:
            return cell
        solver = self.solver
        if cell is not None:
            known = solver.known(cell)
            if known is not None:
                return known
        outer_low, solver.low = solver.low, NEVER  # `begin`, without a call
        op, a, b = _triple(file.facts.exprs, index * _TRIPLE_BYTES)
        meaning: Meaning = self._expressions[op](self, file, a, b)
        if solver.low == NEVER:
            solver.low = outer_low
            memo[index] = meaning
        else:
            memo[index] = solver.end(outer_low, meaning)
        return meaning

    def arguments(self, file: GraphFile, index: int) -> list[int]:
        """The expressions of an ARG list, without those passed by name; -1 where one is not known."""
        found: list[int] = []
        exprs = file.facts.exprs
        while index >= 0:
            _, argument, index = _triple(exprs, index * _TRIPLE_BYTES)
            if argument >= 0 and file.exprs[argument * EXPR_WIDTH] == _NAMED:
                break  # those behind it are passed by name, too
            found.append(argument)
        return found

    def named_arguments(self, file: GraphFile, index: int) -> dict[str, int]:
        """Name -> expression of those of an ARG list that are passed by name; -1 where one is not known."""
        found: dict[str, int] = {}
        exprs = file.facts.exprs
        while index >= 0:
            _, argument, index = _triple(exprs, index * _TRIPLE_BYTES)
            if argument >= 0 and file.exprs[argument * EXPR_WIDTH] == _NAMED:
                _, value, name = _triple(exprs, argument * _TRIPLE_BYTES)
                found[file.names[name]] = value
        return found

    def binding(self, file: GraphFile, index: int) -> Meaning:
        """What a binding of a file denotes: its definitions and imports, else what it is known to hold."""
        cell = file.binding_memo[index]
        return cell if cell.__class__ is Meaning else self._evaluate_binding(self, file, index)

    def evaluate_name(self, file: GraphFile, space: int, name: str) -> Meaning:
        """What a name denotes in a namespace of another file than the one that asks."""
        binding = file.members.get(space, {}).get(name)
        if binding is None:
            return NOTHING
        return self.ask(file, ("bound", file.base + space, name), lambda: self.binding(file, binding))

    # -- values -------------------------------------------------------------------------------------------------------

    def value_of(self, meaning: Meaning) -> Meaning:
        """The values after reading: variables, properties and accessors are replaced by their values."""
        values = meaning.values
        if len(values) == 1:
            value = values[0]
            return self._read_value(self, value, meaning.confidence) if value.__class__ is Definition else meaning
        for value in values:
            if value.__class__ is Definition:
                break
        else:
            return meaning
        return self._read_values(self, meaning)

    def evaluate_type(self, file: GraphFile, index: int) -> Meaning:
        """The values that a type expression admits."""
        if index < 0:
            return NOTHING
        key = ("instances", file.base, index)
        return self.ask(file, key, lambda: weaken(self._evaluate_type(self, file, index), TYPE))

    def find_attribute(self, receiver: Meaning, name: str) -> Meaning:
        """What `receiver.name` denotes."""
        return self._find_attribute(self, receiver, name)

    # -- tables -------------------------------------------------------------------------------------------------------

    def sources(self, file: GraphFile, binding: int) -> list[tuple[int, int, int]]:
        at = binding * _BINDING_WIDTH
        first, count = file.bindings[at + _BINDING_FIRST], file.bindings[at + _BINDING_COUNT]
        return [*_triples(file.facts.sources[first * _TRIPLE_BYTES : (first + count) * _TRIPLE_BYTES])]
