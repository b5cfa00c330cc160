"""One service for a repository: who joins it, how soon, and what its death costs; with real processes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
import trio

from tests.system.process import CODEMAP, DEADLINE_S, END_MAX_S, Server, environment, serving, wait_gone

JOINED_RSS_MAX_BYTES = 25_000_000
"""A front has no index; an interpreter takes a dozen megabytes."""
JOIN_CPU_MAX = 8
"""In CPU time of a bare interpreter: what it costs to join, and more than that of a busy machine."""


@pytest.fixture
def shared() -> Iterator[dict[str, str]]:
    """An environment in which fronts of this test meet, and nobody else. Services that remain are ended."""
    with tempfile.TemporaryDirectory() as folder:
        yield {"CODEMAP_SHARE": "on", "XDG_RUNTIME_DIR": folder, "CODEMAP_LINGER_S": "600"}
        for process in services(folder):
            process.kill()


def services(folder: str) -> list[psutil.Process]:
    """Services of their own under a runtime folder."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if "actors.command_line.detached_service:main" in words and any(word.startswith(folder) for word in words):
            found.append(process)
    return found


@asynccontextmanager
async def front(root: Path, shared: Mapping[str, str], command: str = "connect") -> AsyncIterator[Server]:
    """A front for a client that has initialized."""
    async with serving(root, extra=shared, command=command, is_forked=False) as server:
        await server.initialize()
        yield server


async def found(server: Server) -> int:
    total: int = (await server.call("map_search", query="greet", freshWaitMs=5000))["data"]["total"]
    return total


async def wait_services(shared: Mapping[str, str], number: int) -> list[psutil.Process]:
    while len(running := services(shared["XDG_RUNTIME_DIR"])) != number:  # noqa: ASYNC110
        await trio.sleep(0.01)
    return running


def meeting_files(shared: Mapping[str, str]) -> list[str]:
    return sorted(name.rpartition(".")[2] for name in os.listdir(os.path.join(shared["XDG_RUNTIME_DIR"], "codemap")))


async def test_fronts_share_one_service(small: Path, shared: dict[str, str]) -> None:
    async with front(small, shared) as first, front(small, shared) as second, front(small, shared, "serve") as third:
        assert [await found(one) for one in (first, second, third)] == [1, 1, 1]
        (service,) = services(shared["XDG_RUNTIME_DIR"])
        assert service.cwd() == "/"
        for one in (first, second, third):
            assert one.family()[1:] in ([], [service, *service.children(recursive=True)])
            assert psutil.Process(one.process.pid).memory_info().rss < JOINED_RSS_MAX_BYTES
        (small / "c.py").write_text("def greet_more():\n    pass\n")
        assert [await found(one) for one in (third, second, first)] == [2, 2, 2]


async def test_a_second_serve_joins_the_first(small: Path, shared: dict[str, str]) -> None:
    """The first goes on for the second when its own client has gone, and ends with the last."""
    async with front(small, shared, "serve") as first:
        assert await found(first) == 1
        async with front(small, shared, "serve") as second:
            assert psutil.Process(second.process.pid).memory_info().rss < JOINED_RSS_MAX_BYTES
            assert first.process.stdin is not None
            await first.process.stdin.aclose()
            with trio.move_on_after(0.5) as waited:
                await first.process.wait()
            assert waited.cancelled_caught
            assert await found(second) == 1
            family = first.family()
        with trio.fail_after(END_MAX_S):
            assert await first.process.wait() == 0
        await wait_gone(family)
        assert meeting_files(shared) == []


async def test_a_killed_service_is_started_again_and_nobody_notices(small: Path, shared: dict[str, str]) -> None:
    async with front(small, shared) as first, front(small, shared) as second:
        assert await found(first) == await found(second) == 1
        for number in range(3):
            (service,) = services(shared["XDG_RUNTIME_DIR"])
            family = [service, *service.children(recursive=True)]
            (small / f"d{number}.py").write_text("def greet_again():\n    pass\n")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(first.call, "map_rebuild")
                await trio.sleep(0.02)
                service.kill()
            assert await found(first) == await found(second) == 2 + number
            await wait_gone(family)
        assert len(services(shared["XDG_RUNTIME_DIR"])) == 1


async def test_a_killed_serve_is_succeeded_by_a_service(small: Path, shared: dict[str, str]) -> None:
    async with front(small, shared, "serve") as first, front(small, shared, "serve") as second:
        assert await found(second) == 1
        first.process.kill()
        await first.process.wait()
        assert await found(second) == 1
        await wait_services(shared, 1)


