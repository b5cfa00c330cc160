"""Compares files on disk with the records of the map, and updates the records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import assert_never

import msgspec

from actors.indexing.latest_snapshot import FileRecord
from actors.messaging.messages import FileStat, Outcome, Parsed, Same, Skipped
from actors.messaging.yielding import Turns
from codemap.extract.skipped_files import SkipReason
from codemap.persistent import PersistentMap

STEP = 1_000
"""Files compared between two checkpoints: under a millisecond."""


class Delta(msgspec.Struct, frozen=True):
    """How listed files differ from their records."""

    changed: dict[str, FileStat]
    removed: set[str]


class Known(Collection[str]):
    """The union of the keys of some mappings."""

    def __init__(self, *mappings: Mapping[str, object]) -> None:
        self._mappings = mappings

    def __contains__(self, path: object) -> bool:
        return any(path in mapping for mapping in self._mappings)

    def __iter__(self) -> Iterator[str]:
        return chain(*self._mappings)

    def __len__(self) -> int:
        return sum(map(len, self._mappings))


async def compare(old: Mapping[str, FileRecord], listed: Mapping[str, FileStat], extent: str | frozenset[str]) -> Delta:
    """Compares a listing with the records of what it could contain. Yields to Trio now and then.

    `extent` is a scope or some paths, see `is_in`. Costs no more than these where it is paths of files.
    """
    delta = Delta({}, set())
    turns = Turns()
    for count, (path, stat) in enumerate(listed.items()):
        if count % STEP == 0:
            await turns.step()
        record = old.get(path)
        if record is None or not record.is_settled or record.stat != stat:
            delta.changed[path] = stat
    is_of_files = isinstance(extent, frozenset) and not any(path.endswith("/") for path in extent)
    for count, path in enumerate(extent if is_of_files else old):
        if count % STEP == 0:
            await turns.step()
        if path not in listed and path in old and is_in(path, extent):
            delta.removed.add(path)
    return delta


def record_of(outcome: Outcome, old: FileRecord | None) -> FileRecord | None:
    """Makes the record of a file after it was read; None for one that was deleted."""
    match outcome:
        case Parsed(stat, digest, is_settled):
            return FileRecord(stat, digest, is_settled)
        case Same(stat, digest, is_settled):
            assert old is not None, "only a known content can be the same"
            return FileRecord(stat, digest, is_settled, old.skipped, old.detail)
        case Skipped(reason=SkipReason.VANISHED):
            return None
        case Skipped(stat, digest, is_settled, reason, detail):
            return FileRecord(stat, digest, is_settled, reason, detail)
        case _:
            assert_never(outcome)


class Changes(msgspec.Struct, frozen=True):
    """The changes from which the next snapshot is built."""

    parsed: dict[str, Parsed]
    removed: set[str]
    """Files that have facts no longer."""
    records: PersistentMap[str, FileRecord]
    """Records of all files, changed or not."""


def changes_of(delta: Delta, outcomes: Mapping[str, Outcome], old: PersistentMap[str, FileRecord]) -> Changes:
    """Computes the changes from the outcomes of reading the files that differed."""
    parsed: dict[str, Parsed] = {}
    removed = {path for path in delta.removed if old[path].skipped is None}
    read: dict[str, FileRecord] = {}
    for path in sorted(outcomes):
        outcome, before = outcomes[path], old.get(path)
        record = record_of(outcome, before)
        if record is not None:
            read[path] = record
        if isinstance(outcome, Parsed):
            parsed[path] = outcome
        elif isinstance(outcome, Skipped) and before is not None and before.skipped is None:
            removed.add(path)
    return Changes(parsed, removed, old.updated(read, delta.removed | (delta.changed.keys() - read.keys())))


def unlisted_after(
    old: Mapping[str, SkipReason], seen: Mapping[str, SkipReason], extent: str | frozenset[str]
) -> Mapping[str, SkipReason]:
    """Updates which files are left out, after a scope or some paths were listed; the same object where nothing
    changed."""
    if isinstance(extent, frozenset) and not any(path.endswith("/") or path in old for path in extent):
        return {**old, **seen} if seen else old
    return {path: why for path, why in old.items() if not is_in(path, extent)} | dict(seen)


def is_in(path: str, extent: str | frozenset[str]) -> bool:
    """Whether a path lies in a scope (a file or folder; empty: the root), or is one of some paths, or lies in one of
    them that ends with `/`."""
    if isinstance(extent, str):
        return not extent or path == extent or path.startswith(f"{extent}/")
    if path in extent:
        return True
    end = path.rfind("/")
    while end >= 0:
        if path[: end + 1] in extent:
            return True
        end = path.rfind("/", 0, end)
    return False
