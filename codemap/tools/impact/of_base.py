"""`map_impact` of a change: what git and the map say of it, and the maps before and after it where they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import msgspec

from codemap.changes.change_set import WORK_TREE, ChangeSet
from codemap.changes.compare import Compared, Pair, compare
from codemap.changes.version import Version
from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed
from codemap.impact.not_adapted import Left, not_adapted
from codemap.impact.of_change import assess_change, needs_before, nodes_after
from codemap.live import Because, ChangedSince, Fact, Found, MapWith
from codemap.tools.impact.params import Params
from codemap.tools.tool import Asking


class Change(msgspec.Struct, frozen=True):
    """A change and what it may break."""

    files: ChangeSet
    compared: Compared
    after: Snapshot
    seeds: tuple[int, ...]
    """Nodes after the change."""
    found: Assessed
    left: tuple[Left, ...]

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
    if needs_before(compared.changes):
        versions = {path: pair.after for path, pair in files.beside.items()}
        versions |= {pair.path: pair.before for pair in files.pairs}
        (fact,) = yield (_map_with(files, versions, files.configs_before),)
        if not isinstance(fact, Found):
            return _failed(fact)
        before = fact.value
    pairs = {pair.path: pair for pair in files.pairs}
    return Change(
        files,
        compared,
        after,
        tuple(nodes_after(compared.changes, after)),
        assess_change(compared.changes, before, after),
        () if before is None else not_adapted(compared.changes, pairs, before, after),
    )


def _map_with(files: ChangeSet, versions: Mapping[str, Version | None], configs: Mapping[str, bytes | None]) -> MapWith:
    """The map with the versions; its name tells their contents."""
    parts = sorted(f"{path}:{one.digest.hex() if one else ''}" for path, one in versions.items())
    parts += sorted(f"{path}:{text!r}" for path, text in configs.items())
    name = blake2b("\0".join((files.base, *parts)).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return MapWith(name, versions, configs)


def _failed(fact: Fact) -> Failure:
    assert not isinstance(fact, Found), "what was found is no failure"
    if fact.because in (Because.REFUSED, Because.UNAVAILABLE):
        return Failure(ErrorCode.BAD_ARGS, f"base: {fact.message}")
    return Failure(ErrorCode.MAP_NOT_BUILT, f"{fact.message}.", hint="Repeat the call in a moment.")
