"""A front between a client and services that die: what is asked again, what is not told twice, and when it gives up."""

from __future__ import annotations

import json
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from actors.command_line.connect import TRIES_MAX, Front

DEADLINE_S = 10.0
GREETING = {"id": 0, "method": "initialize", "params": {}}


class Line:
    """Messages over a stream, as lines."""

    def __init__(self, read: Callable[[int], bytes], write: Callable[[bytes], object]) -> None:
        self._read = read
        self._write = write
        self._rest = b""
        self.socket: socket.socket | None = None

    def send(self, **message: Any) -> None:
        self._write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n")

    def receive(self) -> Any:
        """The next message; None at the end."""
        while b"\n" not in self._rest:
            chunk = self._read(65_536)
            if not chunk:
                return None
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return {name: value for name, value in json.loads(line).items() if name != "jsonrpc"}


class World:
    """A front, its client, and the services that it was given."""

    def __init__(self) -> None:
        self.services: list[socket.socket] = []
        self._started = threading.Semaphore(0)
        (source, theirs_in), (theirs_out, sink) = os.pipe(), os.pipe()
        self._theirs_in = theirs_in
        self._descriptors = {source, sink, theirs_in, theirs_out}
        self._theirs_out = theirs_out
        self.client = Line(self._read, lambda text: os.write(theirs_in, text))
        self.front = Front(source, sink, self.start(), self.start)
        self.front._give_up = _give_up_quietly  # type: ignore[method-assign]
        self.thread = threading.Thread(target=self.front.run, daemon=True)

    def _read(self, size: int) -> bytes:
        ready, _, _ = select.select([self._theirs_out], [], [], DEADLINE_S)
        assert ready, "the front says nothing"
        return os.read(self._theirs_out, size)

    def start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.settimeout(DEADLINE_S)
        self.services.append(ours)
        self._started.release()
        return theirs

    def service(self) -> Line:
        """The next service that was started."""
        assert self._started.acquire(timeout=DEADLINE_S)
        self._taken = getattr(self, "_taken", -1) + 1
        one = self.services[self._taken]
        line = Line(one.recv, one.sendall)
        line.socket = one
        return line

    def kill(self) -> None:
        self.services[self._taken].close()

    def hang_up(self) -> None:
        """The client ends its input."""
        os.close(self._theirs_in)
        self._descriptors.discard(self._theirs_in)

    def close(self) -> None:
        if self._theirs_in in self._descriptors:
            self.hang_up()
        deadline = time.monotonic() + DEADLINE_S
        while self.thread.is_alive() and time.monotonic() < deadline:
            for one in list(self.services):  # one more may have been started for what still waits
                one.close()
            self.thread.join(0.01)
        assert not self.thread.is_alive()
        for descriptor in self._descriptors:
            os.close(descriptor)


def _give_up_quietly(_error: OSError) -> None:
    """Giving up ends the process, which here is that of the tests: nothing more is done instead."""


@contextmanager
def world() -> Iterator[World]:
    one = World()
    one.thread.start()
    try:
        yield one
    finally:
        one.close()


def greet(one: World, service: Line) -> None:
    one.client.send(**GREETING)
    assert service.receive() == GREETING
    service.send(id=0, result={})
    assert one.client.receive() == {"id": 0, "result": {}}
    one.client.send(method="notifications/initialized")
    assert service.receive() == {"method": "notifications/initialized"}


def greet_again(service: Line) -> None:
    """A new service is greeted by the front, which asks nothing before it is answered."""
    assert service.receive() == GREETING
    assert select.select([service.socket], [], [], 0.05) == ([], [], [])
    service.send(id=0, result={})
    assert service.receive() == {"method": "notifications/initialized"}


def ask(one: World, service: Line, number: int | str) -> None:
    one.client.send(id=number, method="m")
    assert service.receive() == {"id": number, "method": "m"}


def test_messages_go_both_ways() -> None:
    with world() as one:
        service = one.service()
        greet(one, service)
        ask(one, service, 1)
        service.send(method="notifications/progress")
        service.send(id=1, result={"a": "\n"})
        assert one.client.receive() == {"method": "notifications/progress"}
        assert one.client.receive() == {"id": 1, "result": {"a": "\n"}}


