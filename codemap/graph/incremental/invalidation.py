"""Which files an edit makes the graph bind again: those for which a question has another answer now.

Recorded questions are asked again where their owner was edited and may answer otherwise, or where the name that they
look up is found otherwise. A file for which one of its answers differs is *red*: it is bound again, and what others
asked of it is asked again in turn. What is not asked again has the answer that it had, as nothing that it was made of
is different. (The red and green of Salsa's incremental queries, at the grain of a file.)
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

import msgspec
import numpy as np

from codemap.depth import deep_recursion
from codemap.facts import Symbol
from codemap.graph.incremental.other_names import Change, change_of, lookups, rows_after, specifiers_of, symbols_named
from codemap.graph.incremental.questions import Asker, question_of
from codemap.graph.incremental.recording import Recording
from codemap.graph.incremental.states import State
from codemap.graph.model.indexed import IndexedFile
from codemap.graph.model.records import KIND, LISTS, NAME, NUMBER, OFFERS, ROW, Askers, Owner, Records, empty
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS, Meaning
from codemap.graph.resolve.evaluate import Elsewhere, Evaluator
from codemap.graph.resolve.files import GraphFile
from codemap.languages.project import Module, Resolution

_RED_SHARE_MAX = 0.4
"""Beyond this share of the files, binding everything costs no more than finding out."""
_RED_MIN = 8
_ASKED_A_STEP = 16


class Invalidated(NamedTuple):
    """What an edit makes the graph bind again."""

    paths: Set[str]
    """All of these files."""
    changes: Mapping[str, Change]
    """Of these, the files that were edited and are not red: what in them means what it meant keeps its edges."""
    red: Set[Owner]
    records: Records
    """Those of before, with the rows of now and the answers to what was asked again."""


class _TooMany(Exception):
    """So much is to be bound again that everything may as well be."""


def invalidated(
    previous: Snapshot, after: State, changed: Set[str], removed: Set[str]
) -> Generator[None, None, Invalidated | None]:
    """What is to be bound again, None for everything; in steps."""
    if previous.records is None:
        return None
    search = _Search(previous, after, changed, removed)
    try:
        yield from search.run()
    except _TooMany:
        return None
    return search.found


class _Search:
    def __init__(self, previous: Snapshot, after: State, changed: Set[str], removed: Set[str]) -> None:
        assert previous.records is not None
        self._previous = previous
        self._after = after
        self._touched = changed | removed
        self._changes = {
            path: change_of(path, previous.by_path.get(path), after.by_path.get(path)) for path in sorted(self._touched)
        }
        is_kept = {path for path, change in self._changes.items() if change.names is not None}
        self._red: set[Owner] = set(self._touched - is_kept)
        self._red_max = max(_RED_MIN, int(len(after.files) * _RED_SHARE_MAX)) + len(self._red)
        now = {
            path: rows_after(change)
            for path, change in self._changes.items()
            if change.old is not None and not _has_same_rows(change)
        }
        self._records = previous.records.moved(now)
        self._answers: dict[int, int] = {}
        self._asker = Asker(after.evaluator)
        self._askers: Askers | None = None
        self._todo: list[int] = []

    @property
    def found(self) -> Invalidated:
        paths = {path for path in self._red | self._touched if isinstance(path, str) and path in self._after.by_path}
        changes = {path: change for path, change in self._changes.items() if path not in self._red}
        answers = self._records.answers.copy() if self._answers else self._records.answers
        for number, answer in self._answers.items():
            answers[number] = answer
        return Invalidated(paths, changes, self._red, msgspec.structs.replace(self._records, answers=answers))

    def run(self) -> Generator[None, None, None]:
        """Raises _TooMany."""
        self._begin()
        yield
        while self._todo:
            step = self._todo[-_ASKED_A_STEP:]
            del self._todo[-_ASKED_A_STEP:]
            with deep_recursion():
                for number in step:
                    self._ask(number)
            yield

    def _begin(self) -> None:
        records = self._records
        listed: set[str] = set()
        members: set[str] = set()
        is_moved = not self._after.by_path.has_keys_of(self._previous.by_path)
        is_included_otherwise = is_moved
        for change in self._changes.values():
            self._todo += self._owned(change)
            found = lookups(change)
            listed |= found.listed
            members |= found.members
            old, new = change.old, change.new
            if old is not None and new is not None:
                is_moved |= old.packages != new.packages
                is_included_otherwise |= change.names is None and specifiers_of(old) != specifiers_of(new)
        asked = np.zeros(len(records), dtype=np.bool_)
        if members:
            asked |= records.of_kinds(("member",)) & records.looked_up(members)
        if listed:
            asked |= records.of_kinds((*LISTS, "seen")) & records.looked_up(listed)
        if is_moved:
            asked |= records.of_kinds(("child",))
            for file in self._after.files:
                if file.path not in self._touched and self._is_elsewhere(file):
                    self._redden(file.path)
        if is_included_otherwise:
            asked |= records.of_kinds(("seen",))
        self._todo += np.flatnonzero(asked).tolist()

    def _owned(self, change: Change) -> list[int]:
        """The questions that an edited file may answer otherwise."""
        records = self._records
        owned = records.owned_by(change.path)
        if change.names is None:
            return list(owned.tolist())
        has_other_offers = change.has_other_offers
        if not len(owned) or not (change.names or has_other_offers):
            return []
        assert change.new is not None
        cells = records.cells[owned]
        is_asked = np.isin(cells[:, ROW], [-1, *symbols_named(change.new, change.names)])
        is_asked |= np.isin(cells[:, NAME], records.words.numbers(change.names))
        is_asked |= np.isin(cells[:, KIND], [NUMBER[kind] for kind in (OFFERS if has_other_offers else ())])
        return list(owned[is_asked].tolist())

    def _ask(self, number: int) -> None:
        """Asks a question again, and notes who depends on it where its answer differs. Raises _TooMany."""
        if number in self._answers:
            return
        answer = self._asker.fingerprint(self._records.question(number))
        self._answers[number] = answer
        if answer != int(self._records.answers[number]):
            if self._askers is None:
                self._askers = self._records.askers()
            for owner in self._askers.of(number):
                self._redden(owner)

    def _redden(self, owner: Owner) -> None:
        if owner not in self._red:
            self._red.add(owner)
            if len(self._red) > self._red_max:
                raise _TooMany
            self._todo += self._records.owned_by(owner).tolist()

    def _is_elsewhere(self, file: IndexedFile) -> bool:
        """Whether an import of a file means another module, or one to which other untouched files belong."""
        left_resolver, right_resolver = self._previous.resolvers.get(file.lang), self._after.resolver(file.lang)
        if left_resolver is None or right_resolver is None:
            return True
        for specifier in specifiers_of(file):
            left, right = left_resolver.resolve(specifier, file.path), right_resolver.resolve(specifier, file.path)
            if left is right:
                continue
            if isinstance(left, Module) and isinstance(right, Module) and (left.files ^ right.files) - self._touched:
                return True
            if _apart_from_files(left) != _apart_from_files(right):
                return True
        return False


def _apart_from_files(resolution: Resolution) -> Resolution:
    """A resolution but for which files the module has besides the first: an import leads to those that it uses."""
    if isinstance(resolution, Module) and resolution.files:
        return msgspec.structs.replace(resolution, files=frozenset({""}))
    return resolution


def _has_same_rows(change: Change) -> bool:
    """Whether each definition has the row that it had."""
    if change.like is None:
        return False
    numbers = change.like.symbols[:-1]
    count = len(change.like.old.symbols) // (4 * Symbol.WIDTH)
    return len(numbers) == count and bool((numbers == np.arange(count)).all())


def record(
    ev: Evaluator, bound: Iterable[str], removed: Iterable[str], known: Invalidated | None
) -> Generator[None, None, Records]:
    """What the files of a state depend on; `bound` were bound as a whole. In steps."""
    recording = Recording(empty() if known is None else known.records)
    for path in removed:
        recording.drop(path)
    replaced: set[Owner] = {*bound, *(known.red if known is not None else ())}
    frames: Sequence[GraphFile | Elsewhere] = (*ev.files.made(), *ev.elsewhere_of.values())
    known_numbers: dict[tuple[object, ...], int] = {}
    closed: dict[int, GraphFile | None] = {}
    for frame in frames:
        owner: Owner = frame.path if isinstance(frame, GraphFile) else frame.key
        if not frame.asked and owner not in replaced:
            continue
        numbers: set[int] = set()
        for key in frame.asked:
            node = key[0]
            if isinstance(node, int):
                if node not in closed:
                    closed[node] = _closed_in(ev, node)
                if closed[node] is frame:
                    continue
            number = known_numbers.get(key)
            if number is None:
                number = known_numbers[key] = recording.number(question_of(ev, key))
            numbers.add(number)
        recording.note(owner, numbers, is_whole=owner in replaced)
        yield
    asker = Asker(ev)
    with deep_recursion():
        for question, number in recording.fresh():
            recording.answer(number, asker.fingerprint(question))
    yield
    return recording.done()


def _closed_in(ev: Evaluator, node: int) -> GraphFile | None:
    """The file in which all that a class or another namespace has members from stands; None where that is not one."""
    file = ev.file_of_node(node)
    if file.cell(node - file.base, Symbol.KIND) not in CLASS_KINDS:
        return file
    known = ev.cells.get(("order", node))
    if not isinstance(known, Meaning):
        return None
    is_closed = all(not isinstance(value.a, int) or ev.file_of_node(value.a) is file for value in known.values)
    return file if is_closed else None
