"""What is listed: as git would track it, with git and without, on ordinary trees and on odd ones."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors.files.paths import RefusedRoot
from actors.files.reading import stat_of
from actors.listing import git, listing, walk
from actors.listing.git import Git
from actors.listing.listing import list_paths, list_tree
from actors.listing.walk import NOTHING, TreeListing, Walk
from actors.service.real_ports import Disk
from codemap.extract.skipped_files import SkipReason
from codemap.settings import Settings
from tests.costs import is_within
from tests.examples import examples


def no_git(root: Path) -> str:
    unknown = "files that are tracked although ignore files name them are left out"
    return f"git cannot tell what it tracks in {root} (it is not installed): {unknown}."


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture(params=["git", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to a listing; a test that takes it must hold for both."""
    if request.param == "walk":
        monkeypatch.setattr(listing, "find_git", lambda *_: None)
    return str(request.param)


def run_git(folder: Path, *arguments: str) -> None:
    who = [
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@x",
        "-c",
        "protocol.file.allow=always",
        "-c",
        "commit.gpgsign=false",
    ]
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


def make(root: Path, files: dict[str, str]) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return root


def repository(root: Path, files: dict[str, str]) -> Path:
    make(root, files)
    run_git(root, "init", "-q")
    return root


async def paths(root: Path, scope: str = "", **choices: object) -> list[str]:
    return sorted((await list_tree(str(root), Settings(**choices), scope)).files)  # type: ignore[arg-type]


async def test_ignore_files_at_every_level(tmp_path: Path, way: str) -> None:
    repository(
        tmp_path,
        {
            ".gitignore": "build/\n*.gen.py\n/top.py\n",
            "a.py": "",
            "top.py": "",
            "x.gen.py": "",
            "build/b.py": "",
            "pkg/top.py": "",
            "pkg/.gitignore": "!keep.gen.py\nlocal.py\n",
            "pkg/keep.gen.py": "",
            "pkg/local.py": "",
            "pkg/sub/local.py": "",
            "pkg/sub/build/c.py": "",
            "node_modules/m.py": "",
            "excluded.py": "",
        },
    )
    (tmp_path / ".git" / "info" / "exclude").write_text("excluded.py\n")
    assert await paths(tmp_path) == ["a.py", "node_modules/m.py", "pkg/keep.gen.py", "pkg/top.py"]


async def test_what_a_listing_holds(tmp_path: Path, way: str) -> None:
    repository(
        tmp_path, {"a.py": "x = 1\n", "README.rst": "", "Makefile": "", "data.JSONX": "", "pyproject.toml": "[a]"}
    )
    (tmp_path / "big.py").write_bytes(b"#" * 5000)
    os.mkfifo(tmp_path / "pipe.py")
    os.utime(tmp_path / "a.py", ns=(1, 1_234_567_891))
    found = await list_tree(str(tmp_path), Settings(file_max_bytes=4096))
    assert found == TreeListing(
        files={"a.py": stat_of((tmp_path / "a.py").stat())},
        skipped={"big.py": SkipReason.OVERSIZED} | ({"pipe.py": SkipReason.SPECIAL}),
        warnings=(no_git(tmp_path),) if way == "walk" else (),
        configs=found.configs,
        others={".rst": 1, "": 1, ".jsonx": 1, ".toml": 1},
        unknown=found.unknown,
    )
    assert set(found.unknown) == {"README.rst", "Makefile", "data.JSONX", "pyproject.toml"}
    assert set(found.configs) <= {"pyproject.toml"}
    assert found.counts()[SkipReason.OVERSIZED] == 1


