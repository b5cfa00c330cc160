"""Shared stores that need nothing installed: a folder and an HTTP cache; the others are in `tests/system`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trio

from actors.remote.folder import Folder
from actors.remote.remote import PARALLEL, RemoteTrouble
from tests.actors.remote.cache_server import CacheServer, cache_server
from tests.actors.remote.conformance import (
    NAMES,
    check_several_tasks_use_it_at_a_time,
    check_what_was_written_is_read,
    opened,
    read,
)


@pytest.fixture(scope="module")
def server() -> Iterator[CacheServer]:
    with cache_server() as server:
        yield server


@pytest.fixture
def fresh(server: CacheServer) -> Iterator[CacheServer]:
    yield server
    server.entries.clear()
    server.status = 0
    server.authorization.clear()
    server.requests.clear()
    server.connections = 0


@pytest.fixture(params=["folder", "http"])
def address(request: pytest.FixtureRequest, tmp_path: Path, fresh: CacheServer) -> str:
    return str(tmp_path) if request.param == "folder" else fresh.url


async def test_what_was_written_is_read_and_the_rest_is_missing(address: str) -> None:
    remote = opened(address)
    await check_what_was_written_is_read(remote)
    await remote.aclose()


async def test_several_tasks_use_it_at_a_time(address: str) -> None:
    remote = opened(address)
    await check_several_tasks_use_it_at_a_time(remote)
    await remote.aclose()


# -- a folder -------------------------------------------------------------------------------------------------------


async def test_a_folder_is_read_whatever_lies_in_it(tmp_path: Path) -> None:
    (tmp_path / "00").mkdir()
    os.mkfifo(tmp_path / "00" / NAMES[0])
    (tmp_path / "secret").write_bytes(b"what a link leads to")
    (tmp_path / "00" / NAMES[1]).symlink_to(tmp_path / "secret")
    (tmp_path / "00" / NAMES[2]).mkdir()
    (tmp_path / "00" / NAMES[3]).write_bytes(b"an entry")
    with trio.fail_after(60):
        assert await read(Folder(str(tmp_path)), NAMES) == {NAMES[3]: b"an entry"}


async def test_a_folder_that_is_not_there_is_trouble_and_not_empty(tmp_path: Path) -> None:
    with trio.fail_after(60), pytest.raises(RemoteTrouble, match="No such file"):
        await read(Folder(str(tmp_path / "away")), NAMES)


async def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "00" / NAMES[0]).mkdir(parents=True)
    with trio.fail_after(60), pytest.raises(RemoteTrouble):
        await Folder(str(tmp_path)).put_many({NAMES[0]: b"x"})
    assert [path.name for path in (tmp_path / "00").iterdir()] == [NAMES[0]]


# -- HTTP -----------------------------------------------------------------------------------------------------------


async def test_connections_are_used_again(fresh: CacheServer) -> None:
    remote = opened(fresh.url)
    with trio.fail_after(60):
        await remote.put_many(dict.fromkeys(NAMES, b"x"))
        for _ in range(3):
            assert len(await read(remote, NAMES)) == len(NAMES)
        assert f"PUT /cache/ac/{NAMES[0]}" in fresh.requests
        assert fresh.connections <= PARALLEL
        await remote.aclose()


@pytest.mark.parametrize("status", [301, 401, 403, 500, 503])
async def test_what_is_neither_there_nor_missing_is_trouble(fresh: CacheServer, status: int) -> None:
    fresh.status, remote = status, opened(fresh.url)
    with trio.fail_after(60):
        with pytest.raises(RemoteTrouble, match=f"status {status}"):
            await read(remote, NAMES)
        with pytest.raises(RemoteTrouble, match=f"status {status}"):
            await remote.put_many({NAMES[0]: b"x"})
        with pytest.raises(RemoteTrouble, match=f"status {status}"):
            await remote.having(NAMES)
        await remote.aclose()


@pytest.mark.parametrize(
    ("secret", "header"), [("", None), ("token", "Bearer token"), ("user:pass", "Basic dXNlcjpwYXNz")]
)
async def test_a_secret_is_sent_as_what_it_is(fresh: CacheServer, secret: str, header: str | None) -> None:
    remote = opened(fresh.url, secret)
    with trio.fail_after(60):
        await read(remote, NAMES[:2])
        await remote.aclose()
    assert fresh.authorization == {header}


@pytest.mark.parametrize(
    "answer",
    [b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", b"\0" * 100_000],
    ids=["nothing", "another protocol", "cut short", "zeros"],
)
async def test_what_is_no_answer_is_trouble(answer: bytes) -> None:
    async def serve(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        with suppress(trio.BrokenResourceError):  # it hears no more of it
            await stream.send_all(answer)
        await stream.aclose()

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, serve, [listener])
            remote = opened(f"http://127.0.0.1:{listener.socket.getsockname()[1]}")
            with pytest.raises(RemoteTrouble):
                await read(remote, NAMES[:1])
            nursery.cancel_scope.cancel()


async def test_a_server_that_is_not_there_is_trouble() -> None:
    with trio.fail_after(60):
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        await listener.aclose()
        with pytest.raises(RemoteTrouble, match="cannot be reached"):
            await read(opened(f"http://127.0.0.1:{port}"), NAMES)


async def test_a_connection_that_the_server_has_closed_is_replaced() -> None:
    """Most servers close idle connections after some seconds."""
    served = 0

    async def answer_once(stream: trio.SocketStream) -> None:
        nonlocal served
        served += 1
        asked = b""
        while not asked.endswith(b"\r\n\r\n"):
            asked += await stream.receive_some()
        await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        await stream.aclose()

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, answer_once, [listener])
            remote = opened(f"http://127.0.0.1:{listener.socket.getsockname()[1]}/cache")
            for _ in range(3):
                assert await read(remote, NAMES[:1]) == {NAMES[0]: b"x"}
            assert served == 3
            await remote.aclose()
            nursery.cancel_scope.cancel()
