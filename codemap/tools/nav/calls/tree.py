"""Grows a tree of calls breadth-first from one function, from any source of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, get_args

import msgspec

from codemap.live_queries import Doubt, Fact, Missed, doubt_of
from codemap.tools.outputs import one_of
from codemap.tools.tool import Asking

REQUESTS_MAX = 120
"""Functions whose calls are asked for, for one answer."""
NODES_MAX = 200
"""Functions in one answer."""

Way = Literal["incoming", "outgoing"]
WayName = Annotated[str, one_of(get_args(Way))]


class Function(msgspec.Struct, frozen=True):
    """A function of the tree. Equal ones are the same function."""

    name: str
    kind: str
    file: str
    line: int
    col: int
    is_external: bool = False
    id: str = ""
    is_stale: bool = False
    handle: Any = None
    """What whoever knows its calls needs besides."""

    @property
    def place(self) -> tuple[str, int, int]:
        return self.file, self.line, self.col


class Call(msgspec.Struct, frozen=True):
    function: Function
    sites: tuple[tuple[int, int], ...]
    """Line and column of the calls, in the file of the caller."""


Calls = Callable[[Sequence[Function]], Asking[Sequence[Fact]]]
"""For each function those who call it, or whom it calls: a `tuple[Call, ...]` where found."""


class Tree(msgspec.Struct, frozen=True):
    branches: tuple[Branch, ...]
    omitted: int = 0
    """Functions left out by the limits, as far as they are known."""
    failures: tuple[tuple[Function, Missed], ...] = ()
    """Functions whose calls are missing, and why."""
    doubt: Doubt = Doubt()
    """Why there may be more."""


class Branch(msgspec.Struct):
    """A function with what is below it; filled while the tree grows."""

    function: Function
    sites: tuple[tuple[int, int], ...]
    branches: list[Branch] = []
    is_repeated: bool = False
    """Whether its own calls are shown elsewhere in the tree."""
    is_incomplete: bool = False
    """Whether calls of its own are missing for want of time, or beyond the limits."""


def grow(roots: Sequence[Function], depth: int, calls: Calls) -> Asking[Tree | Missed]:
    """The tree, or why there is none. Whoever is outside the repository is a leaf."""
    seen = {function.place for function in roots}
    tops = [Branch(function, ()) for function in roots]
    frontier = tops
    requests = nodes = omitted = 0
    failures: list[tuple[Function, Missed]] = []
    doubt = Doubt()
    for level in range(depth):
        asked = frontier[: REQUESTS_MAX - requests]
        for branch in frontier[len(asked) :]:
            branch.is_incomplete = True
            omitted += 1
        requests += len(asked)
        answers = (yield from calls([branch.function for branch in asked])) if asked else ()
        if level == 0 and answers and all(isinstance(answer, Missed) for answer in answers):
            first = answers[0]
            assert isinstance(first, Missed), "all of them are"
            return first
        frontier = []
        for branch, answer in zip(asked, answers, strict=True):
            if isinstance(answer, Missed):
                failures.append((branch.function, answer))
                branch.is_incomplete = True
                continue
            doubt = doubt_of((doubt, answer))
            for call in sorted(answer.value, key=_rank_call):
                if nodes == NODES_MAX:
                    branch.is_incomplete = True
                    omitted += 1
                    continue
                nodes += 1
                below = Branch(call.function, call.sites)
                branch.branches.append(below)
                if call.function.place in seen:
                    below.is_repeated = True
                elif not call.function.is_external:
                    seen.add(call.function.place)
                    frontier.append(below)
    branches = tuple(below for top in tops for below in top.branches)
    return Tree(branches, omitted, tuple(failures), doubt)


def _rank_call(call: Call) -> tuple[bool, str, int, int]:
    """Sorts calls of the repository first, in the order of their files."""
    return call.function.is_external, *call.function.place
