"""The historian over real repositories: what it reads, continues, keeps and says; and that nothing of theirs runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio

from actors.history.git_log import LogRead, read_log
from actors.history.historian import historian
from actors.messaging.inbox import Address, Inbox
from actors.messaging.messages import (
    HistoryMessage,
    HistoryRead,
    KeepHistory,
    ReadHistory,
    RecallHistory,
    StoreMessage,
)
from actors.ports import GitOutput
from actors.service.real_ports import Disk
from codemap.history.lines import file_commits, segments_of, walk
from codemap.history.log_reader import LogReader
from codemap.history.log_words import (
    COMBINED_WORDS,
    MERGE_WORDS,
    NOT_COMPARED,
    WORDS,
    log_format,
    merge_format,
    words_before,
)
from codemap.history.packed import pack, unpacked
from codemap.history.table import Flag, History
from codemap.languages import language_of
from codemap.settings import Settings
from tests.actors.fakes import FakeDisk
from tests.actors.listing.test_git import run_git, set_traps, state
from tests.history.repository import columns

TOKEN = "k3jh4k5jh34k5jh3"


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout.strip()


def write(root: Path, name: str, *lines: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("".join(f"{line}\n" for line in lines))


def commit(root: Path, message: str) -> str:
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", message)
    return git(root, "rev-parse", "HEAD")


def source(of_f: int, of_g: int) -> list[str]:
    return ["def f():", f"    return {of_f}", "", "", "def g():", f"    return {of_g}", "", "", "def h():", "    pass"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Edits, a rename with an edit, both sides of a merge, a conflict resolved, a removal, a binary file, odd names."""
    folder = tmp_path / "root"
    folder.mkdir()
    run_git(folder, "init", "-q", "-b", "main")
    write(
        folder, "a.py", "def f():", "    return 1", "", "", "def g():", "    return 2", "", "", "def h():", "    pass"
    )
    (folder / "blob.bin").write_bytes(b"\0\1\2")
    commit(folder, "Add a\n\nA body\nof two lines")
    write(folder, "odd\nname é.py", "x = 1")
    write(folder, "-dash.py", "x = 1", "--- a/fake", "+++ b/fake", "@@ -1,1 +1,1 @@", "diff --git a/b b/b")
    (folder / "blob.bin").write_bytes(b"\0\1\3")
    commit(folder, "Fix odd names")
    run_git(folder, "checkout", "-qb", "topic")
    write(
        folder, "a.py", "def f():", "    return 10", "", "", "def g():", "    return 2", "", "", "def h():", "    pass"
    )
    commit(folder, "Change f")
    run_git(folder, "checkout", "-q", "main")
    write(
        folder, "a.py", "def f():", "    return 11", "", "", "def g():", "    return 20", "", "", "def h():", "    pass"
    )
    commit(folder, "Change f and g")
    subprocess.run(["git", "-C", folder, "merge", "-q", "topic"], check=False, capture_output=True)
    write(
        folder, "a.py", "def f():", "    return 12", "", "", "def g():", "    return 20", "", "", "def h():", "    pass"
    )
    commit(folder, "Merge topic")
    (folder / "a.py").rename(folder / "b.py")
    write(folder, "b.py", "import os", "", "", *(folder / "b.py").read_text().splitlines())
    (folder / "-dash.py").unlink()
    commit(folder, "Move a to b")
    return folder


class Kept:
    """A store that remembers one history."""

    def __init__(self) -> None:
        self.inbox: Inbox[StoreMessage] = Inbox("store")
        self.body: bytes | None = None

    async def run(self) -> None:
        async for delivery in self.inbox:
            if isinstance(delivery.message, KeepHistory):
                self.body = delivery.message.body
            elif isinstance(delivery.message, RecallHistory):
                delivery.answer(delivery.message, self.body)


@asynccontextmanager
async def reading(
    ports: Disk | FakeDisk, store: Address[StoreMessage] | None = None, silence_s: float = 60.0
) -> AsyncIterator[Address[HistoryMessage]]:
    inbox: Inbox[HistoryMessage] = Inbox("historian")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(historian, inbox, ports=ports, store=store, silence_s=silence_s))
        yield inbox.address
        nursery.cancel_scope.cancel()


