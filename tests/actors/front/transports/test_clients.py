"""Who is connected: caps, the end, and how long nobody has been there."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.front.transports.clients import Clients
from actors.front.transports.line_framing import TooLong


class Silent:
    """Frames of a client that says nothing."""

    async def receive(self) -> bytes | TooLong | None:
        await trio.sleep_forever()
        raise AssertionError

    async def send(self, frame: bytes) -> None:
        raise AssertionError


async def test_there_is_room_for_so_many(autojump_clock: MockClock) -> None:
    clients = Clients(2, 10)
    first, second = clients.enter(Silent(), 1), clients.enter(Silent(), 1)
    assert first is not None
    assert second is not None
    assert not clients.is_welcome()
    assert clients.enter(Silent(), 1) is None
    clients.leave(first)
    assert clients.is_welcome()
    statistics = clients.statistics()
    assert (statistics.connected, statistics.total, statistics.turned_away) == (1, 2, 2)


@pytest.mark.parametrize("for_s", [0.0, 30.0])
async def test_nobody_has_been_there_for_a_while(autojump_clock: MockClock, for_s: float) -> None:
    clients = Clients(9, 9)

    async def come_and_go() -> None:
        for _ in range(3):
            await trio.sleep(10)
            connection = clients.enter(Silent(), 1)
            assert connection is not None
            await trio.sleep(10)
            clients.leave(connection)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(come_and_go)
        start = trio.current_time()
        await clients.wait_gone(for_s)
        assert trio.current_time() - start == pytest.approx(60 + for_s if for_s else 0)
        nursery.cancel_scope.cancel()


async def test_the_first_is_waited_for_however_short_the_others_are(autojump_clock: MockClock) -> None:
    clients = Clients(9, 9)

    async def come_and_go() -> None:
        await trio.sleep(4)
        connection = clients.enter(Silent(), 1)
        assert connection is not None
        await trio.sleep(30)
        clients.leave(connection)

    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(come_and_go)
        await clients.wait_gone(0, 5)
        assert trio.current_time() - start == pytest.approx(34)
    await Clients(9, 9).wait_gone(0, 5)
    assert trio.current_time() - start == pytest.approx(39)


async def test_at_the_end_nobody_is_waited_for_longer_than_he_is_there(autojump_clock: MockClock) -> None:
    clients = Clients(9, 9)
    connection = clients.enter(Silent(), 1)
    assert connection is not None

    async def wait() -> None:
        await clients.wait_gone(600)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        clients.stop()
        assert clients.enter(Silent(), 1) is None
        await trio.sleep(5)
        start = trio.current_time()
        clients.leave(connection)
    assert trio.current_time() == start


async def test_at_the_end_nobody_lingers(autojump_clock: MockClock) -> None:
    clients = Clients(9, 9)
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(clients.wait_gone, 600)
        await wait_all_tasks_blocked()
        clients.stop()
    assert trio.current_time() == start
