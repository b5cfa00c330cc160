"""Counts how often a name occurs in source files that are listed and not indexed: generated or minified.

Rules of the file:
- Which words a file has is remembered as long as its record is the same, so that a question reads few of them.
- A file that cannot be read is one that nobody has looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
import trio

from actors.indexing.latest_snapshot import FileRecord, Published
from actors.ports import Content, Ports
from codemap.extract.skipped_files import SkipReason, normalize
from codemap.mentions.word_marks import mark_of, marks_of
from codemap.mentions.words import count

LEFT_OUT = frozenset((SkipReason.GENERATED, SkipReason.MINIFIED))
"""Reasons to skip source code whose words still count."""
READ_AT_ONCE = 20
"""Files read in one step."""


class Unindexed(msgspec.Struct, frozen=True):
    """The occurrences that were counted."""

    mentions: int = 0
    unseen: int = 0
    """Files that could not be read, or not in time."""


class UnindexedFiles:
    """The files of the published map that are not indexed, and the marks of their words."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._records: Mapping[str, FileRecord] | None = None
        """Of all files, as they were when the others were chosen from them."""
        self._marks: dict[str, tuple[FileRecord, bytes | None]] = {}
        """Of the files that are left out; None where they are not read yet."""

    async def count(self, name: str, published: Published[Any], by: float) -> Unindexed:
        """Counts the occurrences of a name in them until a deadline."""
        if self._records is not published.files:
            records, before = published.files, self._marks
            self._marks = await self._ports.run_in_thread(partial(_left_out, records, before))
            self._records = records
        known = self._marks
        await self._read([path for path, (_, marks) in known.items() if marks is None], known, by)
        mark = mark_of(name)
        unseen = sum(marks is None for _, marks in known.values())
        having = [path for path, (_, marks) in known.items() if marks is not None and _has(marks, mark)]
        found = 0
        while having and trio.current_time() < by:
            contents = await self._ports.read_files(having[:READ_AT_ONCE])
            found += await self._ports.run_in_thread(partial(_counted, contents, name))
            del having[:READ_AT_ONCE]
        return Unindexed(found, unseen + len(having))

    async def _read(self, paths: list[str], known: dict[str, tuple[FileRecord, bytes | None]], by: float) -> None:
        while paths and trio.current_time() < by:
            contents = await self._ports.read_files(paths[:READ_AT_ONCE])
            marks = await self._ports.run_in_thread(partial(_marks, contents))
            known.update({path: (known[path][0], its) for path, its in marks.items()})
            del paths[:READ_AT_ONCE]


def _left_out(
    records: Mapping[str, FileRecord], before: Mapping[str, tuple[FileRecord, bytes | None]]
) -> dict[str, tuple[FileRecord, bytes | None]]:
    found: dict[str, tuple[FileRecord, bytes | None]] = {}
    for path, record in records.items():
        if record.skipped in LEFT_OUT:
            held = before.get(path)
            found[path] = held if held is not None and held[0] == record else (record, None)
    return found


def _has(marks: bytes, mark: int | None) -> bool:
    return mark is None or mark in memoryview(marks).cast("I")


def _marks(contents: Mapping[str, Content]) -> dict[str, bytes]:
    return {path: marks_of(normalize(one.content)) for path, one in contents.items()}


def _counted(contents: Mapping[str, Content], name: str) -> int:
    return sum(count(normalize(one.content), name) for one in contents.values())
