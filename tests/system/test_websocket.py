"""`codemap serve --websocket` as a process: beside stdin and stdout or instead, TLS, tokens, pages, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import ssl
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
import trio
import trio.testing
import trio_websocket
import trustme

from tests.system import forked
from tests.system.network import HANDSHAKE, Served, client, request, served
from tests.system.process import DEADLINE_S, END_MAX_S, environment, serving, wait_gone

TOKEN = "a-token-of-enough-length"
THREADS_END_S = 30.0
"""Trio keeps threads that have nothing to do for ten seconds."""


async def wait_end(server: Served, within_s: float = END_MAX_S) -> None:
    with trio.fail_after(within_s):
        assert await server.process.wait() == 0


async def test_many_clients_see_one_map_that_follows_the_disk(small: Path) -> None:
    async with served(small) as server, client(server.url) as first, client(server.url) as second:
        for one in (first, second):
            assert (await one.call("map_search", query="greet", freshWaitMs=5000))["data"]["total"] == 1
        (small / "c.py").write_text("def greet_again():\n    pass\n")
        for one in (first, second):
            found = await one.call("map_search", query="greet_again", freshWaitMs=5000)
            assert found["data"]["results"][0]["id"] == "py:c.py#greet_again"
        status, metrics = await server.page("/metrics")
        assert status == 200
        assert 'codemap_calls_total{root="' + small.name + '",tool="map_search",code="ok"} 4' in metrics
        assert "codemap_clients 2" in metrics
        assert f'codemap_index_files{{root="{small.name}"}} 3' in metrics


async def test_a_client_on_stdin_is_served_beside_it(small: Path) -> None:
    """The process ends when nobody is left."""
    async with serving(small, "--websocket", "127.0.0.1:0", "--stdio", "on", log=subprocess.PIPE) as server:
        await server.initialize()
        assert (await server.call("map_rebuild"))["ok"]
        (url,) = re.findall(r"event=listening .*url=(\S+)", server.log)
        family = server.family()
        async with client(url) as other:
            assert (await other.call("map_search", query="greet"))["data"]["total"] == 1
            assert server.process.stdin is not None
            await server.process.stdin.aclose()
            with trio.move_on_after(0.5) as waited:
                await server.process.wait()
            assert waited.cancelled_caught, "the other client is still there"
            assert (await other.call("map_search", query="greet"))["data"]["total"] == 1
        with trio.fail_after(END_MAX_S):
            assert await server.process.wait() == 0
        await wait_gone(family)


async def test_it_ends_in_good_order(small: Path) -> None:
    """Calls under way are answered, clients are told, nobody is let in any more, nothing is left."""
    async with served(small) as server, client(server.url) as waiting, client(server.url) as quiet:
        await waiting.call("map_rebuild")
        family = server.family()
        answers: list[bool] = []

        async def ask() -> None:
            (small / "a.py").write_text("def greet():\n    return 2\n")
            answers.append((await waiting.call("map_rebuild"))["ok"])

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked(0.01)
            server.process.send_signal(signal.SIGTERM)
        assert answers == [True]
        with pytest.raises(trio_websocket.ConnectionClosed) as closed:
            await quiet.socket.get_message()
        assert closed.value.reason.code == 1001
        await wait_end(server)
        await wait_gone(family)
        with pytest.raises(OSError):
            await trio.open_tcp_stream("127.0.0.1", server.port)


async def test_a_second_signal_ends_it_at_once(small: Path) -> None:
    async with (
        served(small, "--ping-s", "600") as server,
        await trio.open_tcp_stream("127.0.0.1", server.port) as stream,
    ):
        await stream.send_all(request("/mcp", **HANDSHAKE))
        assert (await stream.receive_some()).startswith(b"HTTP/1.1 101")
        server.process.send_signal(signal.SIGINT)
        await server.wait_log("event=stop")
        server.process.send_signal(signal.SIGINT)
        await wait_end(server, 1.0)


async def test_a_killed_server_leaves_no_process(small: Path) -> None:
    async with served(small) as server, client(server.url) as one:
        await one.call("map_rebuild")
        family = server.family()
        assert len(family) > 1
        server.process.kill()
        await server.process.wait()
        await wait_gone(family)


class Taken(NamedTuple):
    """What a server takes of the system."""

    descriptors: int
    threads: int
    processes: int

    @classmethod
    def of(cls, server: Served) -> Taken:
        process = psutil.Process(server.process.pid)
        return cls(process.num_fds(), process.num_threads(), len(server.family()))


async def wait_no_more(server: Served, before: Taken) -> None:
    """Returns when a server takes no more than before. It may take less: what was idle ends after a while."""
    with trio.fail_after(END_MAX_S):
        while Taken.of(server).descriptors > before.descriptors:  # noqa: ASYNC110  # of the page that was asked for
            await trio.sleep(0.01)
    with trio.fail_after(THREADS_END_S):
        while any(now > then for now, then in zip(Taken.of(server), before, strict=True)):  # noqa: ASYNC110
            await trio.sleep(0.05)


async def test_the_last_client_leaves_nothing_behind(small: Path) -> None:
    async with served(small) as server:
        async with client(server.url) as one:
            await one.call("map_rebuild")
        await wait_clients(server, 0)
        before = Taken.of(server)
        for _ in range(30):
            async with client(server.url) as one:
                await one.call("map_status")
        await wait_clients(server, 0)
        await wait_no_more(server, before)


async def wait_clients(server: Served, number: int) -> None:
    while f"\ncodemap_clients {number}\n" not in (await server.page("/metrics"))[1]:  # noqa: ASYNC110
        await trio.sleep(0.01)


async def test_over_the_limit_it_is_busy(small: Path) -> None:
    async with served(small, "--clients-max", "1") as server, client(server.url):
        assert await server.page("/mcp", **HANDSHAKE) == (503, "Server busy: too many clients.")


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def certified(authority: trustme.CA, folder: Path) -> tuple[str, ...]:
    """Words for the command line: a certificate for this machine and its key."""
    issued = authority.issue_cert("localhost", "127.0.0.1")
    chain = folder / "chain.pem"
    chain.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    issued.private_key_pem.write_to_path(str(folder / "key.pem"))
    return "--tls-certificate", str(chain), "--tls-key", str(folder / "key.pem")


async def test_tls(small: Path, authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> None:
    words = certified(authority, tmp_path_factory.mktemp("tls"))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with served(small, *words, extra={"CODEMAP_TOKEN": TOKEN}) as server:
        assert server.url.startswith("wss://")
        async with client(server.url, TOKEN, trusting) as one:
            assert (await one.call("map_search", query="greet", freshWaitMs=5000))["ok"]
        async with await trio.open_tcp_stream("127.0.0.1", server.port) as plain:
            await plain.send_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with suppress(trio.BrokenResourceError):
                assert b"HTTP" not in await plain.receive_some()
        distrusting = await trio.open_ssl_over_tcp_stream("127.0.0.1", server.port)
        with pytest.raises(trio.BrokenResourceError):
            await distrusting.do_handshake()
        await trio.aclose_forcefully(distrusting)
        async with client(server.url, TOKEN, trusting) as one:
            assert (await one.call("map_status"))["ok"], "they disturbed nobody"


async def test_a_token_from_the_command_lets_in(small: Path, tmp_path: Path) -> None:
    place = tmp_path / "tokens"
    made = forked.run("token", "--token-file", str(place), env=environment(), timeout_s=DEADLINE_S)
    token = made.stdout.strip()
    assert token not in made.stderr
    assert token not in place.read_text()
    async with served(small, "--token-file", str(place)) as server:
        async with client(server.url, token) as one:
            assert (await one.call("map_status"))["ok"]
        assert (await server.page("/mcp", **HANDSHAKE))[0] == 401
        for wrong in (token[:-1], "x" * 50):
            assert (await server.page("/mcp", **HANDSHAKE, Authorization=f"Bearer {wrong}"))[0] == 401
        assert (await server.page("/healthz"))[0] == 200
        assert (await server.page("/metrics"))[0] == 401
        assert (await server.page("/metrics", Authorization=f"Bearer {token}"))[0] == 200
        place.write_text("# nobody\n")
        assert (await server.page("/metrics", Authorization=f"Bearer {token}"))[0] == 401
        assert token not in server.log


async def test_a_token_expires(small: Path, tmp_path: Path) -> None:
    place = tmp_path / "tokens"
    place.write_text(f"{TOKEN} until 2001-01-01T00:00:00Z\n")
    place.chmod(0o600)
    async with served(small, "--token-file", str(place)) as server:
        status, text = await server.page("/metrics", Authorization=f"Bearer {TOKEN}")
        assert (status, text) == (401, "The token is expired.")


async def test_the_token_is_not_in_the_environment_of_children(small: Path) -> None:
    async with served(small, extra={"CODEMAP_TOKEN": TOKEN}) as server, client(server.url, TOKEN) as one:
        await one.call("map_rebuild")
        _, *children = server.family()
        assert children
        for child in children:
            assert TOKEN not in str(child.environ())


@pytest.mark.parametrize("at", ["0.0.0.0:0", "[::]:0", "localhost.example:0"])
def test_strangers_are_not_served_without_a_token(small: Path, at: str) -> None:
    done = refuse(small, "--websocket", at)
    assert done == (
        2,
        f"codemap: Others can reach {at.rpartition(':')[0].strip('[]')}: without a token nothing is served there. "
        "`codemap token` makes one.\n",
    )


async def test_other_addresses_are_served_with_one(small: Path) -> None:
    async with served(small, at="0.0.0.0:0", extra={"CODEMAP_TOKEN": TOKEN}) as server:
        await server.wait_log("event=no-tls")
        async with client(f"ws://127.0.0.1:{server.port}/mcp", TOKEN) as one:
            assert (await one.call("map_status"))["ok"]


def refuse(root: Path, *words: str, extra: Mapping[str, str] = {}) -> tuple[int, str]:
    """Exit code and last words of a server that does not start."""
    done = forked.run("serve", "--root", str(root), *words, env=environment(**extra), timeout_s=DEADLINE_S)
    assert done.stdout == ""
    return done.returncode, done.stderr.splitlines(keepends=True)[-1]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--websocket", "8765"], "websocket is '8765': it must be HOST:PORT, such as 127.0.0.1:8765 or [::1]:8765."),
        (
            ["--websocket", "::1:8765"],
            "websocket is '::1:8765': it must be HOST:PORT, such as 127.0.0.1:8765 or [::1]:8765.",
        ),
        (
            ["--websocket", "127.0.0.1:0", "--tls-key", "/none"],
            "The setting tls_key needs tls_certificate beside it.",
        ),
        (
            ["--websocket", "127.0.0.1:0", "--tls-certificate", "/none"],
            "The TLS certificate /none cannot be used with its key: No such file or directory.",
        ),
        (
            ["--stdio", "off"],
            "with stdio off, an address to serve at is needed: --websocket HOST:PORT or --http HOST:PORT.",
        ),
    ],
)
def test_what_cannot_be_served_is_said(small: Path, words: list[str], wanted: str) -> None:
    assert refuse(small, *words) == (2, f"codemap: {wanted}\n")


async def test_an_address_in_use_is_said(small: Path) -> None:
    async with served(small) as server:
        code, said = await trio.to_thread.run_sync(refuse, small, "--websocket", f"127.0.0.1:{server.port}")
        assert code == 2
        assert "Address already in use" in said


async def test_messages_that_are_not_asked_for_are_none(small: Path) -> None:
    """Frames that are no requests are refused one by one, and the next is served."""
    async with served(small) as server, client(server.url) as one:
        for frame in ("nonsense", "[]", "{}", '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}'):
            await one.socket.send_message(frame)
            assert "error" in json.loads(await one.socket.get_message())
        unknown = await one.request("tools/call", name="map_serch", arguments={})
        assert "map_search" in unknown["error"]["message"]
        assert (await one.call("map_status"))["ok"]
