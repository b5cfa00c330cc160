"""How files on disk differ from their records, and what a file's record becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

import msgspec
import trio

from actors.latest import FileRecord
from actors.messages import FileStat, Outcome, Parsed, Same, Skipped
from codemap.extract.skip import SkipReason

STEP = 1_000
"""Files compared between two checkpoints: under a millisecond."""


class Delta(msgspec.Struct, frozen=True):
    """How listed files differ from their records."""

    changed: dict[str, FileStat]
    removed: set[str]
    records: dict[str, FileRecord]
    """Of the files that are as they were, in the scope or out of it."""


async def compare(old: Mapping[str, FileRecord], listed: Mapping[str, FileStat], scope: str) -> Delta:
    """The difference between a listing of the scope and the records of what is in it; a checkpoint now and then."""
    delta = Delta({}, set(), {})
    for count, (path, stat) in enumerate(listed.items()):
        if count % STEP == 0:
            await trio.lowlevel.checkpoint()
        record = old.get(path)
        if record is not None and record.is_settled and record.stat == stat:
            delta.records[path] = record
        else:
            delta.changed[path] = stat
    for count, (path, record) in enumerate(old.items()):
        if count % STEP == 0:
            await trio.lowlevel.checkpoint()
        if not is_in(path, scope):
            delta.records[path] = record
        elif path not in listed:
            delta.removed.add(path)
    return delta


def record_of(outcome: Outcome, old: FileRecord | None) -> FileRecord | None:
    """The record of a file after it was read; None for one that is gone."""
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


def is_in(path: str, scope: str) -> bool:
    return not scope or path == scope or path.startswith(f"{scope}/")
