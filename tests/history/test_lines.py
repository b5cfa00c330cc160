"""Whose lines a commit changed, against the rules that `git log -L` has, range by range."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from codemap.history.lines import across, file_commits, kept, segments_of, united, walk
from codemap.history.table import History
from tests.history.repository import Repository, letters

Lines = set[int]


def labelled(segments: tuple[list[int], list[int]], label: int) -> Lines:
    found: Lines = set()
    begin = 0
    for end, mask in zip(*segments, strict=True):
        if mask >> label & 1:
            found |= set(range(begin, end))
        begin = end
    return found


def mapped(lines: Lines, hunks: list[tuple[int, int, int, int]]) -> tuple[Lines, bool]:
    """The lines before some hunks, one label at a time, and whether a hunk touched it: line-log.c in sets."""
    found: Lines = set()
    is_touched = False
    taken: Lines = set()
    for first, length, to, added in hunks:
        inside = set(range(to, to + added)) & lines
        between = not added and to - 1 in lines and to in lines
        if inside or between:
            is_touched = True
            found |= set(range(first, first + length))
        taken |= set(range(to, to + added))
    for line in lines - taken:
        shift = sum(length - added for _, length, to, added in hunks if to + added <= line)
        found.add(line + shift)
    return found, is_touched


@st.composite
def some_hunks(draw: st.DrawFn) -> list[tuple[int, int, int, int]]:
    found = []
    before = after = 0
    for _ in range(draw(st.integers(0, 4))):
        gap = draw(st.integers(1 if found else 0, 5))
        length, added = draw(st.sampled_from([(0, 1), (1, 0), (1, 1), (3, 1), (0, 4), (2, 0), (2, 5)]))
        found.append((before + gap, length, after + gap, added))
        before += gap + length
        after += gap + added
    return found


@given(some_hunks(), st.lists(st.tuples(st.integers(0, 25), st.integers(0, 8)), min_size=1, max_size=4))
def test_a_step_back_is_that_of_git(hunks: list[tuple[int, int, int, int]], spans: list[tuple[int, int]]) -> None:
    ranges = [(begin, begin + length) for begin, length in spans]
    segments = segments_of(ranges)
    flat = [number for hunk in hunks for number in hunk]
    before, touched = across(segments, flat)
    for label, (begin, end) in enumerate(ranges):
        assert labelled(segments, label) == set(range(begin, end))
        lines, is_touched = mapped(set(range(begin, end)), hunks)
        assert (labelled(before, label), bool(touched >> label & 1)) == (lines, is_touched)
    assert before[0] == sorted(set(before[0])), "segments end one after the other"
    assert all(one != other for one, other in pairwise(before[1])), "neighbors differ"


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), min_size=2, max_size=2))
def test_labels_that_meet_are_united(spans: list[tuple[int, int]]) -> None:
    ranges = [(begin, begin + length) for begin, length in spans]
    whole = segments_of(ranges)
    one, other = kept(whole, 1), kept(whole, 2)
    both = united(one, other)
    assert [labelled(both, label) for label in (0, 1)] == [labelled(whole, label) for label in (0, 1)]


def of_lines(history: History, path: str, begin: int, end: int) -> str:
    touch = history.at_head[history.path_rows[path]]
    return letters(history, walk(history, touch, segments_of([(begin, end)]), 1).commits[0])


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_a_definition_is_followed_through_edits_above_it_and_a_rename() -> None:
    repository = Repository()
    repository.commit("a", {"m.py": text("def f():", "    one()", "", "def g():", "    two()")})
    repository.commit("b", {"m.py": text("import x", "", "def f():", "    one()", "", "def g():", "    two()")})
    repository.commit("c", {"m.py": text("import x", "", "def f():", "    one()", "", "def g():", "    three()")})
    renamed = {"n.py": "m.py"}
    repository.commit("d", {"n.py": repository.files["c"]["m.py"]}, renamed=renamed)
    history = repository.history()
    assert of_lines(history, "n.py", 2, 4) == "a"
    assert of_lines(history, "n.py", 5, 7) == "ca"
    assert letters(history, file_commits(history, history.at_head[history.path_rows["n.py"]])[0]) == "dcba"
    assert history.path_of_lineage[0] == "n.py"


def test_a_merge_changed_what_differs_from_both_parents() -> None:
    repository = Repository()
    repository.commit("a", {"m.py": text("f1", "f2", "", "g1", "g2", "", "h1")})
    repository.commit("b", {"m.py": text("f1", "fB", "", "g1", "g2", "", "h1")}, parents="a")
    repository.commit("c", {"m.py": text("f1", "f2", "", "g1", "gC", "", "h1")}, parents="a")
    repository.commit("d", {"m.py": text("f1", "fB", "", "g1", "gC", "", "hD")}, parents="bc")
    history = repository.history()
    assert of_lines(history, "m.py", 0, 2) == "ba"
    assert of_lines(history, "m.py", 3, 5) == "ca"
    assert of_lines(history, "m.py", 6, 7) == "da"


def test_a_file_that_a_merge_took_from_the_other_side() -> None:
    repository = Repository()
    repository.commit("a", {"m.py": text("f1"), "n.py": text("1")})
    repository.commit("b", {"m.py": text("f1"), "n.py": text("2")}, parents="a")
    repository.commit("c", {"m.py": text("fC"), "n.py": text("1")}, parents="a")
    repository.commit("d", {"m.py": text("fC"), "n.py": text("2")}, parents="bc")
    repository.commit("e", {"m.py": text("fE"), "n.py": text("2")})
    assert of_lines(repository.history(), "m.py", 0, 1) == "eca"


def test_what_a_shallow_clone_begins_with_is_not_known_to_have_changed_there() -> None:
    repository = Repository()
    repository.commit("a", {"m.py": text("f1", "f2")})
    repository.commit("b", {"m.py": text("f1", "fB")})
    history = repository.history(boundaries="a")
    touch = history.at_head[history.path_rows["m.py"]]
    walked = walk(history, touch, segments_of([(0, 2)]), 1)
    assert letters(history, walked.commits[0]) == "b"
    assert walked.is_open == (True,)
    assert file_commits(history, touch) == ([1], True)
