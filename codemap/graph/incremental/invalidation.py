"""Which files and definitions an edit invalidates: those for which a recorded question has another answer now.

Recorded questions are asked again where their owner was edited and may answer otherwise, or where the name that they
look up is found otherwise. Where an answer differs, the files that asked are compared again (`file_changes`): where the
question looks for a name, what depends on the answer mentions it, and the rest of the file keeps its edges. A file that
may depend on the answer in another way is *red*: it is bound again as a whole, and what others asked of it is asked
again in turn. What is not asked again has the answer that it had, as nothing that it was made of is different.
(The red and green of Salsa's incremental queries, at the grain of a file.)
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Set
from typing import NamedTuple

import msgspec
import numpy as np

from codemap.depth import deep_recursion
from codemap.facts import Symbol, plain_name
from codemap.graph.incremental.changed_lookups import find_changed_lookups, rows_after, specifiers_of
from codemap.graph.incremental.file_changes import Change, compare_versions, symbols_named
from codemap.graph.incremental.questions import Asker
from codemap.graph.incremental.state import State
from codemap.graph.model.definitions import Definitions, definitions_of
from codemap.graph.model.indexed import IndexedFile
from codemap.graph.model.records import KIND, LISTS, NAME, NUMBER, OF_FIELDS, OFFERS, ROW, Askers, Owner, Records
from codemap.graph.model.snapshot import Snapshot
from codemap.languages.project import Module, Resolution

_RED_SHARE_MAX = 0.4
"""Beyond this share of the files, binding everything costs no more than finding out."""
_RED_MIN = 8
_ASKED_A_STEP = 16
_NAMED = frozenset(NUMBER[kind] for kind in ("member", "offered", "public", "star", "bound", "child"))
"""Questions of a name that whoever depends on the answer mentions."""
_NO_NAMES = frozenset[str]()


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


def invalidate(
    previous: Snapshot, after: State, changed: Set[str], removed: Set[str]
) -> Generator[None, None, Invalidated | None]:
    """What is to be bound again, None for everything; in steps."""
    if previous.records is None:
        return None
    before = previous.definitions or (yield from definitions_of(previous.files))
    search = _Search(previous, before, after, changed, removed)
    try:
        yield from search.run()
    except _TooMany:
        return None
    return search.found


class _Search:
    def __init__(
        self, previous: Snapshot, before: Definitions, after: State, changed: Set[str], removed: Set[str]
    ) -> None:
        assert previous.records is not None
        self._previous = previous
        self._before = before
        self._after = after
        self._touched = changed | removed
        self._changes = {
            path: self._change_of(path, previous.by_path.get(path), after.by_path.get(path))
            for path in sorted(self._touched)
        }
        self._red: set[Owner] = {path for path, change in self._changes.items() if change.names is None}
        self._red_max = max(_RED_MIN, int(len(after.files) * _RED_SHARE_MAX)) + len(self._red)
        now = {
            path: rows_after(change)
            for path, change in self._changes.items()
            if change.old is not None and not _has_same_rows(change)
        }
        self._records = previous.records.moved(now)
        self._seeds: dict[str, set[str]] = {}
        """File that is not red -> names under which others have something else for it."""
        self._seeded: set[str] = set()
        """Files with new seeds."""
        self._answers: dict[int, int] = {}
        self._asker = Asker(after.evaluator)
        self._askers: Askers | None = None
        self._todo: list[int] = []

    @property
    def found(self) -> Invalidated:
        paths = {
            path for path in self._red | self._changes.keys() if isinstance(path, str) and path in self._after.by_path
        }
        changes = {path: change for path, change in self._changes.items() if path not in self._red}
        answers = self._records.answers.copy() if self._answers else self._records.answers
        for number, answer in self._answers.items():
            answers[number] = answer
        return Invalidated(paths, changes, self._red, msgspec.structs.replace(self._records, answers=answers))

    def run(self) -> Generator[None, None, None]:
        """Raises _TooMany."""
        self._begin()
        yield
        while self._todo or self._seeded:
            step = self._todo[-_ASKED_A_STEP:]
            del self._todo[-_ASKED_A_STEP:]
            with deep_recursion():
                for number in step:
                    self._ask(number)
            if not self._todo and self._seeded:
                self._spread(min(self._seeded))
            yield

    def _begin(self) -> None:
        records = self._records
        listed: set[str] = set()
        members: set[str] = set()
        is_moved = not self._after.by_path.has_keys_of(self._previous.by_path)
        is_included_otherwise = is_moved
        for change in self._changes.values():
            self._todo += self._owned(change)
            found = find_changed_lookups(change)
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
            self._seed_guesses(listed)
        if is_moved:
            asked |= records.of_kinds(("child",))
            for file in self._after.files:
                if file.path not in self._red and self._is_elsewhere(file):
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
        offers = OFFERS if change.has_other_offers else ()
        if not len(owned) or not (change.names or offers or change.has_other_members):
            return []
        assert change.new is not None
        cells = records.cells[owned]
        is_asked = np.isin(cells[:, ROW], [-1, *symbols_named(change.new, change.names)])
        is_asked |= np.isin(cells[:, NAME], records.words.numbers(change.names))
        is_asked |= np.isin(cells[:, KIND], [NUMBER[kind] for kind in (*OF_FIELDS, *offers)])
        return list(owned[is_asked].tolist())

    def _ask(self, number: int) -> None:
        """Asks a question again, and notes who depends on it where its answer differs. Raises _TooMany."""
        if number in self._answers:
            return
        answer = self._asker.answer(self._records.question(number)).fingerprint
        self._answers[number] = answer
        if answer != int(self._records.answers[number]):
            if self._askers is None:
                self._askers = self._records.askers()
            name = self._named_by(number)
            for owner in self._askers.of(number):
                if name is None or not isinstance(owner, str):
                    self._redden(owner)
                else:
                    self._seed(owner, name)

    def _seed(self, path: str, name: str) -> None:
        """Notes that what others have under a name may be something else for a file."""
        if path not in self._red and name not in self._seeds.setdefault(path, set()):
            self._seeds[path].add(name)
            self._seeded.add(path)

    def _seed_guesses(self, listed: Set[str]) -> None:
        """Finds who guesses otherwise by some names."""
        names = listed | {plain_name(name) for name in listed}
        seen_otherwise = {
            plain_name(name)
            for change in self._changes.values()
            if change.old is not None and change.new is not None and change.old.is_script != change.new.is_script
            for file in (change.old, change.new)
            for name in file.symbol_names
        }
        definitions = (self._before, self._after.definitions)
        for name, paths in self._records.guessing(names).items():
            families = {path: self._after.by_path[path].family for path in paths if path in self._after.by_path}
            for family in set(families.values()):
                before, after = (each.outcome(family, name) for each in definitions)
                if before != after or name in seen_otherwise:
                    for path in families:
                        if families[path] == family:
                            self._seed(path, name)

    def _named_by(self, number: int) -> str | None:
        """The name that whatever depends on a question mentions; None where something may depend on it unnamed."""
        kind, *_, name, _ = self._records.cells[number].tolist()
        return str(self._records.words.of[name]) if kind in _NAMED else None

    def _spread(self, path: str) -> None:
        """Finds what in a file, and of what it answers, may mean something else by its seeds. Raises _TooMany."""
        self._seeded.discard(path)
        if path in self._red:
            return
        change = self._change_of(path, self._previous.by_path[path], self._after.by_path[path], self._seeds[path])
        if change.names is None:
            self._redden(path)
            return
        self._changes[path] = change
        self._todo += self._owned(change)

    def _change_of(
        self, path: str, old: IndexedFile | None, new: IndexedFile | None, seeds: Set[str] = frozenset()
    ) -> Change:
        """What can have changed in a file: any of it, where it reaches what changed by way of other files."""
        assert self._previous.records is not None
        change = compare_versions(path, old, new, seeds)
        if change.names is not None and not self._previous.records.returns.get(path, _NO_NAMES).isdisjoint(
            change.names
        ):
            return change._replace(names=None, others=None)
        return change

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
