"""What changed since a branch began, of real repositories: nothing is lost, nothing is run, nothing is written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from actors.files.reading import SETTLED_NS
from actors.messaging.messages import SourceText
from actors.revisions.change_sets import Wanted, change_set
from actors.revisions.commits import Refused
from actors.service.real_ports import Disk
from codemap.changes.change_set import ChangeSet, Omitted
from codemap.changes.changed_definitions import compare
from codemap.changes.version import Version
from codemap.graph.build.build import build
from codemap.graph.model.indexed_file import Extracted, FileStamp
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.languages import is_config_file, language_of
from codemap.settings import Settings
from tests.actors.fakes import bare_version
from tests.actors.listing.test_git import run_git, set_traps, state

MAX_BYTES = 10_000


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def commit(root: Path, message: str = "x") -> str:
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", message)
    return said(root, "rev-parse", "HEAD")


def said(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit, on a branch named `main`."""
    folder = tmp_path / "root"
    folder.mkdir()
    run_git(folder, "init", "-q", "-b", "main")
    write(folder, a="def f(): return 1\n", b="def g(): return 1\n", sub__c="def h(): return 1\n")
    (folder / "notes.txt").write_text("one\n")
    commit(folder)
    return folder


def mapped(root: Path, disk: Disk) -> Snapshot:
    """The map of the files that are there now."""
    changed = {}
    configs = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not path.is_symlink() and ".git" not in path.parts and path.stat().st_size <= MAX_BYTES:
            if is_config_file(name):
                configs[name] = path.read_bytes()
            if language_of(name) is not None and b"\0" not in path.read_bytes():
                version = bare_version(SourceText(name, path.read_bytes()))
                assert version is not None
                stat = path.stat()
                changed[name] = Extracted(version.facts, FileStamp(stat.st_size, stat.st_mtime_ns, version.digest))
    assert disk.root == str(root)
    return finish(build(None, changed, frozenset(), configs, built_at=""))


async def read_versions(sources: Sequence[SourceText]) -> Sequence[Version | None]:
    return [None if b"\0" in source.content else bare_version(source) for source in sources]


async def found(root: Path, base: str = "main", head: str = "", *, staged: bool = False) -> ChangeSet | Refused:
    disk = Disk(str(root), Settings(file_max_bytes=MAX_BYTES))
    wanted = Wanted(base, head, staged)
    return await change_set(disk, read_versions, mapped(root, disk), MAX_BYTES, wanted)


async def changes(root: Path, base: str = "main", head: str = "", *, staged: bool = False) -> list[str]:
    change = await found(root, base, head, staged=staged)
    assert isinstance(change, ChangeSet), change
    pairs = {pair.path: pair for pair in change.pairs}
    shown = []
    for one in compare(change.pairs).changes:
        place = one.after or one.before
        assert place is not None
        version = pairs[place.file].after if one.after is not None else pairs[place.file].before
        assert version is not None
        shown.append(f"{one.what} {place.file}#{version.qualified_names[place.row]}")
    return shown


async def test_commits_staged_and_unstaged_edits_and_new_files_count(root: Path) -> None:
    run_git(root, "checkout", "-qb", "topic")
    write(root, a="def f(): return 2\n")
    commit(root)
    write(root, b="def g(): return 2\n")
    run_git(root, "add", "-A")
    write(root, sub__c="def h(): return 2\n", new="def n(): return 1\n")
    assert await changes(root) == ["body a.py#f", "body b.py#g", "added new.py#", "added new.py#n", "body sub/c.py#h"]
    assert await changes(root, staged=True) == ["body a.py#f", "body b.py#g"]
    assert await changes(root, head="topic") == ["body a.py#f"]
    assert await changes(root, head="main") == []
    assert await changes(root, base="HEAD") == ["body b.py#g", "added new.py#", "added new.py#n", "body sub/c.py#h"]


