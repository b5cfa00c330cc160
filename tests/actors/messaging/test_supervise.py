"""Supervision: restarts, delays, groups that restart as one, giving up and coming back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest
import trio
import trio.lowlevel
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.messaging.inbox import ActorDied, Inbox
from actors.messaging.messages import PoolMessage, Unavailable
from actors.messaging.supervise import Actor, GiveUp, Outage, Policy, Restart, Supervisor, decide

POLICY = Policy()


class Plan:
    """Lives of an actor: each number is how long it lives before it crashes; after the last it lives on."""

    def __init__(self, *lives_s: float) -> None:
        self._lives_s = list(lives_s)
        self.starts: list[float] = []

    async def run(self) -> None:
        self.starts.append(trio.current_time())
        if self._lives_s:
            await trio.sleep(self._lives_s.pop(0))
            raise OSError("crash")
        await trio.sleep_forever()


def supervisor(*runs: Callable[[], Awaitable[None]], policy: Policy = POLICY) -> Supervisor:
    actors = [Actor(run, Inbox[PoolMessage](f"actor {number}")) for number, run in enumerate(runs)]
    return Supervisor("group", actors, policy, jitter=lambda: 0.0)


async def run_for(group: Supervisor, seconds: float) -> None:
    with trio.move_on_after(seconds):
        await group.run()


@pytest.mark.parametrize(
    ("failures", "expected"),
    [(1, Restart(0.25)), (2, Restart(0.5)), (3, Restart(1.0)), (4, GiveUp(300.0)), (9, GiveUp(300.0))],
)
def test_delays_double_until_giving_up(failures: int, expected: Restart | GiveUp) -> None:
    assert decide(failures, 0, POLICY, 0.0) == expected


@pytest.mark.parametrize(("given_up", "pause_s"), [(0, 2.0), (1, 4.0), (3, 16.0), (4, 30.0), (10_000, 30.0)])
def test_pauses_after_giving_up_double_until_the_longest(given_up: int, pause_s: float) -> None:
    policy = Policy(retry_after_s=2.0, retry_max_s=30.0)
    assert decide(4 if given_up == 0 else 1, given_up, policy, 0.0) == GiveUp(pause_s)


@given(failures=st.integers(1, 60), jitter=st.floats(0, 1, exclude_max=True))
def test_delays_are_bounded(failures: int, jitter: float) -> None:
    outcome = decide(failures, 0, Policy(intensity=60), jitter)
    assert isinstance(outcome, Restart)
    assert 0.25 <= outcome.delay_s <= 45


async def test_an_actor_restarts_after_each_crash(autojump_clock: MockClock) -> None:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    plan = Plan(1.0, 1.0)
    group = supervisor(plan.run)
    begin = trio.current_time()
    await run_for(group, 100)
    assert [round(at - begin, 6) for at in plan.starts] == [0.0, 1.25, 2.75]
    assert group.statistics().restarts == 2


async def test_a_group_restarts_as_one(autojump_clock: MockClock) -> None:
    first, second = Plan(5.0), Plan()
    await run_for(supervisor(first.run, second.run), 100)
    assert first.starts == second.starts
    assert len(first.starts) == 2


async def test_a_return_counts_as_a_crash(autojump_clock: MockClock) -> None:
    async def returns() -> None:
        await trio.sleep(1)

    group = supervisor(returns)
    await run_for(group, 1.1)
    assert group.statistics().last_failure == "ActorDied: actor 0: returned"


async def test_rare_crashes_never_give_up(autojump_clock: MockClock) -> None:
    plan = Plan(*[30.0] * 50)
    group = supervisor(plan.run)
    await run_for(group, 3000)
    assert group.unavailable is None
    assert len(plan.starts) == 51


async def test_giving_up_and_coming_back_by_itself(autojump_clock: MockClock) -> None:
    plan = Plan(*[0.0] * 4)
    group = supervisor(plan.run)
    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(group.run)
            why = await group.wait_unavailable()
            assert why == Unavailable("group failed 4 times, last: OSError: crash")
            gave_up = trio.current_time()
            await group.wait_available()
            assert trio.current_time() - gave_up == pytest.approx(POLICY.retry_after_s)
            await wait_all_tasks_blocked()
            assert group.statistics().state == "running"
            nursery.cancel_scope.cancel()
    assert len(plan.starts) == 5


async def test_a_group_is_tried_for_ever_with_pauses_that_grow(autojump_clock: MockClock) -> None:
    plan = Plan(*[0.0] * 12, 100.0, 0.0)
    group = supervisor(plan.run, policy=Policy(retry_after_s=2.0, retry_max_s=30.0))
    await run_for(group, 1000)
    pauses = [round(later - earlier, 6) for earlier, later in pairwise(plan.starts)]
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 100.25, 0.5]


async def test_what_fails_again_soon_after_a_pause_is_given_up_at_once(autojump_clock: MockClock) -> None:
    plan = Plan(*[0.0] * 4, 5.0, 0.0)
    group = supervisor(plan.run, policy=Policy(retry_after_s=2.0, retry_max_s=30.0))
    await run_for(group, 1000)
    pauses = [round(later - earlier, 6) for earlier, later in pairwise(plan.starts)]
    assert pauses == [0.25, 0.5, 1, 2, 5 + 4, 8]


async def test_an_outage_is_a_line_in_its_own_words(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    async def away() -> None:
        await trio.lowlevel.checkpoint()
        raise Outage("the folder /x is not there")

    group = supervisor(away)
    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(group.run)
            assert await group.wait_unavailable() == Unavailable("the folder /x is not there")
            assert await group.wait_failed() == "the folder /x is not there"
            nursery.cancel_scope.cancel()
    log = capsys.readouterr().err
    assert "Traceback" not in log
    assert 'reason="the folder /x is not there"' in log


async def test_why_it_failed_is_known_when_it_has(autojump_clock: MockClock) -> None:
    group = supervisor(Plan(1.0).run)
    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(group.run)
            await wait_all_tasks_blocked()
            begin = trio.current_time()
            assert await group.wait_failed() == "OSError: crash"
            assert trio.current_time() - begin == pytest.approx(1.0)
            nursery.cancel_scope.cancel()
    assert await group.wait_failed() == "OSError: crash"


async def test_asks_while_given_up_and_after_rearming(autojump_clock: MockClock) -> None:
    inbox = Inbox[PoolMessage]("actor")
    crashes = [OSError("crash")] * 4

    async def run() -> None:
        if crashes:
            raise crashes.pop()
        await trio.sleep_forever()

    group = Supervisor("group", [Actor(run, inbox)], POLICY, jitter=lambda: 0.0)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(group.run)
            why = await group.wait_unavailable()
            assert inbox.statistics().unavailable == why.reason
            group.rearm()
            await group.wait_available()
            assert inbox.statistics().unavailable is None
            nursery.cancel_scope.cancel()
    with pytest.raises(ActorDied, match="closed"):
        await inbox.address.tell(None)  # type: ignore[arg-type]  # any message will do


async def test_an_early_rearm_does_nothing(autojump_clock: MockClock) -> None:
    group = supervisor(Plan(*[0.0] * 4).run)
    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery:
            group.rearm()
            nursery.start_soon(group.run)
            await group.wait_unavailable()
            gave_up = trio.current_time()
            await group.wait_available()
            assert trio.current_time() - gave_up > 1
            nursery.cancel_scope.cancel()


async def test_a_failing_end_at_shutdown_is_not_raised(autojump_clock: MockClock) -> None:
    async def run() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise OSError("cannot end well")

    await run_for(supervisor(run), 1)


async def test_the_cause_is_named_and_not_who_asked_it(
    autojump_clock: MockClock, capfd: pytest.CaptureFixture[str]
) -> None:
    together = trio.Event()

    async def asks() -> None:
        await together.wait()
        raise ActorDied("other", "crashed: OSError")

    async def crashes() -> None:
        await together.wait()
        raise OSError("crash")

    group = supervisor(asks, crashes)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_for, group, 1.1)
        await trio.sleep(1)
        together.set()
    assert group.statistics().last_failure == "OSError: crash"
    lines = capfd.readouterr().err.splitlines()
    assert [line.split(" ")[1] for line in lines] == ["event=crash", "event=restart"]
