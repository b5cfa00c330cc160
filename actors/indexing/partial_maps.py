"""Publishes partial maps during the first build of a large repository: definitions, long before their edges.

When somebody searches for a name meanwhile, the files that seem to define it are parsed next.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Set

import trio

from actors.messaging.messages import Outcome, Parsed
from actors.ports import Content

AFTER_S = 0.4
"""A build that takes less time publishes no partial map."""

EVERY_S = 0.1

SHARE_MIN = 0.05
"""Least share of the files that a partial map has."""

GROWTH = 1.5
"""Factor by which each partial map has more files than the one before: together they cost at most three times the
last."""

SEEK_S = 1.0
"""How long files are read to find those that contain a wanted text."""
SOUGHT_AT_ONCE = 200
"""Files that are read in one step."""
FOUND_MAX = 64
"""Most files that are parsed sooner because of one text."""

_WORDS = re.compile(r"\w{2,}")
_DEFINED = (
    rb"\b(?:class|const|def|define|enum|fn|fun|func|function|interface|let|macro_rules!|module|namespace|object|record"
    rb"|struct|trait|type|typedef|union|val|var)\s+[\w.:]*?%s\b"
)
"""Keywords before a name where it is defined, in most languages."""

Find = Callable[[str], Awaitable[Set[str]]]


async def show_growing(
    outcomes: Mapping[str, Outcome],
    total: int,
    show: Callable[[Mapping[str, Parsed]], Awaitable[None]],
    take_wanted: Callable[[], Set[str] | None],
    bring_forward: Find,
) -> None:
    """Publishes partial maps as files are parsed and somebody asks, until all are parsed.

    `bring_forward` has files with a text parsed next, and gives their paths.
    """
    shown, began = 0, trio.current_time()
    is_wanted = False
    sought: set[str] = set()
    awaited: set[str] = set()
    while len(outcomes) < total:
        wanted = take_wanted()
        is_wanted |= wanted is not None
        for text in sorted((wanted or set()) - sought):
            sought.add(text)
            awaited |= await bring_forward(text)
        has_grown = len(outcomes) > max(GROWTH * shown, SHARE_MIN * total)
        has_found = bool(awaited) and awaited <= outcomes.keys()
        if is_wanted and (has_grown or has_found) and trio.current_time() - began >= AFTER_S:
            shown, is_wanted = len(outcomes), False
            awaited -= outcomes.keys()
            await show({path: outcome for path, outcome in outcomes.items() if isinstance(outcome, Parsed)})
        await trio.sleep(EVERY_S)


async def files_with(
    text: str, paths: list[str], read_files: Callable[[Iterable[str]], Awaitable[Mapping[str, Content]]]
) -> list[str]:
    """Finds a few files that contain every word of a text, those that seem to define the last one first."""
    words = [word.encode() for word in _WORDS.findall(text)]
    if not words:
        return []
    defined = re.compile(_DEFINED % re.escape(words[-1]))
    first: list[str] = []
    others: list[str] = []
    with trio.move_on_after(SEEK_S):
        for at in range(0, len(paths), SOUGHT_AT_ONCE):
            read = await read_files(paths[at : at + SOUGHT_AT_ONCE])
            for path, file in read.items():
                if all(word in file.content for word in words):
                    (first if defined.search(file.content) else others).append(path)
    return [*first, *others][:FOUND_MAX]
