"""The holder of the latest snapshot."""

from __future__ import annotations

import trio
from trio.testing import MockClock

from actors.indexing.latest_snapshot import Building, FileRecord, Latest, Published, Publisher
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


async def test_waiting_for_a_state_of_a_file(autojump_clock: MockClock) -> None:
    latest: Latest[str] = Latest()
    publisher = Publisher(latest)
    old, new = FileStat(1, 1), FileStat(1, 2)
    publisher.publish(published(1, a=old, gone=old))

    async def wait(path: str, stat: FileStat | None) -> int:
        """The version that first has a file so; None: without it."""
        known = await latest.wait_until(lambda state: (state.files[path].stat if path in state.files else None) == stat)
        return known.version

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:

            async def publish_later() -> None:
                await trio.sleep(1)
                publisher.publish(published(2, a=new, gone=old))
                await trio.sleep(1)
                publisher.publish(published(3, a=new))

            nursery.start_soon(publish_later)
            assert await wait("a", old) == 1
            assert await wait("a", new) == 2
            assert await wait("gone", None) == 3
        with trio.move_on_after(1) as scope:
            await wait("b", new)
        assert scope.cancelled_caught


def test_progress_is_readable_at_any_time() -> None:
    latest: Latest[str] = Latest()
    publisher = Publisher(latest)
    assert latest.building is None
    publisher.report(Building("extract", 3, 10))
    assert latest.building == Building("extract", 3, 10)
    publisher.report(None)
    assert latest.building is None
