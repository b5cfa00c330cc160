"""What speaks for a candidate of an undecided use, and against it, by what is in the source.

Rules of the file:
- Everything is worked out from one snapshot at the time of a question, so no edit can leave any of it stale.
- Work is bounded: data flow looks at so many names as `STEPS_MAX` says, and where that is not enough, says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import cached_property

import msgspec
import numpy as np
from msgspec.structs import replace

from codemap.facts import Symbol, SymbolFlag
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.likelihood.called_values import list_called
from codemap.graph.likelihood.candidates import CANDIDATES_MAX, Form
from codemap.graph.likelihood.class_names import ClassesNames
from codemap.graph.likelihood.data_flow import FlowEvaluator, OutOfSteps
from codemap.graph.likelihood.flow_files import followed
from codemap.graph.likelihood.name_likeness import Likeness, likeness, words_of
from codemap.graph.likelihood.receivers import FileReceivers, Receiver, Sites
from codemap.graph.likelihood.stored_elements import StoredElements
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind, Ints, Unresolved
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Definition, Instance, Meaning
from codemap.graph.resolve.members import find_attribute
from codemap.languages import by_name

STEPS_MAX = 600
"""Names that data flow looks at for one receiver; where that is not enough, it says nothing of it."""
STEPS_IN_ALL = 1_000
"""The same for all uses of a question."""
STEPS_IN_EXPORT = 200_000
"""The same for all uses that there are."""
_IMPORTS = int(EdgeKind.IMPORTS)


class Evidence(msgspec.Struct, frozen=True):
    """About one candidate."""

    is_flowing: bool = False
    """Data flow brings a value whose member it is to the receiver."""
    is_own: bool = False
    """The receiver is `self`, in a class below or above that of the candidate, or of a class without the member above
    it; or there is none, and the candidate is defined in a function around the use."""
    likeness: Likeness = Likeness.NONE
    """Of the receiver's name and that of its class."""
    is_below: bool = False
    """Its class is below one that has the name of the receiver, and no such member itself."""
    met: int = 0
    """Members asked of the receiver that its class has, besides the one that is used."""
    lacking: int = 0
    """Those that it has not; of a class with bases outside, none."""
    is_near: bool = False
    """It is in the file of the use, or in one that this imports."""
    suits: int = 0
    """How much arguments are called like its parameters; below zero where it has too few. Only of many candidates."""


class _Asked(msgspec.Struct, frozen=True):
    receiver: Receiver
    spelled: frozenset[str]
    """Its names: the words of each in lower case and run together."""
    places: frozenset[int]
    """Of the further members that it is asked for, their names' places among those of all nodes."""


class _Flowing(msgspec.Struct, frozen=True):
    members: frozenset[int]
    """The definitions of a member, of the values that flow to a receiver."""
    lacking: frozenset[int]
    """The classes of these values, where none has the member: the value may be of a class below that has it."""


_NOTHING = _Flowing(frozenset(), frozenset())


