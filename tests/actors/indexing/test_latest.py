"""The holder of the latest snapshot."""

from __future__ import annotations

import trio
from trio.testing import MockClock

from actors.indexing.latest import Building, FileRecord, Latest, Published, Publisher
from actors.messaging.messages import FileStat
from codemap.persistent import PersistentMap


def published(version: int, **stats: FileStat) -> Published[str]:
    files = {path: FileRecord(stat, b"", True) for path, stat in stats.items()}
    return Published(version, f"snapshot {version}", PersistentMap(files), {}, PersistentMap(), {}, {}, (), 0)


async def test_waiting_for_a_version(autojump_clock: MockClock) -> None:
    latest: Latest[str] = Latest()
    publisher = Publisher(latest)
    seen: list[int] = []

    async def wait(above: int) -> None:
        seen.append((await latest.wait_version_above(above)).version)

    assert latest.get() is None
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for above in (0, 1, 2):
                nursery.start_soon(wait, above)
            for version in (1, 2, 3):
                await trio.sleep(1)
                publisher.publish(published(version))
                assert latest.get() == published(version)
    assert seen == [1, 2, 3]


async def test_waiting_for_files_to_be_current(autojump_clock: MockClock) -> None:
    latest: Latest[str] = Latest()
    publisher = Publisher(latest)
    old, new = FileStat(1, 1), FileStat(1, 2)
    publisher.publish(published(1, a=old, gone=old))
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:

            async def publish_later() -> None:
                await trio.sleep(1)
                publisher.publish(published(2, a=new, gone=old))
                await trio.sleep(1)
                publisher.publish(published(3, a=new))

            nursery.start_soon(publish_later)
            assert (await latest.wait_current({"a": old})).version == 1
            assert (await latest.wait_current({"a": new})).version == 2
            assert (await latest.wait_current({"a": new, "gone": None})).version == 3
        with trio.move_on_after(1) as scope:
            await latest.wait_current({"b": new})
        assert scope.cancelled_caught


def test_progress_is_readable_at_any_time() -> None:
    latest: Latest[str] = Latest()
    publisher = Publisher(latest)
    assert latest.building is None
    publisher.report(Building("extract", 3, 10))
    assert latest.building == Building("extract", 3, 10)
    publisher.report(None)
    assert latest.building is None