async def test_it_begins_where_the_branch_began(root: Path) -> None:
    run_git(root, "checkout", "-qb", "topic")
    write(root, a="def f(): return 2\n")
    first = commit(root)
    run_git(root, "checkout", "-q", "main")
    write(root, b="def g(): return 3\n")
    commit(root)
    run_git(root, "checkout", "-q", "topic")
    assert await changes(root) == ["body a.py#f"]
    change = await found(root, head="topic")
    assert isinstance(change, ChangeSet)
    assert (change.base, change.head) == (said(root, "rev-parse", "topic~1"), first)


async def test_deleted_files_and_renamed_ones(root: Path) -> None:
    (root / "a.py").unlink()
    (root / "b.py").rename(root / "d.py")
    assert await changes(root) == ["removed a.py#", "removed a.py#f", "removed b.py#", "added d.py#", "moved d.py#g"]


async def test_a_head_that_is_far_from_the_work_tree_brings_the_files_that_the_map_has_otherwise(root: Path) -> None:
    run_git(root, "checkout", "-qb", "topic")
    write(root, a="def f(): return 2\n")
    commit(root)
    run_git(root, "checkout", "-q", "main")
    write(root, b="def g(): return 9\n", only="def o(): ...\n")
    change = await found(root, head="topic")
    assert isinstance(change, ChangeSet)
    assert [pair.path for pair in change.pairs] == ["a.py"]
    assert sorted(change.beside) == ["b.py", "only.py"]
    assert change.beside["only.py"].after is None
    after = change.beside["b.py"].after
    assert after is not None
    assert after.facts == change.beside["b.py"].before.facts if change.beside["b.py"].before else False


async def test_files_of_no_language_are_counted_and_configuration_is_read(root: Path) -> None:
    (root / "pyproject.toml").write_text("[project]\nname = 'one'\n")
    commit(root)
    (root / "notes.txt").write_text("two\n")
    (root / "pyproject.toml").write_text("[project]\nname = 'two'\n")
    change = await found(root)
    assert isinstance(change, ChangeSet)
    assert change.others == 2
    assert change.configs_before == {"pyproject.toml": b"[project]\nname = 'one'\n"}


async def test_a_root_inside_the_repository_sees_what_is_under_it(root: Path) -> None:
    write(root, a="def f(): return 2\n", sub__c="def h(): return 2\n")
    assert await changes(root / "sub", base="HEAD") == ["body c.py#h"]


async def test_what_cannot_be_compared_is_named(root: Path, tmp_path: Path) -> None:
    (root / "large.py").write_text("x = 1\n" * 10)
    (root / "data.py").write_text("x = 1\n")
    commit(root)
    (root / "large.py").write_text("x = 1\n" * MAX_BYTES)
    (root / "data.py").write_bytes(b"\0\1\2")
    run_git(tmp_path, "init", "-q", "other")
    (tmp_path / "other" / "o.py").write_text("")
    commit(tmp_path / "other")
    run_git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "other"), "module")
    change = await found(root)
    assert isinstance(change, ChangeSet)
    assert change.omitted == {
        "data.py": Omitted.NOT_INDEXED,
        "large.py": Omitted.NOT_INDEXED,
        "module": Omitted.SUBMODULE,
    }
    assert change.pairs == ()


async def test_a_merge_conflict_is_named(root: Path) -> None:
    run_git(root, "checkout", "-qb", "topic")
    write(root, a="def f(): return 2\n", b="def g(): return 2\n")
    commit(root)
    run_git(root, "checkout", "-q", "main")
    write(root, a="def f(): return 3\n")
    commit(root)
    with pytest.raises(subprocess.CalledProcessError):
        run_git(root, "merge", "topic")
    change = await found(root)
    assert isinstance(change, ChangeSet)
    assert change.omitted == {"a.py": Omitted.CONFLICT}
    assert [pair.path for pair in change.pairs] == ["b.py"]
    in_index = await found(root, staged=True)
    assert isinstance(in_index, ChangeSet)
    assert in_index.omitted == {"a.py": Omitted.CONFLICT}, "it is not taken for removed"
    assert [pair.path for pair in in_index.pairs] == ["b.py"]
    between = await found(root, base="main~1", head="main")
    assert isinstance(between, ChangeSet)
    assert (between.omitted, [pair.path for pair in between.pairs]) == ({}, ["a.py"])