async def test_odd_names(tmp_path: Path, way: str) -> None:
    names = [
        "with space.py",
        "#hash.py",
        "a~1.py",
        "é/ü.py",
        "line\nend.py",
        "tab\t.py",
        '"quoted".py',
        "-rf.py",
        "!x.py",
    ]
    repository(tmp_path, dict.fromkeys(names, ""))
    bad = os.fsencode(tmp_path) + b"/bad\xff"
    os.mkdir(bad)
    os.mknod(bad + b"/\xe9.py")
    assert await paths(tmp_path) == sorted([*names, "bad\udcff/\udce9.py"])


async def test_deleted_but_tracked_files_are_left_out(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "", "b.py": "", "d/c.py": ""})
    run_git(tmp_path, "add", "-A")
    (tmp_path / "b.py").unlink()
    shutil.rmtree(tmp_path / "d")
    (tmp_path / "d").touch()
    assert await paths(tmp_path) == ["a.py"]


async def test_tracked_files_count_though_ignored(tmp_path: Path) -> None:
    repository(tmp_path, {".gitignore": "*.py", "a.py": "", "b.py": ""})
    run_git(tmp_path, "add", "-f", "a.py")
    assert await paths(tmp_path) == ["a.py"]


async def test_links(tmp_path: Path, way: str) -> None:
    root = repository(tmp_path / "r", {"a.py": "", "d/b.py": ""})
    make(tmp_path / "r-x", {"secret.py": "", "d/secret.py": ""})
    links = {"in.py": "a.py", "out.py": "../r-x/secret.py", "loop.py": "loop.py", "gone.py": "nothing.py"}
    links |= {"folder": "d", "away": "../r-x", "d/up": "..", "round": "."}
    for name, target in links.items():
        (root / name).symlink_to(target)
    found = await list_tree(str(root), Settings())
    assert sorted(found.files) == ["a.py", "d/b.py"]
    within = dict.fromkeys(["in.py", "folder", "d/up", "round"], SkipReason.SYMLINK)
    assert found.skipped == within | dict.fromkeys(["out.py", "loop.py", "gone.py", "away"], SkipReason.OUTSIDE)


async def test_a_tracked_folder_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "", "d/e/b.py": ""})
    run_git(root, "add", "-A")
    make(tmp_path / "x", {"e/b.py": "secret"})
    shutil.rmtree(root / "d")
    (root / "d").symlink_to(tmp_path / "x")
    assert await paths(root) == ["a.py"]


def forge_index(root: Path, *paths: bytes) -> None:
    """An index with these paths, as no git would write it. Source: gitformat-index(5), version 2."""
    entries = []
    for path in sorted(paths):
        entry = bytes(24) + (0o100644).to_bytes(4) + bytes(12) + b"\1" * 20 + len(path).to_bytes(2) + path
        entries.append(entry + bytes(8 - len(entry) % 8))
    body = b"DIRC" + (2).to_bytes(4) + len(paths).to_bytes(4) + b"".join(entries)
    (root / ".git" / "index").write_bytes(body + hashlib.sha1(body).digest())


async def test_an_index_that_names_files_elsewhere_is_not_followed(tmp_path: Path) -> None:
    """An archive may bring a `.git` that somebody made up; git itself lists whatever an index holds."""
    root = make(tmp_path / "root", {"a.py": "", "b/c.py": "", "secret.py": ""})
    make(tmp_path, {"outside/secret.py": ""})
    run_git(root, "init")
    (root / ".git" / "config.py").write_text("")
    absolute = os.fsencode(tmp_path / "outside" / "secret.py")
    odd = (b"../outside/secret.py", b"b/../../outside/secret.py", absolute, b"./a.py", b"b//c.py", b".git/config.py")
    forge_index(root, b"a.py", *odd)
    found = await list_tree(str(root), Settings())
    assert sorted(found.files) == ["a.py", "b/c.py", "secret.py"]
    assert not found.skipped


async def test_a_root_named_by_a_link(tmp_path: Path, way: str) -> None:
    repository(tmp_path / "r", {"a.py": ""})
    (tmp_path / "l").symlink_to("r")
    assert await paths(tmp_path / "l") == ["a.py"]


