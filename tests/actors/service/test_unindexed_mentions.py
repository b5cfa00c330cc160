"""Names in files that are not indexed are counted, and what a file has is read once as long as it is the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import FileRecord
from actors.messaging.messages import FileStat
from actors.ports import Content, Listing
from actors.service import unindexed_mentions
from actors.service.unindexed_mentions import OVERSIZED_MAX_BYTES, Unindexed, UnindexedFiles
from actors.watch.watch_status import Journal
from codemap.extract.skipped_files import SkipReason
from codemap.mentions.account import LINES_MAX, Elsewhere
from codemap.mentions.other_texts import OTHER_CODE
from tests.actors.fakes import FakeDisk

SKIPPED = {"g.py": SkipReason.GENERATED, "m.js": SkipReason.MINIFIED, "s.py": SkipReason.BINARY}


class Noted(FakeDisk):
    """Notes what is read; lists the files that no language knows."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.read: list[str] = []
        self.takes_s = 0.0

    async def read_files(self, paths: Iterable[str], max_bytes: int | None = None) -> dict[str, Content]:
        named = list(paths)
        self.read += named
        await trio.sleep(self.takes_s)
        return await super().read_files(named, max_bytes)

    def unknown(self) -> dict[str, FileStat]:
        return {path: file.stat for path, file in self.files.items() if path.rpartition(".")[2] not in ("py", "js")}

    async def list_files(self, scope: str) -> Listing:
        await super().list_files(scope)
        return Listing({}, unknown=self.unknown())


def started(**more: bytes) -> Noted:
    files = {"a.py": b"go", "g.py": b"go(go)\n\ngo", "m.js": b"going", "s.py": b"go"}
    disk = Noted({**files, **{name.replace("_", "."): content for name, content in more.items()}})
    disk.start()
    return disk


def published(disk: Noted, unlisted: Mapping[str, SkipReason] = {}) -> Any:
    return SimpleNamespace(
        files={
            path: FileRecord(file.stat, digest_of(file.content), True, SKIPPED.get(path))
            for path, file in disk.files.items()
            if path.endswith((".py", ".js")) and path not in unlisted
        },
        unlisted=unlisted,
        unknown=disk.unknown(),
    )


def counted(found: Unindexed) -> dict[str, tuple[str, int]]:
    assert not found.unseen
    return {one.path: (one.why, one.count) for one in found.files}


def soon() -> float:
    return trio.current_time() + 1


async def test_source_files_that_are_left_out_count(autojump_clock: MockClock) -> None:
    disk = started()
    files = UnindexedFiles(disk, Journal())
    assert await files.count("go", published(disk), soon()) == Unindexed((Elsewhere("g.py", "generated", 3, (1, 3)),))
    assert counted(await files.count("going", published(disk), soon())) == {"m.js": ("minified", 1)}
    assert counted(await files.count("gone", published(disk), soon())) == {}


async def test_files_of_no_language_count_but_for_data(autojump_clock: MockClock) -> None:
    disk = started(README_md=b"go go", app_ini=b"run = a:go", logo_png=b"go", core_=b"\0go")
    files = UnindexedFiles(disk, Journal())
    for _ in range(3):
        assert counted(await files.count("go", published(disk), soon())) == {
            "README.md": ("documents", 2),
            "app.ini": ("otherTexts", 1),
            "g.py": ("generated", 3),
        }


async def test_only_those_that_are_not_indexed_for_one_reason(autojump_clock: MockClock) -> None:
    disk = started(a_vue=b"go", b_vue=b"gone", app_ini=b"go")
    files = UnindexedFiles(disk, Journal())
    for _ in range(3):
        assert counted(await files.count("go", published(disk), soon(), OTHER_CODE)) == {"a.vue": ("otherCode", 1)}
    assert disk.read == ["a.vue", "b.vue"] * 2 + ["a.vue"]


