"""What flows into a place that states no type: the arguments of all calls of a function into its parameters.

Evaluation of a finished snapshot, at the time of a question: whatever the callers are, they are edges already. So an
edit has nothing to invalidate here, and a cycle of calls has the least fixpoint that all evaluation has.
The file is long because it has in one place what is evaluated otherwise than in a build.

Rules of the file:
- Which calls of a function there are is said by `callers`.
- It is followed in languages whose files name the files that they use: all that evaluation reads is in the snapshot
  then, and so is the same however the snapshot came about.
- A method may be called for a value of a class below its own (`self.make()` of a mixin, which has no `make`).
- What a function gives back of its arguments is known at each call of it (`handed_on`).
- A decorator is given what it decorates, and so is the function that a call gives which is a decorator.
- A method that is found by a name which code puts together is given a value of the class that it is named after.
- A test gets in a parameter what the fixture of that name gives, or yields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import partial

import msgspec

from codemap.facts import EXPR_WIDTH, Binding, Op, SourceKind, Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.frameworks.injected_parameters import INJECTED
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.likelihood.called_values import says_only_callable
from codemap.graph.likelihood.callers import Callers
from codemap.graph.likelihood.composed_names import find_named_classes, list_unnamed_methods
from codemap.graph.likelihood.decorators import Decorators
from codemap.graph.likelihood.flow_files import FlowFiles, followed
from codemap.graph.likelihood.handed_on import HandingOn
from codemap.graph.likelihood.stored_elements import StoredElements, list_local_stores, read_local_stores
from codemap.graph.model.definitions import INDEXES, Definitions, Index
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import (
    NOTHING,
    VALUES_MAX,
    Confidence,
    Definition,
    Instance,
    Meaning,
    Outside,
    Value,
    join,
    make_container,
    weaken,
)
from codemap.graph.resolve import bindings, calls, method_resolution_order, protocols, stored_values
from codemap.graph.resolve.outside.unknown_receivers import is_unknown
from codemap.graph.resolve.rules import RULES

_NAMED, _ATTR, _PARAM = int(Op.NAMED), int(Op.ATTR), int(Op.PARAM)
_PARAMETER, _TYPED, _VALUE = int(SourceKind.PARAMETER), int(SourceKind.TYPED), int(SourceKind.VALUE)
_OWN = (int(SourceKind.SELF), int(SourceKind.CLASS))
_OF_CLASS = int(SymbolFlag.STATIC | SymbolFlag.CLASS_METHOD)
_NO_DEFINITIONS: tuple[Index, ...] = tuple({} for _ in INDEXES)
"""They are only looked up in languages whose files share names, whose flow is not followed, and for what is ambient,
which flow does not need."""


Argument = tuple[str, int]
"""The path of a file that calls, and the expression that it hands on."""


class OutOfSteps(Exception):
    """A question went as far as it may."""


class FlowEvaluator(Evaluator):
    """Evaluation that follows arguments into parameters; raises OutOfSteps."""

    def __init__(
        self,
        snapshot: Snapshot,
        stored: StoredElements | None = None,
        unknown: Set[Argument] = frozenset(),
        within: Role | None = None,
    ) -> None:
        """With `stored`, what containers hold is followed, too. Arguments that are `unknown` count as values. Calls are
        followed in files of the role `within`, or in all."""
        super().__init__(FlowFiles(snapshot), snapshot.resolvers, Definitions(snapshot.files, _NO_DEFINITIONS), _RULES)
        self._snapshot = snapshot
        self.is_guessing = False
        """Whether what was found may be members of which no part of the name is known."""
        self.steps = 0
        """Names that may still be looked at before OutOfSteps."""
        self._unknown = unknown
        self._within = within
        self._given: dict[tuple[GraphFile, int], None] = {}
        """The arguments that were handed on, by the files of the calls."""
        self._called_by: dict[int, list[tuple[GraphFile, int]]] = {}
        """Function -> the files and callees' expressions of all its calls."""
        self._calls = Callers(snapshot)
        self._decorators = Decorators(snapshot)
        self.handing_on = HandingOn(snapshot)
        self.stored = stored

    def expr(self, file: GraphFile, index: int) -> Meaning:
        """What an expression denotes, of whichever file: the arguments of a call are of the file that calls."""
        if index >= 0 and (known := (file.memo or file.make_memo())[index]).__class__ is Meaning:
            return known
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
            for node in self._decorators.find_decorated(
                self, file, function, self._calls.list_names(self, file, function)
            ):
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
        if (caller.path, given) in self._unknown:
            return calls.OF_UNKNOWN_TYPE
        self._given[caller, given] = None
        return weaken(self.value_of(self.expr(caller, given)), Confidence.TYPE)

    def list_unknown(self) -> frozenset[Argument]:
        """The arguments that were handed on of which nothing is known; in the course of a cycle nothing is yet."""
        return frozenset(
            (caller.path, given)
            for caller, given in list(self._given)
            if not self.value_of(self.expr(caller, given)).values
        )

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

    def find_named(self, file: GraphFile, function: int, position: int) -> Meaning:
        """What a method that is named after a class is given first."""
        if position:
            return NOTHING
        classes = find_named_classes(self._snapshot, file.language.family, file.name_of(function))
        named = tuple(Instance(cls) for cls in classes)[:VALUES_MAX]
        return Meaning(Confidence.CANDIDATE, named) if named else NOTHING

    def find_own(self, file: GraphFile, kind: int, cls: int) -> Meaning:
        """What a method is called for: a value of its class, or of one below; of one with many below, of the class."""
        node = file.base + cls
        heirs = self._calls.list_heirs(node)
        is_value = kind == SourceKind.SELF
        return Meaning(
            Confidence.EXACT, tuple(Instance(one) if is_value else Definition(one) for one in (node, *heirs))
        )

    def call_handing_on(self, file: GraphFile, callee: int, listed: int, value: Definition) -> Meaning | None:
        """What a call gives of a function that gives back arguments; None where it gives back none."""
        handed = self.handing_on.find(value.node)
        if not handed.parameters:
            return None
        owner = self.file_of_node(value.node)
        row = value.node - owner.base
        shift = self._is_unbound(owner, row, file, callee)
        result = NOTHING
        for name, position in handed.parameters:
            for given in self._list_passed(file, listed, position + shift, name):
                result = join(result, self._read_given(file, given))
        rest = partial(self.evaluate_all, owner, handed.others)
        return join(result, self.ask(owner, ("rest", value.node), rest))

    def look_up_members(self, file: GraphFile, listed: int) -> Meaning:
        """What a function gives that reads a member of its first argument whose name nobody knows."""
        given = self.arguments(file, listed)
        found: dict[int, None] = {}
        for value in self.value_of(self.expr(file, given[0])).values if len(given) > 1 else ():
            if isinstance(value, Instance):
                found |= dict.fromkeys(list_unnamed_methods(self, self._snapshot, value.node))
        self.is_guessing = self.is_guessing or bool(found)
        return Meaning(Confidence.CANDIDATE, tuple(map(Definition, found))) if len(found) <= VALUES_MAX else NOTHING

    def evaluate_all(self, file: GraphFile, exprs: Iterable[int]) -> Meaning:
        """What some expressions of a file hold together."""
        result = NOTHING
        for expr in exprs:
            result = join(result, weaken(self.value_of(self.expr(file, expr)), Confidence.TYPE))
        return result

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
        for listed in followed(caller).lists_of(callee):
            yield from self._list_passed(caller, listed, position, name)

    def _list_passed(self, caller: GraphFile, listed: int, position: int, name: str) -> Iterator[int]:
        """What one call passes at a place or under a name."""
        exprs = caller.exprs
        at, place = listed, 0
        while at >= 0:
            given, at = exprs[at * EXPR_WIDTH + 1], exprs[at * EXPR_WIDTH + 2]
            if given >= 0 and exprs[given * EXPR_WIDTH] == _NAMED:
                if caller.names[exprs[given * EXPR_WIDTH + 2]] == name and exprs[given * EXPR_WIDTH + 1] >= 0:
                    yield exprs[given * EXPR_WIDTH + 1]
            elif place == position and given >= 0:
                yield given
            place += 1

    def _callers(self, file: GraphFile, function: int) -> list[tuple[GraphFile, int]]:
        """The files and callees' expressions of all calls of a function."""
        node = file.base + function
        found = self._called_by.get(node)
        if found is None:
            places = self._calls.list_callers(self, file, function)
            files = self._snapshot.files
            found = self._called_by[node] = [
                (self.files.numbered(number), callee)
                for number, callee in places
                if self._within is None or role_of_file(files[number]) is self._within
            ]
        return found


