"""Which files and definitions an edit invalidates: those for which a recorded question has another answer now.

A recorded question is asked again, of the states before and after, if the file that answers it was edited in a way that
may change the answer, or if the name that it looks up may now be found elsewhere. Where the two answers differ, the
files that asked are compared again (`file_changes`): if the question looks up a name, only the uses of that name in the
asking file are bound again, and its other edges are kept. A file that may depend on the answer in another way is *red*:
it is bound again as a whole, and what others asked of it is asked again in turn. A question that is not asked again
keeps its answer, as none of its inputs changed. (The red and green of Salsa's incremental queries, by file.)
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Set
from typing import NamedTuple

import numpy as np

from codemap.depth import deep_recursion
from codemap.graph.incremental.answer_comparison import Numbers
from codemap.graph.incremental.changed_lookups import find_changed_lookups, imports_otherwise, specifiers_of
from codemap.graph.incremental.dependency_graph import DependencyGraph, Owner
from codemap.graph.incremental.file_changes import Change, compare_versions, symbols_named
from codemap.graph.incremental.questions import Asker, Question
from codemap.graph.incremental.renumbering import renumber_files, renumber_nodes
from codemap.graph.incremental.state import State
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.records import FORM, GONE, LISTS, NODE, OF_FIELDS, OFFERS, Records
from codemap.graph.model.snapshot import Snapshot
from codemap.mangled_names import demangle

_RED_SHARE_MAX = 0.4
"""Beyond this share of the files, binding everything costs no more than finding out."""
_RED_MIN = 8
"""So many files are always bound again one by one."""
_ASKED_A_STEP = 16
"""Questions asked before other work may run."""
_RETURNS_MAX = 256
"""At most so many questions are asked again to see whether their answers contain definitions of the asking file; a file
with more is bound again as a whole."""
_NAMED = frozenset(("member", "offered", "public", "star", "bound", "child"))
"""Kinds of questions about a name: whoever depends on the answer to one spells the name."""


class Invalidated(NamedTuple):
    """What an edit makes the graph bind again."""

    paths: Set[str]
    """All of these files."""
    changes: Mapping[str, Change]
    """Of these, those that are not red: they are compared use by use, and what means what it meant keeps its edges."""
    red: Set[Owner]
    records: Records
    """Those of before, numbered as now."""


class _TooMany(Exception):
    """So much is to be bound again that everything may as well be."""


def invalidate(
    previous: Snapshot, before: Definitions, after: State, changed: Set[str], removed: Set[str]
) -> Generator[None, None, Invalidated | None]:
    """What is to be bound again, None for everything; in steps. `previous` has records, and the definitions
    `before`."""
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
        self._before = State(previous.by_path, previous.bases, before, previous.resolvers)
        self._after = after
        self._touched = changed | removed
        self._records = previous.records
        """Numbered as before, as all questions here are."""
        self._graph = DependencyGraph(previous.records, previous.files, previous.bases)
        numbers = Numbers()
        self._asker_before = Asker(self._before.evaluator, numbers)
        self._asker_after = Asker(after.evaluator, numbers)
        self._changes: dict[str, Change] = {}
        self._red: set[Owner] = set()
        self._red_max = 0
        self._nodes: Ints | None = None
        """Of each node, its number now."""
        self._now = self._records.cells
        """The questions, numbered as now."""
        self._seeds: dict[str, set[str]] = {}
        """Path of a file that is not red -> names that now mean something else there."""
        self._seeded: set[str] = set()
        """Files with new seeds."""
        self._asked: set[int] = set()
        self._todo: list[int] = []

    @property
    def found(self) -> Invalidated:
        paths = {
            path for path in self._red | self._changes.keys() if isinstance(path, str) and path in self._after.by_path
        }
        changes = {path: change for path, change in self._changes.items() if path not in self._red}
        records = self._records.moved(self._nodes, renumber_files(self._previous, self._after))
        return Invalidated(paths, changes, self._red, records)

    def run(self) -> Generator[None, None, None]:
        """Raises _TooMany."""
        yield from self._compare()
        yield from self._begin()
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

    def _compare(self) -> Generator[None, None, None]:
        """Finds what changed in each file."""
        previous, after = self._previous, self._after
        for path in sorted(self._touched):
            self._changes[path] = self._change_of(path, previous.by_path.get(path), after.by_path.get(path))
            yield
        self._red = {path for path, change in self._changes.items() if change.names is None}
        self._red_max = max(_RED_MIN, int(len(after.files) * _RED_SHARE_MAX)) + len(self._red)
        self._nodes = renumber_nodes(previous, after, self._changes.values())
        self._now = self._records.moved(self._nodes, None).cells

    def _begin(self) -> Generator[None, None, None]:
        records = self._records
        listed: set[str] = set()
        members: set[str] = set()
        is_moved = not self._after.by_path.has_keys_of(self._previous.by_path)
        is_included_otherwise = is_moved
        for change in self._changes.values():
            yield
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
                if file.path not in self._red and imports_otherwise(file, self._previous, self._after, self._touched):
                    self._redden(file.path)
        if is_included_otherwise:
            asked |= records.of_kinds(("seen",))
        self._todo += np.flatnonzero(asked).tolist()

    def _owned(self, change: Change) -> list[int]:
        """The questions to an edited file whose answers may have changed."""
        records, old = self._records, change.old
        if old is None:
            return []
        if change.names is None:
            return list(self._graph.owned_by(old).tolist())
        offers = OFFERS if change.has_other_offers else ()
        if not (change.names or offers or change.has_other_members):
            return []
        owned = self._graph.owned_by(old)
        is_asked = self._are_about(old, owned, change.names) | (self._now[owned, NODE] == GONE)
        is_asked |= np.isin(records.cells[owned, FORM], records.forms_of((*OF_FIELDS, *offers)))
        return list(owned[is_asked].tolist())

    def _are_about(self, file: IndexedFile, owned: Ints, names: Set[str]) -> Mask:
        """Of some questions of a file, whether they are about, or look for, some names."""
        return self._records.are_about(owned, [file.base + row for row in symbols_named(file, names)], names)

    def _ask(self, number: int) -> None:
        """Asks a question of both states, and notes who depends on it where the answers differ. Raises _TooMany."""
        if number in self._asked:
            return
        self._asked.add(number)
        question = self._question(self._records.cells, number)
        if question.node == GONE:
            return
        after = self._asker_after.answer(self._question(self._now, number))
        before = None if self._now[number, NODE] == GONE else self._asker_before.answer(question)
        if before is None or before != after:
            name = self._named_by(number)
            for owner in self._graph.askers(number):
                if name is None or not isinstance(owner, str):
                    self._redden(owner)
                else:
                    self._seed(owner, name)

    def _question(self, cells: Ints, number: int) -> Question:
        form, node, name, other = cells[number].tolist()
        return Question(self._records.forms[form], node, self._records.names[name], other)

    def _seed(self, path: str, name: str) -> None:
        """Notes that what others have under a name may be something else for a file."""
        if path not in self._red and name not in self._seeds.setdefault(path, set()):
            self._seeds[path].add(name)
            self._seeded.add(path)

    def _seed_guesses(self, listed: Set[str]) -> None:
        """Finds who guesses otherwise by some names."""
        names = listed | {demangle(name) for name in listed}
        seen_otherwise = {
            demangle(name)
            for change in self._changes.values()
            if change.old is not None and change.new is not None and change.old.is_script != change.new.is_script
            for file in (change.old, change.new)
            for name in file.symbol_names
        }
        definitions = (self._before.definitions, self._after.definitions)
        for name, numbers in self._records.guessing(names).items():
            paths = {self._previous.files[number].path for number in numbers}
            families = {path: self._after.by_path[path].family for path in paths if path in self._after.by_path}
            for family in set(families.values()):
                before, after = (each.outcome(family, name) for each in definitions)
                if before != after or name in seen_otherwise:
                    for path in families:
                        if families[path] == family:
                            self._seed(path, name)

    def _named_by(self, number: int) -> str | None:
        """The name that whatever depends on a question mentions; None where something may depend on it unnamed."""
        form, _, name, _ = self._records.cells[number].tolist()
        return self._records.names[name] if self._records.forms[form][0] in _NAMED else None

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
        """What can have changed in a file: everything, where `_is_returned`."""
        change = compare_versions(path, old, new, seeds)
        if change.names and self._is_returned(change):
            return change._replace(names=None, others=None)
        return change

    def _is_returned(self, change: Change) -> bool:
        """Whether other files may hand a file its own changed definitions back: what uses these need not spell their
        names."""
        file = change.old
        assert file is not None
        assert change.names is not None
        owned = self._graph.owned_by(file)
        through = self._graph.find_returning(file, owned[self._are_about(file, owned, change.names)].tolist())
        if len(through) > _RETURNS_MAX:
            return True
        with deep_recursion():
            return any(self._returns(file, number, change.names) for number in through)

    def _returns(self, file: IndexedFile, number: int, names: Set[str]) -> bool:
        """Whether the answer to a question has definitions of a file, of some names, other than what the question is
        about or looks for."""
        question = self._question(self._records.cells, number)
        if self._asker_before.answer(question) is None:
            return True
        last = file.base + file.symbol_count
        own = {node - file.base for node in self._asker_before.nodes if file.base < node < last}
        own -= {question.node - file.base, question.other - file.base}
        found = {file.name_of(row) for row in own}
        return not found.isdisjoint(names - {question.name})

    def _redden(self, owner: Owner) -> None:
        if owner not in self._red:
            self._red.add(owner)
            if len(self._red) > self._red_max:
                raise _TooMany
            if isinstance(owner, int):
                self._todo.append(owner)
            elif (file := self._previous.by_path.get(owner)) is not None:
                self._todo += self._graph.owned_by(file).tolist()