async def test_a_conflict_is_named_though_the_file_is_as_it_was(root: Path) -> None:
    """One side removed it, the other edited it; git leaves the edited one."""
    run_git(root, "checkout", "-qb", "topic")
    (root / "a.py").unlink()
    commit(root)
    run_git(root, "checkout", "-q", "main")
    write(root, a="def f(): return 3\n")
    commit(root)
    with pytest.raises(subprocess.CalledProcessError):
        run_git(root, "merge", "topic")
    change = await found(root, base="HEAD")
    assert isinstance(change, ChangeSet)
    assert change.omitted == {"a.py": Omitted.CONFLICT}
    assert change.pairs == ()


async def test_a_submodule_at_another_commit_is_named(root: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "other")
    write(tmp_path / "other", o="x = 1\n")
    commit(tmp_path / "other")
    source = str(tmp_path / "other")
    run_git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", source, "sub/module")
    commit(root)
    unchanged = await found(root, base="HEAD")
    assert isinstance(unchanged, ChangeSet)
    assert (unchanged.omitted, unchanged.inside_submodules) == ({}, ("sub/module",))
    write(root / "sub/module", o="x = 2\n")
    commit(root / "sub/module")
    for folder, path in ((root, "sub/module"), (root / "sub", "module")):
        moved = await found(folder, base="HEAD")
        assert isinstance(moved, ChangeSet)
        assert (moved.omitted, moved.inside_submodules) == ({path: Omitted.SUBMODULE}, ())
    in_index = await found(root, base="HEAD", staged=True)
    assert isinstance(in_index, ChangeSet)
    assert in_index.omitted == {}


async def test_a_file_that_changed_since_the_map_was_made_is_named(root: Path) -> None:
    write(root, a="def f(): return 2\n")
    disk = Disk(str(root), Settings(file_max_bytes=MAX_BYTES))
    snapshot = mapped(root, disk)
    write(root, a="def f(): return 3\n")
    change = await change_set(disk, read_versions, snapshot, MAX_BYTES, Wanted("main"))
    assert isinstance(change, ChangeSet)
    assert change.omitted == {"a.py": Omitted.CHANGING}


async def test_an_edit_that_leaves_size_and_time_alone_is_seen(root: Path) -> None:
    """The index was written at the same moment, as far as its time can tell."""
    stat = (root / "a.py").stat()
    write(root, a="def f(): return 2\n")
    os.utime(root / "a.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    os.utime(root / ".git/index", ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    assert await changes(root) == ["body a.py#f"]


async def test_contents_that_git_noted_are_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await trio.sleep(SETTLED_NS / 1e9)
    run_git(root, "update-index", "--refresh")
    write(root, b="def g(): return 2\n")
    os.utime(root / ".git/index")
    disk = Disk(str(root), Settings(file_max_bytes=MAX_BYTES))
    read: list[str] = []
    monkeypatch.setattr("actors.revisions.work_tree.object_id", lambda content, _digits: read.append(content) or "x")
    await change_set(disk, read_versions, mapped(root, disk), MAX_BYTES, Wanted("main"))
    assert read == [b"def g(): return 2\n"]


@pytest.mark.parametrize(
    "revision", ["nowhere", "HEAD~9", "main:a.py", "-h", "--all", "", " ", "a\nb", "a\0b", "x" * 999]
)
async def test_what_is_no_commit_is_refused(root: Path, revision: str) -> None:
    refused = await found(root, base=revision)
    assert isinstance(refused, Refused)
    assert refused.is_argument
    assert refused.why.startswith("base: ")
    assert "no " in refused.why
    refused = await found(root, head=revision) if revision else refused
    assert isinstance(refused, Refused)
    assert refused.why.startswith("head: " if revision else "base: ")


async def test_histories_that_never_met_are_refused(root: Path) -> None:
    run_git(root, "checkout", "-q", "--orphan", "other")
    commit(root, "another beginning")
    refused = await found(root)
    assert isinstance(refused, Refused)
    assert refused.why.endswith("have no common ancestor.")


async def test_a_shallow_clone_says_so(root: Path, tmp_path: Path) -> None:
    write(root, a="def f(): return 2\n")
    commit(root)
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "clone")
    write(tmp_path / "clone", b="def g(): return 2\n")
    change = await found(tmp_path / "clone", base="HEAD")
    assert isinstance(change, ChangeSet)
    assert change.is_shallow
    refused = await found(tmp_path / "clone", base="HEAD~1")
    assert isinstance(refused, Refused)
    assert "the clone is shallow" in refused.why


