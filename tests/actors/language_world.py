"""A language supervisor over a fake disk and scripted servers, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import msgspec
import trio
from trio.testing import MockClock

from actors.language_servers.life.document_sync import MirroredDisk
from actors.language_servers.life.file_texts import Texts
from actors.language_servers.life.running_servers import RunningServers
from actors.language_servers.programs.program import Absent, Candidate, Finder, Program
from actors.language_servers.status import Standing
from actors.language_servers.supervisor import Family, language_supervisor
from actors.messaging.inbox import Address, Inbox
from actors.messaging.messages import Drained, FileStat, Lane, LanguageMessage, Live, Unavailable
from actors.ports import Came, Event, Gone, Lost, Touched
from actors.watch.watch_status import Journal
from codemap.languages import by_name
from codemap.live_queries import At, Because, Definition, Fact, Found, LiveQuestion, Missed, References
from codemap.lsp.server import AfterProgress, Entry, Server
from tests.actors.fakes import FakeDisk
from tests.actors.language_fakes import FakeProcesses
from tests.language_server.script import Scenario

SERVER = Server(
    name="scripted",
    entry=Entry(names=("scripted",)),
    arguments=("--stdio",),
    install="pip install scripted",
    language_ids={".py": "python", ".pyi": "python"},
    configuration={"scripted": {"level": 1}},
)

LOADING = msgspec.structs.replace(SERVER, readiness=AfterProgress("loading"))

FILES: Mapping[str, bytes] = {
    "a.py": b"def greet(name):\n    return name\n",
    "b.py": b"from a import greet\n\n\ndef main():\n    return greet('x')\n",
    "c.py": b"from a import greet\n\n\ndef other():\n    return [greet('y'), greet('z')]\n",
}

WHERE_CALLED = At("b.py", 5, 14)
DEFINITION = Definition(WHERE_CALLED)
REFERENCES = References(WHERE_CALLED)


class JournalWatch:
    """Notes what happens on the fake disk."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def queue(self, event: Event) -> None:
        match event:
            case Touched(path):
                self._journal.add(path)
            case Came(folder) | Gone(folder):
                self._journal.add(folder + "/")
            case Lost():
                self._journal.add_everything()


class LanguageWorld:
    """A running supervisor."""

    def __init__(self, disk: FakeDisk, processes: FakeProcesses, address: Address[LanguageMessage]) -> None:
        self.disk = disk
        self.processes = processes
        self.standing = Standing()
        self.journal = Journal()
        self.program: Program | Absent = Program(("/bin/scripted",), "1.0", "/bin/scripted")
        self.finds: list[str] = []
        self.trust = 0
        """Counts what the user says of the repository."""
        self.sees_events = True
        self.definitions: list[Candidate] = []
        """Of the map."""
        self._address = address

    async def ask(self, question: LiveQuestion, lane: Lane = Lane.FOREGROUND) -> Fact:
        fact = await self._address.ask(Live(question, lane))
        assert not isinstance(fact, Unavailable)
        return fact

    async def ask_within(self, seconds: float, question: LiveQuestion) -> Fact | None:
        """None: there was no answer by then."""
        with trio.move_on_after(seconds):
            return await self.ask(question)
        return None

    async def places(self, question: LiveQuestion) -> list[str]:
        """Where an answer points, as `file:line:col`; it must be complete."""
        fact = await self.ask(question)
        assert isinstance(fact, Found), fact
        assert not fact.incomplete
        return where(fact)

    async def find(self, server: Server, folder: str) -> Program | Absent:
        self.finds.append(f"{server.name}:{folder}")
        await trio.lowlevel.checkpoint()
        return self.program

    async def drain(self) -> Drained:
        await trio.lowlevel.checkpoint()
        return Drained(self.journal.position, self.sees_events)


def where(fact: Found) -> list[str]:
    return [f"{place.file}:{place.line}:{place.col}" for place in fact.value]


@asynccontextmanager
async def open_world(
    *scenarios: Scenario,
    files: Mapping[str, bytes] = FILES,
    servers: tuple[Server, ...] = (SERVER,),
    running_servers: Callable[[FakeProcesses], RunningServers] = RunningServers,
    find: Finder | None = None,
) -> AsyncIterator[LanguageWorld]:
    """A world in which the servers that are started follow these scenarios; at its end nothing may be left."""
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    disk = FakeDisk(files)
    processes = FakeProcesses(disk, *scenarios)
    inbox: Inbox[LanguageMessage] = Inbox("language servers")
    world = LanguageWorld(disk, processes, inbox.address)
    disk.start()
    await trio.sleep(1)
    disk.watches.append(JournalWatch(world.journal))  # type: ignore[arg-type]
    family = Family(
        languages={"py": msgspec.structs.replace(by_name()["py"], servers=servers)},
        find=find or world.find,
        root=disk.root,
        disk=MirroredDisk(
            disk,
            Texts(disk),
            world.journal,
            world.drain,
            lambda: _stats(disk),
            definitions=lambda _file: world.definitions,
        ),
        running_servers=running_servers(processes),
        version="1",
        jitter=lambda: 0.5,
        trust=lambda: world.trust,
    )

    async def live() -> None:
        with inbox.serving():
            await language_supervisor(inbox, family, world.standing)

    with trio.fail_after(10_000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(live)
            yield world
            nursery.cancel_scope.cancel()
    assert processes.alive == []


def _stats(disk: FakeDisk) -> dict[str, FileStat]:
    return {path: file.stat for path, file in disk.files.items()}


def because(fact: Fact | None) -> Because:
    assert isinstance(fact, Missed), fact
    return fact.because
