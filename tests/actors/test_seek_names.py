"""A look for many names in a parser process: what it sees, what it leaves unseen, and which files it is about."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from actors.workers.name_search import seek_names
from codemap.facts import rows
from codemap.mentions.other_texts import DOCUMENTS, OTHER_CODE, OTHER_TEXTS, code_among, is_text, sort_of
from codemap.mentions.seeking import Sought
from codemap.occurrences.words import WORD_WIDTH, Nature

MAX_BYTES = 1000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("def open_all(): pass\n\n\nx = 'pkg.open_all'  # open_all\n")
    (tmp_path / "run.ini").write_text("run = a:open_all\n")
    (tmp_path / "data.bin").write_bytes(b"\0open_all")
    (tmp_path / "large.txt").write_text("open_all " * MAX_BYTES)
    return tmp_path


def sought(root: Path, paths: list[str], *, own: bool = False, time_s: float = 10.0) -> Sought:
    of_each = [["open_all"]] * len(paths) if own else []
    names = [] if own else ["open_all"]
    packed = seek_names(str(root), [path.encode() for path in paths], MAX_BYTES, names, of_each, time_s)
    return msgspec.msgpack.decode(packed, type=Sought)


def test_names_in_any_text_and_not_in_other_files(root: Path) -> None:
    found = sought(root, ["a.py", "data.bin", "gone.py", "large.txt", "run.ini"])
    assert [one.path for one in found.files] == ["a.py", "run.ini"]
    assert list(found.unseen) == ["large.txt"]
    assert found.seen == 3


def test_names_in_utf_16(root: Path) -> None:
    (root / "wide.ini").write_text("run = a:open_all\n", encoding="utf-16")
    assert [one.path for one in sought(root, ["wide.ini"]).files] == ["wide.ini"]


def test_what_the_syntax_makes_of_the_words(root: Path) -> None:
    (found,) = sought(root, ["a.py"], own=True).files
    assert rows(found.words["open_all"]).tolist()[2::WORD_WIDTH] == [Nature.CODE, Nature.STRING, Nature.COMMENT]


def test_what_there_is_no_time_for_is_unseen(root: Path) -> None:
    found = sought(root, ["a.py", "run.ini"], time_s=-1.0)
    assert (list(found.files), found.seen) == ([], 0)
    assert list(found.unseen) == ["a.py", "run.ini"]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("app.yml", True),
        ("web/page.html", True),
        ("Makefile", True),
        ("a.s", True),
        ("package-lock.json", False),
        ("LICENSE.txt", False),
        ("logo.png", False),
        ("de.po", False),
        ("a.git/objects/3a/29f8d63421e52cd80f72a6a5ac0b0d2f0b1a5c", False),
        ("cafe", True),
    ],
)
def test_files_that_may_use_definitions(path: str, is_one: bool) -> None:
    assert is_text(path, 10) == is_one
    assert not is_text(path, 10_000_000)


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("src/Home.vue", OTHER_CODE),
        ("src/View.MM", OTHER_CODE),
        ("show.html.erb", OTHER_CODE),
        (".vue", OTHER_TEXTS),
        ("app.yml", OTHER_TEXTS),
        ("page.html", OTHER_TEXTS),
        ("README.md", DOCUMENTS),
    ],
)
def test_what_files_of_no_language_are(path: str, sort: str) -> None:
    assert sort_of(path) == sort


def test_the_code_among_endings() -> None:
    assert code_among({".vue": 2, "": 9, ".md": 4, ".mm": 2, ".svelte": 3}) == {".svelte": 3, ".mm": 2, ".vue": 2}
