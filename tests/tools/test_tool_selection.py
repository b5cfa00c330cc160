"""Which tools are listed: words, their mistakes, and the nearest name."""

from __future__ import annotations

import pytest

from codemap.tools import TOOLS
from codemap.tools.tool_selection import CORE, WORDS_MAX, UnknownTool, choose_tools, words_of
from tests.tools.calls import FIRST


def named(*words: str) -> list[str]:
    return [tool.name for tool in choose_tools(TOOLS, words)]


def test_no_words_are_all_in_the_order_that_clients_see() -> None:
    assert named() == named("all") == [tool.name for tool in TOOLS]


def test_the_core_is_the_map_and_the_language_servers() -> None:
    assert set(named("core")) == CORE == FIRST


def test_names_add_to_it_in_one_order_and_once() -> None:
    assert named("map_search", "map_overview", "map_search") == ["map_overview", "map_search"]
    assert set(named("core", "map_code")) == CORE | {"map_code"}


@pytest.mark.parametrize(
    ("word", "says"), [("map_serch", "map_search"), ("Core", "core"), ("nav_callhierarchy", "nav_callHierarchy")]
)
def test_a_mistake_is_answered_with_the_nearest_name(word: str, says: str) -> None:
    with pytest.raises(UnknownTool, match=f"There is no tool {word!r}; the nearest is {says}."):
        named("map_overview", word)


def test_what_is_like_nothing_gets_the_list_and_long_words_are_cut() -> None:
    with pytest.raises(UnknownTool, match="there are core, all, map_overview") as refused:
        named("q" * 10_000)
    assert len(str(refused.value)) < 600
    with pytest.raises(UnknownTool, match="More than 64 tools"):
        named(*["core"] * (WORDS_MAX + 1))


def test_words_are_separated_by_commas() -> None:
    assert words_of(" core, map_code,,") == ("core", "map_code")