async def test_a_subfolder_as_root_obeys_the_rules_above(tmp_path: Path, way: str) -> None:
    repository(
        tmp_path,
        {".gitignore": "/p/q/x.py\ny.py\n", "p/.gitignore": "q/z.py\n!q/y.py\n", "a.py": ""}
        | dict.fromkeys(["p/q/x.py", "p/q/y.py", "p/q/z.py", "p/q/ok.py", "p/q/s/y.py", "p/q/s/x.py"], ""),
    )
    assert await paths(tmp_path / "p" / "q") == ["ok.py", "s/x.py", "y.py"]


async def test_an_ignored_folder_named_as_root_is_listed(tmp_path: Path, way: str) -> None:
    repository(tmp_path, {".gitignore": "vendor/\n", "vendor/lib/a.py": "", "vendor/lib/node_modules/b.py": ""})
    assert await paths(tmp_path / "vendor" / "lib") == ["a.py"]
    make(tmp_path, {"p/x/c.py": "", "p/.gitignore": "x/\n"})
    assert await paths(tmp_path / "p") == []


async def test_submodules(tmp_path: Path, way: str) -> None:
    library = repository(tmp_path / "lib", {"l.py": "", ".gitignore": "i.py\n"})
    run_git(library, "add", "-A")
    run_git(library, "commit", "-qm", "x")
    root = repository(tmp_path / "r", {"a.py": "", ".gitignore": "l.py\n"})
    run_git(root, "submodule", "add", "-q", str(library), "dep.js")
    make(root / "dep.js", {"i.py": "", "new.py": ""})
    assert await paths(root) == ["a.py", "dep.js/l.py", "dep.js/new.py"]
    assert await paths(root / "dep.js") == ["l.py", "new.py"]


async def test_a_submodule_that_is_not_checked_out(tmp_path: Path, way: str) -> None:
    root = repository(tmp_path, {"a.py": ""})
    (root / "dep").mkdir()
    run_git(root, "update-index", "--add", "--cacheinfo", "160000," + "1" * 40 + ",dep")
    assert await paths(root) == ["a.py"]


async def test_a_nested_repository_has_its_own_rules(tmp_path: Path, way: str) -> None:
    repository(tmp_path, {"a.py": "", ".gitignore": "x.py\nskipped/\n"})
    repository(tmp_path / "n" / "m", {"x.py": "", "y.py": "", ".gitignore": "y.py\n"})
    repository(tmp_path / "skipped", {"z.py": ""})
    make(tmp_path / "fake", {"f.py": "", ".git/g.py": ""})
    assert await paths(tmp_path) == ["a.py", "fake/f.py", "n/m/x.py"]


async def test_worktrees_inside_are_not_listed_twice(tmp_path: Path, way: str) -> None:
    root = repository(tmp_path / "r", {"a.py": ""})
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "x")
    run_git(root, "worktree", "add", "-q", "w/one")
    run_git(root, "worktree", "add", "-q", str(tmp_path / "two"))
    found = await list_tree(str(root), Settings())
    assert sorted(found.files) == ["a.py"]
    assert found.skipped == {"w/one/": SkipReason.WORKTREE}
    assert await paths(tmp_path / "two") == ["a.py"]
    assert await paths(root / "w" / "one") == ["a.py"]


async def test_a_bare_repository_with_worktrees_beside_it(tmp_path: Path, way: str) -> None:
    source = repository(tmp_path / "s", {"a.py": ""})
    run_git(source, "add", "-A")
    run_git(source, "commit", "-qm", "x")
    root = tmp_path / "r"
    run_git(tmp_path, "clone", "-q", "--bare", str(source), str(root / ".bare"))
    (root / ".git").write_text("gitdir: ./.bare\n")
    run_git(root, "worktree", "add", "-q", "main-tree")
    run_git(root, "worktree", "add", "-q", "other-tree")
    found = await list_tree(str(root), Settings())
    assert sorted(found.files) == ["main-tree/a.py"]
    assert found.skipped == {"other-tree/": SkipReason.WORKTREE}


