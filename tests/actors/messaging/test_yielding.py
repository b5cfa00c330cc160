"""Long work beside many others: it ends, and nobody waits for long because of it."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from actors.messaging import yielding
from actors.messaging.yielding import QUIET_S, SHARE, TURN_MAX_S, TURN_STEPS_MAX, WAIT_S, Turns

STEP_S = 0.001


class World:
    """A clock that moves by what tasks say that they took."""

    def __init__(self) -> None:
        self.clock = trio.testing.MockClock()

    async def spin(self, slice_s: float) -> None:
        """A task that always has something to do."""
        while True:
            self.clock.jump(slice_s)
            await trio.lowlevel.checkpoint()

    async def work(self, steps: int, step_s: float = STEP_S) -> tuple[float, float]:
        """How long so many steps take, and the longest time for which nobody else had a turn."""
        work, longest, since = Turns(), 0.0, 0.0
        started = trio.current_time()
        for _ in range(steps):
            before = trio.current_time()
            await work.step()
            since = step_s if trio.current_time() > before else since + step_s
            self.clock.jump(step_s)
            longest = max(longest, since)
        return trio.current_time() - started, longest


def beside(others: int, slice_s: float, steps: int) -> tuple[float, float]:
    """`World.work` beside others that never rest."""
    world = World()

    async def main() -> tuple[float, float]:
        async with trio.open_nursery() as nursery:
            for _ in range(others):
                nursery.start_soon(world.spin, slice_s)
            found = await world.work(steps)
            nursery.cancel_scope.cancel()
        return found

    return trio.run(main, clock=world.clock)


def test_a_full_loop_leaves_it_a_third_at_least() -> None:
    for others, slice_s in ((20, 0.001), (1, STEP_S / 4)):
        took, longest = beside(others, slice_s, 1000)
        assert took / (1000 * STEP_S) < 3.4
        assert longest <= (WAIT_S + others * slice_s) * SHARE + 2 * STEP_S


def test_a_turn_has_an_end_however_long_the_others_took() -> None:
    _, longest = beside(50, 0.02, 200)
    assert longest <= TURN_MAX_S + 2 * STEP_S


def test_alone_it_loses_no_time() -> None:
    took, _ = beside(0, 0, 1000)
    assert took / (1000 * STEP_S) < 1.001


def test_a_call_of_many_rounds_waits_once() -> None:
    world, hop_s, hops = World(), 0.0003, 8
    latencies: list[float] = []

    async def calls() -> None:
        for number in range(200):
            await trio.sleep(0.005 + number * 0.0001)
            begun = trio.current_time()
            for _ in range(hops):
                await trio.lowlevel.checkpoint()
                world.clock.jump(hop_s)
            latencies.append(trio.current_time() - begun)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(calls)
            await world.work(20_000, STEP_S / 4)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=world.clock)
    assert len(latencies) == 200
    # A call may not be seen for as many rounds as it takes for quiet: then it waits for a turn or two more.
    assert sorted(latencies)[198] <= hops * hop_s + 3 * (QUIET_S + STEP_S / 4)
    assert sum(latencies) / 200 <= hops * hop_s + 1.5 * QUIET_S


def test_two_pieces_of_work_do_not_wait_for_each_other() -> None:
    world = World()

    async def main() -> float:
        async with trio.open_nursery() as nursery:
            started = trio.current_time()
            nursery.start_soon(world.work, 500)
            nursery.start_soon(world.work, 500)
        return trio.current_time() - started

    assert trio.run(main, clock=world.clock) < 1.01 * 1000 * STEP_S


def test_a_clock_that_stands_still_does_not_stop_it() -> None:
    async def main() -> int:
        steps, work = 0, Turns()
        async with trio.open_nursery() as nursery:

            async def spin() -> None:
                while steps < 5:
                    await trio.lowlevel.checkpoint()

            nursery.start_soon(spin)
            while steps < 5:
                await work.step()
                steps += 1
        return steps

    assert trio.run(main, clock=trio.testing.MockClock()) == 5


def test_a_turn_has_an_end_on_a_clock_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yielding, "QUIET_ROUNDS", 1)

    async def main() -> int:
        rounds, work = 0, Turns()
        async with trio.open_nursery() as nursery:

            async def spin() -> None:
                nonlocal rounds
                while True:
                    rounds += 1
                    await trio.lowlevel.checkpoint()

            nursery.start_soon(spin)
            for _ in range(10 * TURN_STEPS_MAX):
                await work.step()
            nursery.cancel_scope.cancel()
        return rounds

    assert trio.run(main, clock=trio.testing.MockClock()) >= 9
