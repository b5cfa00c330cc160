"""The code that `map_search` shows: the first lines of the best results, as the disk has them, within the budget."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.search.tool import SHOWN, SNIPPET_MAX
from tests.tools.calls import reply
from tests.tools.live import Script

STORE = '''\
"""Sessions."""


class Store:
    def flush(self, rows):
        """Write what is pending."""
        if rows:
            self.write(rows)\t
        return "ﬂush — done"

    def close(self): ...


@cached
def flush_all(stores):
    for store in stores:
        store.flush([])
'''
MANY = "\n\n".join(f"def reset_{number}():\n    return {number}" for number in range(SHOWN + 3)) + "\n"
LONG = "def unroll():\n" + "".join(f"    step({number})\n" for number in range(2 * SNIPPET_MAX))
FILES = {"app/store.py": STORE.encode(), "app/many.py": MANY.encode(), "app/long.py": LONG.encode()}


def asked(files: dict[str, bytes] = FILES, **arguments: Any) -> dict[str, Any]:
    world = World(build_snapshot(FILES), root="/repository")
    found: dict[str, Any] = json.loads(reply(world, "map_search", arguments, Script({}, files)).text)
    return found


def lines_of(text: str, first: int, count: int) -> str:
    """Lines of a file, the first one numbered 1."""
    return dedent("\n".join(line.rstrip() for line in text.split("\n")[first - 1 :][:count]))


def rows(found: dict[str, Any]) -> list[str]:
    return [row.split(" ")[0] for row in found["data"]["results"]]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_first_lines_are_shown_as_they_stand(count: int) -> None:
    snippets = asked(query="Store.flush", snippet=count)["data"]["snippets"]
    assert snippets["app/store.py#Store.flush"] == lines_of(STORE, 5, count)


def test_a_definition_is_shown_to_its_end_and_no_further() -> None:
    snippets = asked(query="Store.flush", snippet=30)["data"]["snippets"]
    assert snippets["app/store.py#Store.flush"] == lines_of(STORE, 5, 5)
    assert snippets["app/store.py#Store.flush"].endswith('return "ﬂush — done"')


def test_the_best_results_are_shown_in_their_order() -> None:
    found = asked(query="reset", snippet=2)
    data = found["data"]
    assert len(data["results"]) == SHOWN + 3
    assert list(data["snippets"]) == rows(found)[:SHOWN]
    for name, code in data["snippets"].items():
        number = int(name.rpartition("_")[2])
        assert code == f"def reset_{number}():\n    return {number}"


def test_no_more_lines_are_shown_than_the_most() -> None:
    code = asked(query="unroll", snippet=SNIPPET_MAX + 20, tokenBudget=10_000)["data"]["snippets"]["app/long.py#unroll"]
    assert code == lines_of(LONG, 1, SNIPPET_MAX)


def test_without_being_asked_for_no_code_is_read() -> None:
    assert "snippets" not in asked({}, query="flush")["data"]
    assert "snippets" not in asked({}, query="flush", snippet=0)["data"]


def test_code_is_of_the_disk_where_the_map_is_behind() -> None:
    moved = STORE.replace("class Store:", "LIMIT = 3\n\n\nclass Store:").replace("if rows", "while rows")
    snippets = asked(FILES | {"app/store.py": moved.encode()}, query="Store.flush", snippet=4)["data"]["snippets"]
    assert snippets["app/store.py#Store.flush"] == lines_of(moved, 8, 4)
    assert "while rows" in snippets["app/store.py#Store.flush"]


def test_what_is_gone_from_the_disk_is_not_shown() -> None:
    gone = STORE.replace("def flush(", "def drain(")
    data = asked(FILES | {"app/store.py": gone.encode()}, query="Store.flush", snippet=4)["data"]
    assert data["results"][0].startswith("app/store.py#Store.flush")
    assert list(data["snippets"]) == ["app/store.py#flush_all"]


@pytest.mark.parametrize("budget", [100, 150, 200, 300, 500, 800])
def test_code_never_takes_more_than_the_budget(budget: int) -> None:
    found = asked(query="reset", snippet=SNIPPET_MAX, tokenBudget=budget)
    assert found["tokenBudget"]["used"] <= budget
    without = asked(query="reset", tokenBudget=budget)
    assert rows(found)
    assert rows(found) == rows(without)[: len(rows(found))], "the best results are shown, whatever else is"
    shown = found["data"].get("snippets", {})
    whole = asked(query="reset", snippet=SNIPPET_MAX, tokenBudget=10_000)["data"]["snippets"]
    assert shown.items() <= whole.items(), "each snippet is whole or not there"
    assert found["truncated"] == (len(shown) < len(whole) or without["truncated"])