async def test_a_bare_folder(tmp_path: Path, way: str) -> None:
    run_git(tmp_path, "init", "-q", "--bare")
    assert await paths(tmp_path) == []


async def test_an_empty_repository(tmp_path: Path, way: str) -> None:
    assert await list_tree(str(repository(tmp_path, {})), Settings()) == TreeListing(
        files={}, warnings=(no_git(tmp_path),) if way == "walk" else ()
    )


async def test_the_rule_that_hides_everything_is_named(tmp_path: Path, way: str) -> None:
    root = repository(tmp_path, {".gitignore": "*.log\n# all\n/*\n", "a.py": "", "p/b.py": "", "x.log": ""})
    found = await list_tree(str(root), Settings())
    assert found.files == {}
    hidden = "Nothing is indexed: the rule /* (line 3 of .gitignore) hides what is under the root."
    assert found.warnings[-1] == hidden
    (root / ".gitignore").write_text("/*\n!/p/\n")
    found = await list_tree(str(root), Settings())
    assert list(found.files) == ["p/b.py"]
    assert hidden not in found.warnings
    (root / ".gitignore").unlink()
    (root / ".git/info/exclude").write_text("*\n")
    found = await list_tree(str(root), Settings())
    assert found.warnings[-1] == (
        f"Nothing is indexed: line 1 of {root}/.git/info/exclude hides what is under the root."
    )


async def test_outside_a_repository_no_rule_hides_everything(tmp_path: Path) -> None:
    """Debian's package of the sources of Linux brings an ignore file that ends so."""
    make(tmp_path, {".gitignore": "*.o.py\n!*.keep.py\n/*\n!/debian/\n", "a.py": "", "kernel/b.py": "", "c.o.py": ""})
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py", "kernel/b.py"]
    assert found.warnings == (
        "the rule /* (line 3 of .gitignore) is not obeyed: "
        "it would hide all there is, and there is no repository here.",
    )
    with Disk(str(tmp_path), Settings()).open_watch() as watch:
        await watch.cover_all()
        assert watch.folders == 2
    (tmp_path / "debian").mkdir()
    (tmp_path / "debian/d.py").touch()
    found = await list_tree(str(tmp_path), Settings())
    assert (sorted(found.files), found.warnings) == (["debian/d.py"], ())


async def test_what_is_hidden_by_name_stays_hidden_outside_a_repository(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "build/\n", "build/a.py": ""})
    found = await list_tree(str(tmp_path), Settings())
    assert found.files == {}
    assert found.warnings == (
        "Nothing is indexed: the rule build/ (line 1 of .gitignore) hides what is under the root.",
    )


async def test_nothing_under_the_root_that_counts_is_reported(tmp_path: Path) -> None:
    make(tmp_path, {"node_modules/a.py": ""})
    assert (await list_tree(str(tmp_path), Settings())).warnings == (NOTHING,)


PATIENCE_S = 60.0
"""For what would wait for ever."""
SOON_S = 0.1
"""What an odd file may cost; with some room for a busy machine."""


