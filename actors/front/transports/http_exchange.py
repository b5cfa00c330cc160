"""One request and its answer in ASGI: reads the request whole, and ends answers in good order.

Source: ASGI 3.0, "HTTP".
"""

from __future__ import annotations

import time
from typing import Any

import trio

from actors.front.transports.admission import Refusal
from actors.front.transports.http_sessions import Message, Receive, Send
from actors.front.transports.request_head import Head
from actors.front.transports.websocket import MESSAGE_MAX


class Answer:
    """An answer that is being sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_begun = self._is_over = False
        self.shared: tuple[tuple[str, str], ...] = ()
        """Headers for the browser of a page that may read the answer."""

    async def send(self, message: Message) -> None:
        """Sends a part; what comes after the end is dropped, such as the SDK's error for a session that has just
        ended."""
        if self._is_over:
            return
        if not self._is_begun:
            extra = [(name.encode(), value.encode("latin-1")) for name, value in self.shared]
            message = {**message, "headers": [*message.get("headers", ()), *extra]}
        self._is_begun = True
        self._is_over = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def whole(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        """Sends a whole answer; plain text unless the headers say something else."""
        plain = ("content-type", "text/plain; charset=utf-8")
        described = dict((plain, ("content-length", str(len(body))), *headers))
        raw = [(name.encode(), value.encode()) for name, value in described.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": raw})
        await self.send({"type": "http.response.body", "body": body, "more_body": False})

    async def finish(self) -> None:
        """Ends an answer that was cut short."""
        if self._is_begun and not self._is_over:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


class Replay:
    """A request whose body was read already, for the application to read again."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def receive(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def head_of(scope: Message) -> Head:
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    query = scope["query_string"].decode("latin-1")
    target = scope["raw_path"].decode("latin-1")
    return Head(scope["method"], f"{target}?{query}" if query else target, headers, b"")


def until(until_s: float | None) -> trio.CancelScope:
    """Makes a scope that is cancelled when the token expires (seconds since the epoch)."""
    if until_s is None:
        return trio.CancelScope()
    return trio.CancelScope(deadline=trio.current_time() + max(0.0, until_s - time.time()))


async def read_body(receive: Receive, within_s: float) -> bytes | Refusal | None:
    """Reads the whole body; None when the client is gone.

    A body that is too large is read to its end, so that the refusal is not lost.
    """
    parts: list[Any] = []
    size = 0
    with trio.move_on_after(within_s):
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            size += len(message["body"])
            if size <= MESSAGE_MAX:
                parts.append(message["body"])
            if not message["more_body"]:
                is_small = size <= MESSAGE_MAX
                return b"".join(parts) if is_small else Refusal(413, f"A message has {MESSAGE_MAX} bytes at most.")
    return Refusal(408, "The request took too long to come.")
