"""Cuts the lists of a payload to one page, and finds where the next page begins.

A builder: it works in place on a tree that is its own. The pages of a list are described in `cursor`. Rows in groups
are taken out as pairs of their group and themselves. The file is long because what it takes out of the tree it
alone can put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, zip_longest
from typing import Any

import msgspec

from codemap.envelope.answer import CutList, Dropped, Spare, count_of
from codemap.envelope.cursor import Offset, Position, Window
from codemap.envelope.lists import (
    elements_of,
    find_parents,
    measure_elements,
    order_inner_first,
    rebuild_list,
    row_of,
    take_parts,
    values_at,
)
from codemap.envelope.outer_list import OuterList, row_member

_encode = msgspec.json.Encoder().encode

_PARTS_MOST = 2**31
"""More parts than any element has."""


class Stage(msgspec.Struct):
    """One list of the cutting order, in all the places where it is."""

    cut: CutList | Spare
    sums: list[int]
    """`sums[k]`: the length that the `k` elements after the kept ones, of every place, add to the payload."""
    counts: dict[str, int]
    """Elements by kind, without the kept ones."""
    kept: int = 0
    """Elements of each place that stay while the list that it is in is cut."""
    kept_count: int = 0
    """Those of all places."""
    floor: int = 0
    cap: int = 0
    """Elements shown in each place."""


class Page:
    """One page of a payload, while it is made."""

    def __init__(self, tree: Any, lists: tuple[CutList | Spare, ...], resume: Position) -> None:
        self._tree = tree
        self._lists = lists
        self._resume = resume
        self._stages: list[Stage] = []
        self._taken: dict[tuple[int, str], list[Any]] = {}
        self._unmade: dict[tuple[int, str], int] = {}
        self._outers = self._turn(resume)
        self.is_part = bool(resume) or any(outer.beyond for outer in self._outers)
        """Whether the tree is no longer all of the payload."""

    def beyond(self) -> tuple[Dropped, ...]:
        """What no budget shows on this page: unfinished elements of earlier pages come first, or it holds no more."""
        return tuple(Dropped(outer.cut.kind, outer.beyond, outer.cut.note) for outer in self._outers if outer.beyond)

    def after_all(self) -> Position:
        """The next position when this page shows all that it may."""
        return self._make_position([Offset(outer.length - outer.beyond) for outer in self._outers])

    def detach(self, measure: Callable[[bytes], int]) -> list[Stage]:
        """Takes the elements out of all lists; the stages in cutting order, a list before the one that it is in."""
        windowed = {outer.cut.path: outer for outer in self._outers if outer.begin.window}
        consumed = {cut.path for outer in windowed.values() for cut in outer.inner}
        for cut in order_inner_first(self._lists):
            if cut.path in consumed:
                continue
            outer = windowed.get(cut.path)
            if isinstance(cut, Spare):
                stage = self._detach_member(cut, measure)
            else:
                stage = self._detach_list(cut, measure) if outer is None else self._detach_rows(outer, measure)
            stage.cap = stage.kept + len(stage.sums) - 1
            if stage.counts or stage.kept_count:
                self._stages.append(stage)
        if self.survivor():
            self._stages[-1].floor = 1
        return self._stages

    def losses_at_most(self, through: Stage) -> tuple[Dropped, ...]:
        """The losses when all lists up to this one show nothing; at least as long to write as those of any cap."""
        notes = {cut.kind: cut.note for cut in self._lists}
        losses = []
        for stage in self._stages:
            losses += [Dropped(kind, count, notes[kind]) for kind, count in stage.counts.items()]
            if stage is through:
                break
        return (*losses, *self.beyond())

    def lower(self) -> Iterator[None]:
        """Takes one kept element more from each place, at each step, until none is left; `restore` shows it."""
        for stage in self._stages:
            while stage.kept and stage.cap:
                stage.cap -= 1
                yield

    def position_at_most(self) -> Position:
        """A position at least as long to write as that of any caps."""
        most = max((outer.length for outer in self._outers), default=0)
        total = sum(sum(stage.counts.values()) + stage.kept_count for stage in self._stages)
        offsets = []
        for outer in self._outers:
            rows = outer.begin.window.rows if outer.begin.window else 0
            caps = (most + total,) * len(outer.inner)
            window = Window(outer.length, caps, rows + total) if outer.inner else None
            offsets.append(Offset(outer.length, window=window, part=_PARTS_MOST if outer.cut.parts else 0))
        return self._count_page(offsets)

    def restore(self) -> tuple[tuple[Dropped, ...], Position]:
        """Puts the elements back up to the caps; what is lost, and where the next page begins."""
        caps = {stage.cut.path: stage.cap for stage in self._stages}
        lost: dict[tuple[str, ...], int] = {}
        windowed = {outer.cut.path: outer for outer in self._outers if outer.begin.window}
        for stage in reversed(self._stages):
            outer = windowed.get(stage.cut.path)
            if isinstance(stage.cut, Spare):
                lost[stage.cut.path] = self._restore_member(stage)
            elif outer is None:
                lost[stage.cut.path] = self._restore_list(stage, stage.cut)
            else:
                lost |= self._restore_rows(outer, stage.cap)
        losses = [Dropped(cut.kind, lost[cut.path], cut.note) for cut in self._lists if lost.get(cut.path)]
        offsets = [self._find_offset(outer, caps, lost) for outer in self._outers]
        return (*losses, *self.beyond()), self._make_position(offsets)

    def can_divide(self) -> bool:
        """Whether the elements of the last list have parts."""
        last = self._stages[-1].cut if self._stages else None
        return isinstance(last, CutList) and last.parts is not None

    def parts_left(self) -> int:
        """The parts of the first element that the last list does not show; 0 where it has none or shows all."""
        stage, cut, elements = self._last()
        return cut.parts.count(row_of(cut, elements[stage.cap])) if cut.parts and stage.cap < len(elements) else 0

    def show_parts(self, room: int) -> tuple[int, tuple[tuple[Dropped, ...], Position]]:
        """As `restore`, with as many parts of the next element as are best shown where there is room for so many."""
        stage, cut, elements = self._last()
        row = row_of(cut, elements[stage.cap])
        assert cut.parts is not None, "callers ask whether it can be divided"
        part = cut.parts.end(row, room)
        if part >= cut.parts.count(row):
            stage.cap += 1
            whole = self.restore()
            stage.cap -= 1
            return part, whole
        losses, position = self.restore()
        (parent,) = find_parents(self._tree, cut)
        shown = [*elements[: stage.cap], take_parts(cut, elements[stage.cap], 0, part)]
        parent[cut.path[-1]] = rebuild_list(cut, shown)
        at = next(index for index, outer in enumerate(self._outers) if outer.cut is cut)
        offset = position[at]
        position = (*position[:at], msgspec.structs.replace(offset, part=part + offset.part), *position[at + 1 :])
        return part, (losses, position)

    def show_none(self) -> None:
        """Takes the last element of the last list, too, as its parts are shown instead."""
        self._stages[-1].cap = 0

    def _last(self) -> tuple[Stage, CutList, list[Any]]:
        """The list that is cut last, and its elements."""
        stage = self._stages[-1]
        assert isinstance(stage.cut, CutList), "callers ask whether it can be divided"
        (parent,) = find_parents(self._tree, stage.cut)
        return stage, stage.cut, self._taken[id(parent), stage.cut.path[-1]]

    def withheld(self) -> tuple[tuple[Dropped, ...], Position]:
        """The losses and the next position when nothing at all is shown: the page begins again."""
        losses = []
        notes = {cut.kind: cut.note for cut in self._lists}
        for stage in self._stages:
            counts = dict(stage.counts)
            if stage.kept_count:
                counts[stage.cut.kind] = counts.get(stage.cut.kind, 0) + stage.kept_count
            losses += [Dropped(kind, count, notes[kind]) for kind, count in counts.items()]
        return (*losses, *self.beyond()), ()

    def survivor(self) -> tuple[str, ...]:
        """The path of the list that keeps one element at the end of cutting; empty when there is none."""
        last = self._stages[-1].cut if self._stages else None
        return last.path if isinstance(last, CutList) and "*" not in last.path else ()

    @property
    def keeps_row(self) -> bool:
        """Whether the element that stays is a row in a group."""
        last = self._stages[-1].cut if self._stages else None
        return isinstance(last, CutList) and last.is_grouped and bool(self.survivor())

    def _turn(self, resume: Position) -> list[OuterList]:
        lists = [cut for cut in self._lists if isinstance(cut, CutList)]
        cuts = [cut for cut in lists if "*" not in cut.path]
        begins = resume if len(resume) == len(cuts) else (Offset(),) * len(cuts)
        outers = []
        for cut, begin in zip(cuts, begins, strict=True):
            inner = [other for other in lists if cut.key and other.path[:-1] == (*cut.path, "*")]
            parents = find_parents(self._tree, cut)
            if not parents:
                outers.append(OuterList(cut, inner, {}, 0, Offset()))
                continue
            elements = elements_of(cut, parents[0])
            outer = OuterList(cut, inner, parents[0], len(elements), begin)
            if begin.window:
                entries = outer.continue_window(elements, begin.window)
                outer.rows = sum(count_of(entry[row_member(entry)]) for entry in entries)
                outer.parent[cut.path[-1]] = entries
            elif begin.shown or begin.part or outer.beyond:
                elements = elements[begin.shown : len(elements) - outer.beyond]
                if begin.part and cut.parts is not None and elements:
                    elements = [take_parts(cut, elements[0], begin.part, _PARTS_MOST), *elements[1:]]
                outer.parent[cut.path[-1]] = rebuild_list(cut, elements)
            outers.append(outer)
        return outers

    def _detach_list(self, cut: CutList, measure: Callable[[bytes], int]) -> Stage:
        member = cut.path[-1]
        kept = cut.keep if "*" in cut.path else 0
        adds: list[int] = []
        total = kept_count = 0
        for parent, unmade in zip_longest(find_parents(self._tree, cut), cut.unmade, fillvalue=0):
            assert isinstance(parent, dict), "what is not made is of a list that is there"
            elements = elements_of(cut, parent)
            self._unmade[id(parent), member] = unmade
            total += unmade
            self._taken[id(parent), member] = elements
            parent[member], rest = rebuild_list(cut, elements[:kept]), elements[kept:]
            kept_count += len(elements) - len(rest)
            total += len(rest)
            lengths = measure_elements(cut, elements, kept, measure)
            if not adds:
                adds = lengths
            else:
                adds += [0] * (len(lengths) - len(adds))
                for index, length in enumerate(lengths):
                    adds[index] += length
        counts = {cut.kind: total} if total else {}
        return Stage(cut, list(accumulate(adds, initial=0)), counts, kept, kept_count)

    def _detach_member(self, spare: Spare, measure: Callable[[bytes], int]) -> Stage:
        """All of them count as one element: they are shown or not."""
        *path, member = spare.path
        length = count = 0
        for holder in values_at(self._tree, path):
            if isinstance(holder, dict) and len(holder) > 1 and member in holder:
                length += measure(_encode({member: holder[member]})) - 1  # without braces, with a comma
                self._taken[id(holder), member] = [holder.pop(member)]
                count += 1
        return Stage(spare, [0, length], {spare.kind: count} if count else {})

    def _restore_member(self, stage: Stage) -> int:
        *path, member = stage.cut.path
        lost = 0
        for holder in values_at(self._tree, path):
            if (id(holder), member) in self._taken:
                lost += 1 - stage.cap
                if stage.cap:
                    holder[member] = self._taken[id(holder), member][0]
        return lost

    def _detach_rows(self, outer: OuterList, measure: Callable[[bytes], int]) -> Stage:
        adds: list[int] = []
        counts: dict[str, int] = {}
        cuts = {cut.path[-1]: cut for cut in outer.inner}
        entries = outer.parent[outer.cut.path[-1]]
        for index, entry in enumerate(entries):
            cut = cuts[member := row_member(entry)]
            rows = elements_of(cut, entry)
            self._taken[id(entry), member] = rows
            entry[member] = rebuild_list(cut, [])
            lengths = measure_elements(cut, rows, 0, measure)
            lengths[0] += measure(_encode(entry)) + (index > 0)
            adds += lengths
            counts[cut.kind] = counts.get(cut.kind, 0) + len(rows)
        self._taken[id(outer.parent), outer.cut.path[-1]] = entries
        outer.parent[outer.cut.path[-1]] = []
        return Stage(outer.cut, list(accumulate(adds, initial=0)), counts)

    def _restore_list(self, stage: Stage, cut: CutList) -> int:
        member = cut.path[-1]
        lost = 0
        for parent in find_parents(self._tree, cut):
            elements = self._taken[id(parent), member]
            lost += self._unmade[id(parent), member]
            parent[member] = rebuild_list(cut, elements[: stage.cap])
            lost += max(0, len(elements) - stage.cap)
        return lost

    def _restore_rows(self, outer: OuterList, cap: int) -> dict[tuple[str, ...], int]:
        cuts = {cut.path[-1]: cut for cut in outer.inner}
        lost: dict[tuple[str, ...], int] = {}
        shown = []
        for entry in self._taken[id(outer.parent), outer.cut.path[-1]]:
            cut = cuts[member := row_member(entry)]
            rows = self._taken[id(entry), member]
            if cap:
                entry[member] = rebuild_list(cut, rows[:cap])
                shown.append(entry)
            lost[cut.path] = lost.get(cut.path, 0) + max(0, len(rows) - cap)
            cap = max(0, cap - len(rows))
        outer.parent[outer.cut.path[-1]] = shown
        return lost

    def _find_offset(
        self, outer: OuterList, caps: dict[tuple[str, ...], int], lost: dict[tuple[str, ...], int]
    ) -> Offset:
        begin = outer.begin
        if begin.window:
            rows = begin.window.rows + min(caps.get(outer.cut.path, outer.rows), outer.rows)
            is_finished = rows == begin.window.rows + outer.rows
            window = Window(begin.window.start, begin.window.caps, rows)
            return Offset(begin.shown, window=None if is_finished else window)
        shown = outer.length - outer.beyond - lost.get(outer.cut.path, 0)
        if shown == begin.shown:
            return Offset(shown, part=begin.part)
        if not any(lost.get(cut.path) for cut in outer.inner):
            return Offset(shown)
        window = Window(begin.shown, tuple(caps.get(cut.path, 0) for cut in outer.inner))
        return Offset(shown, window=window)

    def _make_position(self, offsets: list[Offset]) -> Position:
        is_end = all(
            offset.window is None and offset.shown == outer.length
            for offset, outer in zip(offsets, self._outers, strict=True)
        )
        return () if is_end else self._count_page(offsets)

    def _count_page(self, offsets: list[Offset]) -> Position:
        """The offsets, the first of which counts the pages."""
        if not offsets:
            return ()
        pages = 1 + (self._resume[0].pages if self._resume else 0)
        return (msgspec.structs.replace(offsets[0], pages=pages), *offsets[1:])
