"""A history is the same whether it is read at once or bit by bit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.history.commits import Commit
from codemap.history.lines import file_commits
from codemap.history.messages import is_bot, is_fix, reverted_ids, reverted_subject, subject_of
from codemap.history.table import EMPTY, Flag, History
from tests.history.repository import Files, Repository, columns, grown, letters


def ancestors(repository: Repository, name: str) -> list[Commit]:
    by_name = {one.id[0]: one for one in repository.commits}
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        at = waiting.pop()
        if at not in seen:
            seen.add(at)
            waiting += [parent[0] for parent in by_name[at].parents]
    return [one for one in repository.commits if one.id[0] in seen]


@st.composite
def repositories(draw: st.DrawFn) -> Repository:
    repository = Repository()
    names = "abcdef0123456789"
    for number, name in enumerate(names[: draw(st.integers(1, 10))]):
        known = names[:number]
        parents = ""
        if known:
            parents = draw(st.sampled_from(known))
            if number > 1 and draw(st.booleans()):
                other = draw(st.sampled_from(known))
                parents += other if other != parents else ""
        base: Files = repository.files[draw(st.sampled_from(parents))] if parents else {}
        files = dict(base)
        for path in draw(st.sets(st.sampled_from(["m.py", "n.py", "o.py"]), max_size=2)):
            if draw(st.integers(0, 4)) == 0:
                files.pop(path, None)
            else:
                files[path] = files.get(path, "") + f"{name}{draw(st.integers(0, 1))}\n"
        repository.commit(name, files, parents=parents)
    return repository


def flat(history: History) -> dict[str, tuple[str, bool]]:
    """The commits of every file at the head."""
    found = {}
    for path, touch in history.at_head.items():
        commits, is_open = file_commits(history, touch)
        found[history.paths[path]] = (letters(history, sorted(commits, key=history.id_of)), is_open)
    return found


@given(repositories(), st.data())
def test_a_continued_history_is_that_of_one_pass(repository: Repository, data: st.DataObject) -> None:
    last = repository.commits[0].id[0]
    middle = data.draw(st.sampled_from([one.id[0] for one in repository.commits]))
    whole = grown(EMPTY, ancestors(repository, last))
    continued = grown(grown(EMPTY, ancestors(repository, middle)), ancestors(repository, last))
    assert flat(continued) == flat(whole)
    assert {path: repository.files[last][path] for path in flat(whole)} == repository.files[last]


@given(repositories())
def test_a_history_is_repeatable(repository: Repository) -> None:
    assert columns(repository.history()) == columns(repository.history())


def test_reverts_are_led_to_what_they_take_back() -> None:
    repository = Repository()
    repository.commit("a", {"m.py": "1\n"}, message="Add a cache")
    repository.commit("b", {"m.py": "2\n"}, message='Revert "Add a cache"\n\nIt leaks.')
    repository.commit("c", {"m.py": "3\n"}, message=f"Take two back\n\nThis reverts commit {'b' * 40}.")
    repository.commit("d", {"m.py": "4\n"}, message=f"Reverted {'a' * 9}: it was slow")
    history = repository.history()
    assert history.reverts.tolist() == [-1, 0, 1, 0]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix the lock", True),
        ("Fixed #1234 -- Made it faster", True),
        ("fix(parser): handle null", True),
        ("Add tests\n\nFixes #12.", True),
        ("Refactor the parser", False),
        ("Add a prefix", False),
        ("Use fixtures", False),
        ('Revert "Fix the lock"', False),
    ],
)
def test_what_counts_as_a_fix(message: str, expected: bool) -> None:
    assert is_fix(message) is expected


@pytest.mark.parametrize(
    ("name", "email", "expected"),
    [
        ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", True),
        ("Renovate Bot", "bot@renovateapp.com", True),
        ("pre-commit-ci[bot]", "x", True),
        ("Abbott", "abbott@example.org", False),
        ("Botond", "botond@example.org", False),
        ("Ada", "ada@example.org", False),
    ],
)
def test_who_counts_as_a_program(name: str, email: str, expected: bool) -> None:
    assert is_bot(name, email) is expected


def test_messages() -> None:
    assert subject_of("\n\n  A line \n\nmore") == "A line"
    assert len(subject_of("x" * 500)) == 120
    assert reverted_ids("This reverts commit 0123456789abcdef0123456789abcdef01234567.") == [
        "0123456789abcdef" * 2 + "01234567"
    ]
    assert reverted_ids("Reverts two things in 2024") == []
    assert reverted_subject('Revert "Add x"') == "Add x"


def test_bots_bulk_and_merges_do_not_couple() -> None:
    repository = Repository()
    repository.commit("a", {f"m{number}.py": "1\n" for number in range(51)})
    repository.commit("b", {f"m{number}.py": "2\n" for number in range(51)} | {"m0.py": "1\n"})
    repository.commit("c", repository.files["b"] | {"m0.py": "3\n"}, author="dependabot[bot]")
    history = repository.history()
    assert history.couples.tolist() == [False, True, False]
    assert Flag.BOT in Flag(int(history.flags[2]))
