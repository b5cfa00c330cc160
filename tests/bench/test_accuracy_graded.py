"""Likelihood against what ran: where calls stand in a source, and which uses count as right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from bench.accuracy.corpora import FOLDER
from bench.accuracy.edges import Claim, Relation
from bench.accuracy.graded import STAND_IN, called_names, callees_by_site, graded
from bench.accuracy.lines import Lines
from bench.accuracy.observed import Ran, is_implicit

RAN = """
import sys
from unittest import mock

def plain(x):
    return x.upper()

def chained(f):
    return (f()
            .strip()
            .splitlines())

def called(f):
    return f()()

class Mock:
    def strip(self):
        return ""

def main():
    "é".join([]), plain("é")
    chained(lambda: " a")
    called(lambda: plain_again)
    chained(mock.Mock())

def plain_again(): ...
"""


def test_a_called_name_is_found_by_the_range_that_the_interpreter_gives(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "ran.py").write_text(RAN)
    (tmp_path / "test_ran.py").write_text("import ran\n\ndef test_main():\n    ran.main()\n")
    out = tmp_path / "out.json"
    command = [sys.executable, str(FOLDER / "observe_hook.py"), str(out), str(tmp_path / "package"), "test_ran.py"]
    environment = {"PYTHONPATH": str(tmp_path / "package"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert out.exists(), done.stdout + done.stderr
    ran = msgspec.json.decode(out.read_bytes(), type=Ran)
    chains = {name: f"ran.py#{name}" for name in ("plain", "chained", "called", "main", "plain_again")}
    keys = {"ran.py": Lines("ran.py", RAN, {**chains, "Mock": "M", "Mock.strip": "M.strip"})}
    found = callees_by_site(ran.sites, {"ran.py": RAN}, keys)
    lines = RAN.split("\n")

    def at(line: int, text: str) -> tuple[str, int, int]:
        return "ran.py", line, lines[line - 1].index(text) + 1

    assert found[at(6, "upper")] == {""}
    assert found[at(10, "strip")] == {"", STAND_IN}
    assert found[at(11, "splitlines")] == {"", STAND_IN}
    assert found[at(14, "f")] == {"ran.py#main", "ran.py#plain_again"}
    assert found[at(21, "plain")] == {"ran.py#plain"}


def test_columns_count_utf16_code_units() -> None:
    assert called_names("x = '\U0001d11e', f(1)\n") == {(1, 1, 12, 16): (1, 11)}


def test_a_use_is_right_where_one_of_the_likeliest_ran() -> None:
    def claim(name: str, target: str, likelihood: str, *sites: tuple[int, int]) -> Claim:
        return Claim("a.py", target, Relation.CALLS, "candidate", "a.py", sites, likelihood, name)

    claimed = [
        claim("right", "A.right", "high", (1, 1)),
        claim("right", "B.right", "high", (1, 1)),
        claim("over", "A.over", "high", (2, 1)),
        claim("wrong", "A.wrong", "high", (3, 1)),
        claim("wrong", "B.wrong", "", (3, 1)),
        claim("outside", "A.outside", "low", (4, 1)),
        claim("mocked", "A.mocked", "high", (5, 1)),
        claim("silent", "A.silent", "high", (6, 1)),
        claim("either", "A.either", "medium", (7, 1), (8, 1)),
        claim("beside", "B.beside", "high", (9, 1)),
        Claim("a.py", "A.beside", Relation.CALLS, "type", "a.py", ((9, 1),)),
    ]
    ran = {
        ("a.py", 1, 1): frozenset(("B.right",)),
        ("a.py", 2, 1): frozenset(("Heir.over",)),
        ("a.py", 3, 1): frozenset(("B.wrong",)),
        ("a.py", 4, 1): frozenset(("",)),
        ("a.py", 5, 1): frozenset((STAND_IN,)),
        ("a.py", 8, 1): frozenset(("A.either",)),
        ("a.py", 9, 1): frozenset(("A.beside",)),
    }
    found = graded(claimed, {"A.over": frozenset(("A.over", "Heir.over"))}, ran)
    assert found.right == {"high": 2, "medium": 1, "low": 0}
    assert found.wrong == {"high": 1, "medium": 0, "low": 1}


def test_what_runs_without_being_named_is_implicit() -> None:
    assert [is_implicit(name) for name in ("__str__", "__init__", "__new__", "__call__", "run")] == [
        *(True, False, False, False, False)
    ]


def test_a_call_that_has_several_names_is_one_use() -> None:
    """A visitor: one of the methods ran, and the call is right."""
    claimed = [
        Claim("a", target, Relation.CALLS, "candidate", "a.py", ((1, 1),), "high", name)
        for target, name in (("v.py#on_a", "on_a"), ("v.py#on_b", "on_b"))
    ]
    found = graded(claimed, {}, {("a.py", 1, 1): frozenset({"v.py#on_b"})})
    assert (found.right["high"], found.wrong["high"], found.each) == (1, 0, (1, 0))


def test_each_likely_candidate_that_ran_elsewhere_alone_is_wrong() -> None:
    claimed = [
        Claim("a", target, Relation.CALLS, "candidate", "a.py", ((1, 1),), "high", "hook") for target in ("f", "g", "h")
    ]
    found = graded(claimed, {}, {("a.py", 1, 1): frozenset({"f"}), ("b.py", 2, 1): frozenset({"g"})})
    assert (found.right["high"], found.each) == (1, (1, 1))