async def took(root: Path) -> tuple[float, TreeListing]:
    """The least processor time of some listings: what they take, not what a busy machine adds."""
    least, found = 60.0, TreeListing({})
    for _ in range(3):
        began = time.process_time()
        found = await list_tree(str(root), Settings())
        least = min(least, time.process_time() - began)
    return least, found


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder", "link to a pipe"])
@pytest.mark.parametrize("where", [".gitignore", "p/.gitignore", ".git/info/exclude"])
async def test_what_is_no_ignore_file_has_no_rules(tmp_path: Path, kind: str, where: str) -> None:
    repository(tmp_path, {"a.py": "", "p/b.py": ""})
    before, _ = await took(tmp_path)
    at = tmp_path / where
    at.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(at)
        case "folder":
            at.mkdir()
        case "socket":
            os.chdir(at.parent)
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(at.name)
        case "device":
            at.symlink_to("/dev/zero")
        case _:
            os.mkfifo(tmp_path / "pipe")
            at.symlink_to(tmp_path / "pipe")
    after, found = await took(tmp_path)
    assert sorted(found.files) == ["a.py", "p/b.py"]
    assert is_within(after - before, SOON_S)
    begin = time.perf_counter()
    assert await list_paths(str(tmp_path), Settings(), ["p/b.py", "p/"], ()) is not None
    await Disk(str(tmp_path), Settings())._survey()
    assert time.perf_counter() - begin < PATIENCE_S


async def test_patterns_that_backtrack_cost_nothing(tmp_path: Path) -> None:
    names = [f"{'a' * 100}{number}.py" for number in range(100)]
    repository(tmp_path, dict.fromkeys(names, ""))
    before, _ = await took(tmp_path)
    (tmp_path / ".gitignore").write_text("".join(f"{'*a' * 40}b{number}\n" for number in range(50)))
    after, found = await took(tmp_path)
    assert len(found.files) == 100
    assert is_within(after - before, SOON_S)


async def test_patterns_beyond_what_is_obeyed_are_reported(tmp_path: Path, way: str) -> None:
    repository(tmp_path, {"a.py": "", "p/.gitignore": "".join(f"?{number}*\n" for number in range(600))})
    found = await list_tree(str(tmp_path), Settings())
    assert found.warnings[-1].startswith("100 patterns of p/.gitignore are left out: there are too many")


@pytest.mark.parametrize("name", ["HEAD", "index", "config"])
async def test_a_pipe_that_git_would_open_keeps_nobody(tmp_path: Path, name: str) -> None:
    repository(tmp_path, {"a.py": "", ".gitignore": "b.py\n", "b.py": ""})
    run_git(tmp_path, "add", "-fA")
    at = tmp_path / ".git" / name
    at.unlink()
    os.mkfifo(at)
    with trio.fail_after(PATIENCE_S):
        found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py"]
    assert f"({at} is no file)" in found.warnings[0]


async def test_the_users_own_ignore_file_holds_with_and_without_git(tmp_path: Path, way: str) -> None:
    """As long as it stands where git looks for it."""
    make(Path(os.environ["HOME"]), {".config/git/ignore": "mine.py\n/top.py\n"})
    repository(tmp_path, dict.fromkeys(["a.py", "mine.py", "top.py", "p/mine.py", "p/top.py"], ""))
    assert await paths(tmp_path) == ["a.py", "p/top.py"]
    (tmp_path / ".gitignore").write_text("!mine.py\n")
    assert await paths(tmp_path) == ["a.py", "mine.py", "p/mine.py", "p/top.py"]


async def test_a_submodule_that_is_not_checked_out_hides_what_lies_in_its_place(tmp_path: Path) -> None:
    repository(tmp_path / "other", {"x.py": ""})
    run_git(tmp_path / "other", "add", "-A")
    run_git(tmp_path / "other", "commit", "-qm", "x")
    root = repository(tmp_path / "root", {"a.py": ""})
    run_git(root, "submodule", "add", "-q", str(tmp_path / "other"), "sub")
    shutil.rmtree(root / "sub")
    make(root, {"sub/stray.py": "", "sub/deep/stray.py": ""})
    assert await paths(root) == ["a.py"]


async def test_without_a_repository_derived_folders_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, dict.fromkeys(["a.py", "node_modules/m.py", "p/.venv/v.py", "p/__pycache__/c.py", "build/b.py"], ""))
    make(tmp_path, {".gitignore": "b.py\n", "p/coverage.py": ""})
    make(tmp_path, {"coverage/x.py": "", "venv/y.py": "", "my-env/pyvenv.cfg": "", "my-env/lib/z.py": ""})
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py", "coverage/x.py", "p/coverage.py", "venv/y.py"]
    assert found.warnings == ()


