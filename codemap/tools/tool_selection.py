"""Which tools a server lists: `core`, `all`, or names, mixed as one likes (`core,map_code`).

The description of each listed tool stays in a model's context all the time: list few where few are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from codemap.tools.tool import Tool

CORE = frozenset(
    (
        *("map_overview", "map_search", "map_neighbors", "map_path", "map_rebuild", "map_status"),
        *("nav_definition", "nav_references", "nav_implementations", "nav_type", "nav_callHierarchy", "nav_symbols"),
        *("nav_workspaceSymbols", "resolve"),
    )
)
"""The map and the language servers, without what is made of both."""
CORE_WORD, ALL_WORD = "core", "all"
WORDS_MAX = 64
"""Words of one choice: there are not so many tools."""


class UnknownTool(ValueError):
    """A word names no tool; the message is a sentence with the nearest name."""


def choose_tools(tools: Sequence[Tool], words: Iterable[str]) -> tuple[Tool, ...]:
    """The tools that some words name, in their order; no words: all. Raises UnknownTool."""
    named: set[str] = set()
    known = [CORE_WORD, ALL_WORD, *(tool.name for tool in tools)]
    given = list(words)
    for word in given[:WORDS_MAX]:
        if word not in known:
            near = get_close_matches(word[:WORDS_MAX], known, n=1, cutoff=0.5)
            rest = f"the nearest is {near[0]}" if near else f"there are {', '.join(known)}"
            raise UnknownTool(f"There is no tool {word[:WORDS_MAX]!r}; {rest}.")
        named.update(CORE if word == CORE_WORD else (tool.name for tool in tools) if word == ALL_WORD else (word,))
    if len(given) > WORDS_MAX:
        raise UnknownTool(f"More than {WORDS_MAX} tools are named.")
    return tuple(tool for tool in tools if not given or tool.name in named)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a choice that commas separate."""
    return tuple(word.strip() for word in text.split(",") if word.strip())