def test_what_waits_is_asked_again_and_the_greeting_is_not_answered_twice() -> None:
    with world() as one:
        service = one.service()
        greet(one, service)
        for number in (1, "two", 3):
            ask(one, service, number)
        service.send(id=1, result={})
        assert one.client.receive() == {"id": 1, "result": {}}
        one.client.send(method="notifications/cancelled", params={"requestId": 3})
        assert service.receive()["method"] == "notifications/cancelled"
        one.kill()
        again = one.service()
        greet_again(again)
        assert again.receive() == {"id": "two", "method": "m"}
        again.send(id="two", error={"code": 1, "message": ""})
        assert one.client.receive() == {"id": "two", "error": {"code": 1, "message": ""}}
        ask(one, again, 4)
        again.send(id=4, result={})
        assert one.client.receive() == {"id": 4, "result": {}}


def test_a_client_without_a_greeting_is_not_given_one() -> None:
    """From 2026-07-28 on a request stands for itself."""
    with world() as one:
        service = one.service()
        ask(one, service, 1)
        one.kill()
        again = one.service()
        assert again.receive() == {"id": 1, "method": "m"}


def test_a_greeting_that_was_not_answered_is_answered_once() -> None:
    with world() as one:
        service = one.service()
        one.client.send(**GREETING)
        assert service.receive() == GREETING
        one.kill()
        again = one.service()
        assert again.receive() == GREETING
        again.send(id=0, result={"a": 1})
        assert one.client.receive() == {"id": 0, "result": {"a": 1}}


def test_a_service_that_ends_while_nothing_is_asked_is_started_by_the_next_message() -> None:
    with world() as one:
        service = one.service()
        greet(one, service)
        one.kill()
        one.front._hearing.join(DEADLINE_S)  # type: ignore[union-attr]
        assert len(one.services) == 1
        one.client.send(id=1, method="m")
        again = one.service()
        greet_again(again)
        assert again.receive() == {"id": 1, "method": "m"}
        again.send(id=1, result={})
        assert one.client.receive() == {"id": 1, "result": {}}


def test_what_kills_every_service_is_answered_with_an_error() -> None:
    with world() as one:
        one.client.send(id=1, method="m")
        for _ in range(TRIES_MAX):
            service = one.service()
            assert service.receive() == {"id": 1, "method": "m"}
            one.kill()
        answer = one.client.receive()
        assert (answer["id"], answer["error"]["code"]) == (1, -32000)
        one.client.send(id=2, method="m")
        while (message := one.service().receive()) is None:
            pass
        assert message == {"id": 2, "method": "m"}


def test_what_is_watched_is_watched_again() -> None:
    watch = {"id": 1, "method": "resources/subscribe", "params": {"uri": "codemap://a"}}
    with world() as one:
        service = one.service()
        greet(one, service)
        one.client.send(**watch)
        one.client.send(**{**watch, "id": 2, "params": {"uri": "codemap://b"}})
        one.client.send(id=3, method="resources/unsubscribe", params={"uri": "codemap://b"})
        for number in (1, 2, 3):
            assert service.receive()["id"] == number
            service.send(id=number, result={})
            assert one.client.receive()["id"] == number
        one.kill()
        again = one.service()
        greet_again(again)
        assert again.receive() == watch
        again.send(id=1, result={})
        again.send(method="notifications/resources/updated")
        assert one.client.receive() == {"method": "notifications/resources/updated"}


def test_calls_before_the_end_of_input_are_answered() -> None:
    with world() as one:
        service = one.service()
        ask(one, service, 1)
        one.hang_up()
        assert service.receive() is None
        service.send(id=1, result={})
        assert one.client.receive() == {"id": 1, "result": {}}
        one.kill()
        one.thread.join(DEADLINE_S)
        assert not one.thread.is_alive()
        assert len(one.services) == 1


def test_nonsense_is_for_the_service_to_answer() -> None:
    with world() as one:
        service = one.service()
        one.client._write(b"nonsense\n[]\n")
        assert one.services[0].recv(100) in (b"nonsense\n", b"nonsense\n[]\n")
        service.send(error={"code": -32700, "message": "Parse error"})
        assert one.client.receive() == {"error": {"code": -32700, "message": "Parse error"}}
