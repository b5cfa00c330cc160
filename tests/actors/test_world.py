"""Seeded worlds: edits, crashes, hangs and delays at random; at rest, the facts equal the disk.

Three things hold in every world: every ask ends; what a rebuild answers for is in the snapshot; and when the world
comes to rest, one more rebuild leaves exactly what the disk says, files given up included.
"""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Mapping, Set

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.messaging.inbox import ActorDied
from actors.messaging.messages import Parsed, Rebuilt
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.extract.skipped_files import SkipReason
from codemap.settings import Settings
from tests.actors.fakes import FakeBuilder, FakeDisk, FakeSnapshot, RandomChaos, fake_build
from tests.examples import examples

SETTINGS = Settings()
WORLDS = 200
STEPS = 25
PATHS = ("a.py", "b.py", "c.py", "x/a.py", "x/b.py", "y/z/c.py", "pyproject.toml")
CONTENTS = (b"1", b"2", b"33", b"44", b"kill", b"slow", b"binary", b"long " * 100)
CHANCES = {"list": 0.01, "worker": 0.03, "pool": 0.03, "build": 0.05}
PLAIN = (b"1", b"2", b"33", b"44", b"long " * 100)
TOML = (b"", b"a=1", b"b=2", b"#" * 500)
GIVEN_UP = (SkipReason.UNPARSABLE, SkipReason.TIMEOUT)
"""Workers that die by chance make files look guilty; what matters is that such a file is not in the snapshot."""

REASONS = {b"kill": SkipReason.UNPARSABLE, b"slow": SkipReason.TIMEOUT, b"binary": SkipReason.BINARY}


class World:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        trouble = self.random.choice((0, 0.3, 1, 5))
        self.is_calm = trouble == 0
        chances = {what: trouble * chance for what, chance in CHANCES.items()}
        self.chaos = RandomChaos(seed, chances, (0.0,) if self.is_calm else (0.0, 0.0, 0.01, 0.1, 1.0))
        self.disk = FakeDisk(chaos=self.chaos, workers=self.random.choice((1, 2, 4)))
        self.written: dict[str, float] = {}
        self.ends: dict[str, int] = {}

    def build(
        self,
        previous: FakeSnapshot | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[None, None, FakeSnapshot]:
        for _ in fake_build(previous, changed, removed, configs, built_ns=built_ns):
            if self.chaos.strikes("build"):
                raise RuntimeError("a bug of the builder")
            yield
        return (yield from fake_build(previous, changed, removed, configs, built_ns=built_ns))

    async def live(self) -> None:
        for path in PATHS:
            self.edit(path)
        async with open_service(SETTINGS, self.disk, FakeBuilder(self.build), jitter=self.random.random) as service:
            async with trio.open_nursery() as nursery:
                for _ in range(STEPS):
                    self.edit(self.random.choice(PATHS))
                    if self.random.random() < 0.4:
                        nursery.start_soon(self.ask, service)
                    if self.random.random() < 0.3:
                        await wait_all_tasks_blocked()  # everything happens within one tick of the clock
                    if self.random.random() < 0.1:
                        self.move_root()
                    await trio.sleep(self.random.choice((0, 0, 0, 0.001, 0.3, 3, 20)))
            self.chaos.stop()
            self.disk.come_back()
            if self.is_calm:
                # A second suffices for the watcher, where no file is slow, no worker dies and the root is there; where
                # it was away, the longest pause, and a call by which a folder in its place is noticed. Each file that
                # was written meanwhile may be slow.
                service.behind()
                await trio.sleep(60 + 2 * len(PATHS) * SETTINGS.file_timeout_s)
                self.check(service, PATHS)
            await self.rest(service)

    def move_root(self) -> None:
        """Takes the root away, with or without an event, or puts it or a copy of it back."""
        if not self.disk.is_away:
            self.disk.go_away(is_silent=self.random.random() < 0.5)
        else:
            self.disk.come_back(is_other=self.random.random() < 0.5)

    def edit(self, path: str) -> None:
        match self.random.randrange(10):
            case 0 | 1:
                self.disk.delete(path)
            case 2 if path in self.disk.files:
                self.disk.write(path, self.disk.files[path].content)
                return
            case 3:
                self.disk.unreadable ^= {path}
                self.disk.write(path, self.random.choice(TOML if path.endswith(".toml") else PLAIN))
            case _:
                self.disk.write(path, self.random.choice(TOML if path.endswith(".toml") else CONTENTS))
        self.written[path] = trio.current_time()

    async def ask(self, service: Service[FakeSnapshot]) -> None:
        scope = self.random.choice(("", "", "x", "a.py"))
        asked = trio.current_time()
        end = "cancelled"
        with trio.move_on_after(self.random.choice((0.1, 5, math.inf))):
            try:
                answer = await service.rebuild(scope)
                end = type(answer).__name__
            except ActorDied:
                end = "died"
        self.ends[end] = self.ends.get(end, 0) + 1
        if end == Rebuilt.__name__:
            self.check(service, [path for path in self.in_scope(scope) if self.written[path] < asked])

    def in_scope(self, scope: str) -> list[str]:
        return [path for path in PATHS if not scope or path == scope or path.startswith(scope + "/")]

    async def rest(self, service: Service[FakeSnapshot]) -> None:
        while True:
            await trio.sleep(400)
            try:
                if isinstance(await service.rebuild(), Rebuilt):
                    break
            except ActorDied:
                continue
        self.check(service, PATHS)
        published = service.latest.get()
        assert published is not None
        expected = {path for path in self.disk.files if not path.endswith(".toml")}
        assert set(published.files) == expected
        assert set(published.snapshot.contents) <= expected
        statistics = service.statistics()
        assert statistics["resolver"]["asksOpen"] == statistics["parserPool"]["asksOpen"] == 0

    def check(self, service: Service[FakeSnapshot], paths: list[str] | tuple[str, ...]) -> None:
        """The snapshot says what the disk says about these files."""
        published = service.latest.get()
        assert published is not None
        for path in paths:
            file = self.disk.files.get(path)
            readable = file is not None and path not in self.disk.unreadable
            if path.endswith(".toml"):
                expected = file.content if file is not None and readable else None
                assert published.snapshot.configs.get(path) == expected
                continue
            record, found = published.files.get(path), published.snapshot.contents.get(path)
            if file is None:
                assert (record, found) == (None, None)
            elif not self.is_calm and record is not None and record.skipped in GIVEN_UP:
                assert found is None
            elif not readable:
                assert (record and record.skipped, found) == (SkipReason.UNREADABLE, None)
            elif file.content in REASONS:
                # Of two that are given up and written within one tick of the clock, either may be the reason.
                reason = REASONS[file.content]
                assert record is not None
                assert record.skipped in (GIVEN_UP if reason in GIVEN_UP else (reason,))
                assert found is None
            else:
                assert found == file.content.decode()


@given(seed=st.integers(0, 2**32), schedule=st.random_module())
@settings(max_examples=examples(WORLDS), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_at_rest_the_facts_equal_the_disk(
    autojump_clock: MockClock, capfd: pytest.CaptureFixture[str], seed: int, schedule: object
) -> None:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(1_000_000):
        await World(seed).live()
