"""A child process: the service builds its first map, and the child tells what that was like from the inside.

`python -m bench.cold ROOT` writes a `Cold` as JSON when the map is there, and ends when stdin does. Worker processes
import this file again, so nothing heavy may stand at its top.
"""

from __future__ import annotations

import sys
import time
from array import array
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from actors.service.service import Service

TICK_S = 0.001
"""What the probe sleeps: the finest that the loop's own granularity makes sense of."""

SETTLE_S = 1.0
"""After the map is there, before memory is looked at: what the build held is let go, and idle threads are asleep."""


class Cold(msgspec.Struct, frozen=True):
    pid: int
    paths: tuple[str, ...]
    """Files in the map, relative to the root."""
    lags_s: dict[str, list[float]]
    """By stage of the build: how much later than asked each sleep of `TICK_S` ended."""


def main() -> None:
    import gc

    import trio

    import actors.front.serve as _served_with  # noqa: F401  # so that memory counts what a server has loaded
    from actors.messaging.log import LEAST, Severity

    LEAST.set(Severity.WARNING)
    gc.collect()
    gc.freeze()
    trio.run(_cold, sys.argv[1])


async def _cold(root: str) -> None:
    import os

    import trio

    from actors.service.real_ports import open_disk
    from actors.service.wiring import open_service
    from bench.unpolished import UnpolishedBuilder
    from codemap.settings import Settings

    settings = Settings(verify="off")
    async with open_service(settings, open_disk(root, settings), UnpolishedBuilder()) as service:
        lags: dict[str, array[float]] = {}
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_probe, service, lags)
            why = await service.wait_built()
            nursery.cancel_scope.cancel()
        published = service.latest.get()
        if published is None:
            sys.exit(f"no map: {why}")
        paths = tuple(file.path for file in published.snapshot.files)
        del published
        await trio.sleep(SETTLE_S)
        sys.stdout.buffer.write(
            msgspec.json.encode(Cold(os.getpid(), paths, {stage: its.tolist() for stage, its in lags.items()})) + b"\n"
        )
        sys.stdout.flush()
        await trio.to_thread.run_sync(sys.stdin.buffer.read)


async def _probe(service: Service[Any], lags: dict[str, array[float]]) -> None:
    """Notes how late it wakes up, in columns: a number kept by itself between what a build frees keeps all around it
    from going back to the system."""
    import trio

    while True:
        building = service.latest.building
        start = time.perf_counter()
        await trio.sleep(TICK_S)
        lag_s = time.perf_counter() - start - TICK_S
        stage = "start" if building is None else building.stage
        if stage not in lags:
            lags[stage] = array("d")
        lags[stage].append(lag_s)


if __name__ == "__main__":
    main()
