"""The verifier: what it asks, when, and what becomes of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any, Never

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.indexing.latest_snapshot import FileRecord, Latest, Published, Publisher
from actors.language_servers.verification_progress import Stage, Verification
from actors.language_servers.verifier import CHUNK, DUTY, QUIET_S, REST_MIN_S, verifier
from actors.messaging.inbox import Inbox
from actors.messaging.messages import Confirm, FileStat, KeepConfirmed, Lane, Recall, ResolverMessage, StoreMessage
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dump import edge_lines
from codemap.graph.verified.confirmations import Confirmed
from codemap.graph.verified.overlay import View, carry_overlay, confirm
from codemap.graph.verified.unverified_sites import Site, SiteSelection, find_sites
from codemap.live_queries import At, Because, Definition, Fact, Found, Missed, Place
from codemap.persistent import PersistentMap

SOURCES = {
    "a.py": b"from b import C, D\ndef f(x, c: C):\n    c.run()\n    x.run()\n    C()\n",
    "b.py": b"class C:\n    def run(self): self.stop()\n    def stop(self): ...\nclass D:\n    def run(self): ...\n",
}
QUICK, SLOW = "ty 1.0", "pyright 1.1"
D_RUN, C_STOP = Place("b.py", 5, 9, 5, 12), Place("b.py", 3, 9, 3, 13)


class World:
    """A map, a disk, a store and a language server, as the verifier sees them."""

    def __init__(self, server: str = QUICK) -> None:
        self.server: str | Missed = server
        self.says: dict[At, tuple[Place, ...]] = {At("a.py", 4, 7): (D_RUN,), At("b.py", 2, 25): (C_STOP,)}
        self.asked: list[tuple[float, At]] = []
        self.answer_s = 0.0
        self.latest: Latest[Snapshot] = Latest()
        self.publisher = Publisher(self.latest)
        self.stats: dict[str, FileStat] = {}
        self.kept: dict[tuple[str, bytes], Confirmed] = {}
        self.verification = Verification()
        self.version = 0

    def publish(self, snapshot: Snapshot) -> None:
        self.version += 1
        self.stats |= {file.path: FileStat(file.stamp.size, 0) for file in snapshot.files}
        records = {
            file.path: FileRecord(FileStat(file.stamp.size, 0), file.stamp.digest, True) for file in snapshot.files
        }
        self.publisher.publish(
            Published(self.version, snapshot, PersistentMap(records), {}, PersistentMap(), {}, {}, (), 0)
        )

    def edit(self, sources: Mapping[str, bytes]) -> None:
        self.publish(carry_overlay(self.snapshot, build_snapshot(sources)))

    @property
    def snapshot(self) -> Snapshot:
        published = self.latest.get()
        assert published is not None
        return published.snapshot

    async def live(self, question: Definition, lane: Lane) -> Fact:
        assert lane is Lane.BACKGROUND
        self.asked.append((trio.current_time(), question.at))
        await trio.sleep(self.answer_s)
        if isinstance(self.server, Missed):
            return self.server
        return Found(self.says.get(question.at, ()), self.server)

    async def stat_files(self, paths: Sequence[str]) -> dict[str, FileStat]:
        return {path: self.stats[path] for path in paths if path in self.stats}

    async def resolve(self, inbox: Inbox[ResolverMessage]) -> None:
        async for delivery in inbox:
            assert isinstance(delivery.message, Confirm)
            self.publish(confirm(self.snapshot, delivery.message.found))
            delivery.answer(delivery.message, self.version)

    async def keep(self, inbox: Inbox[StoreMessage]) -> None:
        async for delivery in inbox:
            message = delivery.message
            assert not isinstance(message, KeepConfirmed)
            assert isinstance(message, Recall)
            delivery.answer(
                message, {path: self.kept[path, d] for path, d in message.contents if (path, d) in self.kept}
            )


@asynccontextmanager
async def running(world: World, verify: str = "auto") -> AsyncIterator[None]:
    """The verifier at work; the clock is a virtual one."""
    resolver: Inbox[ResolverMessage] = Inbox("resolver")
    store: Inbox[StoreMessage] = Inbox("store")
    inbox: Inbox[Never] = Inbox("verifier")
    ports: Any = world
    with trio.fail_after(100_000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.resolve, resolver)
            nursery.start_soon(world.keep, store)

            async def run() -> None:
                await verifier(
                    inbox,
                    latest=world.latest,
                    live=world.live,
                    resolver=resolver.address,
                    store=store.address,
                    ports=ports,
                    verify=verify,
                    verification=world.verification,
                )

            nursery.start_soon(run)
            yield
            nursery.cancel_scope.cancel()


def verified(snapshot: Snapshot) -> list[str]:
    return [line for line in edge_lines(snapshot) if " verified " in line]


ALL = [
    "py:a.py#f calls py:b.py#D.run verified 4:7",
    "py:b.py#C.run calls py:b.py#C.stop verified 2:25",
]
SITES = {At("a.py", 3, 7), At("a.py", 4, 7), At("a.py", 5, 5), At("b.py", 2, 25)}


async def test_all_calls_are_asked_about_when_the_map_was_left_alone(autojump_clock: MockClock) -> None:
    world = World()
    async with running(world):
        await trio.sleep(100)
        assert world.asked == []
        world.publish(build_snapshot(SOURCES))
        published_at = trio.current_time()
        await trio.sleep(QUIET_S - 1)
        assert world.asked == []
        assert world.verification.stages == {"py": Stage.WAITING}
        await trio.sleep(2)
        assert {at for _, at in world.asked} == SITES
        assert min(time for time, _ in world.asked) == published_at + QUIET_S
        assert verified(world.snapshot) == ALL
        assert world.verification.stages == {"py": Stage.DONE}
        count = len(world.asked)
        world.publish(msgspec.structs.replace(world.snapshot, is_ranked=not world.snapshot.is_ranked))
        await trio.sleep(10_000)
        assert len(world.asked) == count


async def test_after_an_edit_only_what_is_new_or_led_there_is_asked_about(autojump_clock: MockClock) -> None:
    world = World()
    async with running(world):
        world.publish(build_snapshot(SOURCES))
        await trio.sleep(QUIET_S + 1)
        world.asked.clear()
        world.edit({**SOURCES, "b.py": SOURCES["b.py"] + b"# more\n"})
        assert verified(world.snapshot) == []
        await trio.sleep(QUIET_S + 1)
        assert {at for _, at in world.asked} == {At("a.py", 4, 7), At("b.py", 2, 25)}
        assert verified(world.snapshot) == ALL


async def test_edits_put_it_off(autojump_clock: MockClock) -> None:
    world = World()
    async with running(world):
        world.publish(build_snapshot(SOURCES))
        for number in range(20):
            await trio.sleep(QUIET_S - 1)
            world.edit({**SOURCES, "b.py": SOURCES["b.py"] + b"# %d\n" % number})
        assert world.asked == []
        await trio.sleep(QUIET_S + 1)
        assert verified(world.snapshot) == ALL


async def test_a_slow_server_is_asked_about_what_is_uncertain_and_rests(autojump_clock: MockClock) -> None:
    world = World(SLOW)
    world.answer_s = 1.0
    calls = "".join(f"    x.run(y.run({number}))\n" for number in range(300))
    sources = {**SOURCES, **{f"c{n}.py": b"def g(x, y):\n" + calls.encode() for n in range(3)}}
    async with running(world):
        world.publish(build_snapshot(sources))
        began = trio.current_time() + QUIET_S
        await trio.sleep(5_000)
        assert {at for _, at in world.asked} & SITES == {
            At("a.py", 3, 7),
            At("a.py", 4, 7),
        }  # the first tells who answers
        asked = {at for _, at in world.asked}
        busy_s = len(asked) / 8 * world.answer_s
        until_last = max(time for time, _ in world.asked) - began
        assert busy_s / until_last < DUTY + 0.2
        assert len(asked) == 2 + 3 * 600


async def test_a_server_that_prints_no_version_is_known_all_the_same(autojump_clock: MockClock) -> None:
    world = World(SLOW.partition(" ")[0])
    async with running(world):
        world.publish(build_snapshot(SOURCES))
        await trio.sleep(100)
        assert {at for _, at in world.asked} >= {At("a.py", 3, 7), At("a.py", 4, 7)}


async def test_a_server_that_is_not_there_is_left_alone_longer_and_longer(autojump_clock: MockClock) -> None:
    world = World()
    world.server = Missed(Because.UNAVAILABLE, "no ty here")
    async with running(world):
        world.publish(build_snapshot(SOURCES))
        await trio.sleep(QUIET_S + 1)
        assert world.verification.stages == {"py": Stage.RESTING}
        assert world.verification.status("py") == {"state": "resting", "reason": "no ty here"}
        await trio.sleep(10_000)
        times = [time for time, _ in world.asked]
        gaps = [round(later - earlier) for earlier, later in pairwise(times)]
        assert gaps[0] >= REST_MIN_S
        assert gaps[:5] == sorted(gaps[:5])
        assert len(times) < 20
        world.server = QUICK
        await trio.sleep(2_000)
        assert verified(world.snapshot) == ALL


async def test_files_that_changed_do_not_count(autojump_clock: MockClock) -> None:
    world = World()
    async with running(world):
        world.publish(build_snapshot(SOURCES))
        world.stats["b.py"] = FileStat(1, 1)
        await trio.sleep(QUIET_S + 1)
        assert world.asked
        assert verified(world.snapshot) == []
        world.stats["b.py"] = FileStat(len(SOURCES["b.py"]), 0)
        await trio.sleep(2 * (QUIET_S + REST_MIN_S))
        assert verified(world.snapshot) == ALL


async def test_what_was_kept_is_laid_over_the_map_and_not_asked_again(autojump_clock: MockClock) -> None:
    first = World()
    async with running(first):
        first.publish(build_snapshot(SOURCES))
        await trio.sleep(QUIET_S + 1)
    assert isinstance(first.snapshot, View)
    kept = {(path, one.digest): one for path, one in first.snapshot.overlay.found.items()}
    for setting in ("auto", "off"):
        world = World()
        world.kept = kept
        async with running(world, setting):
            world.publish(build_snapshot(SOURCES))
            await trio.sleep(1)
            assert verified(world.snapshot) == ALL
            await trio.sleep(1_000)
            assert world.asked == []


async def test_nothing_is_asked_where_the_setting_is_off(autojump_clock: MockClock) -> None:
    world = World()
    async with running(world, "off"):
        world.publish(build_snapshot(SOURCES))
        await trio.sleep(1_000)
        assert world.asked == []
        assert world.verification.status("py") == {"state": "off"}


async def test_without_a_server_the_uses_of_few_files_are_looked_up(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def find(snapshot: Snapshot, file: IndexedFile, wanted: SiteSelection) -> list[Site]:
        looked_up.append(file.path)
        return find_sites(snapshot, file, wanted)

    monkeypatch.setattr("actors.language_servers.verifier.find_sites", find)
    world = World()
    world.server = Missed(Because.UNAVAILABLE, "there is none")
    async with running(world):
        world.publish(build_snapshot({f"m{number}.py": b"def f():\n    f()\n" for number in range(2 * CHUNK)}))
        await trio.sleep(QUIET_S + 1)
        assert world.verification.stages == {"py": Stage.RESTING}
        assert len(looked_up) == CHUNK