async def ask(address: Address[HistoryMessage], wait_s: float = 60.0, *, begins: bool = True) -> HistoryRead:
    answer = await address.ask(ReadHistory(trio.current_time() + wait_s, begins))
    assert isinstance(answer, HistoryRead)
    return answer


async def read(root: Path) -> HistoryRead:
    async with reading(Disk(str(root), Settings())) as address:
        return await ask(address)


async def history_of(root: Path) -> History:
    found = await read(root)
    assert found.history is not None, found.why
    return found.history


def subjects(history: History, path: str) -> list[str]:
    rows, _ = file_commits(history, history.at_head[history.path_rows[path]])
    return [history.subjects[row] for row in rows]


def of_lines(history: History, path: str, first: int, last: int) -> list[str]:
    touch = history.at_head[history.path_rows[path]]
    return [history.id_of(row) for row in walk(history, touch, segments_of([(first - 1, last)]), 1).commits[0]]


async def test_it_agrees_with_git_about_files_and_lines(root: Path) -> None:
    history = await history_of(root)
    listed = git(root, "ls-files", "-z").split("\0")[:-1]
    assert sorted(history.paths[path] for path in history.at_head) == sorted(listed)
    assert history.count == int(git(root, "rev-list", "--count", "HEAD"))
    for first, last in ((4, 5), (8, 9), (12, 13), (1, 1)):
        theirs = git(root, "log", f"-L{first},{last}:b.py", "-s", "--format=%H").split()
        assert sorted(of_lines(history, "b.py", first, last)) == sorted(theirs)
    assert subjects(history, "b.py") == ["Move a to b", "Merge topic", "Change f and g", "Change f", "Add a"]
    assert subjects(history, "odd\nname é.py") == ["Fix odd names"]
    assert [history.subjects[row] for row in range(history.count) if history.flags[row] & Flag.FIX] == ["Fix odd names"]


def test_however_the_bytes_are_cut_the_commits_are_the_same(root: Path) -> None:
    for words in (WORDS, MERGE_WORDS, COMBINED_WORDS):
        form = log_format(TOKEN) if words is WORDS else merge_format(TOKEN)
        asked = ["git", "-C", root, *words_before("/dev/null"), "log", *words, f"--format={form}"]
        text = subprocess.run(asked, check=True, capture_output=True).stdout
        whole = LogReader(TOKEN)
        expected = [*whole.feed(text), *whole.finish()]
        for size in (1, 2, 7, 100):
            reader = LogReader(TOKEN)
            found = [one for at in range(0, len(text), size) for one in reader.feed(text[at : at + size])]
            assert [*found, *reader.finish()] == expected
        assert len(expected) == int(git(root, "rev-list", "--count", *(["--merges"] * (words is not WORDS)), "HEAD"))


