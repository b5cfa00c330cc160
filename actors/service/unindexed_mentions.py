"""Counts how often a name occurs in files that are listed and not indexed: left out, given up, or of no language.

Rules of the file:
- The first question searches all their bytes, which costs little; from the second on, the words of each file are
  remembered as long as its stat is the same, so that few are read. Oversized files are searched each time.
- Where there are too many for the time of a question, the words of the others are read when nobody waits for them.
- A file that cannot be read is one that nobody has looked at.
- New files of no language are found by events; without those, by the listings that the map is compared with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import trio

from actors.indexing.latest_snapshot import Published
from actors.messaging.messages import FileStat
from actors.ports import Content, Ports
from actors.watch.watch_status import Journal
from codemap.extract.skipped_files import SkipReason, is_binary, normalize
from codemap.mentions.account import LINES_MAX, Elsewhere
from codemap.mentions.marked_files import MarkedFiles
from codemap.mentions.other_texts import DOCUMENTS, OTHER_TEXTS, is_text, sort_of
from codemap.occurrences.word_marks import mark_of, marks_of
from codemap.occurrences.words import lines_of

LEFT_OUT = frozenset(
    (
        SkipReason.GENERATED,
        SkipReason.MINIFIED,
        SkipReason.OVERSIZED,
        SkipReason.UNPARSABLE,
        SkipReason.TIMEOUT,
        SkipReason.MEMORY,
    )
)
"""Reasons to skip source code whose words still count."""
OVERSIZED = SkipReason.OVERSIZED.value
_RANKS = {OTHER_TEXTS: 1, DOCUMENTS: 2}
"""What says least about code is read last, as there may be no time for all."""
READ_AT_ONCE = 50
"""Files read in one step."""
OVERSIZED_MAX_BYTES = 64_000_000
"""Larger files are not looked at."""
KEPT_AT_ONCE = 2_000
"""Files whose words are remembered together: each time all that are there move."""


class Unindexed(msgspec.Struct, frozen=True):
    """The occurrences that were counted."""

    files: tuple[Elsewhere, ...] = ()
    """Those that have any, by path."""
    unseen: int = 0
    """Files that could not be read, or not in time."""


class _File(msgspec.Struct, frozen=True):
    """A file that is not indexed."""

    why: str
    stat: FileStat | None
    """None where only its path is known."""


class UnindexedFiles:
    """The files of the published map that are not indexed, and the marks of their words."""

    def __init__(self, ports: Ports, others: Journal) -> None:
        """`others` are the changes of files of no language."""
        self._ports = ports
        self._others = others
        self._seen = others.position
        self._made_of: tuple[object, ...] = ()
        """The records and listings that the files were chosen from."""
        self._files: dict[str, _File] = {}
        self._marked = MarkedFiles({})
        """Of the files those whose marks were made, as these files are."""
        self._unknown: Mapping[str, FileStat] = {}
        self._asked = 0
        self._choosing = trio.Lock()
        self._are_left = trio.Event()
        """Set when a question had too little time for all."""
        self._left_of: Published[Any] | None = None
        """The map of that question."""

    async def read_left(self) -> None:
        """Reads the words of files that questions had no time for, in half of the time, until cancelled."""
        while True:
            await self._are_left.wait()
            published, self._left_of, self._are_left = self._left_of, None, trio.Event()
            assert published is not None, "it is set before the event"
            await self._update(published)
            del published
            known = self._files
            left = [path for path, one in known.items() if path not in self._marked and one.why != OVERSIZED]
            while left and self._files is known:
                await self._read_words(known, left[-KEPT_AT_ONCE:])
                del left[-KEPT_AT_ONCE:]

    async def _read_words(self, known: Mapping[str, _File], paths: Sequence[str]) -> None:
        made: dict[str, bytes] = {}
        for at in range(0, len(paths), READ_AT_ONCE):
            began = trio.current_time()
            contents = await self._ports.read_files(paths[at : at + READ_AT_ONCE], None)
            made.update(await self._ports.run_in_thread(partial(_mark_words, contents)))
            await trio.sleep(trio.current_time() - began)
        if self._files is known:  # else some may be another file by now
            self._marked = self._marked.with_files(made)

    async def count(self, name: str, published: Published[Any], by: float, why: str = "") -> Unindexed:
        """Counts the occurrences of a name in them until a deadline; with `why`, only in those that are not indexed for
        that reason."""
        with trio.move_on_at(by) as updating:
            await self._update(published)
        if updating.cancelled_caught:
            self._leave(published)
            return Unindexed((), max(1, len(self._files)))
        self._asked += 1
        known, marked, mark = self._files, self._marked, mark_of(name)
        having = list(known) if mark is None else sorted(known.keys() - marked.paths) + marked.having(mark)
        having = [path for path in having if why in ("", known[path].why)]
        large = [path for path in having if known[path].why == OVERSIZED]
        having = [path for path in having if known[path].why != OVERSIZED]
        having.sort(key=lambda path: _RANKS.get(known[path].why, 0))
        found: list[Elsewhere] = []
        made: dict[str, bytes] = {}
        unread = 0
        while (having or large) and trio.current_time() < by:
            chosen, limit = (having[:READ_AT_ONCE], None) if having else (large[:1], OVERSIZED_MAX_BYTES)
            contents = await self._ports.read_files(chosen, limit)
            new = {path for path in chosen if path not in marked and limit is None and self._asked > 1}
            sighted, marks = await self._ports.run_in_thread(partial(_search, contents, name, known, new))
            made.update(marks)
            found += sighted
            unread += len(chosen) - len(contents)
            del (having if limit is None else large)[: len(chosen)]
        if self._files is known:
            self._marked = self._marked.with_files(made)
        if having:
            self._leave(published)
        return Unindexed(tuple(sorted(found, key=lambda one: one.path)), unread + len(having) + len(large))

    def _leave(self, published: Published[Any]) -> None:
        self._left_of = published
        self._are_left.set()

    async def _update(self, published: Published[Any]) -> None:
        """Chooses the files anew where records, listings or files of no language have changed."""
        async with self._choosing:
            await self._choose_anew(published)

    async def _choose_anew(self, published: Published[Any]) -> None:
        made_of = (published.files, published.unlisted, published.unknown)
        is_known = len(self._made_of) == len(made_of)
        is_known = is_known and all(one is other for one, other in zip(made_of, self._made_of, strict=True))
        position = self._others.position
        if is_known and self._seen == position:
            return
        if not is_known:
            listed = published.unknown
            self._unknown = listed if listed is not None else (await self._ports.list_files("")).unknown
        changes = self._others.since(self._seen)
        self._unknown = await self._changed(changes.paths, is_everything=changes.is_everything)
        before, files = self._files, await self._ports.run_in_thread(partial(_choose, published, self._unknown))
        same = {path for path, one in files.items() if one.stat is not None and before.get(path) == one}
        self._files, self._marked = files, self._marked.only(same)
        self._made_of, self._seen = made_of, position

    async def _changed(self, paths: frozenset[str], *, is_everything: bool) -> Mapping[str, FileStat]:
        """The files of no language after changes of some paths; lists all files where new ones may have come."""
        stats = await self._ports.stat_files(path for path in paths if not path.endswith("/"))
        is_new = any(path.endswith("/") for path in paths) or not stats.keys() <= self._unknown.keys()
        if is_everything or is_new:
            return (await self._ports.list_files("")).unknown
        kept = {path: stat for path, stat in self._unknown.items() if path not in paths}
        return {**kept, **stats} if paths else self._unknown


def _choose(published: Published[Any], unknown: Mapping[str, FileStat]) -> dict[str, _File]:
    """The files that are not indexed."""
    found = {path: _File(why.value, None) for path, why in published.unlisted.items() if why in LEFT_OUT}
    for path, record in published.files.items():
        if record.skipped in LEFT_OUT:
            found[path] = _File(record.skipped.value, record.stat)
    for path, stat in unknown.items():
        if is_text(path, stat.size):
            found[path] = _File(sort_of(path), stat)
    return found


def _search(
    contents: Mapping[str, Content], name: str, known: Mapping[str, _File], new: set[str]
) -> tuple[list[Elsewhere], dict[str, bytes]]:
    """The occurrences in some files, and the marks of the `new` ones."""
    found: list[Elsewhere] = []
    marks: dict[str, bytes] = {}
    for path, one in contents.items():
        source = normalize(one.content)
        is_data = is_binary(source)
        if path in new:
            marks[path] = _marks_of(source)
        if not is_data and (lines := Counter(lines_of(source, name))):
            found.append(Elsewhere(path, known[path].why, lines.total(), tuple(lines)[:LINES_MAX]))
    return found, marks


def _mark_words(contents: Mapping[str, Content]) -> dict[str, bytes]:
    return {path: _marks_of(normalize(one.content)) for path, one in contents.items()}


def _marks_of(source: bytes) -> bytes:
    return b"" if is_binary(source) else marks_of(source)
