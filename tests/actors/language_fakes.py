"""Language servers in virtual time: the scripted server behind the port that real processes are behind.

A fake process has what matters of a real one: a stdin that blocks when nobody reads, a stdout that ends with the last
who holds it, a group, children that left it, signals, and CPU that is only used by working.
"""

from __future__ import annotations

import math
import signal
from collections import deque
from collections.abc import Iterable
from itertools import count

import trio

from actors.language_servers.programs.ports import CannotStart, Launch, Usage
from tests.actors.fakes import FakeDisk
from tests.language_server.script import Burn, Complain, Deafen, Deed, Exit, Fork, Later, Scenario, Script, Stop, Write
from tests.language_server.sources import Code

PIPE_BYTES = 65_536
RESIDENT_BYTES = 50_000_000


class FakeProcesses:
    """See `Processes`. Each start takes the next scenario; the last is for all that follow."""

    def __init__(self, disk: FakeDisk, *scenarios: Scenario) -> None:
        self.disk = disk
        self.scenarios = list(scenarios) or [Scenario()]
        self.started: list[FakeProcess] = []
        self.launches: list[Launch] = []
        self.resident_bytes = RESIDENT_BYTES
        self.cannot_start = ""
        """Why no process can be started; empty: they can."""
        self.is_closed = False
        self._numbers = count(1000)

    @property
    def alive(self) -> list[int]:
        """Every process that runs, children of servers too."""
        return [number for process in self.started for number in process.family()]

    def spawn(self, launch: Launch) -> FakeProcess:
        if self.cannot_start:
            raise CannotStart(self.cannot_start)
        scenario = self.scenarios.pop(0) if len(self.scenarios) > 1 else self.scenarios[0]
        self.launches.append(launch)
        process = FakeProcess(self, next(self._numbers), scenario, launch)
        self.started.append(process)
        trio.lowlevel.spawn_system_task(process.run)
        return process

    def ram_bytes(self) -> int | None:
        return 64_000_000_000

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()
        self.is_closed = True

    def number(self) -> int:
        return next(self._numbers)


class FakeProcess:
    """See `ServerProcess`."""

    def __init__(self, owner: FakeProcesses, pid: int, scenario: Scenario, launch: Launch) -> None:
        disk = owner.disk
        prefix = disk.root + "/"

        def read(path: str) -> str | None:
            file = disk.files.get(path.removeprefix(prefix))
            return None if file is None else file.content.decode("utf-8", "replace")

        self.pid = pid
        self.scenario = scenario
        self.script = Script(scenario, Code(disk.root, read, lambda: [prefix + path for path in disk.files]))
        self.status: int | None = None
        self.input_closed = False
        self.cancelled: set[int] = set()
        """Requests that were marked as cancelled by file."""
        self.cpu_s = 0.0
        self.is_stopped = False
        self.terminations = 0
        self._owner = owner
        self._children: dict[int, str] = {}
        self._is_deaf = False
        self._stdin = bytearray()
        self._stdout: deque[bytes] = deque()
        self._stderr: deque[bytes] = deque()
        self._timers: list[tuple[float, int, object]] = []
        self._moved = trio.lowlevel.ParkingLot()

    # -- the port ---------------------------------------------------------------------------------------------------

    async def receive(self) -> bytes:
        return await self._read(self._stdout)

    async def receive_errors(self) -> bytes:
        return await self._read(self._stderr)

    async def send(self, chunk: bytes) -> None:
        await trio.lowlevel.checkpoint()
        for byte_count in range(0, len(chunk), 4096):
            part = chunk[byte_count : byte_count + 4096]
            while self.status is None and len(self._stdin) + len(part) > PIPE_BYTES:
                await self._moved.park()
            if self.status is not None or self.input_closed:
                raise trio.BrokenResourceError("nobody reads")
            self._stdin += part
            self._moved.unpark_all()

    def close_input(self) -> None:
        self.input_closed = True
        self._moved.unpark_all()

    async def wait(self) -> int:
        while self.status is None:
            await self._moved.park()
        return self.status

    def terminate(self) -> None:
        self.terminations += 1
        if not self.scenario.ignores_sigterm and not self.is_stopped:
            self.end(-signal.SIGTERM)
        for number in [number for number, kind in self._children.items() if kind not in ("session", "orphan")]:
            del self._children[number]

    async def usage(self) -> Usage | None:
        await trio.lowlevel.checkpoint()
        if self.status is not None:
            return None
        return Usage(self._owner.resident_bytes, self.cpu_s, 1 + len(self._children))

    def request_cancel(self, number: int) -> None:
        self.cancelled.add(number)

    def withdraw_cancel(self, number: int) -> None:
        self.cancelled.discard(number)

    async def aclose(self) -> None:
        self.end(-signal.SIGKILL)
        self._moved.unpark_all()
        await trio.lowlevel.checkpoint()

    # -- what happens in it -----------------------------------------------------------------------------------------

    def end(self, status: int) -> None:
        """It ends, or somebody ends it; what it started ends with it."""
        if self.status is None:
            self.status = status
            self._children.clear()
            self._moved.unpark_all()

    def family(self) -> list[int]:
        return ([self.pid] if self.status is None else []) + list(self._children)

    async def run(self) -> None:
        has_ended = False
        while self.status is None:
            if self.is_stopped:
                await self._moved.park()
            elif self._timers and min(self._timers)[0] <= trio.current_time():
                timer = min(self._timers)
                self._timers.remove(timer)
                await self._do(self.script.wake(timer[2]))
            elif self._stdin and not self._is_deaf:
                data = bytes(self._stdin)
                self._stdin.clear()
                self._moved.unpark_all()
                await self._do(self.script.receive(data))
            elif self.input_closed and not has_ended and not self._is_deaf:
                has_ended = True
                await self._do(self.script.end_of_input())
            else:
                with trio.CancelScope(deadline=min(self._timers)[0] if self._timers else math.inf):
                    await self._moved.park()

    async def _do(self, deeds: Iterable[Deed]) -> None:
        for deed in deeds:
            if self.status is not None:
                return
            match deed:
                case Write(data, is_dripped):
                    self._stdout += [data[at : at + 1] for at in range(len(data))] if is_dripped else [data]
                case Complain(data):
                    self._stderr.append(data)
                case Later(seconds, tag):
                    self._timers.append((trio.current_time() + seconds, self._owner.number(), tag))
                case Burn(seconds):
                    await self._burn(seconds)
                case Exit(code):
                    self.end(code)
                case Stop():
                    self.is_stopped = True
                    while self.is_stopped and self.status is None:
                        await self._moved.park()
                case Deafen():
                    self._is_deaf = True
                case Fork(kind):
                    self._children[self._owner.number()] = kind
            self._moved.unpark_all()

    async def _burn(self, seconds: float) -> None:
        for _ in range(round(seconds * 4)):
            await trio.sleep(0.25)
            self.cpu_s += 0.25
            if self.status is not None:
                return

    async def _read(self, stream: deque[bytes]) -> bytes:
        await trio.lowlevel.checkpoint()
        while not stream:
            if self.status is not None:
                return b""
            await self._moved.park()
        return stream.popleft()
