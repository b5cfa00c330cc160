"""The history of the definitions of a map: their lines are those of the work tree, which may differ from the head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.history.lines import Walked, across, file_commits, segments_of, walk
from codemap.history.table import NONE, History, Kind


class Past(msgspec.Struct, frozen=True, dict=True):
    history: History
    above: str = ""
    """Where the root is in its repository: with a `/` at the end, or empty."""
    uncommitted: Mapping[str, tuple[int, ...] | None] = {}
    """By path relative to the root, of indexed files that differ from the head: the hunks from there to the work tree;
    None where the head has no such file."""
    gaps: tuple[str, ...] = ()
    """What of the history is missing, in sentences."""

    @cached_property
    def _walked(self) -> dict[tuple[object, ...], Walked]:
        """By what decides it."""
        return {}

    @cached_property
    def _counted(self) -> dict[int, int]:
        """By touch, the commits up to it."""
        return {}

    def take_walks(self, earlier: Past) -> None:
        """Takes over the walks of an earlier one that are still valid: where this history continues that one, those of
        files whose versions at the head are the same."""
        if self.history.ids.startswith(earlier.history.ids):
            kept = set(self.history.head_touches.tolist())
            self._walked.update((key, one) for key, one in earlier._walked.items() if key[2] in kept)
            self._counted.update(earlier._counted)

    def touch_of(self, path: str) -> int:
        """The touch that made the version of a file at the head; NONE where the head has none."""
        row = self.history.path_rows.get(self.above + path)
        return NONE if row is None else self.history.at_head.get(row, NONE)

    def of_file(self, path: str) -> tuple[list[int], bool]:
        """The commits that changed a file, the latest first; and whether there are older ones that are not known."""
        return file_commits(self.history, self.touch_of(path))

    def count_of(self, path: str) -> int:
        """How many commits changed a file."""
        touch = self.touch_of(path)
        if touch not in self._counted:
            self._counted[touch] = len(file_commits(self.history, touch)[0])
        return self._counted[touch]

    def of_definitions(self, file: IndexedFile) -> Walked:
        """The commits that changed the lines of each definition of a file, by row of its table; the file itself has
        none here."""
        key = (file.path, file.stamp.digest, self.touch_of(file.path), self.uncommitted.get(file.path, ()))
        found = self._walked.get(key)
        if found is None:
            found = self._walked[key] = self._walk(file)
        return found

    def _walk(self, file: IndexedFile) -> Walked:
        count = file.symbol_count
        lines = [(0, 0)] + [
            (file.cell(row, Symbol.START_LINE) - 1, file.cell(row, Symbol.END_LINE)) for row in range(1, count)
        ]
        touch = self.touch_of(file.path)
        if touch < 0 or self.history.touch_kind[touch] == Kind.GONE:
            return Walked(((),) * count, (False,) * count)
        segments = segments_of(lines)
        hunks = self.uncommitted.get(file.path, ())
        if hunks:
            segments, _ = across(segments, hunks)
        return walk(self.history, touch, segments, count)

    def relative(self, path: str) -> str:
        """A path of the history as the map has it; empty outside the root."""
        return path[len(self.above) :] if path.startswith(self.above) else ""


def of_node(past: Past, snapshot: Snapshot, node: int) -> tuple[Sequence[int], bool]:
    """The commits that changed a file or a definition, the latest first; and whether there are older ones that are not
    known."""
    file, row = snapshot.row_of(node)
    if not row:
        return past.of_file(file.path)
    walked = past.of_definitions(file)
    return walked.commits[row], walked.is_open[row]
