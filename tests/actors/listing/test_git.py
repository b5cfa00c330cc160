"""How git is asked: nothing that a repository or the caller's environment says is run, and nothing is written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.files.repository import repository_around
from actors.listing.git import excludes_file, find_git, git_environment, tracked, without_leads
from actors.listing.listing import list_paths, list_tree
from actors.service.real_ports import Disk
from codemap.settings import Settings

COMMANDS = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy"),
    *("core.alternateRefsCommand", "credential.helper", "credential.https://example.org.helper", "diff.external"),
    *("diff.d.command", "diff.d.textconv", "difftool.d.cmd", "filter.f.clean", "filter.f.smudge", "filter.f.process"),
    *("gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "gpg.x509.program", "interactive.diffFilter"),
    *("browser.b.cmd", "man.m.cmd", "merge.m.driver", "mergetool.m.cmd", "pager.ls-files", "pager.log"),
    *("receive.procReceiveRefs", "remote.origin.receivepack", "remote.origin.uploadpack", "remote.origin.vcs"),
    *("sendemail.sendmailCmd", "sequence.editor", "submodule.sub.update", "tar.t.command", "trailer.t.command"),
    *("uploadpack.packObjectsHook", "web.browser", "alias.ls-files", "alias.ll", "core.hooksPath"),
)
"""Keys whose value is a program. Source: git-config(1)."""
HOOKS = ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout", "pre-auto-gc")


def run_git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


def try_git(folder: Path, environment: Mapping[str, str], *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, env=dict(environment), check=False, capture_output=True)


def program(path: Path, sprung: Path) -> str:
    """A program that tells when it is run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {sprung}\n')
    path.chmod(0o755)
    return str(path)


