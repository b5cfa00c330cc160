"""The actor that asks a cluster, over a fake one, in virtual time: what is asked, believed and left alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec
import trio
from trio.testing import MockClock

from actors.cluster.opening import ClusterUse, NoCluster
from actors.database.stored_facts import facts_key
from actors.indexing.sources.batches import BATCH_BYTES, BATCH_FILES, Queue
from actors.messaging.messages import FileJob, FileStat
from actors.ports import ClusterTrouble
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.cluster.jobs import ClusterAnswer, source_name
from codemap.extract.extract import dialect_of
from codemap.packed.packed_facts import pack_facts
from codemap.settings import Settings
from codemap.shared_facts.circuit_breaker import FRUITLESS_MAX, PAUSE_S
from codemap.shared_facts.entries import Content, seal
from tests.actors.fakes import FakeBuilder, FakeDisk, FakeSnapshot, facts_of, fake_build

SETTINGS = Settings(file_timeout_s=10.0, watch="off")
KEY, MAKER = b"k" * 32, b"this version"
FILES = {f"f{number:03}.py": f"content {number}".encode() for number in range(300)}
PACK = msgspec.msgpack.Encoder().encode


class FakeCluster:
    """Parses what the disk has; times are virtual."""

    def __init__(self, disk: FakeDisk, *, batches: int = 2) -> None:
        self.disk = disk
        self.batches = batches
        self.connect_s = self.delay_s = 0.0
        self.trouble = ""
        """Why it cannot be connected to."""
        self.answer: Callable[[ClusterAnswer], object] = lambda answer: answer
        self.fails: Callable[[int], str] = lambda number: ""
        """Why a batch fails, by its number from 1."""
        self.asked = self.connected = self.running = self.most = 0
        self.lost = trio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[FakeCluster]:
        await trio.sleep(self.connect_s)
        if self.trouble:
            raise ClusterTrouble(self.trouble)
        self.connected += 1
        self.lost = trio.Event()
        yield self

    async def parse(self, files: Sequence[tuple[str, bytes]]) -> bytes:
        self.asked += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            why = self.fails(self.asked)
            await trio.sleep(self.delay_s)
            if why:
                raise ClusterTrouble(why)
            return PACK(self.answer(ClusterAnswer(MAKER, tuple(self._sealed(*file) for file in files))))
        finally:
            self.running -= 1

    def _sealed(self, path: str, digest: bytes) -> bytes:
        facts = pack_facts(facts_of(self.disk.files[path].content))
        return seal(source_name(facts_key(MAKER, dialect_of(path), digest)), Content.FACTS, facts, KEY)

    async def wait_lost(self) -> str:
        await self.lost.wait()
        return "it is gone"


def use(cluster: FakeCluster, **more: float) -> ClusterUse:
    return msgspec.structs.replace(ClusterUse("dask://fake:1", cluster.open, MAKER, KEY, round_min_bytes=0), **more)


@asynccontextmanager
async def built(
    disk: FakeDisk, cluster: ClusterUse | NoCluster | None
) -> AsyncIterator[tuple[Service[FakeSnapshot], float]]:
    """A service with its first build, and the seconds that this took."""
    with trio.fail_after(10_000):
        disk.start()
        began = trio.current_time()
        async with open_service(
            SETTINGS, disk, FakeBuilder(fake_build), jitter=lambda: 0.0, cluster=cluster
        ) as service:
            assert await service.wait_built() is None
            took_s = trio.current_time() - began
            check(service, disk)
            yield service, took_s


def check(service: Service[FakeSnapshot], disk: FakeDisk) -> None:
    published = service.latest.get()
    assert published is not None
    assert published.snapshot.contents == {path: file.content.decode() for path, file in disk.files.items()}


def counts(service: Service[FakeSnapshot]) -> Mapping[str, object]:
    return service.statistics()["cluster"]


async def test_a_cluster_parses_all_and_is_asked_for_as_much_as_it_can_do(autojump_clock: MockClock) -> None:
    disk = FakeDisk(FILES, workers=1)
    cluster = FakeCluster(disk, batches=2)
    cluster.delay_s = 1.0
    async with built(disk, use(cluster)) as (service, _):
        assert disk.parsed == []
        assert (counts(service)["asked"], counts(service)["parsed"]) == (len(FILES), len(FILES))
        assert (cluster.most, cluster.connected) == (4, 1)
        assert service.cluster_warnings == []


def test_batches_travel_together_as_long_as_there_are_some_for_all() -> None:
    queue = Queue([FileJob(f"f{number}.py", FileStat(BATCH_BYTES // 2, 0)) for number in range(16)])
    first = next(queue)
    assert (len(first), len(queue.take_more(first, 8, 10 * BATCH_BYTES))) == (2, 2), "seven others for eight"
    assert len(queue.take_more(first, 3, 10 * BATCH_BYTES)) == 6
    second = next(queue)
    assert len(queue.take_more(second, 1, 2 * BATCH_BYTES)) == 4
    assert len(queue.take_more(next(queue), 1, 10 * BATCH_BYTES)) == 6
    assert queue.paths == []


async def test_a_small_round_is_parsed_here(autojump_clock: MockClock) -> None:
    disk = FakeDisk(FILES)
    cluster = FakeCluster(disk)
    async with built(disk, use(cluster, round_min_bytes=100_000)) as (service, took_s):
        assert (len(disk.parsed), cluster.connected) == (len(FILES), 0)
        assert counts(service)["asked"] == 0
        assert took_s < 2.0


async def test_nobody_waits_for_a_cluster_for_long(autojump_clock: MockClock) -> None:
    """It is used once it is there."""
    for connect_s, trouble in ((1e6, ""), (0.5, "refused")):
        disk = FakeDisk(FILES)
        cluster = FakeCluster(disk)
        cluster.connect_s, cluster.trouble = connect_s, trouble
        async with built(disk, use(cluster)) as (service, took_s):
            assert len(disk.parsed) == len(FILES)
            assert took_s < 5.0
            assert service.cluster_warnings == (
                [f"Files may be parsed here instead of by dask://fake:1: {trouble}."] if trouble else []
            )
    disk = FakeDisk(FILES)
    disk.chaos.delay_s = lambda: 0.05  # type: ignore[method-assign]
    cluster = FakeCluster(disk)
    cluster.connect_s = 4.0
    async with built(disk, use(cluster)):
        assert 0 < len(disk.parsed) < len(FILES)
        assert cluster.asked


async def test_what_does_not_come_in_time_is_parsed_here(autojump_clock: MockClock) -> None:
    disk = FakeDisk(FILES)
    cluster = FakeCluster(disk)
    cluster.delay_s = 1e6
    async with built(disk, use(cluster, batch_s=30.0)) as (service, took_s):
        assert len(disk.parsed) == len(FILES)
        assert 30.0 <= took_s < 40.0, "all that it was asked is late at the same time, and then it is left"
        assert counts(service)["late"] == counts(service)["asked"]
        assert "it did not answer in 30 s" in service.cluster_warnings[0]


async def test_a_batch_that_fails_costs_itself_alone(autojump_clock: MockClock) -> None:
    disk = FakeDisk(FILES)
    cluster = FakeCluster(disk)
    cluster.delay_s, cluster.fails = 1.0, lambda number: "its worker ended three times" if number == 2 else ""
    async with built(disk, use(cluster)) as (service, _):
        assert 0 < len(disk.parsed) <= 2 * BATCH_FILES
        assert counts(service)["parsed"] == len(FILES) - len(disk.parsed)
        assert (cluster.connected, counts(service)["failures"]) == (1, 1)


async def test_a_cluster_that_is_lost_midway_costs_no_build(autojump_clock: MockClock) -> None:
    disk = FakeDisk(FILES)
    cluster = FakeCluster(disk, batches=1)
    cluster.delay_s = 1.0

    def lose(number: int) -> str:
        if number == 3:
            cluster.lost.set()
            cluster.trouble = "refused"
        return "it is gone" if number >= 3 else ""

    cluster.fails = lose
    async with built(disk, use(cluster)) as (service, _):
        assert len(FILES) - 128 <= len(disk.parsed) < len(FILES)
        cluster.trouble, cluster.fails = "", lambda number: ""
        disk.chaos.delay_s = lambda: 0.05  # type: ignore[method-assign]
        disk.parsed.clear()
        for path in FILES:
            disk.write(path, disk.files[path].content + b", again")
        await trio.sleep(PAUSE_S)
        await service.rebuild("")
        check(service, disk)
        assert cluster.connected == 2, "it is asked again when it is back"
        assert len(disk.parsed) < len(FILES)
        assert service.cluster_warnings == []


async def test_nothing_is_believed_but_facts_of_what_was_sent(autojump_clock: MockClock) -> None:
    def flip(answer: ClusterAnswer) -> ClusterAnswer:
        return ClusterAnswer(MAKER, tuple(one[:-1] + bytes((one[-1] ^ 1,)) for one in answer.sealed))

    cases: Mapping[str, Callable[[ClusterAnswer], object]] = {
        "damaged": flip,
        "forged": lambda answer: ClusterAnswer(MAKER, answer.sealed[::-1]),
        "another version of codemap": lambda answer: ClusterAnswer(b"that version", answer.sealed),
        "it answered 1 files for": lambda answer: ClusterAnswer(MAKER, answer.sealed[:1]),
        "it answered something else": lambda answer: b"?",
    }
    for why, change in cases.items():
        files = {path: FILES[path] for path in list(FILES)[:-2]}  # the middle of no batch stays where it was
        disk = FakeDisk(files)
        cluster = FakeCluster(disk)
        cluster.answer = change
        async with built(disk, use(cluster)) as (service, _):
            assert len(disk.parsed) == len(files)
            assert why in service.cluster_warnings[0]
            assert counts(service)["parsed"] == 0


async def test_a_cluster_of_no_use_is_left_alone(autojump_clock: MockClock) -> None:
    files = {f"f{number}.py": f"content {number}".encode() for number in range(900)}
    disk = FakeDisk(files)
    cluster = FakeCluster(disk)
    cluster.answer = lambda answer: ClusterAnswer(MAKER, why="no parser process can start")
    async with built(disk, use(cluster)) as (service, _):
        assert len(disk.parsed) == len(files)
        assert cluster.asked < FRUITLESS_MAX + 2 * disk.worker_capacity + 2 * cluster.batches
        assert "no parser process can start" in service.cluster_warnings[0]


async def test_its_client_goes_when_nobody_asks(autojump_clock: MockClock) -> None:
    disk = FakeDisk(FILES)
    cluster = FakeCluster(disk)
    async with built(disk, use(cluster, idle_s=60.0)) as (service, _):
        await trio.sleep(61)
        assert counts(service)["batches"] == 0
        for path in FILES:
            disk.write(path, b"anew " + FILES[path])
        disk.parsed.clear()
        await service.rebuild("")
        check(service, disk)
        assert (cluster.connected, service.cluster_warnings) == (2, [])


async def test_one_that_cannot_be_used_says_why(autojump_clock: MockClock) -> None:
    disk = FakeDisk(FILES)
    async with built(disk, NoCluster("dask://h:1", "it needs a package")) as (service, _):
        assert service.cluster_warnings == ["dask://h:1 parses no files: it needs a package."]
        assert "cluster" not in service.statistics()