async def test_code_is_read_before_other_texts_and_documents(autojump_clock: MockClock) -> None:
    disk = started(A_md=b"go", b_ini=b"go", c_vue=b"go")
    await UnindexedFiles(disk, Journal()).count("go", published(disk), soon())
    assert disk.read == ["c.vue", "g.py", "m.js", "b.ini", "A.md"]


async def test_oversized_files_count(autojump_clock: MockClock) -> None:
    disk = started(b_py=b"go " * 500_000, c_py=b"")
    unlisted = {"b.py": SkipReason.OVERSIZED}
    files = UnindexedFiles(disk, Journal())
    for _ in range(2):
        found = await files.count("go", published(disk, unlisted), soon())
        assert counted(found)["b.py"] == ("oversized", 500_000)
    disk.file_max_bytes = OVERSIZED_MAX_BYTES
    disk.unreadable.add("b.py")
    assert (await files.count("go", published(disk, unlisted), soon())).unseen == 1


async def test_lines_are_bounded(autojump_clock: MockClock) -> None:
    disk = started(a_ini=b"go\n" * (LINES_MAX + 5))
    found = await UnindexedFiles(disk, Journal()).count("go", published(disk), soon())
    assert [(one.count, len(one.lines)) for one in found.files] == [(LINES_MAX + 5, LINES_MAX), (3, 2)]


async def test_words_are_read_once_until_the_file_is_another(autojump_clock: MockClock) -> None:
    disk = started()
    files, before = UnindexedFiles(disk, Journal()), published(disk)
    await files.count("gone", before, soon())
    await files.count("gone", before, soon())
    assert disk.read == ["g.py", "m.js"] * 2
    await files.count("gone", before, soon())
    assert disk.read == ["g.py", "m.js"] * 2
    disk.write("g.py", b"gone")
    assert counted(await files.count("gone", published(disk), soon())) == {"g.py": ("generated", 1)}
    assert disk.read == [*["g.py", "m.js"] * 2, "g.py"]


async def test_files_of_no_language_are_followed_by_their_events(autojump_clock: MockClock) -> None:
    disk = started(a_ini=b"gone")
    journal = Journal()
    files, before = UnindexedFiles(disk, journal), published(disk)
    for _ in range(2):
        assert counted(await files.count("gone", before, soon())) == {"a.ini": ("otherTexts", 1)}
    disk.write("a.ini", b"gone gone")
    journal.add("a.ini")
    assert counted(await files.count("gone", before, soon())) == {"a.ini": ("otherTexts", 2)}
    assert disk.listings == 0
    disk.write("b.ini", b"gone")
    disk.delete("a.ini")
    journal.add("b.ini")
    journal.add("a.ini")
    assert counted(await files.count("gone", before, soon())) == {"b.ini": ("otherTexts", 1)}
    assert disk.listings == 1
    disk.delete("b.ini")
    journal.add("b.ini")
    assert counted(await files.count("gone", before, soon())) == {}
    assert disk.listings == 1


async def test_what_there_is_no_time_for_is_unseen(autojump_clock: MockClock) -> None:
    disk = started()
    files, before = UnindexedFiles(disk, Journal()), published(disk)
    assert await files.count("go", before, trio.current_time()) == Unindexed((), 1)
    await files.count("go", before, soon())
    assert await files.count("go", before, trio.current_time()) == Unindexed((), 2)


async def test_what_a_question_has_no_time_for_is_read_afterwards(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unindexed_mentions, "READ_AT_ONCE", 1)
    disk = started(a_ini=b"go", b_ini=b"gone")
    disk.takes_s = 0.2
    files = UnindexedFiles(disk, Journal())
    nursery.start_soon(files.read_left)
    assert (await files.count("go", published(disk), trio.current_time() + 0.1)).unseen == 3
    await trio.sleep(5)
    assert sorted(disk.read[1:]) == ["a.ini", "b.ini", "g.py", "m.js"]
    assert counted(await files.count("gone", published(disk), soon())) == {"b.ini": ("otherTexts", 1)}
    assert disk.read[5:] == ["b.ini"]
