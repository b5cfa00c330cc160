"""The inbox: every ask ends, nothing is lost or doubled by cancellation, senders wait their turn."""

from __future__ import annotations

from typing import assert_never

import msgspec
import pytest
import trio
import trio.testing
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.messaging.inbox import ActorDied, Inbox
from actors.messaging.messages import Ask, Unavailable


class Say(msgspec.Struct, frozen=True):
    text: str


class Double(Ask[int], frozen=True):
    number: int


Message = Say | Double


async def echo(inbox: Inbox[Message], heard: list[str]) -> None:
    with inbox.serving():
        async for delivery in inbox:
            match delivery.message:
                case Say(text):
                    heard.append(text)
                case Double(number):
                    delivery.answer(delivery.message, 2 * number)
                case _:
                    assert_never(delivery.message)


def open_inbox(capacity: int = 64) -> Inbox[Message]:
    return Inbox("echo", capacity)


async def test_tells_arrive_in_order(autojump_clock: MockClock) -> None:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    inbox, heard = open_inbox(), []
    with trio.fail_after(1):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(echo, inbox, heard)
            for text in "abc":
                await inbox.address.tell(Say(text))
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
    assert heard == ["a", "b", "c"]


async def test_an_ask_gets_its_own_answer(autojump_clock: MockClock) -> None:
    inbox = open_inbox()
    answers: dict[int, object] = {}

    async def ask(number: int) -> None:
        answers[number] = await inbox.address.ask(Double(number))

    with trio.fail_after(1):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(echo, inbox, [])
            async with trio.open_nursery() as askers:
                for number in range(200):
                    askers.start_soon(ask, number)
            nursery.cancel_scope.cancel()
    assert answers == {number: 2 * number for number in range(200)}


async def test_a_full_inbox_makes_senders_wait_in_order(autojump_clock: MockClock) -> None:
    inbox = open_inbox(capacity=2)
    sent: list[str] = []

    async def send(text: str) -> None:
        await inbox.address.tell(Say(text))
        sent.append(text)

    with trio.fail_after(1):
        async with trio.open_nursery() as nursery:
            for text in "abcde":
                nursery.start_soon(send, text)
                await wait_all_tasks_blocked()
            assert sent == ["a", "b"]
            assert inbox.statistics().senders_waiting == 3
            received = [(await inbox.receive()).message for _ in range(5)]
    assert received == [Say(text) for text in "abcde"]
    assert sent == ["a", "b", "c", "d", "e"]


async def test_a_late_sender_does_not_overtake(autojump_clock: MockClock) -> None:
    inbox = open_inbox(capacity=1)
    with trio.fail_after(1):
        async with trio.open_nursery() as nursery:
            await inbox.address.tell(Say("a"))
            nursery.start_soon(inbox.address.tell, Say("b"))
            await wait_all_tasks_blocked()
            assert (await inbox.receive()).message == Say("a")
            nursery.start_soon(inbox.address.tell, Say("c"))
            assert (await inbox.receive()).message == Say("b")
            assert (await inbox.receive()).message == Say("c")


async def test_a_cancelled_sender_sends_nothing(autojump_clock: MockClock) -> None:
    inbox = open_inbox(capacity=1)
    with trio.fail_after(5):
        await inbox.address.tell(Say("a"))
        with trio.move_on_after(1) as scope:
            await inbox.address.tell(Say("b"))
        assert scope.cancelled_caught
        assert [delivery.message for delivery in inbox.take_queued()] == [Say("a")]
        with trio.CancelScope() as cancelled:
            cancelled.cancel()
            await inbox.address.tell(Say("c"))
        assert cancelled.cancelled_caught
    assert inbox.statistics().queued == 0


async def test_a_cancelled_asker_leaves_the_queue_and_makes_room(autojump_clock: MockClock) -> None:
    inbox = open_inbox(capacity=1)
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            with trio.move_on_after(1):
                nursery.start_soon(send_late, inbox)
                await inbox.address.ask(Double(1))
            assert (await inbox.receive()).message == Say("late")
    assert inbox.statistics().asks_open == 0


async def send_late(inbox: Inbox[Message]) -> None:
    await trio.sleep(0.5)
    await inbox.address.tell(Say("late"))


async def test_a_cancelled_asker_of_a_held_ask_is_known_to_the_actor(autojump_clock: MockClock) -> None:
    inbox = open_inbox()
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            scope = trio.CancelScope()
            nursery.start_soon(ask_within, inbox, scope)
            delivery = await inbox.receive()
            assert not delivery.is_abandoned
            nursery.start_soon(delivery.wait_abandoned)
            await wait_all_tasks_blocked()
            scope.cancel()
            await wait_all_tasks_blocked()
            assert delivery.is_abandoned
            await delivery.wait_abandoned()
            assert isinstance(delivery.message, Double)
            delivery.answer(delivery.message, 0)
    assert inbox.statistics().asks_open == 0


async def ask_within(inbox: Inbox[Message], scope: trio.CancelScope) -> None:
    with scope:
        await inbox.address.ask(Double(1))


