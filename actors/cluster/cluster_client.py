"""The client of a cluster from its parent's side: a process that is asked by many tasks at a time, in frames.

Answers come in any order, each to who asked; one that nobody waits for any more is dropped.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import count

import outcome
import trio

from actors.cluster.client_setup import ClientSetup, pack_setup, pack_wanted
from actors.ports import ClusterTrouble
from actors.processes.isolation import OWN_PACKAGES, python_function
from actors.workers.framed_process import Answer, CannotStart, FramedProcess, start_framed
from actors.workers.frames import Kind

PROGRAM = "actors.cluster.dask_client:main"

DASK_PACKAGES = (
    *("click", "cloudpickle", "dask", "distributed", "fsspec", "jinja2", "locket", "markupsafe", "msgpack"),
    *("packaging", "partd", "psutil", "sortedcontainers", "tblib", "toolz", "tornado", "urllib3", "yaml", "zict"),
)
"""What Dask imports beside the standard library; a test compares it with what the package requires."""

START_MAX_S = 15.0
"""How long it may take besides connecting: Dask's modules are imported in a second, on a busy machine in ten."""

SEND_MAX_S = 10.0
"""How long the process may take to read a frame of a few kilobytes."""


class ClusterClient:
    """See `actors.ports.Cluster`."""

    def __init__(self, process: FramedProcess, batches: int) -> None:
        self.batches = batches
        self._process = process
        self._numbers = count(1)
        self._waiting: dict[int, trio.Event] = {}
        self._answers: dict[int, outcome.Outcome[bytes]] = {}
        self._sending = trio.Lock()
        self._lost = trio.Event()
        self._why = ""

    async def parse(self, files: Sequence[tuple[str, bytes]]) -> bytes:
        number, answered = next(self._numbers), trio.Event()
        self._waiting[number] = answered
        is_answered = False
        try:
            await self._send(Kind.JOB, pack_wanted(files), number)
            if self._lost.is_set():
                raise ClusterTrouble(self._why)
            await answered.wait()
            is_answered = True
            return self._answers.pop(number).unwrap()
        finally:
            if not is_answered:
                self._waiting.pop(number, None)
                self._answers.pop(number, None)
                await self._send(Kind.CANCEL, b"", number)

    async def wait_lost(self) -> str:
        await self._lost.wait()
        return self._why

    async def receive(self) -> None:
        """Hands answers to who waits for them, until the process ends."""
        while not self._lost.is_set():
            frame = await self._process.receive()
            match frame.kind:
                case Kind.ANSWER:
                    self._answer(frame, outcome.Value(frame.body))
                case Kind.FAILED:
                    self._answer(frame, outcome.Error(ClusterTrouble(frame.text)))
                case Kind.WORKERS:
                    self.batches = frame.number
                case _:
                    self.lose(frame.text)

    def _answer(self, frame: Answer, answer: outcome.Outcome[bytes]) -> None:
        answered = self._waiting.pop(frame.number, None)
        if answered is not None:
            self._answers[frame.number] = answer
            answered.set()

    def lose(self, why: str) -> None:
        """Ends all that is waited for, because of `why`, a clause."""
        self._why, self.batches = why, 0
        self._lost.set()
        for number, answered in self._waiting.items():
            self._answers[number] = outcome.Error(ClusterTrouble(why))
            answered.set()
        self._waiting.clear()

    async def _send(self, kind: Kind, body: bytes, number: int) -> None:
        """Sends a frame, whole even when cancelled; a process that does not read it is lost."""
        with trio.CancelScope(shield=True, deadline=trio.current_time() + SEND_MAX_S) as scope:
            async with self._sending:
                if not self._lost.is_set():
                    await self._process.send(kind, body, number)
        if scope.cancelled_caught:
            self.lose("its client takes no jobs")


@asynccontextmanager
async def open_client(setup: ClientSetup, environment: Mapping[str, str]) -> AsyncIterator[ClusterClient]:
    """Opens the client of a cluster; it is killed when the context ends. Entering it raises ClusterTrouble."""
    try:
        process = start_framed(
            FramedProcess, python_function(PROGRAM, packages=OWN_PACKAGES + DASK_PACKAGES), environment
        )
    except CannotStart as error:
        raise ClusterTrouble(str(error)) from error
    try:
        await process.send(Kind.JOB, pack_setup(setup))
        try:
            ready = await process.wait_ready(setup.connect_s + START_MAX_S)
        except CannotStart as error:
            raise ClusterTrouble(str(error)) from error
        client = ClusterClient(process, ready.number)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.receive)
            try:
                yield client
            finally:
                client.lose("it was left")
            nursery.cancel_scope.cancel()
    finally:
        await process.aclose()