async def test_scope(tmp_path: Path, way: str) -> None:
    repository(tmp_path, dict.fromkeys(["a.py", "p/b.py", "p/q/c.py", "px/d.py"], ""))
    assert await paths(tmp_path, "p") == ["p/b.py", "p/q/c.py"]
    assert await paths(tmp_path, "p/b.py") == ["p/b.py"]
    assert await paths(tmp_path, "none") == []


async def test_include_and_exclude(tmp_path: Path, way: str) -> None:
    names = ["a.py", "src/b.py", "src/test/c.py", "src/test/keep.py", "src/deep/test/d.py"]
    repository(tmp_path, dict.fromkeys(names, ""))
    assert await paths(tmp_path, include=("src/",)) == sorted(names[1:])
    assert await paths(tmp_path, exclude=("test/",)) == ["a.py", "src/b.py"]
    assert await paths(tmp_path, exclude=("/src/test", "!keep.py")) == ["a.py", *sorted([names[1], names[3], names[4]])]
    found = await list_tree(str(tmp_path), Settings(include=("*.py",), exclude=("src",)))
    assert found.counts() == {SkipReason.EXCLUDED: 4}


async def test_languages(tmp_path: Path, way: str) -> None:
    repository(tmp_path, {"a.py": ""})
    assert await paths(tmp_path, languages=("py",)) == ["a.py"]
    assert await paths(tmp_path, languages=("other",)) == []


async def test_refused_roots(tmp_path: Path) -> None:
    for root in ("/", os.environ["HOME"], str(tmp_path / "none")):
        with pytest.raises(RefusedRoot):
            await list_tree(root, Settings())


async def test_an_unreadable_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.py": "", "locked/b.py": ""})
    scandir = os.scandir

    def locked(path: bytes) -> Iterator[os.DirEntry[bytes]]:
        if path.endswith(b"/locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(walk.os, "scandir", locked)
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py"]
    assert found.skipped == {"locked/": SkipReason.UNREADABLE}


async def test_a_file_that_vanishes_on_the_way(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path, {"a.py": "", "b.py": "", "d/c.py": "", "d/e/f.py": ""})
    list_folder = Walk.list_folder

    def vanishing(steps: Iterator[None]) -> Iterator[None]:
        for number, step in enumerate(steps):
            if number == 0:
                (tmp_path / "b.py").unlink()
                shutil.rmtree(tmp_path / "d" / "e")
            yield step

    monkeypatch.setattr(Walk, "list_folder", lambda *arguments: vanishing(list_folder(*arguments)))
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py", "d/c.py"]
    assert found.skipped == {}


async def test_git_that_refuses_is_reported_and_gone_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path, {"a.py": "", "b.py": "", ".gitignore": "b.py\n"})
    (tmp_path / ".git" / "config").write_text("[core\n")
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py"]
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(f"git cannot tell what it tracks in {tmp_path} (fatal: bad config line")


async def test_git_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path, {"a.py": ""})
    fake = tmp_path / "fake-git"
    fake.write_text("#!/bin/sh\nexec sleep 1000\n")
    fake.chmod(0o755)
    monkeypatch.setattr(git, "PATIENCE_S", 0.05)
    monkeypatch.setattr(listing, "find_git", lambda *_: Git(str(fake), {}))
    with trio.fail_after(PATIENCE_S):
        found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py"]
    assert "did not say within 0.05 s" in found.warnings[0]


