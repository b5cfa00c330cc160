"""Names in generated and minified files are counted, and what a file has is read once as long as it is the same."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import trio
from trio.testing import MockClock

from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import FileRecord
from actors.ports import Content
from actors.service.unindexed_mentions import Unindexed, UnindexedFiles
from codemap.extract.skipped_files import SkipReason
from tests.actors.fakes import FakeDisk


class Noted(FakeDisk):
    """Notes what is read."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.read: list[str] = []

    async def read_files(self, paths: Iterable[str]) -> dict[str, Content]:
        named = list(paths)
        self.read += named
        return await super().read_files(named)


def started() -> Noted:
    disk = Noted({"a.py": b"go", "g.py": b"go(go)", "m.js": b"going", "s.py": b"go"})
    disk.start()
    return disk


def published(disk: Noted) -> Any:
    skipped = {"g.py": SkipReason.GENERATED, "m.js": SkipReason.MINIFIED, "s.py": SkipReason.BINARY}
    return SimpleNamespace(
        files={
            path: FileRecord(file.stat, digest_of(file.content), True, skipped.get(path))
            for path, file in disk.files.items()
        }
    )


async def test_only_what_is_left_out_as_generated_or_minified_counts(autojump_clock: MockClock) -> None:
    disk = started()
    files = UnindexedFiles(disk)
    assert await files.count("go", published(disk), trio.current_time() + 1) == Unindexed(2)
    assert await files.count("going", published(disk), trio.current_time() + 1) == Unindexed(1)
    assert await files.count("gone", published(disk), trio.current_time() + 1) == Unindexed(0)


async def test_words_are_read_once_until_the_file_is_another(autojump_clock: MockClock) -> None:
    disk = started()
    files, before = UnindexedFiles(disk), published(disk)
    await files.count("gone", before, trio.current_time() + 1)
    assert disk.read == ["g.py", "m.js"]
    await files.count("gone", before, trio.current_time() + 1)
    assert disk.read == ["g.py", "m.js"]
    disk.write("g.py", b"gone")
    assert await files.count("gone", published(disk), trio.current_time() + 1) == Unindexed(1)
    assert disk.read == ["g.py", "m.js", "g.py", "g.py"]


async def test_what_there_is_no_time_for_is_unseen(autojump_clock: MockClock) -> None:
    disk = started()
    assert await UnindexedFiles(disk).count("go", published(disk), trio.current_time()) == Unindexed(0, 2)