@pytest.mark.parametrize("steps", range(12))
async def test_cancelling_the_asker_at_any_point_leaves_nothing(autojump_clock: MockClock, steps: int) -> None:
    inbox = open_inbox(capacity=1)
    scope = trio.CancelScope()

    async def cancel_after_steps() -> None:
        for _ in range(steps):
            await trio.lowlevel.checkpoint()
        scope.cancel()

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(echo, inbox, [])
            nursery.start_soon(cancel_after_steps)
            nursery.start_soon(ask_within, inbox, scope)
            await wait_all_tasks_blocked()
            assert inbox.statistics().asks_open == inbox.statistics().queued == 0
            assert await inbox.address.ask(Double(4)) == 8
            nursery.cancel_scope.cancel()


async def collect(inbox: Inbox[Message], number: int, ends: list[str]) -> None:
    try:
        ends.append(f"{await inbox.address.ask(Double(number))}")
    except ActorDied as died:
        ends.append(str(died))


async def crash_with_one(inbox: Inbox[Message]) -> None:
    with inbox.serving():
        await inbox.receive()
        raise KeyError("bug")


async def test_a_crash_fails_held_and_queued_asks(autojump_clock: MockClock) -> None:
    inbox, ends = open_inbox(), []
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for number in range(3):
                nursery.start_soon(collect, inbox, number, ends)
            await inbox.address.tell(Say("lost"))
            await wait_all_tasks_blocked()
            with pytest.raises(KeyError):
                await crash_with_one(inbox)
    assert ends == ["echo: crashed: KeyError"] * 3
    statistics = inbox.statistics()
    assert (statistics.queued, statistics.asks_open, statistics.failed, statistics.lives) == (0, 0, 3, 1)


async def test_a_crash_lets_waiting_senders_reach_the_next_life(autojump_clock: MockClock) -> None:
    inbox, ends = open_inbox(capacity=1), []
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for number in range(3):
                nursery.start_soon(collect, inbox, number, ends)
                await wait_all_tasks_blocked()
            with pytest.raises(KeyError), inbox.serving():
                raise KeyError("bug")
            nursery.start_soon(echo, inbox, [])
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
    assert sorted(ends) == ["2", "4", "echo: crashed: KeyError"]


async def test_a_stopped_actor_fails_its_asks(autojump_clock: MockClock) -> None:
    inbox, ends = open_inbox(), []
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(collect, inbox, 1, ends)
            await wait_all_tasks_blocked()
            with trio.CancelScope() as scope, inbox.serving():
                await inbox.receive()
                scope.cancel()
                await trio.sleep_forever()
    assert ends == ["echo: stopped before it answered"]


async def test_an_old_life_cannot_answer(autojump_clock: MockClock) -> None:
    inbox, ends = open_inbox(), []
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(collect, inbox, 1, ends)
            with inbox.serving():
                delivery = await inbox.receive()
            assert isinstance(delivery.message, Double)
            delivery.answer(delivery.message, 2)
    assert ends == ["echo: stopped before it answered"]


async def test_giving_up_answers_everyone_until_it_resumes(autojump_clock: MockClock) -> None:
    inbox = open_inbox(capacity=1)
    answers: list[object] = []

    async def ask() -> None:
        answers.append(await inbox.address.ask(Double(1)))

    why = Unavailable("broken")
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(ask)
            await wait_all_tasks_blocked()
            inbox.give_up(why)
        assert answers == [why] * 3
        assert await inbox.address.ask(Double(1)) == why
        for _ in range(5):
            await inbox.address.tell(Say("dropped"))
        assert inbox.statistics().unavailable == "broken"
        inbox.resume()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(echo, inbox, [])
            assert await inbox.address.ask(Double(1)) == 2
            nursery.cancel_scope.cancel()


async def test_a_closed_inbox_refuses(autojump_clock: MockClock) -> None:
    inbox, ends = open_inbox(capacity=1), []
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for number in range(3):
                nursery.start_soon(collect, inbox, number, ends)
            await wait_all_tasks_blocked()
            inbox.close()
            inbox.close()
            inbox.resume()
        with pytest.raises(ActorDied, match="closed"):
            await inbox.address.ask(Double(1))
        with pytest.raises(ActorDied, match="closed"):
            await inbox.address.tell(Say("a"))
    assert ends == ["echo: closed"] * 3


async def test_every_operation_is_a_checkpoint(autojump_clock: MockClock) -> None:
    inbox = open_inbox()
    with trio.testing.assert_checkpoints():
        await inbox.address.tell(Say("a"))
    with trio.testing.assert_checkpoints():
        await inbox.receive()


async def test_an_answer_to_another_ask_is_refused(autojump_clock: MockClock) -> None:
    inbox = open_inbox()
    await inbox.address.tell(Say("a"))
    delivery = await inbox.receive()
    with pytest.raises(ValueError, match="another ask"):
        delivery.answer(Double(1), 2)
