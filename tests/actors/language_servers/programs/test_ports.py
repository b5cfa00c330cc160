"""One suite for the fake processes and the real ones: what actors rely on, both do."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import pytest
import trio

from actors.language_servers.programs.leftover_processes import marked
from actors.language_servers.programs.ports import CannotStart, Launch, ServerProcess
from actors.language_servers.programs.process import SystemProcesses
from actors.language_servers.programs.real_ports import _mentioning
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.steps import finish
from codemap.graph.words import word_files
from tests.actors.fakes import FakeDisk
from tests.actors.language_fakes import FakeProcesses
from tests.language_server.script import Scenario, framed
from tests.language_server.serve import argv_for

DEADLINE_S = 20

Start = Callable[[Scenario], ServerProcess]
KINDS = ["fake", "real"]


@asynccontextmanager
async def starting(kind: str, folder: Path) -> AsyncIterator[Start]:
    """Starts servers, real ones or fake; at the end none may be left."""
    with trio.fail_after(DEADLINE_S):
        if kind == "fake":
            fakes = FakeProcesses(FakeDisk())

            def start_fake(scenario: Scenario) -> ServerProcess:
                fakes.scenarios = [scenario]
                return fakes.spawn(Launch(("/bin/scripted",), "/repository"))

            yield start_fake
            await fakes.aclose()
            assert fakes.alive == []
        else:
            processes = SystemProcesses()
            yield lambda scenario: processes.spawn(Launch(argv_for(scenario), str(folder)))
            assert marked(processes._mark) == []
            assert with_word(str(folder)) == []
            await processes.aclose()


def with_word(word: str) -> list[int]:
    """The processes with this word in their command line."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if word in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


async def converse(process: ServerProcess, *bodies: dict[str, object]) -> bytes:
    """What comes back until it is a whole frame for each request."""
    await process.send(b"".join(framed(body) for body in bodies))
    wanted = sum("id" in body for body in bodies)
    received = b""
    while received.count(b"Content-Length") < wanted or not received.endswith(b"}"):
        chunk = await process.receive()
        assert chunk, received
        received += chunk
    return received


INITIALIZE = {"id": 1, "method": "initialize", "params": {}}
INITIALIZED: dict[str, object] = {"method": "initialized", "params": {}}
SHUTDOWN = {"id": 2, "method": "shutdown", "params": None}
EXIT: dict[str, object] = {"method": "exit", "params": None}


@pytest.mark.parametrize("kind", KINDS)
async def test_bytes_go_both_ways_and_the_exit_is_reported(kind: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario())
        answer = await converse(process, INITIALIZE)
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["result"]["serverInfo"]["name"] == "scripted"
        await converse(process, SHUTDOWN)
        await process.send(framed(EXIT))
        assert await process.wait() == 0
        assert await process.wait() == 0
        assert await process.receive() == b""
        assert await process.receive_errors() == b""
        with pytest.raises(trio.BrokenResourceError):
            await process.send(b"x" * 100_000)
        await process.aclose()
        await process.aclose()


@pytest.mark.parametrize("kind", KINDS)
async def test_the_end_of_input_is_seen(kind: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario())
        await converse(process, INITIALIZE)
        process.close_input()
        process.close_input()
        assert await process.wait() == 0
        with pytest.raises(trio.BrokenResourceError):
            await process.send(b"x")
        await process.aclose()


@pytest.mark.parametrize("kind", KINDS)
async def test_exit_code_and_last_words(kind: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario(initialize="exit"))
        await process.send(framed(INITIALIZE))
        assert await process.wait() == 3
        assert await process.receive_errors() == b"cannot start: no such configuration\n"
        await process.aclose()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_signal_ends_it_with_its_children(kind: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario(forks="child"))
        await converse(process, INITIALIZE, INITIALIZED)
        process.terminate()
        assert await process.wait() == -signal.SIGTERM
        await process.aclose()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forks", ["", "child", "holder", "session", "orphan"])
async def test_closing_kills_whatever_is_left(kind: str, forks: str, tmp_path: Path) -> None:
    scenario = Scenario(forks=forks, on_exit="ignore", on_eof="ignore", ignores_sigterm=True)
    async with starting(kind, tmp_path) as start:
        process = start(scenario)
        await converse(process, INITIALIZE, INITIALIZED, SHUTDOWN)
        usage = await process.usage()
        assert usage is not None
        assert usage.processes == (2 if forks else 1)
        process.terminate()
        began = trio.current_time()
        await process.aclose()
        assert trio.current_time() - began < 30
        assert await process.usage() is None


