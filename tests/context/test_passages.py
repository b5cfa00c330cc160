"""Which lines of a function are shown of what words describe."""

from __future__ import annotations

import json

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.code.excerpts import Text
from codemap.tools.context.passages import choose_passages, words_of_task
from tests.tools.calls import reply
from tests.tools.live import Script

FILLING = "".join(f"    total += weights[{at}] * values[{at}]\n" for at in range(40))
FUNCTION = (
    "def settle(\n    accounts: list[str],\n) -> int:\n" + FILLING + "    if not accounts:\n"
    "        notify('the ledger was locked')\n    ledger = open_ledger()\n" + FILLING + "    return total\n"
)
LINES = FUNCTION.count("\n")


def shown(task: str) -> list[tuple[int, int]]:
    return [(one.first, one.last) for one in choose_passages(Text(FUNCTION), 1, LINES, words_of_task(task))]


@pytest.mark.parametrize(
    ("task", "lines"),
    [
        ("who is notified of a locked ledger", [(1, 3), (44, 47)]),
        ("the locked ledger", [(1, 3), (44, 47)]),
        ("return", [(1, 3), (86, 87)]),  # to the end
        ("accounts", [(1, 4), (43, 46)]),
        ("nothing of it", [(1, LINES)]),
    ],
)
def test_the_header_and_the_lines_around_those_with_most_words(task: str, lines: list[tuple[int, int]]) -> None:
    assert shown(task) == lines


def test_a_word_that_is_shown_already_counts_less() -> None:
    locks = "    lock(ledger, account)\n" + "    total += 1\n" * 20
    text = Text("def settle():\n" + locks * 8 + "    close(account)\n")
    shown = [
        line
        for one in choose_passages(text, 1, len(text.lines), words_of_task("lock ledger, close account"))
        for line in one.text.split("\n")
    ]
    assert "    close(account)" in shown
    assert 2 <= shown.count("    lock(ledger, account)") < 8


def test_a_short_function_is_shown_whole() -> None:
    text = Text("def settle():\n    lock()\n" + "    pass\n" * 20 + "    return 0\n")
    assert [(one.first, one.last) for one in choose_passages(text, 1, 23, words_of_task("lock"))] == [(1, 23)]


@pytest.mark.parametrize(
    ("task", "is_whole"), [("is the ledger locked while accounts are added", False), ("`settle` and the lock", True)]
)
def test_what_is_named_is_shown_whole(task: str, is_whole: bool) -> None:
    files = {"shop/bank.py": FUNCTION.encode()}
    world = World(snapshot=build_snapshot(files), root="/repository")
    got = json.loads(reply(world, "map_context", {"task": task}, Script({}, files)).text)
    rows = got["data"]["code"]["shop/bank.py#settle"]
    assert (sum(row.count("total +=") for row in rows) == 80) == is_whole
    assert any("ledger was locked" in row for row in rows)


def test_of_a_long_class_that_words_describe_its_methods_are_shown() -> None:
    fields = "".join(f"    field_{at}: int = {at}\n" for at in range(120))
    source = f'class Ledger:\n    """Locked accounts."""\n\n{fields}\n    def lock(self): ...\n'
    files = {"shop/bank.py": source.encode()}
    world = World(snapshot=build_snapshot(files), root="/repository")
    for task, shown in (("lock the ledger", ["Ledger.lock"]), ("`Ledger` and lock", ["Ledger"])):
        got = json.loads(reply(world, "map_context", {"task": task}, Script({}, files)).text)["data"]
        assert {row.partition(" ")[0].partition("#")[2] for row in got["read"]} >= {"Ledger", "Ledger.lock"}
        assert {name.partition("#")[2] for name in got["code"]} >= set(shown)
        assert ("shop/bank.py#Ledger" in got["code"]) == ("Ledger" in shown)
