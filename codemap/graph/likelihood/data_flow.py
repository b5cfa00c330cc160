"""What flows into a place that states no type: the arguments of all calls of a function into its parameters.

Evaluation of a finished snapshot, at the time of a question: whatever the callers are, they are edges already. So an
edit has nothing to invalidate here, and a cycle of calls has the least fixpoint that all evaluation has.

Rules of the file:
- The calls of a method are those of the methods that it overrides, too; those of a constructor are the calls of its
  class.
- It is followed in languages whose files name the files that they use: all that evaluation reads is in the snapshot
  then, and so is the same however the snapshot came about.
- Of a function with more callers than `CALLERS_MAX`, those of the first count.
- A method may be called for a value of a class below its own (`self.make()` of a mixin, which has no `make`).
- A decorator is given what it decorates, and so is the function that a call gives which is a decorator.
- A test gets in a parameter what the fixture of that name gives, or yields.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec
import numpy as np

from codemap.facts import EXPR_WIDTH, Binding, Op, SourceKind, Symbol, SymbolFlag, SymbolKind, UseRole
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.index.columns import columns_of
from codemap.graph.index.injected_parameters import INJECTED
from codemap.graph.index.overrides import overrides
from codemap.graph.likelihood.decorators import Decorators
from codemap.graph.likelihood.flow_files import FlowFiles, followed, keep
from codemap.graph.likelihood.stored_elements import StoredElements
from codemap.graph.model.definitions import INDEXES, Definitions, Index
from codemap.graph.model.edges import EdgeKind, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    VALUES_MAX,
    Confidence,
    Definition,
    Instance,
    Meaning,
    Value,
    join,
    make_container,
    weaken,
)
from codemap.graph.resolve import bindings, calls, method_resolution_order, protocols, stored_values
from codemap.graph.resolve.outside.unknown_receivers import is_of_held
from codemap.graph.resolve.rules import RULES

CALLERS_MAX = 40
HEIRS_MAX = 40
_CALLED, _CALL, _NAMED, _ATTR = int(UseRole.CALL), int(Op.CALL), int(Op.NAMED), int(Op.ATTR)
_CALLS, _EXTENDS = int(EdgeKind.CALLS), int(EdgeKind.EXTENDS)
_PARAMETER, _TYPED = int(SourceKind.PARAMETER), int(SourceKind.TYPED)
_OWN = (int(SourceKind.SELF), int(SourceKind.CLASS))
_OF_CLASS = int(SymbolFlag.STATIC | SymbolFlag.CLASS_METHOD)
_NO_DEFINITIONS: tuple[Index, ...] = tuple({} for _ in INDEXES)
"""They are only looked up in languages whose files share names, whose flow is not followed, and for what is ambient,
which flow does not need."""


class OutOfSteps(Exception):
    """A question went as far as it may."""


class FlowEvaluator(Evaluator):
    """Evaluation that follows arguments into parameters; raises OutOfSteps."""

    def __init__(self, snapshot: Snapshot, stored: StoredElements | None = None) -> None:
        """With `stored`, what containers hold is followed, too."""
        super().__init__(FlowFiles(snapshot), snapshot.resolvers, Definitions(snapshot.files, _NO_DEFINITIONS), _RULES)
        self._snapshot = snapshot
        self.steps = 0
        """Names that may still be looked at before OutOfSteps."""
        self.has_unknown = False
        """Whether some call handed on something of which nothing is known."""
        self._called_by: dict[int, list[tuple[GraphFile, int]]] = {}
        """Function -> the files and callees' expressions of all its calls."""
        self._decorators = Decorators(snapshot)
        self.stored = stored

    def expr(self, file: GraphFile, index: int) -> Meaning:
        """What an expression denotes, of whichever file: the arguments of a call are of the file that calls."""
        solver = self.solver
        frame, solver.frame = solver.frame, file
        found = super().expr(file, index)
        solver.frame = frame
        return found

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps

    def find_given(self, file: GraphFile, name: str, function: int, position: int) -> Meaning:
        """What the calls of a function hand to a parameter, by its name and position."""
        if position < 0:
            element = self._find_given_behind(file, function, ~position)
            return Meaning(Confidence.TYPE, (make_container(element, NOTHING, NOTHING),)) if element.values else NOTHING
        result = NOTHING
        for caller, callee in self._callers(file, function):
            shift = self._is_unbound(file, function, caller, callee)
            for given in self._arguments(caller, callee, position + shift, name):
                result = join(result, self._read_given(caller, given))
        if position == 0:
            for node in self._decorators.find_decorated(self, file, function, self._called_as(file, function)):
                result = join(result, Meaning(Confidence.TYPE, (Definition(node),)))
        return result

    def _find_given_behind(self, file: GraphFile, function: int, position: int) -> Meaning:
        """What the calls of a function hand to a parameter that takes all arguments from a position on."""
        result = NOTHING
        for caller, callee in self._callers(file, function):
            shift = self._is_unbound(file, function, caller, callee)
            for listed in followed(caller).lists_of(callee):
                for given in self.arguments(caller, listed)[position + shift :]:
                    result = join(result, self._read_given(caller, given))
        return result

    def _read_given(self, caller: GraphFile, given: int) -> Meaning:
        value = self.value_of(self.expr(caller, given))
        self.has_unknown = self.has_unknown or not value.values
        return weaken(value, Confidence.TYPE)

    def find_injected(self, file: GraphFile, name: str, function: int) -> Meaning:
        """What a test framework hands to a parameter of a function."""
        result = NOTHING
        for fixture in INJECTED.of(self._snapshot).get((file.base + function, name), ()):
            given = calls.evaluate_function(self, fixture)
            owner = self.file_of_node(fixture)
            flags = owner.cell(fixture - owner.base, Symbol.FLAGS)
            if flags & SymbolFlag.GENERATOR:
                given = protocols.apply_protocol(self, given, "iter")
            elif flags & SymbolFlag.ASYNC:
                given = protocols.apply_protocol(self, given, "await")
            result = join(result, weaken(given, Confidence.TYPE))
        return result

    def find_own(self, file: GraphFile, kind: int, cls: int) -> Meaning:
        """What a method is called for: a value of its class, or of one below; of one with many below, of the class."""
        node = file.base + cls
        heirs = keep(_HEIRS.of(self._snapshot), node, lambda: tuple(self._find_heirs(node)))
        is_value = kind == SourceKind.SELF
        return Meaning(
            Confidence.EXACT, tuple(Instance(one) if is_value else Definition(one) for one in (node, *heirs))
        )

    def _find_heirs(self, cls: int) -> list[int]:
        table, found = self._snapshot.edges, [cls]
        for above in found:
            rows = table.arriving(above)
            heirs = table.source[rows[table.kind[rows] == _EXTENDS]]
            if len(heirs) > HEIRS_MAX and len(distinct(heirs)) > HEIRS_MAX:
                return []
            found += (heir for heir in heirs.tolist() if heir not in found)
            if len(found) > HEIRS_MAX:
                return []
        return found[1:]

    def _is_unbound(self, file: GraphFile, function: int, caller: GraphFile, callee: int) -> bool:
        """Whether a method is called through its class, the instance being the first argument."""
        if file.cell(function, Symbol.FLAGS) & _OF_CLASS or file.cell(function, Symbol.KIND) != SymbolKind.METHOD:
            return False
        at = callee * EXPR_WIDTH
        if caller.exprs[at] != _ATTR:
            return False
        receiver = self.value_of(self.expr(caller, caller.exprs[at + 1]))
        return any(isinstance(value, Definition) for value in receiver.values)

    def _arguments(self, caller: GraphFile, callee: int, position: int, name: str) -> Iterator[int]:
        """What the calls of an expression pass at a place or under a name."""
        exprs = caller.exprs
        for listed in followed(caller).lists_of(callee):
            at, place = listed, 0
            while at >= 0:
                given, at = exprs[at * EXPR_WIDTH + 1], exprs[at * EXPR_WIDTH + 2]
                if given >= 0 and exprs[given * EXPR_WIDTH] == _NAMED:
                    if caller.names[exprs[given * EXPR_WIDTH + 2]] == name:
                        yield exprs[given * EXPR_WIDTH + 1]
                elif place == position and given >= 0:
                    yield given
                place += 1

    def _callers(self, file: GraphFile, function: int) -> list[tuple[GraphFile, int]]:
        """The files and callees' expressions of all calls of a function."""
        node = file.base + function
        found = self._called_by.get(node)
        if found is None:
            places = keep(_CALLERS.of(self._snapshot), node, lambda: tuple(self._find_callers(file, function)))
            found = self._called_by[node] = [(self.files.numbered(number), callee) for number, callee in places]
        return found

    def _find_callers(self, file: GraphFile, function: int) -> Iterator[tuple[int, int]]:
        """The same, with the numbers of the files."""
        table, numbers = self._snapshot.edges, columns_of(self._snapshot).file
        for target in self._called_as(file, function):
            rows = table.arriving(target)
            rows = rows[table.kind[rows] == _CALLS][:CALLERS_MAX]
            columns = table.source[rows], table.first[rows], table.count[rows]
            for source, first, count in zip(*(column.tolist() for column in columns), strict=True):
                caller = followed(self.file_of_node(source))
                sites = {(line, col) for line, col in table.sites[first : first + count].tolist()}
                number = int(numbers[source])
                yield from ((number, expr) for expr in caller.find_callees_at(source - caller.base, sites))

    def _called_as(self, file: GraphFile, function: int) -> list[int]:
        """The nodes by which a function is called."""
        node, owner = file.base + function, file.cell(function, Symbol.PARENT)
        if file.cell(owner, Symbol.KIND) not in CLASS_KINDS:
            return [node]
        if file.name_of(function) in file.language.constructors:
            return [node, *self._heirs(file.base + owner)]
        above = overrides(self._snapshot, np.array([node], dtype=np.int32), downwards=False)[1]
        return [node, *above.tolist()]

    def _heirs(self, cls: int) -> list[int]:
        """A class and those below it that have no constructor of their own."""
        snapshot, table = self._snapshot, self._snapshot.edges
        found = [cls]
        for one in found:
            rows = table.arriving(one)
            for heir in table.source[rows[table.kind[rows] == _EXTENDS]].tolist():
                constructors = self.file_of_node(heir).language.constructors
                names = {snapshot.name_of(child) for child in columns_of(snapshot).children_of(heir).tolist()}
                if heir not in found and names.isdisjoint(constructors) and len(found) < CALLERS_MAX:
                    found.append(heir)
        return found


