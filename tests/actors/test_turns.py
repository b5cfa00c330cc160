"""Long work beside many others: it ends, and nobody waits for long because of it."""

from __future__ import annotations

import trio
import trio.testing

from actors.turns import SHARE, TURN_MAX_S, Turns

STEP_S = 0.001


async def spin(clock: trio.testing.MockClock, slice_s: float) -> None:
    """A task that always has something to do."""
    while True:
        clock.jump(slice_s)
        await trio.lowlevel.checkpoint()


async def work(clock: trio.testing.MockClock, others: int, slice_s: float, steps: int) -> tuple[float, float]:
    """How long so many steps take beside the others, and the longest that went without one of their turns."""
    turns, longest, since = Turns(), 0.0, 0.0
    async with trio.open_nursery() as nursery:
        for _ in range(others):
            nursery.start_soon(spin, clock, slice_s)
        started = trio.current_time()
        for _ in range(steps):
            before = trio.current_time()
            await turns.step()
            since = 0.0 if trio.current_time() > before else since + STEP_S
            clock.jump(STEP_S)
            longest = max(longest, since)
        took = trio.current_time() - started
        nursery.cancel_scope.cancel()
    return took, longest


def run(others: int, slice_s: float, steps: int) -> tuple[float, float]:
    clock = trio.testing.MockClock()
    return trio.run(work, clock, others, slice_s, steps, clock=clock)


def test_a_full_loop_leaves_it_a_third() -> None:
    took, longest = run(20, 0.001, 1000)
    assert 2.8 < took / (1000 * STEP_S) < 3.3
    assert (
        longest <= 2 * 20 * 0.001 * SHARE + STEP_S
    )  # Trio shuffles: it may be first in one round and last in the next


def test_beside_few_others_each_step_is_a_turn() -> None:
    took, longest = run(1, STEP_S / 4, 1000)
    assert longest <= 2 * STEP_S
    assert took / (1000 * STEP_S) < 1.3


def test_a_turn_has_an_end_however_long_the_others_took() -> None:
    _, longest = run(50, 0.02, 200)
    assert longest <= TURN_MAX_S + STEP_S
