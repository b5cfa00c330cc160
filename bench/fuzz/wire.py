"""A served repository, and clients that send what they should not: over stdio, websocket and HTTP.

Rules of the file:
- What a message asks for must come, once. What is no message may end its connection, and nothing else.
- After each input somebody else asks something plain, and is answered.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import trio
import trio_websocket

from actors.front.transports.websocket import MESSAGE_MAX
from bench.fuzz.messages import FILES, Expected, some_messages, whole
from bench.fuzz.mutation import mutated
from bench.fuzz.target import Broken, Inputs
from tests.system.network import BEGIN, HANDSHAKE, Client, Served, client, request, served
from tests.system.process import serving

MESSAGES = 12
"""Of an input: enough for some of them to overlap."""
ANSWERED_MAX_S = 30.0
ENDED_MAX_S = 15.0
"""How long a server may take to be done with a connection on which it was sent rubbish, once nothing more comes."""
LIFE_MAX_S = 7200.0
EXTRA = {"CODEMAP_LIVE": "off"}
"""Language servers have a target of their own."""
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def fuzz_stdio(inputs: Inputs) -> None:
    with _repository() as root:
        trio.run(_stdio, inputs, root)


def fuzz_websocket(inputs: Inputs) -> None:
    with _repository() as root:
        trio.run(_network, inputs, root, "--websocket", _websocket_input)


def fuzz_http(inputs: Inputs) -> None:
    with _repository() as root:
        trio.run(_network, inputs, root, "--http", _http_input)


@contextmanager
def _repository() -> Iterator[Path]:
    with TemporaryDirectory(prefix="codemap-fuzz-") as folder:
        for name, text in FILES.items():
            place = Path(folder) / "root" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        yield Path(folder) / "root"


# -- stdio -------------------------------------------------------------------------------------------------------------


async def _stdio(inputs: Inputs, root: Path) -> None:
    async with serving(root, extra=EXTRA, log=subprocess.PIPE, deadline_s=LIFE_MAX_S) as server:
        await server.initialize()
        expected, seen = Expected(), len(server.lines)
        for random in inputs:
            messages = some_messages(random, inputs.number or 0, MESSAGES)
            messages.append(json.dumps({"jsonrpc": "2.0", "id": f"ping {inputs.number}", "method": "ping"}).encode())
            stream = b"\n".join(messages)
            for line in stream.split(b"\n"):
                expected.add(line)
            await server.send(stream)
            with trio.move_on_after(ANSWERED_MAX_S) as waiting:
                while expected.missing:
                    try:
                        answer = await server.line(seen)
                    except AssertionError:
                        raise Broken(f"the server ended on\n{whole(messages)}") from None
                    seen += 1
                    expected.answer(answer)
            if waiting.cancelled_caught:
                raise Broken(f"{expected.missing} are not answered on\n{whole(messages)}")
            _check_log(server.log)


# -- over the network --------------------------------------------------------------------------------------------------

_Input = Callable[[Random, Served, int], Awaitable[None]]


async def _network(inputs: Inputs, root: Path, front: str, one_input: _Input) -> None:
    """Somebody who has been there from the start over a websocket, or comes anew over HTTP, must always be served."""
    async with served(root, "--requests-max", "256", extra=EXTRA, front=front, deadline_s=LIFE_MAX_S) as server:
        for random in inputs:
            await one_input(random, server, inputs.number or 0)
            if server.is_ended:
                raise Broken(f"the server ended:\n{server.log[-2000:]}")
            with trio.fail_after(ANSWERED_MAX_S):
                status, page = await server.page("/healthz")
            if status != 200:
                raise Broken(f"/healthz says {status}: {page[:300]}")
            _check_log(server.log)


def _check_log(log: str) -> None:
    if "Traceback" in log:
        raise Broken(f"it logs a failure:\n{log[-3000:]}")


async def _websocket_input(random: Random, server: Served, number: int) -> None:
    if random.random() < 0.3:
        await _rubbish(random, server, _websocket_bytes(random, number))
        return
    messages = [one for one in some_messages(random, number, MESSAGES) if _is_text(one)]
    messages = [one for one in messages if len(one) <= MESSAGE_MAX]  # others end the connection, as they should
    expected = Expected()
    async with client(server.url) as one:
        with trio.move_on_after(ANSWERED_MAX_S) as waiting:
            try:
                await _converse(one, messages, expected)
            except trio_websocket.ConnectionClosed as closed:
                raise Broken(f"the connection was closed ({closed.reason}) on\n{whole(messages)}") from None
        if waiting.cancelled_caught:
            raise Broken(f"{expected.missing} are not answered on\n{whole(messages)}")


async def _converse(one: Client, messages: list[bytes], expected: Expected) -> None:
    for message in messages:
        expected.add(message)
        await one.socket.send_message(message.decode())
    while expected.missing:
        expected.answer(json.loads(await one.socket.get_message()))


def _is_text(message: bytes) -> bool:
    try:
        message.decode()
    except UnicodeDecodeError:
        return False
    return True


def _websocket_bytes(random: Random, number: int) -> bytes:
    """A handshake and frames, masked with zeros, of which some bytes are others."""
    head = request("/mcp", **HANDSHAKE)
    frames = b""
    for message in some_messages(random, number, 3):
        opcode = random.choice((0x81, 0x81, 0x01, 0x80, 0x82, 0x88, 0x89, 0x8A, 0x83, 0xC1))
        length = len(message)
        if random.random() < 0.03:
            length = random.choice((0, 125, 126, 65_535, 65_536, 2**32, 2**63, 2**64 - 1))
        if length < 126:
            size = bytes((0x80 | length,))
        elif length < 65_536:
            size = b"\xfe" + length.to_bytes(2)
        else:
            size = b"\xff" + length.to_bytes(8)
        frames += bytes((opcode,)) + size + bytes(4) + message
    if random.random() < 0.5:
        return head + mutated(random, frames)
    return mutated(random, head + frames)


async def _http_input(random: Random, server: Served, number: int) -> None:
    if random.random() < 0.3:
        await _rubbish(random, server, _http_bytes(random, number))
        return
    with trio.fail_after(ANSWERED_MAX_S):
        begin = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": BEGIN}).encode()
        head, _ = await _post(server, begin)
        session = re.search(rb"(?im)^mcp-session-id: (\S+)", head)
        if session is None:
            raise Broken(f"no session was begun: {head!r}")
        headers = {"Mcp-Session-Id": session[1].decode(), "Mcp-Protocol-Version": "2025-11-25"}
        for message in some_messages(random, number, 4):
            expected = Expected()
            expected.add(message)
            head, body = await _post(server, message, **headers)
            status = int(head.split(maxsplit=2)[1])
            if status >= 500:
                raise Broken(f"{head[:200]!r} {body[:500]!r} on\n{whole([message])}")
            if status == 200:
                for answer in _answers(head, body):
                    expected.answer(answer)
                if expected.missing:
                    raise Broken(f"{expected.missing} are not answered by {body[:500]!r} on\n{whole([message])}")
        await server.answer(request("/mcp", "DELETE", Connection="close", **headers))


async def _post(server: Served, body: bytes, **headers: str) -> tuple[bytes, bytes]:
    head = request("/mcp", "POST", Connection="close", **ACCEPT, **{"Content-Length": str(len(body))}, **headers)
    return await _exchange(server, head + body)


async def _exchange(server: Served, sent: bytes) -> tuple[bytes, bytes]:
    """Head and body of all that comes up to the end."""
    async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
        await stream.send_all(sent)
        text = b""
        async for chunk in stream:
            text += bytes(chunk)
    head, _, body = text.partition(b"\r\n\r\n")
    return head, body


def _answers(head: bytes, body: bytes) -> list[Any]:
    if b"chunked" in head.lower():
        body = _unchunked(body)
    if b"text/event-stream" in head.lower():
        return [json.loads(line[5:]) for line in body.splitlines() if line.startswith(b"data:") and line[5:].strip()]
    return [json.loads(body)] if body.strip() else []


def _unchunked(body: bytes) -> bytes:
    whole_body = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size or b"0", 16)
        whole_body, body = whole_body + rest[:length], rest[length + 2 :]
        if not length:
            break
    return whole_body


def _http_bytes(random: Random, number: int) -> bytes:
    """A few requests on one connection, of which some bytes are others."""
    sent = b""
    for message in some_messages(random, number, 2):
        method = random.choice(("POST", "POST", "GET", "DELETE", "OPTIONS", "PUT"))
        length = {"Content-Length": str(len(message))} if random.random() < 0.8 else {"Transfer-Encoding": "chunked"}
        sent += request(random.choice(("/mcp", "/mcp?envelope=ctxo", "/metrics")), method, **ACCEPT, **length) + message
    return mutated(random, sent)


async def _rubbish(random: Random, server: Served, sent: bytes) -> None:
    """Sends bytes in a few pieces, says that no more will come, and reads what is answered up to the end."""
    with trio.move_on_after(ENDED_MAX_S) as waiting:
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
            try:
                at = 0
                while at < len(sent):
                    size = random.choice((1, 100, 10_000, 1 << 20))
                    await stream.send_all(sent[at : at + size])
                    at += size
                await stream.send_eof()
                while await stream.receive_some():
                    pass
            except (trio.BrokenResourceError, OSError):
                pass  # it was ended on their side
    if waiting.cancelled_caught:
        raise Broken(f"a connection is kept open that nothing more will come on:\n{whole([sent])}")