@pytest.mark.parametrize("kind", KINDS)
async def test_closing_kills_one_that_stopped_itself(kind: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario(requests={"workspace/symbol": ["stop"]}))
        await converse(process, INITIALIZE)
        await process.send(framed({"id": 3, "method": "workspace/symbol", "params": {"query": "x"}}))
        await trio.sleep(0.1)
        await process.aclose()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_server_that_does_not_read_makes_the_writer_wait(kind: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario(requests={"workspace/symbol": ["deaf"]}))
        await converse(process, INITIALIZE, {"id": 3, "method": "workspace/symbol", "params": {"query": "x"}})
        with trio.move_on_after(0.5) as scope:
            await process.send(b"x" * 300_000)
        assert scope.cancelled_caught
        await process.aclose()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forks", ["child", "holder", "session", "orphan"])
async def test_what_it_started_ends_with_it(kind: str, forks: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario(forks=forks))
        await converse(process, INITIALIZE, INITIALIZED, SHUTDOWN)
        await process.send(framed(EXIT))
        assert await process.wait() == 0
        assert await process.receive() == b""
        assert await process.usage() is None
        assert with_word(str(tmp_path)) == []
        await process.aclose()


@pytest.mark.parametrize("kind", KINDS)
async def test_work_shows_as_cpu(kind: str, tmp_path: Path) -> None:
    async with starting(kind, tmp_path) as start:
        process = start(Scenario(requests={"workspace/symbol": ["burn:0.5"]}))
        await converse(process, INITIALIZE)
        before = await process.usage()
        await converse(process, {"id": 3, "method": "workspace/symbol", "params": {"query": "x"}})
        after = await process.usage()
        assert before is not None
        assert after is not None
        assert after.cpu_s - before.cpu_s >= 0.4
        assert after.resident_bytes > 1_000_000
        await process.aclose()


# -- the real ones only -----------------------------------------------------------------------------------------------


async def test_a_program_that_is_not_there_ends_with_the_reason(tmp_path: Path) -> None:
    processes = SystemProcesses()
    process = processes.spawn(Launch(("/nonexistent/server",), str(tmp_path)))
    assert await process.wait() == 127
    assert await process.receive_errors() == b"/nonexistent/server: No such file or directory\n"
    await process.aclose()
    with pytest.raises(CannotStart, match="No such file or directory"):
        processes.spawn(Launch(argv_for(Scenario()), "/nonexistent/folder"))
    await processes.aclose()


async def test_what_a_server_starts_with(tmp_path: Path) -> None:
    """Its folder and variables, a group of its own, and signals as any program has them; no descriptor of ours."""
    show = "pwd; echo $GREETING; ps -o pgid= -p $$; echo $$; grep SigIgn /proc/$$/status; ls /proc/$$/fd"
    processes = SystemProcesses()
    kept = os.open(os.devnull, os.O_RDONLY)
    process = processes.spawn(Launch(("/bin/sh", "-c", show), str(tmp_path), {"GREETING": "hello"}))
    said = b""
    while chunk := await process.receive():
        said += chunk
    folder, greeting, group, own, _, ignored, *descriptors = said.decode().split()
    assert (folder, greeting, group, descriptors) == (str(tmp_path), "hello", own, ["0", "1", "2"])
    assert not int(ignored, 16) & (1 << (signal.SIGPIPE - 1))
    await process.aclose()
    await processes.aclose()
    os.close(kept)


async def test_the_private_folder_holds_what_it_is_to_hold(tmp_path: Path) -> None:
    processes = SystemProcesses(str(tmp_path / "state"))
    launch = Launch(("/bin/cat", "{state}/a.json"), str(tmp_path), state="name", files={"a.json": b'{"x": 1}'})
    for _ in range(2):
        process = processes.spawn(launch)
        assert await process.receive() == b'{"x": 1}'
        await process.aclose()
    assert sorted(path.name for path in (tmp_path / "state").rglob("*")) == ["a.json", "name"]
    await processes.aclose()


