"""The main program of the client of a Dask cluster: takes batches of files from its parent, and has workers parse them.

It is a process of its own, so that Dask's event loop, its memory and whatever the cluster sends stay out of the process
that answers questions: only bytes go on to the parent, which checks them. It reads files itself, for contents cross no
pipe.

Rules of the file:
- Nothing of Dask is imported before the parent said which cluster; at the top, as in a parser process, the standard
  library only.
- Workers are never connected to, only the scheduler: its address is the one that the user named.
- Each job gets one frame, an answer or why there is none, unless it was cancelled.

Source: Dask.distributed, "Client", "TLS/SSL".
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from actors.workers.frames import HEADER, Kind, framed
from actors.workers.worker_main import begin

if TYPE_CHECKING:
    from actors.cluster.client_setup import ClientSetup
    from codemap.cluster.jobs import ClusterJob

LOOK_S = 0.5
"""Pause between two looks at how many workers there are, and at whether the scheduler answers."""

SCHEDULER_MAX_S = 20.0
"""A scheduler that does not say that in time is lost."""

_ANNOUNCED_MAX_BYTES = 1 << 40
"""Dask warns of large jobs; ours are as large as files are."""


def main() -> None:
    """Serves jobs until the input ends."""
    sink = begin()
    asyncio.run(_serve(sink))


async def _serve(sink: int) -> None:
    from outcome import Error, acapture

    source, client = await _source(), _Client(sink)
    result = await acapture(client.run, source)
    await client.tell(Kind.BROKEN, 0, _sentence(result.error) if isinstance(result, Error) else b"its input ended")
    os._exit(0)  # what Dask has running is of no use to anybody


class _Client:
    """The connection to the scheduler, and the jobs that are there."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._writing = asyncio.Lock()
        self._jobs: dict[int, asyncio.Task[None]] = {}
        self._dask: Any = None
        self._template: ClusterJob | None = None
        """What jobs have in common; it has no checkout any more once the workers were found to have none."""

    async def tell(self, kind: Kind, number: int, body: bytes = b"") -> None:
        """Writes a frame to the parent."""
        async with self._writing:
            await asyncio.to_thread(_write, self._sink, framed(kind, body, number))

    async def run(self, source: asyncio.StreamReader) -> None:
        """Connects as the first frame says, and serves the others until the input ends. Raises what Dask raises where
        the scheduler is lost."""
        first = await _frame(source)
        if first is None:
            return
        from actors.cluster.client_setup import unpack_setup

        setup = unpack_setup(first[2])
        self._dask = await _connected(setup)
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(self._watch())
            while (frame := await _frame(source)) is not None:
                kind, number, body = frame
                if kind == Kind.JOB:
                    task = self._jobs[number] = group.create_task(self._answer(setup, number, body))
                    task.add_done_callback(partial(self._forget, number))
                elif number in self._jobs:
                    self._jobs[number].cancel()
            for task in (watch, *self._jobs.values()):
                task.cancel()

    async def _watch(self) -> None:
        """Tells the parent how many jobs the workers can do at a time; raises where the scheduler is lost."""
        kind, known = Kind.READY, -1
        while True:
            if self._dask.status != "running":  # what it had is lost, even if it is there again
                raise ConnectionError("the scheduler is gone")
            threads = await asyncio.wait_for(self._dask.nthreads(), SCHEDULER_MAX_S)
            if sum(threads.values()) != known:
                known = sum(threads.values())
                await self.tell(kind, known)
                kind = Kind.WORKERS
            await asyncio.sleep(LOOK_S)

    async def _answer(self, setup: ClientSetup, number: int, body: bytes) -> None:
        """Has a batch parsed. What workers do not find in their checkout is sent to them."""
        import msgspec
        from outcome import Error, acapture

        from actors.cluster.client_setup import Missing

        name, template = f"{setup.name}-{number}", self._template or setup.template
        result = await acapture(self._parsed, setup, name, body, template)
        if not isinstance(result, Error) and template.checkout and (missing := setup.missing(body, result.value)):
            sent = msgspec.structs.replace(template, checkout=b"")
            self._template = sent if missing is Missing.ALL else template
            result = await acapture(self._parsed, setup, f"{name}-sent", body, sent)
        if not isinstance(result, Error):
            await self.tell(Kind.ANSWER, number, result.value)
            return
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise result.error
        await self.tell(Kind.FAILED, number, _sentence(result.error))

    async def _parsed(self, setup: ClientSetup, name: str, body: bytes, template: ClusterJob) -> bytes:
        from actors.cluster.dask_task import parse

        packed = await asyncio.to_thread(setup.job, body, template)
        future = self._dask.submit(parse, packed, key=name, pure=False)
        try:
            answer: bytes = await future.result()
            return answer
        finally:
            future.release()

    def _forget(self, number: int, _task: asyncio.Task[None]) -> None:
        del self._jobs[number]


async def _connected(setup: ClientSetup) -> Any:
    """Connects to the scheduler. Raises what Dask raises, and ValueError where certificates are missing."""
    import dask.config
    import distributed

    library: Any = distributed  # it has no types
    dask.config.set({"distributed.admin.large-graph-warning-threshold": _ANNOUNCED_MAX_BYTES})
    security = library.Security(require_encryption=setup.is_encrypted)
    if setup.is_encrypted and not (security.tls_ca_file and security.tls_client_cert):
        raise ValueError(
            "a connection over TLS needs certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and …__CLIENT__KEY, or the same in Dask's configuration"
        )
    return await library.Client(
        setup.address,
        security=security,
        asynchronous=True,
        timeout=setup.connect_s,
        set_as_default=False,
        direct_to_workers=False,
        name="codemap",
    )


async def _source() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", 0, closefd=False)
    )
    return reader


async def _frame(source: asyncio.StreamReader) -> tuple[int, int, bytes] | None:
    """Reads the next frame; None at the end of the input."""
    try:
        kind, size, number = HEADER.unpack(await source.readexactly(HEADER.size))
        return kind, number, await source.readexactly(size)
    except asyncio.IncompleteReadError:
        return None


def _write(sink: int, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(sink, rest) :]


def _sentence(error: BaseException) -> bytes:
    """Says what failed in one line: the first cause, where several tasks ended for it."""
    while isinstance(error, BaseExceptionGroup):
        causes: Sequence[BaseException] = error.exceptions
        error = causes[0]
    line = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {line}"[:300].encode(errors="replace")
