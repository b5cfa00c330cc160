"""Commits become a history, or the continuation of one."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Generator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.history.commits import Commit, Entry
from codemap.history.messages import is_bot, is_fix, reverted_ids, reverted_subject, subject_of
from codemap.history.origins import Origins, main_line, origins_of
from codemap.history.table import NONE, UNREAD, Flag, History, Kind, joined

_FIX, _MERGE, _BOT, _BOUNDARY = (one.value for one in (Flag.FIX, Flag.MERGE, Flag.BOT, Flag.BOUNDARY))
STEP_COMMITS = 20
"""Between two steps: a millisecond of work."""


def extended(
    history: History, commits: Sequence[Commit], head: str, boundaries: Collection[str] = ()
) -> Generator[None, None, History]:
    """The history with further commits, at another head. Known ones are left out.

    `boundaries` are commits where a shallow clone ends. Parents that are neither known nor among the commits count as
    not read. Yields between short steps.
    """
    growing = _Growing(history, commits, head, boundaries)
    for done, commit in enumerate(growing.ordered):
        growing.add(commit)
        if done % STEP_COMMITS == 0:
            yield
    return growing.grown()


class _Growing:
    def __init__(self, old: History, commits: Sequence[Commit], head: str, boundaries: Collection[str]) -> None:
        self._old = old
        self._head = head
        self._boundaries = frozenset(boundaries)
        self._first = old.count
        self._first_touch = len(old.touch_path)
        self._first_side = len(old.side_before)
        self._first_hunk = len(old.hunks) // 4
        self._by_id = {one.id: one for one in commits if bytes.fromhex(one.id) not in old.row_of}
        self.ordered = _oldest_first(self._by_id, commits)
        self._main = self._main_ids()
        self._row_of: dict[str, int] = {}
        self._whole: Origins | None = None
        self._origins = Origins(self._first, self._older)
        self._author_rows = {name: row for row, name in enumerate(old.authors)}
        self._path_rows = dict(old.path_rows)
        self._subject_rows: dict[str, int] | None = None
        self._sorted_ids: list[tuple[str, int]] | None = None
        self._are_bots: dict[tuple[str, str], bool] = {}
        """By author and address."""
        self._ids: list[bytes] = []
        self._subjects: list[str] = []
        self._author = array("i")
        self._time_s = array("q")
        self._flags = array("i")
        self._reverts = array("i")
        self._parents = array("i")
        self._parent_end = array("i")
        self._touch_end = array("i")
        self._touch_path = array("i")
        self._touch_kind = array("i")
        self._lineage = array("i")
        self._lineages = old.lineages
        self._side_end = array("i")
        self._side_before = array("i")
        self._hunk_end = array("i")
        self._hunks = array("i")
        self._links = array("i")

    def _main_ids(self) -> set[str]:
        found: set[str] = set()
        at = self._by_id.get(self._head)
        while at is not None:
            found.add(at.id)
            at = self._by_id.get(at.parents[0]) if at.parents else None
        return found

    def _row(self, name: str) -> int:
        """Of a commit that may be known."""
        found = self._row_of.get(name)
        return self._old.row_of.get(bytes.fromhex(name), UNREAD) if found is None else found

    def _older(self, row: int, path: int) -> int:
        """See `Origins.find`, for the commits that were known before."""
        if row == self._old.head_row and row >= 0:
            found = self._old.at_head.get(path)
            if found is not None:
                return found
        if self._whole is None:
            self._whole = origins_of(self._old)
        return self._whole.find(row, path)

    def add(self, commit: Commit) -> None:
        row = self._first + len(self._ids)
        is_boundary = commit.id in self._boundaries
        parents = [UNREAD] if is_boundary else [self._row(name) for name in commit.parents]
        self._row_of[commit.id] = row
        self._ids.append(bytes.fromhex(commit.id))
        self._author.append(self._author_rows.setdefault(commit.author, len(self._author_rows)))
        self._time_s.append(commit.time_s)
        maker = (commit.author, commit.email)
        if maker not in self._are_bots:
            self._are_bots[maker] = is_bot(*maker)
        flags = _FIX if is_fix(commit.message) else 0
        flags |= _MERGE if commit.is_merge else 0
        flags |= _BOT if self._are_bots[maker] else 0
        flags |= _BOUNDARY if is_boundary else 0
        self._flags.append(flags)
        self._reverts.append(self._reverted(commit))
        self._subjects.append(subject_of(commit.message))
        if self._subject_rows is not None:
            self._subject_rows[self._subjects[-1]] = row
        self._parents.extend(parents)
        self._parent_end.append(len(self._old.parents) + len(self._parents))
        self._origins.add_commit(row, parents[0] if parents else NONE, is_main=commit.id in self._main)
        if not is_boundary:
            for entry in commit.entries:
                self._touch(row, entry, parents)
            self._link(row, commit, parents)
        self._touch_end.append(self._first_touch + len(self._touch_path))

    def _touch(self, row: int, entry: Entry, parents: Sequence[int]) -> None:
        name = entry.path
        path = self._path(name)
        touch = self._first_touch + len(self._touch_path)
        known, is_opaque = NONE, False
        for side, parent in zip(entry.sides, parents or (NONE,), strict=False):
            before = NONE
            if side.path:
                before = self._origins.find(parent, path if side.path == name else self._path(side.path))
            if known < 0:
                known = before
            is_opaque = is_opaque or side.is_opaque
            self._side_before.append(before)
            self._hunks.extend(side.hunks)
            self._hunk_end.append(self._first_hunk + len(self._hunks) // 4)
        self._side_end.append(self._first_side + len(self._side_before))
        if known >= 0:
            lineage = self._lineage_of(known)
        else:
            lineage, self._lineages = self._lineages, self._lineages + 1
        self._touch_path.append(path)
        self._touch_kind.append(Kind.GONE if entry.is_removed else Kind.OPAQUE if is_opaque else Kind.LINES)
        self._lineage.append(lineage)
        self._origins.add_touch(row, path, touch)

    def _link(self, row: int, commit: Commit, parents: Sequence[int]) -> None:
        """Notes the files that a merge took as they are in another parent than its first."""
        if not commit.from_others:
            return
        own = {entry.path for entry in commit.entries}
        find, rows, main, others = self._origins.find, self._path_rows, parents[0], parents[1:]
        for name in commit.from_others:
            if name in own:
                continue
            path = rows.setdefault(name, len(rows))
            first = find(main, path)
            for parent in others:
                found = find(parent, path)
                if found != first:
                    if found != UNREAD:
                        self._links.extend((row, path, found))
                        self._origins.add_touch(row, path, found)
                    break

    def _path(self, name: str) -> int:
        return self._path_rows.setdefault(name, len(self._path_rows))

    def _lineage_of(self, touch: int) -> int:
        at = touch - self._first_touch
        return self._lineage[at] if at >= 0 else int(self._old.lineage[touch])

    def _reverted(self, commit: Commit) -> int:
        for name in reverted_ids(commit.message):
            row = self._row_by_prefix(name)
            if row >= 0:
                return row
        subject = reverted_subject(commit.message)
        if not subject:
            return NONE
        if self._subject_rows is None:
            self._subject_rows = {text: row for row, text in enumerate((*self._old.subjects, *self._subjects))}
        return self._subject_rows.get(subject_of(subject), NONE)

    def _row_by_prefix(self, name: str) -> int:
        if len(name) == 2 * (self._old.id_bytes or len(self._ids[0])):
            row = self._row(name)
            return row if row >= 0 else NONE
        if self._sorted_ids is None:
            ids = [*map(self._old.id_of, range(self._old.count)), *(one.id for one in self.ordered)]
            self._sorted_ids = sorted((one, row) for row, one in enumerate(ids))
        at = bisect_left(self._sorted_ids, (name, 0))
        if at < len(self._sorted_ids) and self._sorted_ids[at][0].startswith(name):
            row = self._sorted_ids[at][1]
            return row if row < self._first + len(self._ids) else NONE
        return NONE

    def grown(self) -> History:
        old = self._old
        history = msgspec.structs.replace(
            old,
            head=self._head,
            ids=old.ids + b"".join(self._ids),
            authors=tuple(self._author_rows),
            subjects=old.subjects + tuple(self._subjects),
            paths=tuple(self._path_rows),
            author=joined(old.author, self._author),
            time_s=joined(old.time_s, self._time_s),
            flags=joined(old.flags, self._flags),
            reverts=joined(old.reverts, self._reverts),
            parent_begin=joined(old.parent_begin, self._parent_end),
            parents=joined(old.parents, self._parents),
            touch_begin=joined(old.touch_begin, self._touch_end),
            touch_path=joined(old.touch_path, self._touch_path),
            touch_kind=joined(old.touch_kind, self._touch_kind),
            lineage=joined(old.lineage, self._lineage),
            side_begin=joined(old.side_begin, self._side_end),
            side_before=joined(old.side_before, self._side_before),
            hunk_begin=joined(old.hunk_begin, self._hunk_end),
            hunks=joined(old.hunks, self._hunks),
            links=joined(old.links, self._links),
            lineages=self._lineages,
        )
        return self._at_head(history)

    def _at_head(self, history: History) -> History:
        """With the files that are there at the head."""
        head = self._row(self._head) if self._head else NONE
        at_head: dict[int, int] = {}
        changed: Collection[int] = range(len(history.paths))
        if self._old.head_row >= 0 and self._is_line(head):
            at_head = dict(self._old.at_head)
            changed = sorted({*self._touch_path, *self._links[1::3]})
        for path in changed:
            touch = self._origins.find(head, path) if head >= 0 else NONE
            if touch >= 0 and history.touch_kind[touch] != Kind.GONE:
                at_head[path] = touch
            else:
                at_head.pop(path, None)
        paths = sorted(at_head)
        touches = [at_head[path] for path in paths]
        return msgspec.structs.replace(
            history, head_paths=np.asarray(paths, np.int32), head_touches=np.asarray(touches, np.int32)
        )

    def _is_line(self, head: int) -> bool:
        """Whether the old head is a first parent on the way back from the new one."""
        parents, offset = self._parents, len(self._old.parents)
        ends = [offset, *self._parent_end]

        def first_parent(row: int) -> int:
            at = row - self._first
            if at < 0:
                return NONE
            return parents[ends[at] - offset] if ends[at] < ends[at + 1] else NONE

        return self._old.head_row in main_line(head, first_parent)


def _oldest_first(by_id: Mapping[str, Commit], commits: Sequence[Commit]) -> list[Commit]:
    """Parents before children; besides, as git has them from the end on."""
    done: set[str] = set()
    found: list[Commit] = []
    for last in reversed(commits):
        if last.id not in by_id:
            continue
        waiting = [last.id]
        while waiting:
            name = waiting[-1]
            missing = (
                [one for one in by_id[name].parents if one in by_id and one not in done] if name not in done else []
            )
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if name not in done:
                done.add(name)
                found.append(by_id[name])
    return found
