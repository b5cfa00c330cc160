"""How the browser is shown the page: by a private file, and by no program of the repository."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from actors.command_line import viewing
from codemap.settings import Settings

URL = "http://127.0.0.1:1/?key=secret"
OPENER = "open" if os.uname().sysname == "Darwin" else "xdg-open"


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the search path, outside the root, in a session with a screen."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    return folder


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that are started, which run nothing."""
    found: list[list[str]] = []
    monkeypatch.setattr(viewing.subprocess, "Popen", lambda words, **_: found.append(words))
    return found


def put_opener(folder: Path) -> str:
    program = folder / OPENER
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return str(program)


def test_the_key_is_on_no_command_line(tmp_path: Path, bin_folder: Path, started: list[list[str]]) -> None:
    opener, forward = put_opener(bin_folder), tmp_path / "forward.html"
    root = tmp_path / "root"
    root.mkdir()
    viewing._open(str(root), URL, str(forward))
    assert started == [[opener, f"file://{forward}"]]
    assert stat.S_IMODE(forward.stat().st_mode) == 0o600
    assert f"url={URL}" in forward.read_text()


def test_a_program_of_the_repository_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bin_folder: Path, started: list[list[str]]
) -> None:
    root = tmp_path / "root"
    (root / "bin").mkdir(parents=True)
    put_opener(root / "bin")
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f"{root / 'bin'}{os.pathsep}bin{os.pathsep}{bin_folder}")
    viewing._open(str(root), URL, str(tmp_path / "forward.html"))
    assert started == []
    assert not (tmp_path / "forward.html").exists()


def test_a_link_in_place_of_the_file_is_not_followed(
    tmp_path: Path, bin_folder: Path, started: list[list[str]]
) -> None:
    put_opener(bin_folder)
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "forward.html").symlink_to(tmp_path / "elsewhere")
    viewing._open(str(tmp_path / "root"), URL, str(tmp_path / "forward.html"))
    assert (tmp_path / "elsewhere").read_text() == "mine"


def test_without_a_screen_nothing_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bin_folder: Path, started: list[list[str]]
) -> None:
    put_opener(bin_folder)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSH_CONNECTION", "1")
    viewing._open(str(tmp_path), URL, str(tmp_path / "forward.html"))
    assert started == []


def test_it_needs_a_shared_service(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def join(*_: object) -> object:
        raise AssertionError("nothing is joined")

    assert viewing.view(str(tmp_path), {}, Settings(share="off"), join, port=0, is_opened=False) == 1  # type: ignore[arg-type]
    assert "--share off" in capsys.readouterr().err
