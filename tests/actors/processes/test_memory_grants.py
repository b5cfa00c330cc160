"""What is granted of the memory: never more than there is, in the order of asking, and idle processes make room."""

from __future__ import annotations

import math
import random

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.language_servers.life.running_servers import RunningServers
from actors.processes.memory_grants import (
    BINDING_FACTOR,
    EDIT_BYTES,
    EVERYTHING,
    LEAST_BYTES,
    MACHINE_SHARE,
    Memory,
    machine_bytes,
    memory_for,
)
from tests.actors.fakes import FakeDisk
from tests.actors.language_fakes import FakeProcesses

MB = 1_000_000


class Asker:
    """Asks for memory, and has it until told otherwise."""

    def __init__(self, memory: Memory, wanted: float, nursery: trio.Nursery) -> None:
        self.granted = 0.0
        self._memory = memory
        self._wanted = wanted
        nursery.start_soon(self._take)

    async def _take(self) -> None:
        self.granted = await self._memory.take(self._wanted)

    def give_back(self, kept: float = 0) -> None:
        self._memory.keep(self.granted, kept)


async def test_who_wants_more_than_is_left_waits_and_is_not_passed_by(autojump_clock: MockClock) -> None:
    memory = Memory(1000 * MB, 1000 * MB, own=lambda: 400 * MB)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            small = Asker(memory, 300 * MB, nursery)
            await wait_all_tasks_blocked()
            large = Asker(memory, 400 * MB, nursery)
            await wait_all_tasks_blocked()
            late = Asker(memory, 100 * MB, nursery)
            await wait_all_tasks_blocked()
            assert (small.granted, large.granted, late.granted) == (300 * MB, 0, 0)
            small.give_back(kept=100 * MB)
            await wait_all_tasks_blocked()
            assert (large.granted, late.granted) == (400 * MB, 100 * MB)
            assert memory.left_bytes == 0


async def test_everything_is_what_is_left_when_nobody_works(autojump_clock: MockClock) -> None:
    memory = Memory(1000 * MB, 500 * MB, own=lambda: 400 * MB)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            one = Asker(memory, 100 * MB, nursery)
            await wait_all_tasks_blocked()
            everything = Asker(memory, EVERYTHING, nursery)
            await wait_all_tasks_blocked()
            assert everything.granted == 0
            one.give_back()
            await wait_all_tasks_blocked()
            assert everything.granted == 500 * MB


async def test_idle_processes_are_ended_for_what_is_wanted(autojump_clock: MockClock) -> None:
    memory = Memory(1000 * MB, 1000 * MB, own=lambda: 0)
    idle = [100 * MB] * 5

    async def end_one() -> bool:
        await trio.lowlevel.checkpoint()
        if idle:
            memory.drop(idle.pop())
        return bool(idle)

    memory.enders.add(end_one)
    with trio.fail_after(10):
        for kept in idle:
            memory.keep(await memory.take(kept), kept)
        assert await memory.take(650 * MB) == 650 * MB
        assert len(idle) == 3


async def test_what_is_usual_is_granted_where_it_is_there(autojump_clock: MockClock) -> None:
    memory = Memory(1000 * MB, 1000 * MB, own=lambda: 0)
    assert await memory.take(100 * MB, 600 * MB) == 600 * MB
    assert await memory.take(100 * MB, 600 * MB) == 400 * MB


async def test_one_process_can_always_work(autojump_clock: MockClock) -> None:
    """Without it no edit would come into a map that has grown to its ceiling."""
    memory = Memory(100 * MB, 50 * MB, own=lambda: 300 * MB)
    assert await memory.take(200 * MB) == LEAST_BYTES


@given(st.lists(st.integers(1, 1200), min_size=1, max_size=20), st.integers(0, 900), st.randoms(use_true_random=False))
async def test_all_grants_together_hold_the_ceiling(wanted: list[int], own: int, chance: random.Random) -> None:
    memory = Memory(1000 * MB, 800 * MB, own=lambda: own * MB)
    most = max(min(800, 1000 - own) * MB, LEAST_BYTES)
    held = 0.0

    async def work(megabytes: int) -> None:
        nonlocal held
        granted = await memory.take(megabytes * MB, 100 * MB)
        held += granted
        assert held <= most
        for _ in range(chance.randrange(5)):
            await trio.lowlevel.checkpoint()
        held -= granted
        memory.keep(granted, 0)

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for one in wanted:
                nursery.start_soon(work, one)
    assert memory.left_bytes == min(800, 1000 - own) * MB


def test_a_map_takes_in_what_it_can_bind() -> None:
    own = 100 * MB
    memory = Memory(1000 * MB, 500 * MB, own=lambda: own)
    before = own
    room = (1000 * MB - before) / BINDING_FACTOR
    own = int(before + room)
    assert memory.has_room_for_facts(before)
    own += MB
    assert not memory.has_room_for_facts(before)


def test_an_edit_always_has_room() -> None:
    own = 2000 * MB
    memory = Memory(1000 * MB, 500 * MB, own=lambda: own)
    own += EDIT_BYTES - 1
    assert memory.has_room_for_facts(2000 * MB)


def test_the_ceiling_is_the_user_s_or_a_share_of_what_there_is() -> None:
    assert (memory_for(2000).ceiling_bytes, memory_for(2000).parsers_max_bytes) == (2e9, 1e9)
    assert 0 < machine_bytes() < math.inf
    assert memory_for(0).ceiling_bytes == pytest.approx(machine_bytes() * MACHINE_SHARE)
    assert memory_for(0).parsers_max_bytes <= 4e9


async def test_language_servers_count_and_idle_ones_go_when_all_is_too_much(autojump_clock: MockClock) -> None:
    memory = Memory(1000 * MB, 1000 * MB, own=lambda: 300 * MB)
    places = RunningServers(FakeProcesses(FakeDisk()), memory=memory)
    stopped: list[str] = []
    with trio.fail_after(10):
        async with places.take() as busy, places.take() as idle:
            idle.is_busy, idle.stop = False, stopped.append
            busy.resident_bytes, idle.resident_bytes = 200 * MB, 100 * MB
            assert memory.left_bytes == 400 * MB
            granted = await memory.take(400 * MB)
            places.reconsider()
            assert stopped == []
            busy.resident_bytes += MB
            places.reconsider()
            assert stopped == ["all processes together take too much memory"]
            memory.keep(granted, 0)


def test_the_limits_of_language_servers_are_shares_of_what_the_user_wants_taken() -> None:
    assert RunningServers(FakeProcesses(FakeDisk()), memory=memory_for(750)).ram_bytes == 1000 * MB
    assert RunningServers(FakeProcesses(FakeDisk())).ram_bytes == FakeProcesses(FakeDisk()).ram_bytes()
