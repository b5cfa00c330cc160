"""What usually changes together."""

from __future__ import annotations

from codemap.history.companions import companion_files
from codemap.history.past import Past
from tests.history.repository import Repository

NAMES = ["a.py", "near.py", *(f"far{number}.py" for number in range(40))]


def past_of(*commits: list[str]) -> Past:
    """Of commits that each changed some files."""
    repository = Repository()
    texts = dict.fromkeys(NAMES, 0)
    for name, paths in zip("0123456789abcdef", [NAMES, *commits], strict=False):
        texts |= {path: texts[path] + 1 for path in paths}
        repository.commit(name, {path: f"{count}\n" for path, count in texts.items()})
    return Past(repository.history())


def companions_of(past: Past) -> dict[str, tuple[int, float]]:
    """Of `a.py`: by file, the common commits and the share by weight."""
    found = companion_files(past, past.of_file("a.py")[0], ["a.py"])
    return {one.path: (one.common, round(one.weighted_share, 2)) for one in found}


def test_a_commit_says_the_less_the_more_files_it_changes() -> None:
    wide, pair = NAMES[:1] + NAMES[2:33], ["a.py", "near.py"]
    assert len(wide) == 32
    found = companions_of(past_of(pair, pair, ["a.py"], wide, wide))
    assert found["near.py"] == (3, 0.61)
    assert "far0.py" not in found, "three wide ones weigh less than one pair"
    assert companions_of(past_of(wide, wide, wide))["far0.py"] == (4, 1.0), "all that is known of it"


def test_one_common_commit_is_chance() -> None:
    assert companions_of(past_of(["a.py"], ["near.py"])) == {}