async def test_a_service_that_is_reported_to_end_ends_and_the_next_call_starts_another(
    small: Path, shared: dict[str, str]
) -> None:
    async with front(small, shared) as one:
        assert await found(one) == 1
        (service,) = services(shared["XDG_RUNTIME_DIR"])
        family = [service, *service.children(recursive=True)]
        service.send_signal(signal.SIGTERM)
        await wait_gone(family)
        assert await wait_services(shared, 0) == []
        assert meeting_files(shared) == ["log"]
        assert await found(one) == 1
        await wait_services(shared, 1)


async def test_the_last_client_gone_it_stays_for_a_while(small: Path, shared: dict[str, str]) -> None:
    shared |= {"CODEMAP_LINGER_S": "1.5"}
    async with front(small, shared) as one:
        await one.call("map_rebuild")
        (service,) = services(shared["XDG_RUNTIME_DIR"])
        family = [service, *service.children(recursive=True)]
    start = time.monotonic()
    async with front(small, shared) as again:
        assert await found(again) == 1
        assert services(shared["XDG_RUNTIME_DIR"]) == [service]
    assert services(shared["XDG_RUNTIME_DIR"]) == [service]
    with trio.fail_after(60):
        await wait_services(shared, 0)
    assert time.monotonic() - start > 1.5
    await wait_gone(family)
    assert meeting_files(shared) == ["log"]


async def test_who_cannot_share_serves_alone(small: Path, shared: dict[str, str]) -> None:
    folder = Path(shared["XDG_RUNTIME_DIR"]) / "codemap"
    folder.mkdir()
    folder.chmod(0o777)
    for command in ("serve", "connect"):
        async with front(small, shared, command) as one:
            assert await found(one) == 1
            assert list(folder.iterdir()) == []


async def test_clients_of_a_websocket_server_and_of_fronts_share_it(small: Path, shared: dict[str, str]) -> None:
    words = ("--websocket", "127.0.0.1:0", "--stdio", "on")
    async with serving(small, *words, extra=shared) as first:
        await first.initialize()
        async with front(small, shared, "serve") as second:
            assert await found(second) == 1
            assert psutil.Process(second.process.pid).memory_info().rss < JOINED_RSS_MAX_BYTES
            assert services(shared["XDG_RUNTIME_DIR"]) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_front_at_once(small: Path, shared: dict[str, str], number: signal.Signals) -> None:
    async with front(small, shared) as one:
        one.process.send_signal(number)
        with trio.fail_after(END_MAX_S):
            assert await one.process.wait() == 0


async def test_a_client_that_is_gone_ends_its_front_at_once(small: Path, shared: dict[str, str]) -> None:
    async with front(small, shared) as one:
        assert one.process.stdout is not None
        await one.process.stdout.aclose()
        with trio.fail_after(END_MAX_S):
            assert await one.process.wait() == 0


async def test_many_who_come_at_once_find_one_service(small: Path, shared: dict[str, str]) -> None:
    totals: list[int] = []

    async def come() -> None:
        async with front(small, shared) as one:
            totals.append(await found(one))

    async with trio.open_nursery() as nursery:
        for _ in range(12):
            nursery.start_soon(come)
    assert totals == [1] * 12
    assert len(services(shared["XDG_RUNTIME_DIR"])) == 1


async def test_to_join_is_little_more_than_to_start_an_interpreter(small: Path, shared: dict[str, str]) -> None:
    async with front(small, shared) as first:
        assert await found(first) == 1
        line = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        words = [CODEMAP, "connect", "--root", str(small)]

        def spent(command: list[str], env: dict[str, str]) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)  # to the microsecond; `os.times` counts hundredths
            done = subprocess.run(command, input=line, capture_output=True, timeout=DEADLINE_S, check=True, env=env)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert command[0] != CODEMAP or b'"id":1' in done.stdout
            return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

        def least(command: list[str]) -> float:
            return min(spent(command, environment(**shared)) for _ in range(7))

        joined = await trio.to_thread.run_sync(least, words)
        bare = await trio.to_thread.run_sync(least, [sys.executable, "-c", "pass"])
        assert joined < JOIN_CPU_MAX * bare


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--workres", "2"], "there is no option '--workres'; the nearest is --workers."),
        (
            ["--workers", "many"],
            "The flag --workers is 'many': it must be a whole number of processes from 0 to 256, "
            "or dask://HOST:PORT, or tls://HOST:PORT.",
        ),
    ],
)
def test_a_mistake_is_said_where_it_was_made(small: Path, shared: dict[str, str], words: list[str], why: str) -> None:
    """It stood in the log of a service that did not start."""
    command = [CODEMAP, "connect", "--root", str(small), *words]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(**shared), check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == f"codemap: {why}"
