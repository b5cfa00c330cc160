"""One suite for the scripted server and a real one, both as processes: what the tests of the actors rely on is so.

And the misbehaviours of the scripted one through a whole service, with real pipes, signals and clocks.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.language_servers.programs.leftover_processes import marked
from actors.language_servers.programs.ports import LanguagePorts
from actors.language_servers.programs.process import SystemProcesses
from actors.language_servers.programs.program import Absent, Program
from actors.messaging.messages import Lane
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.live_queries import (
    At,
    Because,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Fact,
    Found,
    Hover,
    LiveQuestion,
    Missed,
    Outline,
    References,
    WorkspaceSymbols,
)
from codemap.settings import Settings
from tests.language_server.script import Scenario
from tests.language_server.serve import argv_for
from tests.system.servers import programs

DEADLINE_S = 180
FILES = {
    "a.py": "def greet(name):\n    return name\n",
    "b.py": "from a import greet\n\n\ndef main():\n    return greet('x')\n",
    "sub/c.py": "s = 'äöü𝒳'\nfrom a import greet\n\n\ndef other():\n    return ['ß𝒳', greet('y'), greet('z')]\n",
}
SERVER = "ty"
"""The record under which the program runs."""

AT_CALL = At("b.py", 5, 14)
DEFINITION = Definition(AT_CALL)
REFERENCES = References(AT_CALL, with_declaration=True)
ALL = ["a.py:1:5", "b.py:1:15", "b.py:5:12", "sub/c.py:2:15", "sub/c.py:6:20", "sub/c.py:6:32"]


class Asker:
    def __init__(self, root: Path, service: Service[Any], processes: SystemProcesses) -> None:
        self.root = root
        self.service = service
        self.processes = processes

    async def ask(self, question: LiveQuestion) -> Fact:
        return await self.service.live(question, Lane.FOREGROUND)

    async def ask_within(self, seconds: float, question: LiveQuestion) -> Fact | None:
        with trio.move_on_after(seconds):
            return await self.ask(question)
        return None

    async def value(self, question: LiveQuestion) -> Any:
        fact = await self.ask(question)
        assert isinstance(fact, Found), fact
        assert fact.incomplete == ""
        return fact.value

    async def places(self, question: LiveQuestion) -> list[str]:
        return sorted(f"{place.file}:{place.line}:{place.col}" for place in await self.value(question))

    def status(self) -> dict[str, Any]:
        return self.service.live_status()["py"]

    def pid(self) -> int:
        """Of the server that runs."""
        return int(self.status()["pid"])

    def write(self, file: str, text: str) -> None:
        (self.root / file).parent.mkdir(exist_ok=True)
        (self.root / file).write_text(text, encoding="utf-8")


Argv = Callable[[Path], tuple[str, ...]]
"""A folder of its own -> the command line."""


@asynccontextmanager
async def asking(root: Path, argv: Argv) -> AsyncIterator[Asker]:
    """A service over a small repository with one server; at its end nothing may be left of it."""
    beside, root = root, root / "repository"
    root.mkdir()
    for file, text in FILES.items():
        (root / file).parent.mkdir(exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")

    async def find(server: Any, _folder: str, _known: object) -> Program | Absent:
        await trio.lowlevel.checkpoint()
        return Program(argv(beside), "1", "here") if server.name == SERVER else Absent("not here")

    processes = SystemProcesses()
    settings = Settings(store="off", workers=1)
    live = LanguagePorts(find, processes, "1")
    with trio.fail_after(DEADLINE_S):
        async with open_service(settings, open_disk(str(root), settings), SingleUseBuilder(), live=live) as service:
            await service.wait_built()
            yield Asker(root, service, processes)
    assert marked(processes._mark) == []


def scripted(*scenarios: Scenario) -> Argv:
    """Each start takes the next scenario; the last is for all that follow."""
    return lambda beside: argv_for(*scenarios, starts=str(beside / "starts"))


def real(_beside: Path) -> tuple[str, ...]:
    return (str(programs(SERVER) / SERVER),)


KINDS = {"scripted": scripted(Scenario()), "scripted, UTF-16": scripted(Scenario(encoding="utf-16")), "real": real}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
async def asker(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Asker]:
    async with asking(tmp_path, request.param) as asker:
        yield asker


# -- both -------------------------------------------------------------------------------------------------------------


async def test_every_question(asker: Asker) -> None:
    assert await asker.places(DEFINITION) == ["a.py:1:5"]
    assert await asker.places(Definition(At("sub/c.py", 6, 33))) == ["a.py:1:5"]
    assert await asker.places(REFERENCES) == ALL
    uses = await asker.places(References(AT_CALL))  # whether an import is a use or a declaration, servers differ in
    assert {place for place in ALL if place not in ("a.py:1:5", "b.py:1:15", "sub/c.py:2:15")} <= set(uses)
    assert set(uses) <= set(ALL[1:])
    assert "def greet(" in await asker.value(Hover(AT_CALL))
    (outline,) = await asker.value(Outline("b.py"))
    assert (outline.name, outline.kind.value, outline.place.at) == ("main", "function", At("b.py", 4, 5))
    assert (outline.whole.line, outline.whole.end_line) == (4, 5)
    symbols = await asker.value(WorkspaceSymbols("py", "greet"))
    assert [(symbol.name, symbol.place.at) for symbol in symbols] == [("greet", At("a.py", 1, 5))]
    (root,) = await asker.value(CallRoots(AT_CALL))
    assert (root.name, root.place.at) == ("greet", At("a.py", 1, 5))
    callers = await asker.value(CallsTo(root))
    assert {link.item.name: [(site.line, site.col) for site in link.sites] for link in callers} == {
        "main": [(5, 12)],
        "other": [(6, 20), (6, 32)],
    }
    (main,) = [link.item for link in callers if link.item.name == "main"]
    assert [link.item.name for link in await asker.value(CallsFrom(main))] == ["greet"]


async def test_nothing_is_there(asker: Asker) -> None:
    assert await asker.places(DEFINITION) == ["a.py:1:5"]
    assert await asker.places(Definition(At("b.py", 2, 1))) == []
    assert await asker.places(References(At("b.py", 2, 1))) == []
    assert await asker.value(Hover(At("b.py", 2, 1))) == ""
    assert await asker.value(WorkspaceSymbols("py", "nobody_has_this_name")) == ()
    missed = await asker.ask(Definition(At("nowhere.py", 1, 1)))
    assert isinstance(missed, Missed)
    assert missed.because is Because.NO_FILE
    assert asker.status()["restarts"] == 0


async def test_every_change_on_disk_is_in_the_next_answer(asker: Asker) -> None:
    assert await asker.places(REFERENCES) == ALL
    for lines in range(1, 6):
        asker.write("a.py", "\n" * lines + FILES["a.py"])
        assert await asker.places(DEFINITION) == [f"a.py:{1 + lines}:5"]
    asker.write("d.py", "from a import greet\ngreet(1)\n")
    assert [place for place in await asker.places(REFERENCES) if place.startswith("d")] == ["d.py:1:15", "d.py:2:1"]
    asker.write("new/e.py", "from a import greet\n")
    assert "new/e.py:1:15" in await asker.places(REFERENCES)
    (asker.root / "sub" / "c.py").unlink()
    assert [place for place in await asker.places(REFERENCES) if place.startswith("sub")] == []
    (asker.root / "d.py").rename(asker.root / "f.py")
    found = await asker.places(REFERENCES)
    assert [place for place in found if place[0] in "df"] == ["f.py:1:15", "f.py:2:1"]
    asker.write("b.py", "x = 1\n")
    assert [place for place in await asker.places(References(At("a.py", 6, 5))) if place.startswith("b")] == []


async def test_two_sizes_alike_within_a_moment(asker: Asker) -> None:
    """The second edit leaves the size alone, and comes within the same tick of the kernel's clock as often as not."""
    for _ in range(20):
        asker.write("a.py", "def greet(name):\n    return name\n\n")
        assert await asker.places(DEFINITION) == ["a.py:1:5"]
        asker.write("a.py", "\ndef greet(name):\n    return name\n")
        assert await asker.places(DEFINITION) == ["a.py:2:5"]