async def test_what_a_partial_clone_lacks_is_named_and_not_fetched(root: Path, tmp_path: Path) -> None:
    write(root, a="def f(): return 2\n", b="def g(): return 2\n")
    commit(root)
    run_git(root, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{root}", "clone")
    change = await found(tmp_path / "clone", base="HEAD~1")
    assert isinstance(change, ChangeSet)
    assert change.omitted == {"a.py": Omitted.NOT_FETCHED, "b.py": Omitted.NOT_FETCHED}


async def test_where_there_is_no_repository_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    refused = await found(tmp_path)
    assert isinstance(refused, Refused)
    assert not refused.is_argument
    assert refused.why.endswith("is in no git repository.")


async def test_a_repository_without_commits_has_none(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    for base in ("HEAD", "main"):
        refused = await found(tmp_path, base=base)
        assert refused == Refused("There is no commit yet.", is_argument=False)


async def test_a_commit_that_cannot_be_read_is_not_taken_for_none(root: Path) -> None:
    (root / ".git/objects" / said(root, "rev-parse", "--short=2", "HEAD")[:2]).rename(root / "elsewhere")
    refused = await found(root, base="HEAD")
    assert isinstance(refused, Refused)
    assert refused.why == "'HEAD' is no commit, or one that git cannot read."


async def test_names_that_are_no_text_and_contents_that_look_like_headers(root: Path) -> None:
    odd = root / os.fsdecode(b"\xff a\n.py")
    odd.write_text("def f(): return 1\n")
    (root / "zero.py").write_text("")
    write(root, like=f"{'a' * 40} 12\n" * 3)
    commit(root)
    odd.write_text("def f(): return 2\n")
    write(root, like="x = 1\n", zero="y = 1\n")
    found_ = await changes(root)
    assert "body \udcff a\n.py#f" in found_
    assert "added zero.py#y" in found_


async def test_nothing_that_the_repository_configures_is_run_and_nothing_is_written(root: Path, tmp_path: Path) -> None:
    (root / ".gitattributes").write_text("* filter=f diff=d merge=m\n")
    (root / ".gitignore").write_text("/trap\n/included\n")
    run_git(root, "checkout", "-qb", "topic")
    write(root, a="def f(): return 2\n")
    run_git(root, "add", ".gitattributes", ".gitignore")
    run_git(root, "commit", "-qm", "x")
    run_git(root, "replace", "-f", "main^{tree}", "topic^{tree}")
    set_traps(root, tmp_path / "sprung", root / ".git/config")
    os.utime(root / "b.py", ns=(1, 1))
    before = state(root)
    for wanted in (Wanted("main"), Wanted("main", "", is_staged=True), Wanted("main", "topic"), Wanted("nowhere")):
        disk = Disk(str(root), Settings(file_max_bytes=MAX_BYTES))
        await change_set(disk, read_versions, mapped(root, disk), MAX_BYTES, wanted)
    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()
    assert state(root) == before
    assert await changes(root) == ["body a.py#f"]