async def test_lines_of_files_without_definitions_are_not_compared(root: Path) -> None:
    for text in ("one", "two"):
        write(root, "README.md", text)
        write(root, "DATA.JSON", text)
        write(root, "tool", text)
        commit(root, f"Write {text}")
    history = await history_of(root)
    for path, hunks in (("README.md", 0), ("DATA.JSON", 0), ("tool", 2)):
        touch = history.at_head[history.path_rows[path]]
        assert subjects(history, path) == ["Write two", "Write one"]
        sides = [history.side_begin[at] for at in range(touch + 1) if history.touch_path[at] == history.path_rows[path]]
        assert sum(len(history.hunks_of(side)) // 4 for side in sides) == hunks
    assert not [name for name in NOT_COMPARED if language_of(f"x.{name}") is not None]


async def test_it_continues_when_the_head_moves(root: Path) -> None:
    ports = Disk(str(root), Settings())
    async with reading(ports) as address:
        first = (await ask(address)).history
        assert first is not None
        assert (await ask(address)).history is first
        write(root, "b.py", "import os", "", "", "def f():", "    return 13")
        commit(root, "Shorten b")
        second = (await ask(address)).history
        assert second is not None
        assert second.count == first.count + 1
        assert subjects(second, "b.py")[0] == "Shorten b"
        run_git(root, "reset", "-q", "--hard", "HEAD~1")
        third = (await ask(address)).history
        assert third is not None
        assert subjects(third, "b.py")[0] == "Move a to b"


async def test_it_continues_over_a_merge_with_a_rename(root: Path) -> None:
    """Of new commits, merges are asked about after the others."""
    async with reading(Disk(str(root), Settings())) as address:
        await ask(address)
        run_git(root, "checkout", "-qb", "further", "HEAD~1")
        write(root, "a.py", *source(12, 30))
        commit(root, "Change g")
        run_git(root, "checkout", "-q", "main")
        run_git(root, "merge", "-q", "-m", "Merge further", "further")
        continued = (await ask(address)).history
    assert continued is not None
    once = await history_of(root)
    for history in (continued, once):
        assert set(subjects(history, "b.py")) >= {"Merge further", "Change g", "Move a to b", "Merge topic"}
    for line in range(1, 14):
        assert sorted(of_lines(continued, "b.py", line, line)) == sorted(of_lines(once, "b.py", line, line))


async def test_a_head_that_git_has_no_more_is_not_continued(root: Path) -> None:
    async with reading(Disk(str(root), Settings())) as address:
        await ask(address)
        shutil.rmtree(root / ".git")
        run_git(root, "init", "-q", "-b", "main")
        commit(root, "Begin anew")
        anew = (await ask(address)).history
    assert anew is not None
    assert anew.subjects == ("Begin anew",)


async def test_what_is_kept_is_continued(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.history.historian.KEPT_AFTER", 1)
    kept = Kept()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(kept.run)
        ports = Disk(str(root), Settings())
        async with reading(ports, kept.inbox.address) as address:
            first = (await ask(address)).history
        assert first is not None
        assert kept.body is not None
        assert columns(unpacked(kept.body)) == columns(first)
        write(root, "c.py", "x = 1")
        commit(root, "Add c")
        async with reading(ports, kept.inbox.address) as address:
            assert (await ask(address, begins=False)).history is not None, "what is kept needs no beginning"
            second = (await ask(address)).history
        assert second is not None
        assert second.count == first.count + 1
        nursery.cancel_scope.cancel()


async def test_who_does_not_begin_learns_whether_there_is_a_history_to_read(root: Path, tmp_path: Path) -> None:
    async with reading(Disk(str(root), Settings())) as address:
        said = await ask(address, begins=False)
        assert (said.history, said.is_reading) == (None, True)
        assert (await ask(address)).history is not None
        assert (await ask(address, begins=False)).history is not None
    plain = tmp_path / "plain"
    plain.mkdir()
    async with reading(Disk(str(plain), Settings())) as address:
        said = await ask(address, begins=False)
        assert (said.history, said.is_reading) == (None, False)


def test_a_damaged_history_is_a_value_error(root: Path) -> None:
    async def packed() -> bytes:
        return pack(await history_of(root))

    body = trio.run(packed)
    unpacked(body)
    for at in range(0, len(body), 37):
        damaged = bytearray(body)
        damaged[at] ^= 0x55
        try:
            history = unpacked(bytes(damaged))
        except ValueError:
            continue
        for touch in history.head_touches.tolist():
            file_commits(history, touch)


async def test_a_shallow_clone_says_so_and_guesses_nothing(root: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{root}", "shallow")
    found = await read(tmp_path / "shallow")
    assert found.history is not None
    assert ["shallow" in gap for gap in found.gaps] == [True]
    assert subjects(found.history, "b.py") == ["Move a to b"]
    touch = found.history.at_head[found.history.path_rows["b.py"]]
    assert file_commits(found.history, touch)[1], "there are older ones"
    run_git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    whole = await read(tmp_path / "shallow")
    assert whole.gaps == ()


async def test_no_repository_no_commit_and_a_detached_head(root: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert "in no git repository" in (await read(plain)).why
    run_git(plain, "init", "-q")
    assert (await read(plain)).why == "There is no commit yet."
    run_git(root, "checkout", "-q", "--detach", "HEAD~1")
    assert subjects(await history_of(root), "a.py")[0] == "Merge topic"


async def test_files_whose_contents_the_clone_lacks_are_left_out(root: Path) -> None:
    """A copy that lost one object, of the file that merges and edits beside it do not concern."""
    whole = await history_of(root)
    lost = git(root, "rev-parse", "HEAD~3:blob.bin")
    (root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    found = await read(root)
    assert found.gaps == ("The clone lacks contents of 1 file(s), which are left out: blob.bin.",)
    assert found.history is not None
    assert found.history.count == whole.count, "no commit is left out"
    assert subjects(found.history, "b.py") == subjects(whole, "b.py")


async def test_a_partial_clone_has_a_history_of_the_files_that_it_has_and_fetches_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_git(root, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{root}", "partial")
    found = await read(tmp_path / "partial")
    assert found.gaps == ("The clone lacks contents of 3 file(s), which are left out: -dash.py, a.py, blob.bin.",)
    assert not (tmp_path / "partial/.git/FETCH_HEAD").exists()
    monkeypatch.setattr("actors.history.historian.LEFT_OUT_MAX", 1)
    found = await read(tmp_path / "partial")
    assert found.history is None
    assert "lacks contents of 3 files (a partial clone: git fetch --refetch)" in found.why


async def test_messages_and_names_in_other_encodings(root: Path) -> None:
    write(root, "b.py", "x = 1")
    run_git(root, "add", "-A")
    run_git(root, "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-qm", "Gr\udcfc\udcdfe")
    (root / os.fsdecode(b"caf\xe9.py")).write_text("x = 1\n")
    commit(root, "Add a name that is not UTF-8")
    history = await history_of(root)
    assert subjects(history, "b.py")[0] == "Grüße"
    assert subjects(history, "caf\udce9.py") == ["Add a name that is not UTF-8"]


async def test_a_submodule_is_a_file_that_is_not_compared(root: Path, tmp_path: Path) -> None:
    run_git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "sub")
    commit(root, "Add a submodule")
    run_git(root, "config", "diff.submodule", "log")
    assert subjects(await history_of(root), "sub") == ["Add a submodule"]


async def test_a_git_that_hangs_is_given_up(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which("git")
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nfor w in "$@"; do [ "$w" = log ] && exec sleep 1000; done\nexec {real} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    async with reading(Disk(str(root), Settings()), silence_s=0.3) as address:
        assert (await ask(address, 0.1)).is_reading
        assert "printed nothing for 0.3 s" in (await ask(address)).why


async def test_without_git_it_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "not installed" in (await read(root)).why


async def test_nothing_that_the_repository_configures_is_run_and_nothing_is_written(root: Path, tmp_path: Path) -> None:
    (root / ".gitattributes").write_text("* filter=f diff=d merge=m\n")
    (root / ".gitignore").write_text("/trap\n/included\n/order\n")
    (root / ".mailmap").write_text("Somebody Else <x@x>\n")
    commit(root, "Set attributes")
    expected = columns(await history_of(root))
    set_traps(root, tmp_path / "sprung", root / ".git/config")
    for key, value in CONFUSING.items():
        run_git(root, "config", "--file", str(root / ".git/config"), key, value)
    os.mkfifo(root / "order")
    before = state(root)
    assert columns(await history_of(root)) == expected
    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()
    assert state(root) == before


CONFUSING = {
    "log.showSignature": "true",
    "log.showRoot": "false",
    "log.mailmap": "true",
    "mailmap.blob": "HEAD:.mailmap",
    "log.follow": "true",
    "log.diffMerges": "m",
    "log.decorate": "full",
    "log.date": "relative",
    "format.pretty": "oneline",
    "format.notes": "true",
    "notes.displayRef": "refs/notes/*",
    "i18n.logOutputEncoding": "UTF-16",
    "color.ui": "always",
    "color.diff": "always",
    "core.quotePath": "true",
    "core.abbrev": "4",
    "core.bigFileThreshold": "1",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.renames": "false",
    "diff.renameLimit": "1",
    "diff.context": "9",
    "diff.interHunkContext": "9",
    "diff.algorithm": "patience",
    "diff.orderFile": "order",
    "diff.relative": "true",
    "diff.submodule": "diff",
    "diff.ignoreSubmodules": "all",
    "diff.wsErrorHighlight": "all",
    "diff.colorMoved": "zebra",
    "diff.suppressBlankEmpty": "true",
    "diff.d.xfuncname": "(.*)",
}
"""What a repository may configure that would change what git's log prints."""


async def test_what_does_not_read_as_a_log_is_said(autojump_clock: trio.abc.Clock) -> None:
    disk = FakeDisk({})
    disk.git = lambda _words, _told: GitOutput(b"nonsense", "")
    into = LogRead()
    with trio.fail_after(100):
        await read_log(disk, ["HEAD"], into, 5.0)
    assert "does not read as a log" in into.trouble
