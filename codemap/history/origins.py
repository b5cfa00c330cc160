"""Which touch made the version of a file that a commit has: the last one on the way back from it.

Commits are laid into chains along their first parents, and each chain knows which of its commits changed a path, so
that one look into it is a bisection, and not a walk over every commit. The first parents of the head are one chain:
what branched off it is one step away.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from codemap.history.table import NONE, History

Find = Callable[[int, int], int]


class Origins:
    """Of the commits from `first` on; `older` answers for those before."""

    def __init__(self, first: int, older: Find) -> None:
        self._first = first
        self._older = older
        self._chain: list[int] = []
        self._place: list[int] = []
        self._is_main: list[bool] = []
        self._base: list[int] = []
        """By chain: the commit that it begins from."""
        self._root: list[int] = []
        """For each chain, the last commit before `first` that it leads to; a placeholder where there is none."""
        self._tip: list[int] = []
        self._events: dict[int, dict[int, tuple[list[int], list[int]]]] = {}
        """By path and chain: places in the chain, and the touches there."""

    def add_commit(self, row: int, first_parent: int, *, is_main: bool) -> None:
        """Rows come in order."""
        if first_parent >= self._first:
            chain = self._chain[first_parent - self._first]
            if self._tip[chain] == first_parent and (is_main or not self._is_main[first_parent - self._first]):
                self._chain.append(chain)
                self._place.append(self._place[first_parent - self._first] + 1)
                self._tip[chain] = row
                self._is_main.append(is_main)
                return
        self._chain.append(len(self._base))
        self._place.append(0)
        self._base.append(first_parent)
        is_older = first_parent < self._first
        self._root.append(first_parent if is_older else self._root[self._chain[first_parent - self._first]])
        self._tip.append(row)
        self._is_main.append(is_main)

    def add_touch(self, row: int, path: int, touch: int) -> None:
        """The commit has the version of the path that the touch made."""
        place = row - self._first
        events = self._events.setdefault(path, {})
        found = events.get(self._chain[place])
        if found is None:
            events[self._chain[place]] = ([self._place[place]], [touch])
        else:
            found[0].append(self._place[place])
            found[1].append(touch)

    def find(self, row: int, path: int) -> int:
        """The touch; NONE where the path never was, UNREAD where this history does not go back so far."""
        first, events = self._first, self._events.get(path)
        if events is None:
            row = self._root[self._chain[row - first]] if row >= first else row
        else:
            chains, bases = self._chain, self._base
            while row >= first:
                chain = chains[row - first]
                found = events.get(chain)
                if found is not None:
                    places, touches = found
                    place = self._place[row - first]
                    if places[-1] <= place:
                        return touches[-1]
                    at = bisect_right(places, place)
                    if at:
                        return touches[at - 1]
                row = bases[chain]
        return self._older(row, path) if row >= 0 else row


def origins_of(history: History) -> Origins:
    """Of all commits. Cost: linear in the touches."""
    origins = Origins(0, lambda _row, _path: NONE)
    begin, parents = history.parent_begin.tolist(), history.parents.tolist()
    main = main_line(history.head_row, lambda row: parents[begin[row]] if begin[row] < begin[row + 1] else NONE)
    touches, touch_path = history.touch_begin.tolist(), history.touch_path.tolist()
    links = history.links.reshape(-1, 3).tolist()
    links.reverse()
    for row in range(history.count):
        origins.add_commit(row, parents[begin[row]] if begin[row] < begin[row + 1] else NONE, is_main=row in main)
        for touch in range(touches[row], touches[row + 1]):
            origins.add_touch(row, touch_path[touch], touch)
        while links and links[-1][0] == row:
            _, path, touch = links.pop()
            origins.add_touch(row, path, touch)
    return origins


def main_line(head: int, first_parent: Callable[[int], int]) -> set[int]:
    """The head and its first parents."""
    found: set[int] = set()
    while head >= 0:
        found.add(head)
        head = first_parent(head)
    return found
