"""Which repositories the user trusts: what is kept of it, and when it holds."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.command_line.main import main
from actors.files import trust as module
from actors.files.trust import (
    CannotKeep,
    Stance,
    TrustWatch,
    identity_of,
    revoke,
    stance_on,
    territory,
    trust,
    trust_file,
    trusted_folders,
)

SINCE = "1970-01-01T00:00:00Z"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return trust_file(os.environ)


@pytest.fixture
def repository(tmp_path: Path) -> str:
    folder = tmp_path / "repository"
    init(folder)
    return str(folder)


def init(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)


def test_what_was_said_holds_until_it_is_taken_back(file: str, repository: str) -> None:
    assert stance_on(file, repository) == (Stance.NOTHING, "")
    trust(file, repository, 0)
    assert stance_on(file, repository) == (Stance.TRUSTED, SINCE)
    assert trusted_folders(file) == [(repository, Stance.TRUSTED, SINCE)]
    trust(file, repository, 60)
    assert trusted_folders(file) == [(repository, Stance.TRUSTED, "1970-01-01T00:01:00Z")]
    assert revoke(file, repository)
    assert not revoke(file, repository)
    assert (stance_on(file, repository), trusted_folders(file)) == ((Stance.NOTHING, ""), [])


def test_only_the_user_can_read_it_and_nothing_else_is_written(file: str, repository: str, tmp_path: Path) -> None:
    before = sorted(Path(repository).rglob("*"))
    trust(file, repository, 0)
    assert file == str(tmp_path / "config/codemap/trusted.json")
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert os.listdir(os.path.dirname(file)) == ["trusted.json"]
    assert sorted(Path(repository).rglob("*")) == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: os.chmod(file, 0o620),
        lambda file: os.chmod(file, 0o602),
        lambda file: Path(file).write_text("{"),
        lambda file: Path(file).write_text('{"version": 2, "trusted": []}'),
        lambda file: Path(file).write_bytes(Path(file).read_bytes().replace(b"repository", b"\xff")),
        lambda file: (os.unlink(file), os.mkfifo(file)),
        lambda file: (os.unlink(file), os.symlink("/dev/zero", file)),
    ],
    ids=["group", "others", "broken", "version", "no text", "fifo", "device"],
)
def test_a_file_that_cannot_be_relied_on_trusts_nothing(
    file: str, repository: str, spoil: Callable[[str], object]
) -> None:
    trust(file, repository, 0)
    spoil(file)
    assert stance_on(file, repository) == (Stance.NOTHING, "")


def test_a_file_of_somebody_else_trusts_nothing(file: str, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trust(file, repository, 0)
    uid = os.geteuid() + 1
    monkeypatch.setattr(module.os, "geteuid", lambda: uid)
    assert stance_on(file, repository) == (Stance.NOTHING, "")


def test_a_file_in_the_repository_trusts_nothing(repository: str, file: str) -> None:
    """As a shell's environment may have the user's configuration folder there."""
    inner = os.path.join(repository, ".config/codemap/trusted.json")
    with pytest.raises(CannotKeep, match="lies in the repository itself"):
        trust(inner, repository, 0)
    trust(file, repository, 0)
    shutil.copytree(os.path.dirname(file), os.path.dirname(inner))
    os.chmod(inner, 0o600)
    assert stance_on(inner, repository) == (Stance.NOTHING, "")
    os.unlink(file)
    os.symlink(inner, file)
    assert stance_on(file, repository) == (Stance.NOTHING, "")


def test_another_folder_at_its_path_is_not_trusted(file: str, repository: str) -> None:
    trust(file, repository, 0)
    os.rename(repository, repository + ".old")
    assert stance_on(file, repository)[0] is Stance.REPLACED
    init(Path(repository))
    assert stance_on(file, repository)[0] is Stance.REPLACED
    shutil.rmtree(repository)
    os.rename(repository + ".old", repository)
    assert stance_on(file, repository)[0] is Stance.TRUSTED


def test_another_repository_in_the_same_folder_is_not_trusted(file: str, repository: str) -> None:
    trust(file, repository, 0)
    shutil.rmtree(os.path.join(repository, ".git"))
    init(Path(repository))
    assert stance_on(file, repository)[0] is Stance.REPLACED


def test_work_in_the_repository_leaves_it_trusted(file: str, repository: str) -> None:
    trust(file, repository, 0)
    Path(repository, "a.py").touch()
    for words in (["add", "."], ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"], ["gc", "-q"]):
        subprocess.run(["git", "-C", repository, *words], check=True)
    os.rename(repository, repository + ".moved")
    os.rename(repository + ".moved", repository)
    assert stance_on(file, repository)[0] is Stance.TRUSTED


def test_where_no_file_system_says_when_a_folder_was_made_its_inode_decides(
    repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, born = identity_of(repository).folder.split(":")
    assert (int(number), int(born) > 10**18) == (os.stat(repository).st_ino, True)
    monkeypatch.setattr(module.ctypes, "CDLL", lambda _name: object())
    assert identity_of(repository).folder == f"{number}:0"


def test_a_name_that_is_not_utf_8(file: str, tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 \n%41")
    os.mkdir(folder)
    trust(file, folder, 0)
    assert trusted_folders(file) == [(folder, Stance.TRUSTED, SINCE)]


def test_a_change_is_seen_by_who_watches(file: str, repository: str) -> None:
    watch = TrustWatch(file, repository)
    assert watch.stance() is Stance.NOTHING
    trust(file, repository, 0)
    assert watch.stance() is Stance.TRUSTED
    revoke(file, repository)
    assert watch.stance() is Stance.NOTHING


def test_the_territory_is_the_repository_around_a_root(
    repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Path(repository, "packages/one")
    inner.mkdir(parents=True)
    assert territory(str(inner)) == repository
    init(inner)
    assert territory(str(inner)) == str(inner)
    init(tmp_path)
    (tmp_path / "projects").mkdir()
    assert territory(str(tmp_path / "projects")) == str(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert territory(str(tmp_path / "projects")) == str(tmp_path / "projects"), "dotfiles in git"


def test_the_command_says_what_it_did(
    file: str, repository: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    steps = []
    for words in (["--list"], [], ["--list"], ["--list", "--json"], ["--revoke"], ["--revoke", "--root", "/gone"]):
        assert main(["trust", *words]) == 0
        steps.append(capsys.readouterr().out.partition("\n")[0])
    assert [steps[at] for at in (0, 3, 4, 5)] == [
        "No repository is trusted.",
        f'[{{"folder":"{repository}","trusted":true}}]',
        f"{repository} is trusted no more.",
        "/gone was not trusted.",
    ]
    assert steps[1].startswith(f"{repository} is trusted. Programs in it (.venv, node_modules) ")
    assert steps[2].startswith(f"{repository}  since 20")
    monkeypatch.setenv("XDG_CONFIG_HOME", repository)
    assert main(["trust"]) == 2
    assert "lies in the repository itself" in capsys.readouterr().err
