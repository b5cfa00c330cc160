"""Roots found and refused, and the guard that keeps paths under the root."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.files.paths import RefusedRoot, check_root, find_root, inside


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()


def test_the_repository_around_a_folder(tmp_path: Path) -> None:
    deep = tmp_path / "r" / "pkg" / "sub"
    deep.mkdir(parents=True)
    (tmp_path / "r" / "pkg" / "pyproject.toml").touch()
    assert find_root(str(deep)) == str(tmp_path / "r" / "pkg")
    (tmp_path / "r" / ".git").write_text("gitdir: elsewhere\n")
    assert find_root(str(deep)) == str(tmp_path / "r")


def test_a_file_stands_for_its_folder_and_a_folder_for_itself(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").touch()
    assert find_root(str(tmp_path / "a" / "x.py")) == str(tmp_path / "a")


def test_dotfiles_in_git_do_not_make_home_the_root(tmp_path: Path) -> None:
    project = tmp_path / "home" / "work" / "p"
    project.mkdir(parents=True)
    (tmp_path / "home" / ".git").mkdir()
    assert find_root(str(project)) == str(project)


@pytest.mark.parametrize(
    ("root", "why"),
    [("/", "the root of the file system"), ("home", "a home folder"), ("link", "a home folder"), ("none", "not exist")],
)
def test_refused(tmp_path: Path, root: str, why: str) -> None:
    (tmp_path / "link").symlink_to("home")
    with pytest.raises(RefusedRoot, match=why):
        check_root(str(tmp_path / root))


def test_a_folder_in_home_is_welcome(tmp_path: Path) -> None:
    (tmp_path / "home" / "p").mkdir()
    assert check_root(str(tmp_path / "home" / "p")) == str(tmp_path / "home" / "p")
    (tmp_path / "home" / "p" / "f").touch()
    with pytest.raises(RefusedRoot, match="is not a folder"):
        check_root(str(tmp_path / "home" / "p" / "f"))


def test_inside_goes_by_real_paths(tmp_path: Path) -> None:
    root, beside = tmp_path / "r", tmp_path / "r-x"
    (root / "d").mkdir(parents=True)
    beside.mkdir()
    (beside / "f").touch()
    (root / "out").symlink_to(beside)
    (root / "loop").symlink_to("loop")
    real = str(root)
    assert inside(real, "d/../d") == f"{real}/d"
    assert inside(real, ".") == real
    assert inside(real, "not/there") == f"{real}/not/there"
    for path in (str(beside), "../r-x/f", "out/f", "out", "..", "/etc/passwd", "d/../../r-x", "a\0b"):
        assert inside(real, path) is None
    assert inside("/", "etc") == "/etc"