async def test_a_python_that_it_starts_imports_nothing_from_the_folder_it_serves(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('planted')\n")
    processes = SystemProcesses()
    code = f"import os; os.chdir({str(tmp_path)!r}); import json; print('safe')"
    for confined, said in ((None, b""), ({}, b"safe\n")):
        launch = Launch((sys.executable, "-c", code), str(tmp_path), confined=confined, state="name")
        process = processes.spawn(launch)
        assert await process.receive() == said
        await process.aclose()
    await processes.aclose()


async def test_what_is_confined_runs_in_its_private_folder_with_the_variables_that_it_is_given(tmp_path: Path) -> None:
    processes = SystemProcesses(str(tmp_path / "state"))
    show = "pwd; echo $HOME $GREETING"
    launch = Launch(("/bin/sh", "-c", show), str(tmp_path), {"GREETING": "hello"}, {"PATH": "/bin"}, state="name")
    process = processes.spawn(launch)
    said = b""
    while chunk := await process.receive():
        said += chunk
    assert said.decode().split() == [f"{tmp_path}/state/name", "hello"]
    await process.aclose()
    await processes.aclose()


async def test_the_private_folder_can_be_named_in_the_environment(tmp_path: Path) -> None:
    processes = SystemProcesses(str(tmp_path / "state"))
    launch = Launch(("/bin/sh", "-c", "echo $WHERE"), str(tmp_path), {"WHERE": "{state}/target"}, state="name")
    process = processes.spawn(launch)
    assert (await process.receive()).decode().strip() == f"{tmp_path}/state/name/target"
    await process.aclose()
    await processes.aclose()


async def test_a_private_folder_that_nobody_named_ends_with_the_processes(tmp_path: Path) -> None:
    processes = SystemProcesses()
    process = processes.spawn(Launch(("/bin/echo", "-n", "{state}"), str(tmp_path), state="name", files={"x": b""}))
    folder = (await process.receive()).decode()
    assert await trio.Path(folder, "x").exists()
    await process.aclose()
    await processes.aclose()
    assert not await trio.Path(folder).exists()


async def test_marks_of_cancelled_requests(tmp_path: Path) -> None:
    processes = SystemProcesses()
    launch = Launch(argv_for(Scenario()), str(tmp_path), {"TMPDIR": str(tmp_path)}, cancellation="abc")
    process = processes.spawn(launch)
    folder = tmp_path / "python-languageserver-cancellation" / "abc"
    process.request_cancel(7)
    assert [path.name for path in folder.iterdir()] == ["cancellation-7.tmp"]
    process.withdraw_cancel(7)
    process.withdraw_cancel(7)
    assert list(folder.iterdir()) == []
    await process.aclose()
    assert not folder.exists()
    await processes.aclose()


async def test_the_number_is_the_programs_own(tmp_path: Path) -> None:
    processes = SystemProcesses()
    process = processes.spawn(Launch(("/bin/sh", "-c", "echo $$; read -r line"), str(tmp_path)))
    assert int(await process.receive()) == process.pid
    await process.aclose()
    await processes.aclose()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGINT])
async def test_the_signal_that_ends_it_is_reported(tmp_path: Path, number: signal.Signals) -> None:
    processes = SystemProcesses()
    process = processes.spawn(Launch(("/bin/sh", "-c", f"kill -{number.name[3:]} $$; sleep 60"), str(tmp_path)))
    assert await process.wait() == -number
    await process.aclose()
    await processes.aclose()


@pytest.mark.parametrize("forks", ["child", "session"])
async def test_without_its_subreaper_it_ends_all_the_same(tmp_path: Path, forks: str) -> None:
    processes = SystemProcesses()
    process = processes.spawn(Launch(argv_for(Scenario(forks=forks)), str(tmp_path)))
    await converse(process, INITIALIZE, INITIALIZED, SHUTDOWN)
    os.kill(process._process.pid, signal.SIGKILL)
    assert await process.wait() == -signal.SIGKILL
    await process.aclose()
    assert marked(processes._mark) == []
    await processes.aclose()


async def test_a_subreaper_that_does_not_do_its_work_is_killed_with_what_is_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.processes.subreaper.END_S", -0.5)
    processes = SystemProcesses()
    process = processes.spawn(Launch(argv_for(Scenario(forks="orphan")), str(tmp_path)))
    await converse(process, INITIALIZE, INITIALIZED, SHUTDOWN)
    os.kill(process._process.pid, signal.SIGSTOP)
    await process.aclose()
    assert marked(processes._mark) == []
    assert with_word(str(tmp_path)) == []
    await processes.aclose()


@pytest.mark.parametrize("is_large", [False, True])
async def test_files_that_mention_a_name(is_large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_large:
        monkeypatch.setattr(word_files, "NODES_AT_ONCE", 0)
    sources = {
        "a.py": b"def save(): ...\n",
        "b.py": b"import a\na.save()\n",
        "c.py": b"# save\n",
        "d.py": b"for x in y: ...\n",
    }
    snapshot = build_snapshot(sources)
    finish(word_files.make_word_files(snapshot))
    assert set(await _mentioning(snapshot, "save")) == {"b.py"}
    assert set(await _mentioning(snapshot, "__iter__")) == {"d.py"}
    assert not await _mentioning(snapshot, "nothing")
