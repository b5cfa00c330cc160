"""What nothing uses, found in the graph of steps: how sure it is, the evidence for it, and the reasons to doubt it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from posixpath import commonpath

import msgspec
import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_file, roles_of_nodes
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.languages.liveness import Publicity
from codemap.languages.manifest import Package
from codemap.mentions.seeking import Sought
from codemap.unused.evidence import CERTAIN, LIKELY, POSSIBLE, Evidence, Finding, Reason
from codemap.unused.map_steps import map_steps
from codemap.unused.steps import Doubt, Names, Steps, Why, joined, reached
from codemap.unused.texts import Texts, why_named

_KINDS = frozenset(
    (
        *(SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.FUNCTION, SymbolKind.METHOD),
        *(SymbolKind.VARIABLE, SymbolKind.TYPE_ALIAS, SymbolKind.PROPERTY),
    )
)
_NAMING = (int(Why.DOCUMENTED), int(Why.NAMED_IN_TEXT))
_LEFT_OUT = SymbolFlag.UNNAMED | SymbolFlag.DECLARATION


class Findings(msgspec.Struct, frozen=True):
    definitions: tuple[Finding, ...]
    """The surest first, then by place; none is in another one, or in a file, that is as surely unused."""
    files: tuple[Finding, ...]
    exports: tuple[Finding, ...]
    """What is exported and used in its own file alone."""
    only_tests: tuple[Finding, ...]
    """What nothing but tests uses; no other list has it."""
    follow: int
    """Definitions that are used, but by nothing else than what is listed as likely or possibly unused."""
    seen: int
    """Files that were looked through."""
    unseen: tuple[str, ...]
    are_sought: bool
    """Whether texts were looked through at all: nothing is certain else."""
    evidence: Evidence
    """Explains those that are shown: to gather it for all takes as long as to find them."""


class Search:
    """A search for what nothing uses, in two steps: by the map, then by what the texts of the files say."""

    def __init__(self, snapshot: Snapshot, packages: Sequence[Package], is_asked: Callable[[str], bool]) -> None:
        """`is_asked`: about which files, by path."""
        self._snapshot = snapshot
        self._packages = packages
        self._asked = np.array([is_asked(file.path) for file in snapshot.files], dtype=np.bool_)
        self._names: Names
        self._steps: Steps
        self._texts: Texts
        """All of them by `begin`."""

    def begin(self) -> Generator[None, None, Texts]:
        """Finds what the map says, in steps of a few files: the texts say which names are to be sought."""
        known = yield from map_steps(self._snapshot, self._packages)
        self._names, self._steps = known.names.copy(), known.steps
        opened = self._open(known.are_probable & (known.are_beside_tests | ~self._in_product()))
        only_here = set(self._only_in_own_file(self._steps)).difference(opened)
        self._texts = Texts(self._snapshot, known.read, opened, self._open_files(known.are_probable), sorted(only_here))
        return self._texts

    def _in_product(self) -> Mask:
        """Which nodes are in code that is no test: strings may mean those that only tests use."""
        found = np.zeros(self._names.count, dtype=np.bool_)
        nodes = np.arange(len(columns_of(self._snapshot).kind), dtype=np.int32)
        found[: len(nodes)] = roles_of_nodes(self._snapshot, nodes) == int(Role.PRODUCT)
        return found

    def _open(self, probable: Mask) -> list[int]:
        """The definitions of which the texts must say more: those that are asked about, and what would use them."""
        columns = columns_of(self._snapshot)
        is_open = ~probable[: len(columns.kind)] & (columns.parent >= 0)
        chosen = is_open & self._asked[columns.file]
        if not self._asked.all():
            chosen |= self._users_of(chosen) & is_open
        return np.flatnonzero(chosen).tolist()

    def _users_of(self, chosen: Mask) -> Mask:
        """Who leads to some nodes, over any number of steps."""
        every = self._steps
        found = np.zeros(self._names.count, dtype=np.bool_)
        found[: len(chosen)] = chosen
        while True:
            fresh = found.copy()
            fresh[every.source[found[every.target]]] = True
            if (fresh == found).all():
                return found[: len(chosen)]
            found = fresh

    def _open_files(self, probable: Mask) -> list[int]:
        snapshot = self._snapshot
        return [file.base for file in snapshot.files if not probable[file.base] and self._is_loaded(file.number)]

    def _is_loaded(self, number: int) -> bool:
        file = self._snapshot.files[number]
        return bool(self._asked[number]) and by_name()[file.lang].liveness.loads_files

    def findings(self, sought: Sought | None, again: Sought | None) -> Generator[None, None, Findings]:
        """What is found, given what the texts say; None: nobody has looked. In steps, after `begin`."""
        snapshot, columns = self._snapshot, columns_of(self._snapshot)
        extra = []
        if sought is not None:
            extra.append((yield from self._texts.steps(sought, again or Sought(()), self._names)))
        every = joined([self._steps, *extra])
        levels: list[Mask] = []
        for doubt in (Doubt.SMALL, Doubt.LARGE, Doubt.NONE):
            levels.append(reached(every, self._names, doubt))
            yield
        tiers = np.full(self._names.count, len(levels), dtype=np.int32)
        for tier in reversed(range(len(levels))):
            tiers[~levels[tier]] = tier
        if sought is None:
            tiers[tiers == CERTAIN] = LIKELY
        files = [
            file.base for file in snapshot.files if tiers[file.base] < len(levels) and self._is_loaded(file.number)
        ]
        yield
        nodes = [node for node in self._candidates() if tiers[node] < len(levels)]
        shown = [node for node in nodes if not _is_within(columns.parent, tiers, node)]
        follows = _followers(every, levels[0], tiers, self._names.roots)
        follow = [node for node in shown if tiers[node] != CERTAIN and follows[node]]
        yield
        hidden = set(follow)
        shown = [node for node in shown if node not in hidden]
        yield
        only = yield from self._only_tested(every)
        return Findings(
            _surest_first(tiers, (node for node in shown if node not in only)),
            _surest_first(tiers, files),
            tuple(self._exports(every, {*shown, *only, *files})),
            tuple(Finding(node, tier) for node, tier in only.items() if int(columns.parent[node]) not in only),
            len(follow),
            0 if sought is None else sought.seen,
            () if sought is None else tuple(sought.unseen),
            sought is not None,
            Evidence(snapshot, every, levels[0], self._texts.notes),
        )

    def _only_tested(self, every: Steps) -> Generator[None, None, dict[int, int]]:
        """What nothing but tests uses, and is none -> its tier: documents may name the likely ones; the possible may be
        named by strings, or be public."""
        in_product = self._in_product()
        found: dict[int, int] = {}
        for tier in (CERTAIN, LIKELY, POSSIBLE):
            left_out = (int(Why.TEST), *_NAMING[:tier])
            doubt = Doubt.LARGE if tier == POSSIBLE else Doubt.SMALL
            by_tests = reached(every.where(~np.isin(every.why, _NAMING)), self._names, doubt)
            without = reached(every.where(~np.isin(every.why, left_out)), self._names, doubt)
            for node in self._candidates():
                if node not in found and by_tests[node] and not without[node] and in_product[node]:
                    found[node] = tier
            yield
        return found

    def _candidates(self) -> Iterator[int]:
        columns = columns_of(self._snapshot)
        fits = np.isin(columns.kind, [int(kind) for kind in _KINDS]) & (columns.parent >= 0)
        fits &= (columns.flags & int(_LEFT_OUT) == 0) & self._asked[columns.file]
        name_of = self._snapshot.node_names.name_of  # broken code has definitions without a name
        yield from (node for node in np.flatnonzero(fits).tolist() if name_of(node))

    def _exports(self, every: Steps, listed: Collection[int]) -> Iterator[Finding]:
        """Where exports are stated one by one: those that no other file, and nobody outside, uses. A file outside the
        map may use what it names."""
        for node in self._only_in_own_file(every):
            if node in listed or self._snapshot.row_of(node)[0].base in listed:
                continue
            places = self._texts.named.get(node)
            if places is None:
                yield Finding(node, LIKELY)
            else:
                own = self._snapshot.row_of(node)[0].path
                nearest = max(places, key=lambda one: len(commonpath((one.path, own))))
                yield Finding(node, POSSIBLE, (Reason(why_named(nearest.path), len(places), nearest, -1),))

    def _only_in_own_file(self, every: Steps) -> Iterator[int]:
        """What is exported where exports are stated one by one, and no step from another file leads to."""
        snapshot, columns = self._snapshot, columns_of(self._snapshot)
        chosen = every.where((every.target < snapshot.first_external) & (every.why != Why.BELONGS))
        of_file = np.full(self._names.count, -1, dtype=np.int32)
        of_file[: len(columns.file)] = columns.file
        is_far = of_file[chosen.source] != of_file[chosen.target]
        far = np.zeros(self._names.count, dtype=np.bool_)
        far[chosen.target[is_far]] = True
        for node in self._candidates():
            file = snapshot.row_of(node)[0]
            language = by_name()[file.lang]
            states = language.liveness.publicity is Publicity.ENTRIES and columns.parent[node] == file.base
            if not states or far[node] or role_of_file(file) is not Role.PRODUCT:
                continue
            if columns.flags[node] & int(SymbolFlag.EXPORTED):
                yield node


def _surest_first(tiers: Ints, nodes: Iterable[int]) -> tuple[Finding, ...]:
    found = (Finding(node, min(int(tiers[node]), POSSIBLE)) for node in nodes)
    return tuple(sorted(found, key=lambda one: (one.tier, one.node)))


def _followers(every: Steps, far: Mask, tiers: Ints, count: int) -> Mask:
    """What something uses that is itself perhaps unused: only that is worth a look."""
    used = every.where(far[every.source] & (every.doubt == Doubt.NONE) & (every.why != Why.BELONGS))
    used = used.where((used.source < count) & (tiers[used.source] <= POSSIBLE) & (used.source != used.target))
    follows = np.zeros(len(far), dtype=np.bool_)
    follows[used.target] = True
    seen = ~follows & (tiers <= POSSIBLE) & far
    while True:  # what only leads in circles is no follower of anything that is shown
        fresh = seen.copy()
        fresh[used.target[seen[used.source]]] = True
        if (fresh == seen).all():
            return follows & seen
        seen = fresh


def _is_within(parent: Ints, tiers: Ints, node: int) -> bool:
    """Whether something around a node is at least as surely unused."""
    around = int(parent[node])
    while around >= 0:
        if tiers[around] <= tiers[node]:
            return True
        around = int(parent[around])
    return False
