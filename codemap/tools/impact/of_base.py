"""Answers `map_impact` for a change in git, with the maps before and after it where they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b

import msgspec

from codemap.calls.lists import CallLists
from codemap.changes.change_set import WORK_TREE, ChangeSet
from codemap.changes.changed_definitions import Compared, Pair, What, compare
from codemap.changes.version import Version
from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed
from codemap.impact.breakage import changed_signatures as signatures
from codemap.impact.breakage.changed_kinds import has_other_kinds, uses_of_another_kind
from codemap.impact.breakage.changed_signatures import Lists, files_to_read, resigned
from codemap.impact.breakage.lost_bases import may_lose_bases, uses_of_lost_bases
from codemap.impact.breakage.lost_meanings import Lost, find_lost, uses_without_meaning
from codemap.impact.breakage.misfits import Misfits, misfits
from codemap.impact.breakage.not_adapted import TAKEN, Left, node_of, not_adapted, without_taken
from codemap.impact.breakage.unlike import files_of, find_alike, unlike
from codemap.impact.breakage.unloaded import Unloaded, find_unloaded, left_unloaded
from codemap.impact.breakage.unmet import asks_for_more, orphaned, unmet
from codemap.impact.of_change import assess_change, needs_before, nodes_after, with_breakage
from codemap.live_queries import Because, ChangedSince, Fact, Found, MapWith, VersionsNow
from codemap.tools.impact.params import Params
from codemap.tools.tool import Asking

_HINT = (
    "A change leads from a commit (base: a branch, a tag, HEAD) to the files as they are, the index (staged) or head."
)
FILES_MAX = 60
"""Files without a change that are read for the calls in them: some tenths of a second when they are first read."""


class Change(msgspec.Struct, frozen=True):
    """A change and what it may break."""

    files: ChangeSet
    compared: Compared
    before: Snapshot | None
    """Where it is needed."""
    after: Snapshot
    seeds: tuple[int, ...]
    """Nodes after the change."""
    found: Assessed
    left: tuple[Left, ...]
    """Uses and calls that are not adapted, by file and line."""
    misfits: Misfits

    @property
    def gone(self) -> Iterator[int]:
        """The nodes before the change that were removed, renamed or moved."""
        before = self.before
        if before is None:
            return iter(())
        taken = (node_of(before, one.before) for one in self.compared.changes if one.what in TAKEN)
        return (node for node in taken if node is not None)

    @property
    def resigned(self) -> Iterator[int]:
        """The nodes after the change that have another head."""
        signed = (node_of(self.after, one.after) for one in self.compared.changes if one.what is What.SIGNATURE)
        return (node for node in signed if node is not None)

    @property
    def pairs(self) -> Mapping[str, Pair]:
        return {pair.path: pair for pair in self.files.pairs}


def change_of(snapshot: Snapshot, params: Params) -> Asking[Change | Failure]:
    """The change that is asked about."""
    (fact,) = yield (ChangedSince(params.base, params.head, params.staged),)
    if not isinstance(fact, Found):
        return _failed(fact)
    files: ChangeSet = fact.value
    compared = compare(files.pairs)
    after, before = snapshot, None
    if files.head != WORK_TREE:
        versions = {path: pair.after for path, pair in files.beside.items()}
        versions |= {pair.path: pair.after for pair in files.pairs}
        (fact,) = yield (_map_with(files, versions, files.configs_after),)
        if not isinstance(fact, Found):
            return _failed(fact)
        after = fact.value
    pairs = {pair.path: pair for pair in files.pairs}
    needs = needs_before(compared.changes) or signatures.needs_before(files.pairs)
    needs |= may_lose_bases(compared.changes, pairs) or has_other_kinds(compared.changes, pairs)
    if needs or asks_for_more(compared.changes, after):
        versions = {path: pair.after for path, pair in files.beside.items()}
        versions |= {pair.path: pair.before for pair in files.pairs}
        (fact,) = yield (_map_with(files, versions, files.configs_before),)
        if not isinstance(fact, Found):
            return _failed(fact)
        before = fact.value
    found = yield from _misfits(files, pairs, before, after)
    left: tuple[Left, ...] = ()
    lost: list[Lost] = []
    unloaded: list[Unloaded] = []
    if before is not None:
        lost = find_lost(compared.changes, before, after)
        left = not_adapted(compared.changes, pairs, before, after)
        found = msgspec.structs.replace(found, left=tuple(without_taken(found.left, left)))
        left += uses_without_meaning(lost, compared.changes, pairs, before, after)
        left += orphaned(compared.changes, before, after)
        left += uses_of_lost_bases(compared.changes, pairs, before, after)
        left += uses_of_another_kind(compared.changes, pairs, before, after)
        unloaded = find_unloaded(lost, before, after)
        left += left_unloaded(unloaded, after)
    left = tuple(sorted({*left, *found.left, *unmet(compared.changes, before, after)}))
    assessed = assess_change(compared.changes, before, after, lost, unloaded)
    if any(not one.is_guess for one in left):
        assessed = with_breakage(assessed)
    return Change(files, compared, before, after, tuple(nodes_after(compared.changes, after)), assessed, left, found)


def _misfits(files: ChangeSet, pairs: Mapping[str, Pair], before: Snapshot | None, after: Snapshot) -> Asking[Misfits]:
    """The calls that do not fit any more, and the methods and prototypes. Files that have many of them are read first,
    `FILES_MAX` at most."""
    found = resigned(files.pairs, after, before)
    alike = find_alike(found, before, after)
    known = {path: pair.after for path, pair in (*files.beside.items(), *pairs.items())}
    read = dict.fromkeys((*files_of(alike, after)[: FILES_MAX // 2], *files_to_read(found, after)))
    wanted = [path for path in read if path not in known][:FILES_MAX]
    if wanted:
        (fact,) = yield (VersionsNow(tuple(wanted)),)
        known |= fact.value if isinstance(fact, Found) else {}
    lists = _lists_in(known, after)
    calls = misfits(found, pairs, after, lists)
    return msgspec.structs.replace(calls, left=tuple(sorted((*unlike(alike, pairs, after, lists), *calls.left))))


def _lists_in(known: Mapping[str, Version | None], after: Snapshot) -> Lists:
    def lists(path: str) -> CallLists | None:
        version, file = known.get(path), after.by_path.get(path)
        is_same = version is not None and file is not None and file.stamp.digest == version.digest
        return version.lists if version is not None and is_same else None

    return lists


def _map_with(files: ChangeSet, versions: Mapping[str, Version | None], configs: Mapping[str, bytes | None]) -> MapWith:
    """The map with the versions; its name identifies their contents."""
    parts = sorted(f"{path}:{one.digest.hex() if one else ''}" for path, one in versions.items())
    parts += sorted(f"{path}:{text!r}" for path, text in configs.items())
    name = blake2b("\0".join((files.base, *parts)).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return MapWith(name, versions, configs)


def _failed(fact: Fact) -> Failure:
    assert not isinstance(fact, Found), "what was found is no failure"
    if fact.because in (Because.REFUSED, Because.UNAVAILABLE):
        return Failure(ErrorCode.BAD_ARGS, fact.message, hint=_HINT)
    return Failure(ErrorCode.MAP_NOT_BUILT, f"{fact.message}.", hint="Repeat the call in a moment.")