class Witness:
    """Evidence about the uses of one snapshot, for one question: what was found out for one use helps with the next."""

    def __init__(self, snapshot: Snapshot, steps: int) -> None:
        self._snapshot = snapshot
        self._columns = columns_of(snapshot)
        self.classes = ClassesNames(snapshot)
        self._files: dict[int, FileReceivers] = {}
        self._imported: dict[int, frozenset[int]] = {}
        self._steps = steps
        self._alike: dict[tuple[str, str], Likeness] = {}
        self._asked: dict[tuple[int, int, str], _Asked] = {}
        self._places: dict[str, int] = {}
        self._by_class: dict[Form, dict[str, list[int]]] = {}

    def of(
        self, use: Unresolved, sites: Sites, nodes: Sequence[int], alike: tuple[Form, Ints], most: int, wanted: int
    ) -> dict[int, Evidence]:
        """About the candidates that are weighed for some sites of a use: the first `most`, one that is wanted, and
        those that the receivers lead to by data flow or by name. `alike` is `Candidates.alike` of the use."""
        number = int(self._columns.file[use.source])
        file = self._snapshot.files[number]
        receivers = self._receivers(number).of(use.source - file.base, use, sites)
        found = [self._flowing(number, one, use) for one in receivers] or [self._held(number, use, sites)]
        flowing = frozenset[int]().union(*(one.members for one in found))
        below = frozenset[int]().union(*(one.lacking for one in found))
        asked = [self._ask(number, one, use.name) for one in receivers]
        weighed = dict.fromkeys(nodes[:most])
        if len(nodes) > most:
            led_to = {wanted, *flowing, *self._namesakes(*alike, asked)}
            weighed |= dict.fromkeys(one for one in nodes[most:] if one in led_to)
        around = frozenset[int]() if receivers else self._around(use.source)
        own = [one.own_class + file.base for one in receivers if one.own_class >= 0]
        near = self._near(number)
        about = {one: self._about(one, asked, flowing, own, below, around, near) for one in weighed}
        if len(nodes) <= CANDIDATES_MAX:
            return about
        passed = list(self._receivers(number).arguments_of(use.source - file.base, use, sites))
        return {
            one: replace(evidence, suits=self._suits(one, passed)) if passed else evidence
            for one, evidence in about.items()
        }

    def find_other_names(self, use: Unresolved, sites: Sites) -> frozenset[str]:
        """See `FileReceivers.find_other_names`."""
        number = int(self._columns.file[use.source])
        return self._receivers(number).find_other_names(use.source - self._snapshot.files[number].base, use, sites)

    def _suits(self, candidate: int, passed: Sequence[Sequence[Sequence[str]]]) -> int:
        """How much the arguments of the call that suits a candidate best are called like its parameters."""
        if self._columns.kind[candidate] not in FUNCTION_KINDS:
            return 0
        number = int(self._columns.file[candidate])
        file = self._snapshot.files[number]
        flags = self._snapshot.cell(candidate, Symbol.FLAGS)
        parameters = self._receivers(number).parameters_of(candidate - file.base)
        if flags & SymbolFlag.EXTENSION and by_name()[file.lang].has_extensions:
            parameters = parameters[1:]  # what it is called on
        found = [
            sum(
                max((likeness(name, other) for name in names for other in others), default=Likeness.NONE)
                for names, others in zip(arguments, parameters, strict=False)
            )
            for arguments in passed
            if len(arguments) <= len(parameters) or flags & SymbolFlag.VARIADIC
        ]
        return max(found, default=-1)

    def _around(self, node: int) -> frozenset[int]:
        """The definitions around what a definition uses: itself, and those that it is in."""
        found, parent = [], self._columns.parent
        while parent[node] >= 0:
            found.append(node)
            node = int(parent[node])
        return frozenset(found)

    def _ask(self, number: int, receiver: Receiver, name: str) -> _Asked:
        key = number, receiver.expr, name
        if key not in self._asked:
            spelled = frozenset("".join(words_of(each)) for each in receiver.names) - {""}
            places = frozenset(map(self._place, receiver.asked - {name}))
            self._asked[key] = _Asked(receiver, spelled, places)
        return self._asked[key]

    def _namesakes(self, form: Form, possible: Ints, asked: Sequence[_Asked]) -> Iterator[int]:
        """Of what uses of a form could mean, members of classes that are called like a receiver."""
        by_class = self._by_class.get(form)
        if by_class is None:
            by_class = self._by_class[form] = {}
            owners = self._columns.parent[possible].tolist()
            for one, cls in zip(possible.tolist(), owners, strict=True):
                by_class.setdefault(self.classes.spell(cls), []).append(one)
        for spelled in frozenset[str]().union(*(one.spelled for one in asked)):
            yield from by_class.get(spelled, ())

    def _receivers(self, number: int) -> FileReceivers:
        if number not in self._files:
            self._files[number] = FileReceivers(self._snapshot.files[number].facts)
        return self._files[number]

    def _about(
        self,
        candidate: int,
        asked: Sequence[_Asked],
        flowing: frozenset[int],
        own: Sequence[int],
        below: frozenset[int],
        around: frozenset[int],
        near: frozenset[int],
    ) -> Evidence:
        columns = self._columns
        is_near = int(columns.file[candidate]) in near
        cls = int(columns.parent[candidate])
        if cls < 0 or not ARE_TYPES[columns.kind[cls]]:
            return Evidence(is_flowing=candidate in flowing, is_own=cls in around, is_near=is_near)
        known = self.classes.of(cls)
        alike, met, lacking, is_below = Likeness.NONE, 0, 0, False
        for one in asked:
            alike = max(alike, *(self._likeness(name, known.name) for name in one.receiver.names), Likeness.NONE)
            is_below = is_below or self._is_below(candidate, cls, known.above, one.spelled)
            has = len(one.places & known.names)
            if has >= met:
                met, lacking = has, 0 if known.is_open else len(one.receiver.asked) - 1 - has
        return Evidence(
            is_flowing=candidate in flowing,
            is_own=any(one in known.above or cls in self.classes.of(one).above for one in own)
            or not below.isdisjoint(known.above),
            likeness=alike,
            is_below=is_below,
            met=met,
            lacking=lacking,
            is_near=is_near,
        )

    def _is_below(self, candidate: int, cls: int, above: frozenset[int], spelled: frozenset[str]) -> bool:
        """Whether a class above that of a candidate is called like a receiver, and has no member of the candidate's
        name."""
        named = [known for one in above if one != cls and (known := self.classes.of(one)).spelled in spelled]
        member = int(self._snapshot.node_names.of_node[candidate]) if named else -1
        return any(member not in known.names for known in named)

    def _likeness(self, name: str, cls: str) -> Likeness:
        known = self._alike.get((name, cls))
        if known is None:
            known = self._alike[name, cls] = likeness(name, cls)
        return known

    def _place(self, name: str) -> int:
        """The place of a name among those of all nodes; -1 where none has it."""
        if name not in self._places:
            place = self._snapshot.node_names.place(name)
            self._places[name] = -1 if place is None else place
        return self._places[name]

    def _near(self, number: int) -> frozenset[int]:
        """The numbers of a file and of those that it imports."""
        found = self._imported.get(number)
        if found is None:
            table, base = self._snapshot.edges, self._snapshot.files[number].base
            rows = np.arange(table.out_start[base], table.out_start[base + 1], dtype=np.int32)
            targets = table.target[rows[table.kind[rows] == _IMPORTS]]
            targets = targets[targets < self._snapshot.first_external]
            found = self._imported[number] = frozenset((number, *self._columns.file[targets].tolist()))
        return found

    @cached_property
    def _evaluator(self) -> FlowEvaluator:
        return FlowEvaluator(self._snapshot, StoredElements(self._snapshot))

    def _flowing(self, number: int, receiver: Receiver, use: Unresolved) -> _Flowing:
        """What data flow says of a receiver, and of the member that is asked of it."""
        if by_name()[self._snapshot.files[number].lang].scopes.shares_names or self._steps <= 0:
            return _NOTHING
        file = self._evaluator.files.numbered(number)

        def find(ev: FlowEvaluator) -> _Flowing:
            held = ev.value_of(ev.expr(file, receiver.expr))
            found = find_attribute(ev, held, use.name, file)
            members = _list_definitions(found) | frozenset(list_called(ev, ev.value_of(found)))
            lacking = () if members else (value.node for value in held.values if isinstance(value, Instance))
            return _Flowing(members, frozenset(lacking))

        return self._follow(find)

    def _held(self, number: int, use: Unresolved, sites: Set[tuple[int, int]]) -> _Flowing:
        """What a called variable holds, of a use that names one of several members (`getattr(self, f"on_{x}")`)."""
        if not by_name()[self._snapshot.files[number].lang].holds_functions or self._steps <= 0:
            return _NOTHING
        file = followed(self._evaluator.files.numbered(number))
        callees = file.find_callees_at(use.source - file.base, sites)
        return self._follow(
            lambda ev: _Flowing(
                frozenset().union(*(_list_definitions(ev.value_of(ev.expr(file, expr))) for expr in callees)),
                frozenset(),
            )
        )

    def _follow(self, find: Callable[[FlowEvaluator], _Flowing]) -> _Flowing:
        """What data flow brings to a place, as far as it may be followed."""
        ev = self._evaluator
        ev.steps = steps = min(STEPS_MAX, self._steps)
        try:
            return find(ev)
        except (OutOfSteps, RecursionError):
            del self._evaluator  # what it had begun to ask counts as not known in it
            return _NOTHING
        finally:
            self._steps -= steps - max(0, ev.steps)


def _list_definitions(meaning: Meaning) -> frozenset[int]:
    return frozenset(value.node for value in meaning.values if isinstance(value, Definition))


def is_builtin(snapshot: Snapshot, use: Unresolved) -> bool:
    """Whether values of builtin types have a member of that name."""
    file = snapshot.file_of(use.source)
    return file is not None and use.name in by_name()[file.lang].outside.builtin_members
