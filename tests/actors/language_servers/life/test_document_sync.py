"""What a server is told of the disk: neither too little, nor what is not so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.language_servers.life.document_sync import Mirror, MirroredDisk, TooManyChanges
from actors.language_servers.life.file_texts import Texts
from actors.messaging.messages import Drained, FileStat
from actors.watch.watch_status import Journal
from codemap.lsp.server import Server
from tests.actors.fakes import FakeDisk
from tests.actors.language_world import SERVER, JournalWatch

OPENING = msgspec.structs.replace(SERVER, opens=True, open_max=2)


class Configured:
    """Stands where the session is, and notes what it is given."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def files_changed(self, created: Iterable[str], changed: Iterable[str], deleted: Iterable[str]) -> None:
        self.words += [f"+{path}" for path in created]
        self.words += [f"~{path}" for path in changed]
        self.words += [f"-{path}" for path in deleted]

    def open(self, file: str, text: str) -> None:
        self.words.append(f"open {file} {text}")

    def change(self, file: str, text: str) -> None:
        self.words.append(f"change {file} {text}")

    def close(self, file: str) -> None:
        self.words.append(f"close {file}")


class Mirrored:
    def __init__(self, disk: FakeDisk, server: Server, knows_files: bool) -> None:
        self.disk = disk
        self.journal = Journal()
        self.is_certain = True
        disk.watches.append(JournalWatch(self.journal))  # type: ignore[arg-type]

        async def drain() -> Drained:
            await trio.lowlevel.checkpoint()
            return Drained(self.journal.position, self.is_certain)

        def known() -> Mapping[str, FileStat]:
            return {path: file.stat for path, file in disk.files.items()} if knows_files else {}

        self.mirror = Mirror(server, MirroredDisk(disk, Texts(disk), self.journal, drain, known))

    async def told(self, *asked: str) -> list[str]:
        """What it is told before it is asked about these files."""
        told = Configured()
        await self.mirror.update(told, asked)  # type: ignore[arg-type]
        return told.words


async def mirrored(server: Server = SERVER, *, knows_files: bool = True) -> Mirrored:
    disk = FakeDisk({"a.py": b"a", "b.py": b"b", "sub/c.py": b"c", "notes.txt": b"n"})
    disk.start()
    await trio.sleep(1)
    made = Mirrored(disk, server, knows_files)
    await made.mirror.begin()
    return made


async def test_nothing_happened(autojump_clock: MockClock) -> None:
    made = await mirrored()
    assert await made.told("a.py") == []


async def test_files_that_came_changed_and_went(autojump_clock: MockClock) -> None:
    made = await mirrored()
    made.disk.write("new.py", b"x")
    made.disk.write("a.py", b"other")
    made.disk.delete("b.py")
    made.disk.write("notes.txt", b"other")
    assert await made.told() == ["+new.py", "~a.py", "-b.py"]
    assert await made.told() == []


async def test_an_event_about_nothing_is_not_reported(autojump_clock: MockClock) -> None:
    made = await mirrored()
    made.journal.add("a.py")
    assert await made.told() == []


async def test_folders_that_came_and_went(autojump_clock: MockClock) -> None:
    made = await mirrored()
    made.disk.write("new/d.py", b"x")
    made.disk.write("new/deep/e.py", b"x")
    made.disk.delete("sub/c.py")
    assert await made.told() == ["+new/d.py", "+new/deep/e.py", "-sub/c.py"]


async def test_a_change_within_a_tick_of_the_last_is_reported_though_the_stat_is_the_same(
    autojump_clock: MockClock,
) -> None:
    made = await mirrored()
    made.disk.write("a.py", b"1")
    assert await made.told() == ["~a.py"]
    made.disk.write("a.py", b"2")
    await trio.sleep(1)
    assert await made.told() == ["~a.py"]
    made.journal.add("a.py")
    assert await made.told() == []


async def test_a_change_within_a_tick_of_the_start_is_reported(autojump_clock: MockClock) -> None:
    made = await mirrored()
    made.disk.write("a.py", b"1")
    await made.mirror.begin()
    made.disk.write("a.py", b"2")
    assert await made.told() == ["~a.py"]


async def test_before_there_is_a_map_files_that_went_are_reported_all_the_same(autojump_clock: MockClock) -> None:
    made = await mirrored(knows_files=False)
    made.disk.delete("b.py")
    assert await made.told() == ["-b.py"]