async def test_a_killed_server_is_started_again(asker: Asker) -> None:
    for restarts in range(3):
        assert await asker.places(REFERENCES) == ALL
        assert asker.status()["restarts"] == restarts
        psutil.Process(asker.pid()).kill()
        await trio.sleep(0.3)
    assert await asker.places(REFERENCES) == ALL


async def test_fifty_at_once_and_half_of_them_leave(asker: Asker) -> None:
    assert await asker.places(DEFINITION) == ["a.py:1:5"]
    pid = asker.pid()
    questions: list[tuple[LiveQuestion, list[str]]] = [
        (DEFINITION, ["a.py:1:5"]),
        (REFERENCES, ALL),
        (Definition(At("b.py", 4, 6)), ["b.py:4:5"]),
        (References(At("sub/c.py", 5, 5), with_declaration=True), ["sub/c.py:5:5"]),
        (Definition(At("sub/c.py", 6, 24)), ["a.py:1:5"]),
    ]
    answered = 0

    async def ask(number: int) -> None:
        nonlocal answered
        question, right = questions[number % len(questions)]
        with trio.move_on_after(number / 20_000 if number % 2 else DEADLINE_S):
            assert await asker.places(question) == right
            answered += 1

    for _ in range(20):
        async with trio.open_nursery() as nursery:
            for number in range(50):
                nursery.start_soon(ask, number)
    assert answered >= 20 * 25
    status = asker.status()
    assert (status["pid"], status["inFlight"], status["queued"]) == (pid, 0, 0)
    assert psutil.Process(os.getpid()).num_fds() < 100


