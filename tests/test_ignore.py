"""Ignore rules against git itself: `git check-ignore` answers for the same patterns and paths."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codemap.ignore import WILD_MAX, Kind, Rules, Verdict, rules_in
from tests.costs import is_within
from tests.examples import examples

PARTS = [b"a", b"b", b"ab", b"a b", b"a ", b".a", b"!a", b"#a", b"-", b"[", b"a]", b"\\", "é".encode(), b"b.py", b"A"]
PIECES = [
    *[b"a", b"b", b"*", b"**", b"/", b"?", b"[", b"]", b"!", b"^", b"-", b"\\", b" ", b".", b"#", b"\t", b"\r"],
    *[
        b"[:alpha:]",
        b"[[:digit:]b]",
        b"[a-b]",
        b"[!a]",
        b"[]-]",
        b"/**/",
        b"/**",
        b"**/",
        "é".encode(),
        b"*.py",
        b"\xff",
    ],
]
LINE = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(b"".join)
PATH = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map(b"/".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ignore")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINE, min_size=1, max_size=4), paths=st.lists(PATH, min_size=1, max_size=30, unique=True))
@example(lines=[b"b**/a"], paths=[b"b/a", b"ba", b"b/x/a", b"x/b/a"])
@example(lines=[b"*.py", b"!b"], paths=[b"b/b.py"])
@example(lines=[b"*a*b*a", b"**/a/**/b/**/a*b"], paths=[b"aba", b"abab", b"xaxbxa", b"a/a/b/b/a/a/ab", b"a/b/ab/x"])
@example(lines=[b"a/", b"!a/b"], paths=[b"a/b", b"b/a"])
@example(lines=[b"a\\ ", b"b   "], paths=[b"a ", b"a", b"b"])
def test_agrees_with_git(repository: Path, lines: list[bytes], paths: list[bytes]) -> None:
    text = b"\n".join(lines) + b"\n"
    (repository / ".gitignore").write_bytes(text)
    rules = rules_in(text)
    asked = subprocess.run(
        ["git", "-C", repository, "check-ignore", "-z", "-v", "-n", "--no-index", "--stdin"],
        input=b"\0".join(paths),
        stdout=subprocess.PIPE,
        check=False,
    ).stdout.split(b"\0")
    answers = {path: bool(source) and not pattern.startswith(b"!") for source, pattern, path in _triples(asked)}
    assert answers == {path: _is_ignored(rules, path) for path in answers}
    assert len(answers) == len(paths)


def _triples(fields: list[bytes]) -> list[tuple[bytes, bytes, bytes]]:
    return [(fields[at], fields[at + 2], fields[at + 3]) for at in range(0, len(fields) - 1, 4)]


def _is_ignored(rules: Rules | None, path: bytes) -> bool:
    """As a walk from the top decides."""
    parts = path.split(b"/")
    for end in range(1, len(parts) + 1):
        kind = Kind.FILE if end == len(parts) else Kind.FOLDER
        if rules and rules.verdict(b"/".join(parts[:end]), parts[end - 1], kind) is Verdict.IGNORED:
            return True
    return False


@pytest.mark.parametrize(
    "pattern", [b"*a" * 40 + b"b", b"**/a/" * 40 + b"b", b"**/*a*a*a*a/" * 10 + b"b", b"[ab]*" * 40 + b"c"]
)
def test_no_pattern_takes_for_ever(pattern: bytes) -> None:
    rules = rules_in(pattern)
    assert rules is not None
    started = time.process_time()
    for path in (b"a" * 250, b"a/" * 1000 + b"a", b"/".join([b"a" * 40] * 80)):
        assert rules.verdict(path, path.rpartition(b"/")[2], Kind.FILE) is None
    assert is_within(time.process_time() - started, 2)


@pytest.mark.parametrize(
    "line",
    [
        b"*a" * 40 + b"b\n",
        b"name%d\n",
        b"*.ending%d\n",
        b"a/b%d\n",
        b"same/\n",
        b"[%d\n",
        b"?%d*x\n",
        b"*a*%d" + b"*a" * 40 + b"b\n",
        b"\\\\%d\n",
    ],
)
def test_no_file_takes_for_ever(line: bytes) -> None:
    """As many lines as are read of one. One expression for all of them took minutes."""
    text = b"".join(line % number if b"%" in line else line for number in range(1024 * 1024 // len(line)))
    started = time.process_time()
    rules = rules_in(text)
    assert rules is not None
    for number in range(100):
        path = b"a/b/name%d" % number + b"a" * 200
        rules.verdict(path, path.rpartition(b"/")[2], Kind.FILE)
    assert is_within(time.process_time() - started, 6)


def test_patterns_beyond_what_is_obeyed_are_counted() -> None:
    rules = rules_in(b"".join(b"?%d\n" % number for number in range(WILD_MAX + 3)) + b"*" + b"?" * 600 + b"\nname\n")
    assert rules is not None
    assert (len(rules.rules), rules.left_out) == (WILD_MAX + 1, 4)
    assert rules.verdict(b"x499", b"x499", Kind.FILE) is Verdict.IGNORED
    assert rules.verdict(b"x500", b"x500", Kind.FILE) is None
    assert rules.verdict(b"name", b"name", Kind.FILE) is Verdict.IGNORED


def test_the_deciding_rule_is_known_by_its_line() -> None:
    rules = rules_in(b"# head\n*.log\n!keep.log\nbuild/\n/*  \n")
    assert rules is not None

    def deciding(path: bytes, kind: Kind = Kind.FILE) -> tuple[int, bytes] | None:
        rule = rules.deciding(path, path.rpartition(b"/")[2], kind)
        return None if rule is None else (rule.line, rule.text)

    assert deciding(b"x/a.log") == (2, b"*.log")
    assert deciding(b"x/keep.log") == (3, b"!keep.log")
    assert (deciding(b"x/build", Kind.FOLDER), deciding(b"x/build")) == ((4, b"build/"), None)
    last = rules.deciding(b"src", b"src", Kind.FOLDER)
    assert last is not None
    assert (last.line, last.text) == (5, b"/*")
    rules = rules.without(last)
    assert rules is not None
    assert deciding(b"src", Kind.FOLDER) is None
    assert deciding(b"a.log") == (2, b"*.log")


def test_a_file_of_comments_has_no_rules() -> None:
    assert rules_in(b"\xef\xbb\xbf# nothing\r\n\r\n   \n") is None
