"""The parser pool: no file takes another down."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from actors.files.reading import digest_of
from actors.indexing.parser_pool import parser_pool
from actors.indexing.sources.batches import batches
from actors.indexing.statistics import PoolStatistics
from actors.messaging.inbox import Address, Inbox
from actors.messaging.messages import (
    Extract,
    Extracted,
    FileJob,
    FileStat,
    MeasuresRead,
    Outcome,
    Parsed,
    PoolMessage,
    Prepare,
    ReadMeasures,
    ReadSyntax,
    ReadVersions,
    Same,
    Scan,
    Scanned,
    Skipped,
    SourceText,
    SyntaxRead,
    VersionsRead,
)
from actors.processes.memory_grants import Memory
from actors.workers.worker_start import WorkersBroken
from codemap.extract.skipped_files import SkipReason
from codemap.packed.packed_facts import pack_facts
from codemap.syntax import FileSyntax, SyntaxWanted
from tests.actors.fakes import FakeDisk, facts_of

LIMIT_S = 10.0
MB = 1_000_000


class Pool:
    def __init__(self, address: Address[PoolMessage], statistics: list[PoolStatistics]) -> None:
        self.address = address
        self._statistics = statistics

    async def extract(self, disk: FakeDisk, *paths: str) -> list[Outcome]:
        jobs = tuple(FileJob(path, disk.files[path].stat if path in disk.files else FileStat(1, 1)) for path in paths)
        answer = await self.address.ask(Extract(jobs))
        assert isinstance(answer, Extracted)
        return list(answer.outcomes)

    @property
    def statistics(self) -> PoolStatistics:
        return self._statistics[-1]


@asynccontextmanager
async def open_pool(disk: FakeDisk) -> AsyncIterator[Pool]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    inbox, statistics = Inbox[PoolMessage]("parser pool"), list[PoolStatistics]()
    disk.start()

    async def live() -> None:
        with inbox.serving():
            await parser_pool(inbox, disk, time_limit_s=LIMIT_S, report=statistics.append)

    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(live)
            yield Pool(inbox.address, statistics)
            nursery.cancel_scope.cancel()
    assert disk.workers_open == 0


def parsed(disk: FakeDisk, path: str) -> Parsed:
    file = disk.files[path]
    return Parsed(file.stat, digest_of(file.content), True, pack_facts(facts_of(file.content)))


async def test_outcomes_come_in_the_order_of_the_jobs(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"1", "b": b"binary", "d": b"4"})
    disk.unreadable.add("d")
    async with open_pool(disk) as pool:
        a, b, c, d = await pool.extract(disk, "a", "b", "c", "d")
    assert a == parsed(disk, "a")
    assert isinstance(b, Skipped)
    assert isinstance(c, Skipped)
    assert isinstance(d, Skipped)
    assert [b.reason, c.reason, d.reason] == [SkipReason.BINARY, SkipReason.VANISHED, SkipReason.UNREADABLE]
    assert disk.jobs == [("a", "b", "c", "d")]


async def test_a_worker_starts_before_there_is_work(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"1"})
    async with open_pool(disk) as pool:
        await pool.address.tell(Prepare())
        await trio.testing.wait_all_tasks_blocked()
        assert (disk.started, disk.jobs, pool.statistics.batches) == (1, [], 0)
        assert await pool.extract(disk, "a") == [parsed(disk, "a")]


async def test_a_killer_is_found_and_the_others_are_done(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"1", "killer": b"kill", "b": b"2"})
    async with open_pool(disk) as pool:
        a, killer, b = await pool.extract(disk, "a", "killer", "b")
        assert pool.statistics.deaths == 2
    assert [a, b] == [parsed(disk, "a"), parsed(disk, "b")]
    assert killer == Skipped(
        disk.files["killer"].stat, digest_of(b"kill"), True, SkipReason.UNPARSABLE, "its parser ended: killed by a file"
    )
    assert disk.jobs == [("a", "killer", "b"), ("a",), ("killer",), ("b",)]


async def test_a_killer_alone_gets_a_second_chance(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"killer": b"kill"})
    async with open_pool(disk) as pool:
        (killer,) = await pool.extract(disk, "killer")
    assert isinstance(killer, Skipped)
    assert killer.reason == SkipReason.UNPARSABLE
    assert disk.jobs == [("killer",)] * 2


async def test_a_slow_file_is_killed_and_the_others_are_done(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"1", "slow": b"slow", "b": b"2"})
    async with open_pool(disk) as pool:
        begin = trio.current_time()
        a, slow, b = await pool.extract(disk, "a", "slow", "b")
        assert trio.current_time() - begin == pytest.approx(2 * LIMIT_S)
        assert pool.statistics.timeouts == 2
        assert await pool.extract(disk, "slow") == [slow]
        assert trio.current_time() - begin == pytest.approx(3 * LIMIT_S)
    assert [a, b] == [parsed(disk, "a"), parsed(disk, "b")]
    assert slow == Skipped(disk.files["slow"].stat, digest_of(b"slow"), True, SkipReason.TIMEOUT, "no result in 10 s")


@pytest.mark.parametrize(
    ("content", "processor_share", "is_parsed"),
    [
        ("computes 9", None, True),
        ("computes 11", None, False),
        ("computes 9", 1.0, True),
        ("computes 9", 0.2, True),
        ("computes 11", 0.2, False),
        ("computes 9", 0.05, False),
        ("slow", 0.2, False),
    ],
)
async def test_a_file_has_its_time_on_a_busy_machine_too(
    autojump_clock: MockClock, content: str, processor_share: float | None, is_parsed: bool
) -> None:
    """A worker that takes a tenth of a processor or less counts as waiting."""
    disk = FakeDisk({"a": content.encode()})
    disk.processor_share = processor_share
    async with open_pool(disk) as pool:
        (found,) = await pool.extract(disk, "a")
    assert isinstance(found, Parsed) is is_parsed


async def test_time_counts_from_the_worker_not_from_the_queue(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"slow": b"slow", "a": b"1"}, workers=1)
    async with open_pool(disk) as pool, trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(pool.extract, disk, "slow")
        await trio.sleep(1)
        assert await pool.extract(disk, "a") == [parsed(disk, "a")]
        assert trio.current_time() >= 3 * LIMIT_S


async def test_a_file_that_changes_while_it_is_given_up_is_looked_at_again(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"slow"})
    async with open_pool(disk) as pool, trio.open_nursery() as nursery:

        async def change() -> None:
            await trio.sleep(1)
            disk.write("a", b"quick")

        nursery.start_soon(change)
        (a,) = await pool.extract(disk, "a")
    assert isinstance(a, Skipped)
    assert (a.digest, a.is_settled) == (b"", False)


async def test_a_known_content_is_not_parsed(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"kill"})
    async with open_pool(disk) as pool:
        stat = disk.files["a"].stat
        answer = await pool.address.ask(Extract((FileJob("a", stat, digest_of(b"kill")),)))
    assert answer == Extracted((Same(stat, digest_of(b"kill"), True),))


async def test_an_asker_that_left_costs_no_job(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"slow": b"slow", "a": b"1"}, workers=1)
    async with open_pool(disk) as pool, trio.open_nursery() as nursery:
        nursery.start_soon(pool.extract, disk, "slow")
        await trio.sleep(1)
        with trio.move_on_after(1):
            await pool.extract(disk, "a")
    assert ("a",) not in disk.jobs


async def assert_breaks(disk: FakeDisk, why: str) -> None:
    """The pool of this disk fails, with this reason, before any file is given up."""
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    inbox = Inbox[PoolMessage]("parser pool")
    broken = pytest.RaisesExc(WorkersBroken, match=why)
    with trio.fail_after(100), pytest.RaisesGroup(broken, flatten_subgroups=True):
        disk.start()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(Pool(inbox.address, []).extract, disk, *disk.files)
            await parser_pool(inbox, disk, time_limit_s=LIMIT_S, report=lambda _statistics: None)


async def test_workers_that_never_answer_break_the_pool(autojump_clock: MockClock) -> None:
    disk = FakeDisk({str(number): b"kill" for number in range(20)})
    await assert_breaks(disk, "10 parser processes ended without an answer, the last: killed by a file")


async def test_workers_that_cannot_start_break_the_pool_and_no_file(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"1"})
    disk.unstartable = "ImportError: no module named msgspec"
    await assert_breaks(disk, "no parser process can be started: ImportError: no module named msgspec")
    assert disk.jobs == []


async def test_a_worker_that_starts_slowly_costs_no_file_its_time(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"1"})
    disk.start_s = 2 * LIMIT_S
    async with open_pool(disk) as pool:
        assert await pool.extract(disk, "a") == [parsed(disk, "a")]
        assert pool.statistics.timeouts == 0


async def test_fewer_processes_than_wanted_do_all_the_work(autojump_clock: MockClock) -> None:
    """A user may run only so many."""
    disk = FakeDisk({"slow": b"slow", **{str(number): b"1" for number in range(20)}}, workers=8)
    disk.processes_max = 1
    async with open_pool(disk) as pool, trio.open_nursery() as nursery:
        nursery.start_soon(pool.extract, disk, "slow")
        await trio.testing.wait_all_tasks_blocked()
        for number in range(20):
            nursery.start_soon(pool.extract, disk, str(number))
    assert sorted(disk.parsed) == sorted(str(number) for number in range(20))


async def test_a_file_that_takes_more_than_its_share_has_all_there_is(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"1", "hungry": b"takes 500000000", "b": b"2"})
    disk.memory = Memory(math.inf, 600 * MB, own=lambda: 0)
    async with open_pool(disk) as pool:
        assert await pool.extract(disk, "a", "hungry", "b") == [parsed(disk, path) for path in ("a", "hungry", "b")]
        assert pool.statistics.deaths == 2, "with others, and alone"
    assert disk.memory.left_bytes == 600 * MB


async def test_a_file_that_takes_more_than_there_is_is_given_up_and_the_others_are_done(
    autojump_clock: MockClock,
) -> None:
    disk = FakeDisk({"a": b"1", "hungry": b"takes 700000000", "b": b"2"})
    disk.memory = Memory(math.inf, 600 * MB, own=lambda: 0)
    async with open_pool(disk) as pool:
        a, hungry, b = await pool.extract(disk, "a", "hungry", "b")
    assert [a, b] == [parsed(disk, "a"), parsed(disk, "b")]
    stat = disk.files["hungry"].stat
    assert hungry == Skipped(stat, b"", True, SkipReason.MEMORY, "its parser ended: killed by SIGSEGV")


async def test_a_death_of_which_no_memory_was_seen_is_for_lack_of_it_where_a_file_may_need_more_than_there_is(
    autojump_clock: MockClock,
) -> None:
    disk = FakeDisk({"large": b"kill".ljust(1_000_000), "small": b"kill"})
    disk.memory = Memory(math.inf, 400 * MB, own=lambda: 0)
    async with open_pool(disk) as pool:
        found = await pool.extract(disk, "large", "small")
    reasons = [(one.reason, one.detail) for one in found if isinstance(one, Skipped)]
    assert reasons == [
        (SkipReason.MEMORY, "its parser ended: killed by a file; it may need 490 MB"),
        (SkipReason.UNPARSABLE, "its parser ended: killed by a file"),
    ]


async def test_a_file_that_is_surely_too_large_is_not_tried(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"large": b"x" * 1_000_000})
    disk.memory = Memory(math.inf, 19 * MB, own=lambda: 0)
    async with open_pool(disk) as pool:
        (large,) = await pool.extract(disk, "large")
    assert isinstance(large, Skipped)
    assert (large.reason, large.detail) == (SkipReason.MEMORY, "it needs more than 20 MB")
    assert disk.jobs == []


async def test_batches_wait_for_memory_not_for_time(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"slow": b"slow", "a": b"1"}, workers=8)
    disk.memory = Memory(math.inf, 70 * MB, own=lambda: 0)
    async with open_pool(disk) as pool, trio.open_nursery() as nursery:
        nursery.start_soon(pool.extract, disk, "slow")
        await trio.testing.wait_all_tasks_blocked()
        assert await pool.extract(disk, "a") == [parsed(disk, "a")]
        assert trio.current_time() >= LIMIT_S


@given(sizes=st.lists(st.integers(0, 400), max_size=60), max_bytes=st.integers(1, 300), max_files=st.integers(1, 9))
def test_batches_hold_every_job_once_within_their_limits(sizes: list[int], max_bytes: int, max_files: int) -> None:
    jobs = [FileJob(str(number), FileStat(size, 0)) for number, size in enumerate(sizes)]
    made = batches(jobs, max_bytes=max_bytes, max_files=max_files)
    assert sorted((job for batch in made for job in batch), key=lambda job: int(job.path)) == jobs
    for batch in made:
        assert 1 <= len(batch) <= max_files
        assert len(batch) == 1 or sum(job.stat.size for job in batch) <= max_bytes
    large = [batch[0].stat.size for batch in made if batch[0].stat.size >= max_bytes]
    assert large == sorted(large, reverse=True)
    assert [len(batch) for batch in made[: len(large)]] == [1] * len(large)


async def scanned(pool: Pool, *paths: str, within_s: float = 5.0) -> Scanned:
    """Where `word` stands in some files."""
    jobs = tuple(FileJob(path, FileStat(1, 1)) for path in paths)
    answer = await pool.address.ask(Scan("word", jobs, trio.current_time() + within_s))
    assert isinstance(answer, Scanned)
    return answer


async def test_files_that_have_a_word_are_found(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"word", "b": b"sword", "c": b"a word"})
    async with open_pool(disk) as pool:
        found = await scanned(pool, "a", "b", "c", "gone")
    assert ([file.path for file in found.files], found.unseen) == (["a", "c"], ())


async def test_a_look_ends_in_time_and_names_what_it_has_not_seen(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"word", "slow": b"slow word", "c": b"word"})
    async with open_pool(disk) as pool:
        began = trio.current_time()
        found = await scanned(pool, "a", "slow", "c")
        assert trio.current_time() - began == pytest.approx(5.0)
        assert ([file.path for file in found.files], found.unseen) == (["a"], ("slow", "c"))
        assert (await scanned(pool, "a", within_s=-1.0)).unseen == ("a",)


async def test_a_worker_that_dies_while_it_looks_leaves_files_unseen(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"word", "killer": b"kill word"})
    async with open_pool(disk) as pool:
        assert (await scanned(pool, "a", "killer")).unseen == ("a", "killer")
        assert (await scanned(pool, "a")).unseen == ()


async def measured(pool: Pool, *paths: str, within_s: float = 5.0) -> MeasuresRead:
    """What is measured of some files."""
    files = tuple(FileJob(path, FileStat(1, 1)) for path in paths)
    answer = await pool.address.ask(ReadMeasures(files, trio.current_time() + within_s))
    assert isinstance(answer, MeasuresRead)
    return answer


async def test_measuring_ends_in_time_and_names_what_it_has_not_seen(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"text", "killer": b"kill", "slow": b"slow", "c": b"more"})
    async with open_pool(disk) as pool:
        began = trio.current_time()
        found = await measured(pool, "a", "gone", "slow", "c")
        assert trio.current_time() - began == pytest.approx(5.0)
        assert [(one.path, one.digest) for one in found.files] == [("a", digest_of(b"text"))]
        assert found.unseen == ("slow", "c")
        assert (await measured(pool, "a", "killer")).unseen == ("a", "killer")
        assert (await measured(pool, "a", within_s=-1.0)).unseen == ("a",)
        assert (await measured(pool, "a", "c")).unseen == ()


async def syntax_read(pool: Pool, path: str, within_s: float = 5.0) -> FileSyntax | None:
    """Where the parts of a file's definitions lie."""
    answer = await pool.address.ask(
        ReadSyntax(FileJob(path, FileStat(1, 1)), SyntaxWanted(), trio.current_time() + within_s)
    )
    assert isinstance(answer, SyntaxRead)
    return answer.syntax