def set_traps(root: Path, sprung: Path, config: Path) -> None:
    """Has every key in a configuration file that can name a program name one, and every hook be one."""
    trap = program(root / "trap", sprung)
    for key in COMMANDS:
        value = str(config.parent / "hooks") if key == "core.hooksPath" else f"{trap} {key}"
        value = f"!{value}" if key.startswith(("alias.", "submodule.")) else value
        subprocess.run(["git", "config", "--file", config, key, value], check=True)
    included = root / "included"
    subprocess.run(["git", "config", "--file", included, "core.fsmonitor", f"{trap} included"], check=True)
    subprocess.run(["git", "config", "--file", config, "include.path", str(included)], check=True)
    subprocess.run(["git", "config", "--file", config, f"includeIf.gitdir:{root}/.path", str(included)], check=True)
    subprocess.run(["git", "config", "--file", config, "remote.origin.url", f"ext::{trap} %S"], check=True)
    subprocess.run(["git", "config", "--file", config, "remote.origin.promisor", "true"], check=True)
    subprocess.run(["git", "config", "--file", config, "protocol.ext.allow", "always"], check=True)
    for name in HOOKS:
        program(config.parent / "hooks" / name, sprung)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A repository with a file that is ignored, one that is tracked all the same, and one of each beside."""
    folder = tmp_path / "root"
    for path in ("a.py", "b.py", "ignored.py", "kept.py", "sub/a.py"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    (folder / ".gitignore").write_text("ignored.py\nkept.py\n/trap\n/included\n")
    (folder / ".gitattributes").write_text("* filter=f diff=d merge=m\n")
    run_git(folder, "init", "-q")
    run_git(folder, "add", "-f", "a.py", "kept.py", ".gitignore", ".gitattributes")
    run_git(folder, "commit", "-qm", "x")
    return folder


@pytest.fixture
def root(plain: Path, tmp_path: Path) -> Path:
    """The same, full of traps."""
    set_traps(plain, tmp_path / "sprung", plain / ".git/config")
    os.utime(plain / "a.py", ns=(1, 1))
    return plain


def state(folder: Path) -> dict[Path, int]:
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


async def test_nothing_that_a_repository_configures_is_run_and_nothing_is_written(root: Path, tmp_path: Path) -> None:
    before = state(root)
    found = await list_tree(str(root), Settings())
    assert (sorted(found.files), found.warnings) == (["a.py", "b.py", "kept.py", "sub/a.py"], ())
    assert await list_paths(str(root), Settings(), ["b.py", "ignored.py"], []) is not None
    await Disk(str(root), Settings())._survey()
    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()
    assert state(root) == before
    try_git(root, os.environ, "status")
    assert "core.fsmonitor" in (tmp_path / "sprung").read_text() or "included" in (tmp_path / "sprung").read_text()


@pytest.mark.parametrize("where", ["sub", "sub/deeper"])
async def test_a_folder_that_looks_like_a_repository_is_none(root: Path, tmp_path: Path, where: str) -> None:
    """As a root, and above one: git would go by its configuration, and by what that hides."""
    fake = root / "sub"
    for name in ("objects/x", "refs/x", "hidden.py", "deeper/b.py"):
        (fake / name).parent.mkdir(parents=True, exist_ok=True)
        (fake / name).touch()
    (fake / "HEAD").write_text("ref: refs/heads/main\n")
    (fake / "hide").write_text("*.py\n")
    (fake / "config").write_text("[core]\nrepositoryformatversion=0\nbare=false\nworktree=.\nexcludesFile=hide\n")
    set_traps(root, tmp_path / "sprung", fake / "config")
    found = await list_tree(str(root / where), Settings())
    expected = {"sub": ["a.py", "deeper/b.py", "hidden.py"], "sub/deeper": ["b.py"]}
    assert (sorted(found.files), found.warnings) == (expected[where], ())
    assert not (tmp_path / "sprung").exists()


async def test_a_nested_repository_of_traps(root: Path, tmp_path: Path) -> None:
    nested = root / "nested"
    (nested / "sub").mkdir(parents=True)
    (nested / "c.py").touch()
    run_git(nested, "init", "-q")
    set_traps(nested, tmp_path / "sprung", nested / ".git/config")
    assert "nested/c.py" in (await list_tree(str(root), Settings())).files
    assert not (tmp_path / "sprung").exists()


async def test_the_callers_environment_leads_git_nowhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_git(tmp_path, "init", "-q", "other")
    planted = program(root / "tools/git", tmp_path / "sprung")
    program(root / "tools/evil", tmp_path / "sprung")
    monkeypatch.setenv("PATH", f"tools{os.pathsep}{Path(planted).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(root)
    for name, value in {
        "GIT_DIR": str(tmp_path / "other/.git"),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": "evil",
        "GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='evil'",
        "GIT_EXEC_PATH": str(root / "tools"),
        "GIT_TRACE": str(tmp_path / "trace"),
        "LD_PRELOAD": str(root / "evil.so"),
    }.items():
        monkeypatch.setenv(name, value)
    found = await list_tree(str(root), Settings())
    assert (sorted(found.files), found.warnings) == (["a.py", "b.py", "kept.py", "sub/a.py"], ())
    assert not (tmp_path / "sprung").exists()
    assert not (tmp_path / "trace").exists()


async def test_the_users_own_configuration_holds(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """His ignore file; whose repositories he lets git look at is asked where git itself finds `.git`."""
    (tmp_path / "ignore").write_text("b.py\n")
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\nexcludesFile = {tmp_path / 'ignore'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert "b.py" not in (await list_tree(str(root), Settings())).files
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    around = repository_around(os.fsencode(root))
    assert around is not None
    git = find_git(os.environ, str(root))
    assert git is not None
    strict = git.environment | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}  # type: ignore[operator]
    foreign = type(git)(git.path, strict)
    assert "dubious ownership" in str(await tracked(foreign, around, around.top))
    config.write_text(f"[safe]\ndirectory = {root}\n")
    assert isinstance(await tracked(foreign, around, around.top), list)


async def test_paths_are_reported_relative_to_the_folder(plain: Path) -> None:
    around = repository_around(os.fsencode(plain / "sub"))
    git = find_git(os.environ, str(plain))
    assert around is not None
    sub = os.fsencode(plain / "sub")
    (plain / "sub/kept.py").touch()
    run_git(plain, "add", "-f", "sub/kept.py")
    assert await tracked(git, around, sub) == [b"kept.py"]
    assert await tracked(git, around, sub, [b"kept.py", b"gone.py"]) == [b"kept.py"]
    assert await tracked(git, around, around.top, [b"a.py", b"sub"]) == [b"a.py", b"sub/kept.py"]


@pytest.mark.parametrize("value", ["~/ignore", "ignore", "/etc/ignore"])
async def test_where_the_users_ignore_file_is(plain: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    around = repository_around(os.fsencode(plain))
    assert around is not None
    git = find_git(os.environ | {"HOME": "/home/x"}, str(plain))
    where = {"HOME": "/home/x"}
    assert await excludes_file(git, around, where) == b"/home/x/.config/git/ignore"
    assert await excludes_file(None, around, where | {"XDG_CONFIG_HOME": "/c"}) == b"/c/git/ignore"
    run_git(plain, "config", "core.excludesFile", value)
    expected = {"~/ignore": "/home/x/ignore", "ignore": f"{plain}/ignore", "/etc/ignore": "/etc/ignore"}
    assert await excludes_file(git, around, where) == os.fsencode(expected[value])


def test_the_environment_of_git_is_clean() -> None:
    given = {"GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "GIT_TRACE": "1", "PATH": "/bin", "LC_ALL": "de", "LANGUAGE": "d"}
    assert git_environment(given, "/somewhere") == {
        "PATH": "/bin",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "LC_ALL": "C",
    }


def test_git_is_not_taken_from_a_relative_search_path_or_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    program(root / "git", tmp_path / "sprung")
    program(tmp_path / "bin/git", tmp_path / "sprung")
    monkeypatch.chdir(root)
    for path in (".:", str(root), f":{root}"):
        assert find_git({"PATH": path}, str(root)) is None
    found = find_git({"PATH": f"{root}:{tmp_path / 'bin'}"}, str(root))
    assert found is not None
    assert found.path == str(tmp_path / "bin/git")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/git").symlink_to(root / "git")
    assert find_git({"PATH": str(tmp_path / "linked")}, str(root)) is None


def test_a_git_that_another_program_starts_is_disarmed_too(root: Path, tmp_path: Path) -> None:
    (root / ".gitattributes").write_text("")
    environment = without_leads(os.environ, str(root))
    for words in (["status"], ["fetch", "origin"], ["update-index", "--refresh"], ["log", "-1", "--show-signature"]):
        try_git(root, environment, *words)
    sprung = tmp_path / "sprung"
    assert not sprung.exists(), sprung.read_text()
    try_git(root, os.environ, "fetch", "origin")
    assert "git-upload-pack" in sprung.read_text()