@pytest.mark.parametrize("how", ["no events", "events were lost"])
async def test_without_events_everything_is_compared(autojump_clock: MockClock, how: str) -> None:
    made = await mirrored()
    made.disk.is_silent = True
    made.is_certain = how != "no events"
    made.disk.write("new.py", b"x")
    made.disk.write("a.py", b"other")
    made.disk.delete("b.py")
    made.disk.delete("sub/c.py")
    if made.is_certain:
        made.journal.add_everything()
    await trio.sleep(1)
    assert await made.told() == ["+new.py", "~a.py", "-b.py", "-sub/c.py"]
    assert await made.told() == []


async def test_more_changes_than_a_server_takes(autojump_clock: MockClock) -> None:
    made = await mirrored()
    for number in range(2001):
        made.disk.write(f"new/{number}.py", b"x")
    with pytest.raises(TooManyChanges, match="2001 files changed"):
        await made.told()


async def test_configuration_files_count(autojump_clock: MockClock) -> None:
    made = await mirrored(msgspec.structs.replace(SERVER, config_files=("pyproject.toml", "conf*.json")))
    made.disk.write("pyproject.toml", b"x")
    made.disk.write("sub/conf.dev.json", b"x")
    made.disk.write("sub/other.json", b"x")
    assert await made.told() == ["+pyproject.toml", "+sub/conf.dev.json"]


async def test_documents_are_opened_when_they_are_asked_about(autojump_clock: MockClock) -> None:
    made = await mirrored(OPENING)
    assert await made.told("a.py") == ["open a.py a"]
    assert await made.told("a.py") == []
    assert await made.told("b.py", "nowhere.py") == ["open b.py b"]


async def test_the_document_that_was_asked_about_least_lately_is_closed(autojump_clock: MockClock) -> None:
    made = await mirrored(OPENING)
    for file in ("a.py", "b.py", "a.py"):
        await made.told(file)
    assert await made.told("sub/c.py") == ["open sub/c.py c", "close b.py"]


async def test_open_documents_follow_the_disk(autojump_clock: MockClock) -> None:
    made = await mirrored(OPENING)
    await made.told("a.py", "b.py")
    made.disk.write("a.py", b"other")
    made.disk.delete("b.py")
    assert await made.told("a.py") == ["~a.py", "-b.py", "close b.py", "change a.py other"]


async def test_an_open_document_that_is_unsettled_is_shown_again(autojump_clock: MockClock) -> None:
    made = await mirrored(OPENING)
    await made.told("a.py")
    made.disk.write("a.py", b"1")
    assert (await made.told("a.py"))[-1] == "change a.py 1"
    made.disk.is_silent = True
    made.disk.write("a.py", b"2")
    assert (await made.told("a.py"))[-1] == "change a.py 2"
    await trio.sleep(1)
    await made.told("a.py")
    assert await made.told("a.py") == []


async def test_a_changed_file_is_shown_where_the_disk_is_not_believed_at_once(autojump_clock: MockClock) -> None:
    made = await mirrored(OPENING)
    await made.told("a.py")
    made.disk.write("b.py", b"other")
    assert await made.told("a.py") == ["~b.py", "open b.py other"]


async def test_a_document_is_opened_again_once_those_that_it_may_include_have_changed(
    autojump_clock: MockClock,
) -> None:
    """A server that reads it at once would read it with what the other was."""
    made = await mirrored(msgspec.structs.replace(OPENING, reopens=True))
    await made.told("a.py", "b.py")
    made.disk.write("b.py", b"other")
    assert await made.told("a.py") == ["~b.py", "close a.py", "change b.py other", "open a.py a"]


async def test_files_that_others_include_are_opened_first(autojump_clock: MockClock) -> None:
    made = await mirrored(msgspec.structs.replace(OPENING, included=("b.py",)))
    assert await made.told("a.py", "b.py") == ["open b.py b", "open a.py a"]


async def test_more_files_to_show_than_may_be_open(autojump_clock: MockClock) -> None:
    made = await mirrored(OPENING)
    made.disk.write("a.py", b"other")
    made.disk.write("b.py", b"other")
    with pytest.raises(TooManyChanges, match="2 files changed that are not open"):
        await made.told("a.py")
