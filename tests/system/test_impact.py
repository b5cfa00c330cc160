"""What a change may break, asked of a real repository through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.actors.listing.test_git import run_git
from tests.system.test_command_line import run

STORE = "def load(key: str) -> str:\n    return key\n\n\ndef save(key: str) -> None:\n    print(load(key))\n"
USE = "from store import load\n\n\ndef use() -> str:\n    return load('a')\n"
TEST = "from use import use\n\n\ndef test_use() -> None:\n    assert use() == 'a'\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    for name, text in {"store.py": STORE, "use.py": USE, "test_use.py": TEST}.items():
        (folder / name).write_text(text)
    run_git(folder, "init", "-q", "-b", "main")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "x")
    return folder


def impact(root: Path, *words: str) -> dict[str, Any]:
    done = run("impact", "--json", "--rows", "compact", "--root", str(root), *words)
    assert done.returncode == 0, done.stdout + done.stderr
    data: dict[str, Any] = json.loads(done.stdout)["data"]
    return data


def test_of_uncommitted_edits(root: Path) -> None:
    (root / "store.py").write_text(STORE.replace("load", "read"))
    data = impact(root, "--base", "main")
    assert data["changed"] == [
        {"what": "removed", "rows": {"store.py": ["load 1"]}},
        {"what": "body", "rows": {"store.py": ["save 5"]}},
        {"what": "added", "rows": {"store.py": ["read 1"]}},
    ]
    assert data["notAdapted"] == [{"used": "load", "why": "removed", "rows": {"use.py": ["1", "use 5"]}}]
    assert [run["command"] for run in data["tests"]] == ["pytest test_use.py::test_use"]


def test_of_a_range_that_is_not_checked_out(root: Path) -> None:
    run_git(root, "checkout", "-qb", "topic")
    (root / "store.py").write_text(STORE.replace("return key", "return key + key"))
    run_git(root, "commit", "-qam", "y")
    run_git(root, "checkout", "-q", "main")
    (root / "use.py").write_text("def use() -> str:\n    return 'a'\n")
    data = impact(root, "--base", "main", "--head", "topic")
    assert data["changed"] == [{"what": "body", "rows": {"store.py": ["load 1"]}}]
    assert data["impacted"][0]["rows"] == {"store.py": ["save 6"], "use.py": ["use 5"]}
    assert impact(root, "--base", "main")["changed"] == [
        {"what": "body", "rows": {"use.py": ["use 1"]}},
        {"what": "imports", "rows": {"use.py": ["1 without load"]}},
    ]


def test_calls_that_do_not_fit_the_new_parameters(root: Path) -> None:
    (root / "store.py").write_text(STORE.replace("key: str) -> str", "key: str, limit: int) -> str"))
    misfit = {"used": "load", "misfit": "missing `limit`", "rows": {"store.py": ["save 6"], "use.py": ["use 5"]}}
    assert impact(root, "--base", "main")["notAdapted"] == [misfit]
    run_git(root, "checkout", "-qb", "topic")
    run_git(root, "commit", "-qam", "y")
    run_git(root, "checkout", "-q", "main")
    (root / "use.py").write_text("\n" + USE.replace("load('a')", "load('a', 1)"))
    assert impact(root, "--base", "main", "--head", "topic")["notAdapted"] == [misfit]


def test_a_review_fails_where_a_use_is_not_adapted(root: Path) -> None:
    (root / "store.py").write_text(STORE.replace("load", "read"))
    done = run("diff", "main", "--format", "markdown", "--fail-on", "not-adapted", "--root", str(root))
    assert done.returncode == 1
    assert "- `load` was removed:\n  - `use.py` `1`\n  - `use.py` `use 5`\n" in done.stdout
    assert "2 use(s) are not adapted to the change" in done.stderr
    sarif = json.loads(run("diff", "--format", "sarif", "--root", str(root)).stdout)
    assert [one["level"] for one in sarif["runs"][0]["results"]][:2] == ["error", "error"]
    assert run("diff", "main", "--fail-on", "risk=high", "--root", str(root)).returncode == 0
    nowhere = run("diff", "nowhere", "--root", str(root))
    assert nowhere.returncode == 1
    assert "git knows no commit 'nowhere' here." in nowhere.stdout
