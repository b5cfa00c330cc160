"""What is listed: as git would track it, with git and without, on ordinary trees and on odd ones."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors import git, listing
from actors.git import find_git, git_environment, unlisted_folders
from actors.listing import ALL_IGNORED, TreeListing, list_tree
from actors.paths import RefusedRoot
from actors.reading import stat_of
from codemap.extract.skip import SkipReason
from codemap.settings import Settings

NO_GIT = "git is not installed: ignore files are honoured without it, the user's global ones are not."


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture(params=["git", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to a listing; a test that takes it must hold for both."""
    if request.param == "walk":
        monkeypatch.setattr(listing, "find_git", lambda path: None)
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
        skipped={"big.py": SkipReason.OVERSIZED} | ({"pipe.py": SkipReason.SPECIAL} if way == "walk" else {}),
        warnings=(NO_GIT,) if way == "walk" else (),
        configs=found.configs,
        others={".rst": 1, "": 1, ".jsonx": 1, ".toml": 1},
    )
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
        files={}, warnings=(NO_GIT,) if way == "walk" else ()
    )


async def test_a_root_that_is_ignored_as_a_whole_is_told(tmp_path: Path, way: str) -> None:
    root = repository(tmp_path, {".gitignore": "/*\n", "a.py": "", "p/b.py": ""})
    found = await list_tree(str(root), Settings())
    assert found.files == {}
    assert ALL_IGNORED in found.warnings
    (root / ".gitignore").write_text("/*\n!/p/\n")
    found = await list_tree(str(root), Settings())
    assert list(found.files) == ["p/b.py"]
    assert ALL_IGNORED not in found.warnings


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


async def test_an_unreadable_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.py": "", "locked/b.py": ""})
    scandir = os.scandir

    def locked(path: bytes) -> Iterator[os.DirEntry[bytes]]:
        if path.endswith(b"/locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(listing.os, "scandir", locked)
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py"]
    assert found.skipped == {"locked/": SkipReason.UNREADABLE}


def test_what_git_could_not_open() -> None:
    stderr = b"warning: could not open directory 'a b/c/': Permission denied\nwarning: unable to access 'x'\n"
    assert unlisted_folders(stderr) == [b"a b/c"]


async def test_a_file_that_vanishes_on_the_way(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path, {"a.py": "", "b.py": "", "d/c.py": "", "d/e/f.py": ""})
    take, walk = listing._Tree.take, listing._Tree.walk

    def vanishing(steps: Iterator[None]) -> Iterator[None]:
        for number, step in enumerate(steps):
            if number == 0:
                (tmp_path / "b.py").unlink()
                shutil.rmtree(tmp_path / "d" / "e")
            yield step

    monkeypatch.setattr(listing._Tree, "take", lambda *arguments: vanishing(take(*arguments)))
    monkeypatch.setattr(listing._Tree, "walk", lambda *arguments: vanishing(walk(*arguments)))
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py", "d/c.py"]
    assert found.skipped == {}


async def test_git_that_refuses_is_told_and_gone_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path, {"a.py": "", "b.py": "", ".gitignore": "b.py\n"})
    (tmp_path / ".git" / "config").write_text("[core\n")
    found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py"]
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(f"git cannot list {tmp_path} (fatal: bad config line")


async def test_git_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path, {"a.py": ""})
    fake = tmp_path / "fake-git"
    fake.write_text("#!/bin/sh\nexec sleep 1000\n")
    fake.chmod(0o755)
    monkeypatch.setattr(git, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(listing, "find_git", lambda path: str(fake))
    with trio.fail_after(5):
        found = await list_tree(str(tmp_path), Settings())
    assert sorted(found.files) == ["a.py"]
    assert "took more than 0.05 s" in found.warnings[0]


async def test_nothing_of_the_repository_is_run_or_written(tmp_path: Path) -> None:
    root, proof = repository(tmp_path / "r", {"a.py": "", ".gitattributes": "*.py filter=f\n"}), tmp_path / "proof"
    run_git(root, "add", "-A")
    hook = root / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {proof}\n")
    hook.chmod(0o755)
    shutil.copy(hook, root / ".git" / "hooks" / "post-index-change")
    for key in ("core.fsmonitor", "filter.f.clean", "core.pager", "alias.ls-files", "core.sshCommand", "core.editor"):
        run_git(root, "config", key, f"{hook}")
    before = {path: path.lstat().st_mtime_ns for path in root.rglob("*")}
    os.utime(root / "a.py")
    before[root / "a.py"] = (root / "a.py").lstat().st_mtime_ns
    assert await paths(root) == ["a.py"]
    assert not proof.exists()
    assert {path: path.lstat().st_mtime_ns for path in root.rglob("*")} == before


def test_the_environment_of_git_is_clean() -> None:
    given_ = {"GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "GIT_TRACE": "1", "PATH": "/bin", "LC_ALL": "de"}
    assert git_environment(given_) == {
        "PATH": "/bin",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }


def test_git_is_not_taken_from_a_relative_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_git(".:") is None
    assert find_git(str(tmp_path)) == str(tmp_path / "git")


async def test_a_cancelled_listing_ends(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": ""})
    with trio.move_on_after(0) as scope:
        await list_tree(str(tmp_path), Settings())
    assert scope.cancelled_caught


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


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        patch.setattr(listing, "find_git", lambda path: None)
        by_walk = trio.run(list_tree, str(root / start), Settings())
        assert by_git.warnings == tuple(told for told in by_walk.warnings if told != NO_GIT)
        assert by_walk.files == by_git.files
        assert by_walk.others == by_git.others
        assert by_walk.skipped == by_git.skipped