def _evaluate_binding(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
    """What a binding denotes; a parameter without a stated type, what it is given too."""
    assert isinstance(ev, FlowEvaluator)
    ev.step()
    sources = ev.sources(file, index)
    if len(sources) == 1 and sources[0][0] in _OWN:
        return ev.find_own(file, *sources[0][:2])
    parameters = [(a, b) for kind, a, b in sources if kind == _PARAMETER and a >= 0]
    if not parameters:
        return bindings.evaluate_binding(ev, file, index)
    cell = file.binding_memo[index]
    known = ev.solver.known(cell)
    if known is not None:
        return known

    def compute() -> Meaning:
        meaning = bindings.evaluate_sources(ev, file, sources)
        if not is_of_held(file, meaning) and any(kind == _TYPED for kind, _, _ in sources):
            return meaning
        name = file.names[file.bindings[index * Binding.WIDTH + Binding.NAME]]
        for function, position in parameters:
            meaning = join(meaning, ev.find_given(file, name, function, position))
            meaning = join(meaning, ev.find_injected(file, name, function))
        return meaning

    return ev.solver.solve(cell, partial(file.binding_memo.__setitem__, index), compute)


def _read_value(ev: Evaluator, value: Value, confidence: Confidence) -> Meaning:
    """What reading a value gives; of a container, what is put into it, too."""
    assert isinstance(ev, FlowEvaluator)
    held = stored_values.read_value(ev, value, confidence)
    return held if ev.stored is None else join(held, ev.stored.find(ev, value, held))


def _evaluate_prefix(ev: Evaluator, file: GraphFile, of: int, prefix: int) -> Meaning:
    """The members whose names begin so, in whatever file the classes of the values are."""
    text = file.names[file.exprs[prefix * EXPR_WIDTH + 1]]
    found: dict[Definition, None] = {}
    for value in ev.value_of(ev.expr(file, of)).values:
        if isinstance(value, Definition | Instance):
            for cls in method_resolution_order.compute_order(ev, value.node).values:
                if isinstance(cls, Definition):
                    owner = ev.file_of_node(cls.node)
                    members = owner.children.get(cls.node - owner.base, {})
                    found |= {
                        Definition(owner.base + row): None for name, row in members.items() if name.startswith(text)
                    }
    return Meaning(Confidence.CANDIDATE, tuple(found)[:VALUES_MAX]) if found else NOTHING


_EXPRESSIONS = tuple(_evaluate_prefix if op is Op.PREFIX else RULES.expressions[op] for op in Op)
_RULES = msgspec.structs.replace(RULES, expressions=_EXPRESSIONS, binding=_evaluate_binding, read_value=_read_value)

_CALLERS = Slot[dict[int, tuple[tuple[int, int], ...]]](lambda _: {}, rescore=reuse)
"""Function -> the numbers of files and the callees' expressions of all its calls."""
_HEIRS = Slot[dict[int, tuple[int, ...]]](lambda _: {}, rescore=reuse)
"""Class -> those below it."""