# -- the scripted one: every misbehaviour, as a process ---------------------------------------------------------------

DEFINE = "textDocument/definition"
GOOD = Scenario()

ONCE = {
    "exits": "exit:7",
    "no protocol": "noise",
    "a huge frame": "huge",
    "answers twice": "twice",
    "byte by byte": "drip",
    "floods notifications": "flood",
    "floods stderr": "stderr",
    "asks for configuration": "configuration",
    "refuses for the moment": "error:-32801",
    "gives up by itself": "error:-32800",
    "works a while": "burn:1",
}


@pytest.mark.parametrize("deed", ONCE.values(), ids=ONCE.keys())
async def test_what_it_does_once(tmp_path: Path, deed: str) -> None:
    async with asking(tmp_path, scripted(Scenario(requests={DEFINE: [deed]}), GOOD)) as asker:
        assert await asker.places(DEFINITION) == ["a.py:1:5"]
        assert await asker.places(REFERENCES) == ALL


@pytest.mark.parametrize("deed", ["stop", "half", "never"])
async def test_a_hang_costs_the_deadline_and_no_more(tmp_path: Path, deed: str) -> None:
    async with asking(tmp_path, scripted(Scenario(requests={DEFINE: [deed]}), GOOD)) as asker:
        assert await asker.ask_within(3.1, DEFINITION) is None
        with trio.fail_after(60):
            assert await asker.places(DEFINITION) == ["a.py:1:5"]
            assert await asker.places(REFERENCES) == ALL


STARTS = ["exit", "error", "noise"]


@pytest.mark.parametrize("initialize", STARTS)
async def test_a_start_that_fails(tmp_path: Path, initialize: str) -> None:
    async with asking(tmp_path, scripted(Scenario(initialize=initialize))) as asker:
        missed = await asker.ask(DEFINITION)
        assert isinstance(missed, Missed)
        assert missed.because is Because.FAILED
        assert asker.status()["state"] == "tripped"


@pytest.mark.parametrize("initialize", STARTS)
async def test_a_start_that_fails_once(tmp_path: Path, initialize: str) -> None:
    async with asking(tmp_path, scripted(Scenario(initialize=initialize), GOOD)) as asker:
        assert await asker.places(DEFINITION) == ["a.py:1:5"]


@pytest.mark.parametrize("initialize", ["never", "half"])
async def test_a_start_that_hangs(tmp_path: Path, initialize: str) -> None:
    async with asking(tmp_path, scripted(Scenario(initialize=initialize), GOOD)) as asker:
        assert await asker.ask_within(0.5, DEFINITION) is None
        assert asker.status()["state"] == "starting"
        with trio.fail_after(60):
            assert await asker.places(DEFINITION) == ["a.py:1:5"]


ENDINGS = {
    "ignores shutdown": Scenario(shutdown="ignore"),
    "exits on shutdown": Scenario(shutdown="exit"),
    "ends on end of input only": Scenario(on_exit="ignore"),
    "ignores all but a kill": Scenario(shutdown="ignore", on_exit="ignore", on_eof="ignore", ignores_sigterm=True),
    "forks a child": Scenario(forks="child"),
    "forks a child that holds stdout": Scenario(forks="holder"),
    "forks a child with a session of its own": Scenario(forks="session"),
    "stopped itself": Scenario(requests={"textDocument/hover": ["stop"]}),
    "reads no more": Scenario(requests={"textDocument/hover": ["deaf"]}),
}


@pytest.mark.parametrize("scenario", ENDINGS.values(), ids=ENDINGS.keys())
async def test_nothing_is_left_when_codemap_ends(tmp_path: Path, scenario: Scenario) -> None:
    began = 0.0
    async with asking(tmp_path, scripted(scenario)) as asker:
        assert await asker.places(DEFINITION) == ["a.py:1:5"]
        await asker.ask_within(0.2, Hover(AT_CALL))
        assert len(marked(asker.processes._mark)) == (3 if scenario.forks else 2)  # with the subreaper
        began = trio.current_time()
    assert trio.current_time() - began < 30
