"""`codemap serve` as a process: bad input, the order of things at the start, and every way to end."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from tests.system.process import CODEMAP, DEADLINE_S, END_MAX_S, Server, environment, serving, wait_gone


def code_of(answer: Any) -> int:
    code = answer["error"]["code"]
    assert isinstance(code, int)
    return code


async def test_bad_input_is_answered_and_the_server_goes_on(small: Path) -> None:
    async with serving(small) as server:
        for text in (b"nonsense", b'{"jsonrpc":"2.0","id":1,', b"\xff\xfe", b"[]", b'{"jsonrpc":"2.0"}', b"", b"  "):
            await server.send(text)
        refusals = [await server.line(number) for number in range(5)]
        assert [code_of(refusal) for refusal in refusals] == [-32700, -32700, -32700, -32600, -32600]
        assert not any("id" in refusal for refusal in refusals)
        await server.initialize()
        assert code_of(await server.request("no/such/method")) == -32601
        unknown = await server.request("tools/call", name="map_serch", arguments={})
        assert code_of(unknown) == -32602
        assert "map_search" in unknown["error"]["message"]
        assert code_of(await server.request("tools/call", name="map_search", arguments=[])) == -32602
        assert code_of(await server.request("tools/call", arguments={})) == -32602
        for arguments, named in (
            ({}, "query"),
            ({"query": 7}, "query"),
            ({"query": "x" * 3, "limit": 0}, "limit"),
            ({"query": "greet", "limit": "many"}, "limit"),
            ({"query": "greet", "knd": "any"}, "knd"),
            ({"query": "greet", "kind": "functoin"}, "kind"),
        ):
            envelope = await server.call("map_search", **arguments)
            assert envelope["error"]["code"] == "BAD_ARGS"
            assert envelope["error"]["message"].startswith(named)
        long = json.dumps({"jsonrpc": "2.0", "id": "long", "method": "x", "params": {"text": "x" * 5_000_000}})
        before = len(server.lines)
        await server.send(long)
        assert code_of(await server.line(before)) == -32700
        found = await server.call("map_search", query="greet")
        assert [result["id"] for result in found["data"]["results"]] == ["py:a.py#greet"]


async def test_a_repository_may_not_choose_to_be_served(small: Path) -> None:
    (small / "codemap.toml").write_text('websocket = "127.0.0.1:0"\nhttp = "127.0.0.1:0"\n')
    (small / "pyproject.toml").write_text("[tool.codemap]\nx = " + "[" * 2000)
    async with serving(small) as server:
        await server.initialize()
        await server.call("map_rebuild")
        status = (await server.call("map_status"))["data"]
        assert status["files"] == 2
        assert [warning.partition(", ")[0] for warning in status["warnings"]] == [
            "The configuration file pyproject.toml is left out: it is nested more than 64 levels deep.",
            "Ignored: pyproject.toml is nested more than 64 levels deep.",
            "Ignored: codemap.toml sets 'websocket'",
            "Ignored: codemap.toml sets 'http'",
        ]
        assert not psutil.Process(server.process.pid).net_connections("inet")


async def test_a_file_that_changed_is_reported_as_stale(small: Path) -> None:
    async with serving(small) as server:
        await server.initialize()
        await server.call("map_rebuild")
        (small / "a.py").write_text("def greet():\n    return 22222\n")
        stale = await server.call("map_neighbors", nodeId="py:a.py#greet")
        assert stale["data"]["node"]["stale"] is True
        assert stale["warnings"]
        (small / "b.py").unlink()
        fresh = await server.call("map_neighbors", nodeId="py:a.py#greet", direction="in", freshWaitMs=5000)
        assert "stale" not in fresh["data"]["node"]
        assert not [one for one in fresh["data"]["neighbors"] if one["edge"] == "calls"]


async def test_initialize_is_answered_before_anything_is_scanned(small: Path) -> None:
    async with serving(small) as server:
        await server.initialize()
        assert [process.pid for process in server.family()] == [server.process.pid]
        status = await server.call("map_status")
        assert status["ok"]


async def test_stdout_carries_the_protocol_only(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Workers and the server itself print at their start, to a descriptor and to the stream."""
    noise = tmp_path_factory.mktemp("noise")
    (noise / "sitecustomize.py").write_text(
        "import os, sys, atexit\n"
        "def shout():\n"
        "    print('noise from the stream', flush=True)\n"
        "    os.write(1, b'noise from the descriptor\\n')\n"
        "if any('spawn' in word for word in sys.argv + sys.orig_argv):\n"
        "    shout()\n"
        "    atexit.register(shout)\n"
    )
    async with serving(small, extra={"PYTHONPATH": str(noise)}, is_forked=False) as server:
        await server.initialize()
        assert (await server.call("map_rebuild"))["ok"]
        assert len(server.family()) > 1, "no worker was started"
        assert (await server.call("map_search", query="greet"))["data"]["total"] == 1
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)


async def start(server: Server) -> None:
    """Brings the server to where it has worker processes."""
    await server.initialize()
    await server.call("map_rebuild")
    assert len(server.family()) > 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_at_once(small: Path, number: signal.Signals) -> None:
    async with serving(small) as server:
        await start(server)
        family = server.family()
        server.process.send_signal(number)
        with trio.fail_after(END_MAX_S):
            assert await server.process.wait() == 0
        await wait_gone(family)


async def test_the_end_of_input_ends_it_at_once(small: Path) -> None:
    async with serving(small) as server:
        await start(server)
        family = server.family()
        assert server.process.stdin is not None
        await server.process.stdin.aclose()
        with trio.fail_after(END_MAX_S):
            assert await server.process.wait() == 0
        await wait_gone(family)


async def test_a_client_that_is_gone_ends_it_at_once(small: Path) -> None:
    """Nobody reads our stdout any more; stdin stays open."""
    async with serving(small) as server:
        await start(server)
        family = server.family()
        assert server.process.stdout is not None
        await server.process.stdout.aclose()
        with trio.fail_after(END_MAX_S):
            assert await server.process.wait() == 0
        await wait_gone(family)


async def test_a_killed_server_leaves_no_process(small: Path) -> None:
    async with serving(small) as server:
        await start(server)
        family = server.family()
        server.process.kill()
        await server.process.wait()
        await wait_gone(family)


def test_calls_before_the_end_of_input_are_answered(small: Path) -> None:
    """As in `printf … | codemap serve`."""
    messages = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "map_rebuild", "arguments": {}}},
    ]
    done = subprocess.run(
        [CODEMAP, "serve", "--root", str(small)],
        input="".join(json.dumps(message) + "\n" for message in messages).encode(),
        capture_output=True,
        timeout=DEADLINE_S,
        env=environment(),
        check=False,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert answers[1]["result"]["protocolVersion"] == "2025-06-18"
    assert answers[2]["result"]["structuredContent"]["ok"] is True


def test_without_a_client_it_ends_without_a_word(small: Path) -> None:
    done = subprocess.run(
        f'exec "{CODEMAP}" serve --root "{small}" <&-',
        shell=True,
        capture_output=True,
        timeout=DEADLINE_S,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