async def test_the_syntax_of_a_file_is_read_once_or_not_at_all(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a": b"text", "killer": b"kill", "slow": b"slow"})
    async with open_pool(disk) as pool:
        found = await syntax_read(pool, "a")
        assert found is not None
        assert found.digest == digest_of(b"text")
        assert await syntax_read(pool, "gone") is None
        assert await syntax_read(pool, "killer") is None
        began = trio.current_time()
        assert await syntax_read(pool, "slow") is None
        assert trio.current_time() - began == pytest.approx(5.0)
        assert await syntax_read(pool, "a") == found


async def read_versions(pool: Pool, **sources: bytes) -> list[bool]:
    """Whether each content has a version."""
    texts = tuple(SourceText(f"{name}.py", content) for name, content in sources.items())
    answer = await pool.address.ask(ReadVersions(texts))
    assert isinstance(answer, VersionsRead)
    return [version is not None for version in answer.versions]


async def test_versions_are_read_in_order(autojump_clock: MockClock) -> None:
    async with open_pool(FakeDisk()) as pool:
        assert await read_versions(pool, a=b"x = 1", b=b"bad", c=b"y = 2") == [True, False, True]


@pytest.mark.parametrize("content", [b"kill", b"slow"])
async def test_a_content_that_ends_its_worker_or_is_too_slow_has_no_version_and_leaves_the_others_theirs(
    autojump_clock: MockClock, content: bytes
) -> None:
    async with open_pool(FakeDisk()) as pool:
        assert await read_versions(pool, a=b"x = 1", b=content, c=b"y = 2") == [True, False, True]
        assert await read_versions(pool, b=content) == [False]