async def test_a_cancelled_listing_ends(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": ""})
    with trio.move_on_after(0) as scope:
        await list_tree(str(tmp_path), Settings())
    assert scope.cancelled_caught


async def test_folders_as_deep_as_a_path_can_name(tmp_path: Path, way: str) -> None:
    """Deeper than functions may call themselves; `shutil.rmtree` is one that does."""
    depth = (4000 - len(os.fsencode(tmp_path))) // 2
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(os.open("a.py", os.O_WRONLY | os.O_CREAT, dir_fd=at))
    os.close(at)
    run_git(tmp_path, "init", "-q")
    try:
        assert await paths(tmp_path) == ["d/" * depth + "a.py"]
        assert await paths(tmp_path, exclude=("*.no",), include=("*.py",)) == ["d/" * depth + "a.py"]
    finally:
        await trio.run_process(["rm", "-r", tmp_path / "d"])


async def test_configurations_that_are_too_large_or_no_files_are_counted(tmp_path: Path, way: str) -> None:
    repository(tmp_path, {"a.py": "", "pyproject.toml": "x" * 2000, "x/go.mod": ""})
    os.mkfifo(tmp_path / "package.json")
    listed = await list_tree(str(tmp_path), Settings(file_max_bytes=1024))
    assert list(listed.configs) == ["x/go.mod"]
    assert listed.skipped == {"pyproject.toml": SkipReason.OVERSIZED, "package.json": SkipReason.SPECIAL}


async def test_a_socket_is_no_file(tmp_path: Path) -> None:
    make(tmp_path, {"a.py": ""})
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(tmp_path)
        server.bind("s.py")
    found = await list_tree(str(tmp_path), Settings())
    assert found.skipped == {"s.py": SkipReason.SPECIAL}


NAME = st.sampled_from(["a", "b", "c.py", "d.py", "a b.py", "é.py", ".h.py", "#.py", "!e.py"])
FILE_PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)
LINE = st.lists(
    st.sampled_from(
        ["a", "b", "c.py", "d.py", "*", "**", "/", "!", "?", "*.py", "[a-c]", "/**/", "**/", ".", " ", "\\", "é"]
    ),
    min_size=1,
    max_size=4,
).map("".join)
IGNORE = st.lists(LINE, min_size=1, max_size=4).map("\n".join)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(FILE_PATH, max_size=12, unique=True),
    ignores=st.dictionaries(st.sampled_from(["", "a/", "b/", "a/b/", "a/a/"]), IGNORE, max_size=3),
    nested=st.sampled_from(["", "a", "a/b", "b"]),
    tracked=st.booleans(),
    exclude=IGNORE,
    start=st.sampled_from(["", "", "a"]),
)
def test_the_walk_agrees_with_git(
    files: list[str], ignores: dict[str, str], nested: str, tracked: bool, exclude: str, start: str
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        root = Path(folder).resolve()
        run_git(root, "init", "-q")
        for path, content in [
            *((file, "") for file in files),
            *((f"{at}.gitignore", text) for at, text in ignores.items()),
        ]:
            try:
                make(root, {path: content})
            except OSError:
                continue  # a file stands where a folder would, or the reverse
        if nested and (root / nested).is_dir():
            run_git(root / nested, "init", "-q")
        (root / ".git" / "info" / "exclude").write_text(exclude)
        if tracked and not nested:
            run_git(root, "add", "-A")
        if start and not (root / start).is_dir():
            start = ""
        by_git = trio.run(list_tree, str(root / start), Settings())
        patch.setattr(listing, "find_git", lambda *_: None)
        by_walk = trio.run(list_tree, str(root / start), Settings())
        said = [warning for warning in by_walk.warnings if not warning.startswith("git cannot tell what it tracks")]
        assert by_git.warnings == tuple(said)
        assert by_walk.files == by_git.files
        assert by_walk.others == by_git.others
        assert by_walk.skipped == by_git.skipped
        if not nested and not start:
            words = ["git", "-C", root, "ls-files", "-zco", "--exclude-standard"]
            names = subprocess.run(words, check=True, capture_output=True).stdout.decode().split("\0")[:-1]
            assert sorted(by_git.files) == sorted(name for name in names if name.endswith(".py"))