def _evaluate_binding(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
    """What a binding denotes; a parameter without a stated type, what it is given too."""
    assert isinstance(ev, FlowEvaluator)
    ev.step()
    sources = ev.sources(file, index)
    if len(sources) == 1 and sources[0][0] in _OWN:
        return ev.find_own(file, *sources[0][:2])
    parameters = [(a, b) for kind, a, b in sources if kind == _PARAMETER and a >= 0]
    stores = list_local_stores(file, index) if ev.stored is not None and _is_local(sources) else []
    is_stated = any(kind == _TYPED or (kind == _VALUE and _is_wanted(file, a)) for kind, a, _ in sources)
    assigned = [a for kind, a, _ in sources if kind == _VALUE] if is_stated else []
    if not parameters and not stores and not assigned:
        return bindings.evaluate_binding(ev, file, index)
    cell = file.binding_memo[index]
    known = ev.solver.known(cell)
    if known is not None:
        return known

    def compute() -> Meaning:
        meaning = bindings.evaluate_sources(ev, file, sources)
        if is_stated and meaning.values and not says_only_callable(file, meaning):
            return meaning
        meaning = join(meaning, read_local_stores(ev, file, stores))
        meaning = join(meaning, ev.evaluate_all(file, assigned))
        name = file.names[file.bindings[index * Binding.WIDTH + Binding.NAME]]
        for function, position in parameters:
            meaning = join(meaning, ev.find_given(file, name, function, position))
            meaning = join(meaning, ev.find_injected(file, name, function))
            meaning = join(meaning, ev.find_named(file, function, position))
        return meaning

    return ev.solver.solve(cell, partial(file.binding_memo.__setitem__, index), compute)


def _is_local(sources: Iterable[tuple[int, int, int]]) -> bool:
    """Whether a binding is a variable in a function that is assigned a value, or a parameter."""
    return all(kind in (_PARAMETER, _VALUE, _TYPED) for kind, _, _ in sources)


def _is_wanted(file: GraphFile, expr: int) -> bool:
    """Whether a value is what a function is given by the type that its place asks for."""
    return expr >= 0 and file.exprs[expr * EXPR_WIDTH] == _PARAM


def _read_value(ev: Evaluator, value: Value, confidence: Confidence) -> Meaning:
    """What reading a value gives; of a container, what is put into it, too."""
    assert isinstance(ev, FlowEvaluator)
    held = stored_values.read_value(ev, value, confidence)
    return held if ev.stored is None else join(held, ev.stored.find(ev, value, held))


def _read_values(ev: Evaluator, meaning: Meaning) -> Meaning:
    """The same of several values."""
    result = NOTHING
    for value in meaning.values:
        result = join(result, _read_value(ev, value, meaning.confidence))
    return result


def _evaluate_call(ev: Evaluator, file: GraphFile, callee: int, listed: int) -> Meaning:
    """What a call gives; of a function that gives back what it is given, what this call passes."""
    assert isinstance(ev, FlowEvaluator)
    target = ev.value_of(ev.expr(file, callee))
    handed: list[Meaning] = []
    rest: list[Value] = []
    for value in target.values:
        found = ev.call_handing_on(file, callee, listed, value) if isinstance(value, Definition) else None
        if found is None:
            rest.append(value)
        else:
            handed.append(found)
    if not handed:
        given = calls.evaluate_call(ev, file, callee, listed)
        return _join_unstated(ev, file, target, listed, join(given, _join_returned(ev, target, given)))
    result = calls.evaluate_results(ev, Meaning(target.confidence, tuple(rest))) if rest else NOTHING
    for each in handed:
        result = join(result, each)
    return result


def _join_returned(ev: FlowEvaluator, target: Meaning, stated: Meaning) -> Meaning:
    """What functions return whose stated results say no more than that something of it can be called."""
    result = NOTHING
    for value in target.values if stated.values else ():
        if isinstance(value, Definition):
            owner = ev.file_of_node(value.node)
            row = value.node - owner.base
            if owner.cell(row, Symbol.TYPE) >= 0 and says_only_callable(owner, stated):
                returned = partial(ev.evaluate_all, owner, (owner.cell(row, Symbol.VALUE),))
                result = join(result, ev.ask(owner, ("returned", value.node), returned))
    return result


def _join_unstated(ev: FlowEvaluator, file: GraphFile, target: Meaning, listed: int, result: Meaning) -> Meaning:
    """What a call gives, with what functions outside give of which the language knows more than types say: members by
    unknown names, and what is cast to a type that says no more than that it can be called."""
    names = [value.name.rpartition(".")[2] for value in target.values if isinstance(value, Outside)]
    if any(name in file.language.strings.member_lookups for name in names):
        return join(result, ev.look_up_members(file, listed))
    if any(name in file.language.outside.casts for name in names) and says_only_callable(file, result):
        given = ev.arguments(file, listed)
        for name in names:
            other = 1 - file.language.outside.casts.get(name, -1)
            if 0 <= other < len(given):
                result = join(result, ev.value_of(ev.expr(file, given[other])))
    return result


def _evaluate_prefix(ev: Evaluator, file: GraphFile, of: int, prefix: int) -> Meaning:
    """The members whose names begin so, in whatever file the classes of the values are."""
    text = file.names[file.exprs[prefix * EXPR_WIDTH + 1]]
    found: dict[Definition, None] = {}
    values = ev.value_of(ev.expr(file, of)).values
    for value in values:
        if isinstance(value, Definition | Instance):
            for cls in method_resolution_order.compute_order(ev, value.node).values:
                if isinstance(cls, Definition):
                    owner = ev.file_of_node(cls.node)
                    members = owner.children.get(cls.node - owner.base, {})
                    found |= {
                        Definition(owner.base + row): None for name, row in members.items() if name.startswith(text)
                    }
    held = Meaning(Confidence.CANDIDATE, tuple(found)[:VALUES_MAX]) if found else NOTHING
    return join(held, calls.OF_UNKNOWN_TYPE) if any(map(is_unknown, values)) else held


_FOLLOWED = {Op.PREFIX: _evaluate_prefix, Op.CALL: _evaluate_call}
_EXPRESSIONS = tuple(_FOLLOWED.get(op, RULES.expressions[op]) for op in Op)
_RULES = msgspec.structs.replace(
    RULES, expressions=_EXPRESSIONS, binding=_evaluate_binding, read_value=_read_value, read_values=_read_values
)
