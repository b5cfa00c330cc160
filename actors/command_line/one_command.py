"""Runs one command on a service of its own: progress on stderr, then the reply or the map.

The call goes the way that every front's calls go. A terminal gets a bar that is wiped in the end; elsewhere progress is
plain lines, and only where they were asked for.
"""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any

import msgspec
import trio

from actors.cluster.opening import find_cluster
from actors.command_line.index_report import Built, nothing_found
from actors.front.call import Reply, call
from actors.indexing.latest_snapshot import Building, Latest
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.indexing.unparsable_files import why_lost
from actors.language_servers.programs.real_ports import open_language_ports
from actors.messaging.log import LEAST, Severity
from actors.messaging.messages import Unavailable
from actors.messaging.output import complain, is_watched, remark
from actors.remote.opening import find_sharing
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.index_slots import IS_UNHURRIED
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Configured, Settings
from codemap.tools import Tool

BAR_WIDTH = 24
REFRESH_S = 0.1
"""Interval at which the bar is drawn."""

_STAGES = {"list": "looking for files", "extract": "reading files", "graph": "connecting symbols"}
_WIPE = "\r\x1b[K"


class Shown(Enum):
    """Where progress is shown."""

    ALWAYS = "always"
    ON_A_TERMINAL = "on a terminal"


def built(root: str, configured: Configured, shown: Shown) -> Built | Unavailable | None:
    """Builds the map of the disk as it is now, or says why there is none; None when a signal came first."""
    LEAST.set(least_shown(configured.settings))
    return trio.run(_built, root, configured, shown)


def ask(
    tool: Tool, arguments: Mapping[str, Any], root: str, configured: Configured, shown: Shown, whole: str = ""
) -> Reply | None:
    """Answers one call on a freshly built map; None when a signal came first.

    `whole` is a list of the payload that is wanted with all of its pages.
    """
    LEAST.set(least_shown(configured.settings))
    return trio.run(_ask, tool, arguments, root, configured, shown, whole)


def least_shown(settings: Settings) -> Severity:
    """The log level of one command: errors only, unless the settings say otherwise. What the rest means for the answer
    is in the answer."""
    return Severity.ERROR if settings.log_level == Settings().log_level else Severity[settings.log_level.upper()]


async def _built(root: str, configured: Configured, shown: Shown) -> Built | Unavailable | None:
    found: Built | Unavailable | None = None
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        async with _service(nursery, root, configured, shown) as service:
            missing = await _why_outdated(service) or await service.wait_built()
            if missing is None and (published := service.latest.get()) is not None:
                why = why_lost(published) or nothing_found(published, root)
                took_s = trio.current_time() - start
                read = service.parsed
                found = Unavailable(why) if why else Built(published, took_s, read)
                await service.save()
                await service.flush()
                for sentence in (*service.sharing_warnings, *service.cluster_warnings):
                    complain(sentence)
            else:
                found = missing
        nursery.cancel_scope.cancel()
    return found


async def _ask(
    tool: Tool, arguments: Mapping[str, Any], root: str, configured: Configured, shown: Shown, whole: str
) -> Reply | None:
    reply: Reply | None = None
    async with trio.open_nursery() as nursery:
        async with _service(nursery, root, configured, shown) as service:
            outdated = None if tool.needs_rebuild else await _why_outdated(service)
            if (published := service.latest.get()) is not None:
                published.snapshot.indexes.put(IS_UNHURRIED, True)
            reply = await call(service, configured.settings, tool, arguments)
            if reply.code == ErrorCode.MAP_NOT_BUILT and service.latest.get() is None:  # the stored one was lost
                await service.wait_built()
                reply = await call(service, configured.settings, tool, arguments)
            if whole:
                reply = await _with_pages(service, configured.settings, tool, arguments, reply, whole)
            published = service.latest.get()
            nothing = "" if published is None else nothing_found(published, root)
            if nothing:
                complain(nothing)
            if nothing or outdated:  # a script goes by the exit code
                reply = msgspec.structs.replace(reply, is_error=True)
            await service.save()
        nursery.cancel_scope.cancel()
    return reply


async def _why_outdated(service: Service[Snapshot]) -> Unavailable | None:
    """Waits for the map; where it is of an earlier run, also for its comparison with the disk, and returns why that
    failed."""
    failed: Unavailable | None = None

    async def compare() -> None:
        nonlocal failed
        compared = await service.rebuild()
        failed = compared if isinstance(compared, Unavailable) else None

    async with trio.open_nursery() as nursery:
        nursery.start_soon(compare)  # asked before the stored map is there, so that the first comparison answers
        await service.wait_built()
        if not service.is_warm:
            nursery.cancel_scope.cancel()
    return failed if service.is_warm else None


async def _with_pages(
    service: Service[Snapshot], settings: Settings, tool: Tool, arguments: Mapping[str, Any], first: Reply, whole: str
) -> Reply:
    """Adds to the first reply what later pages have of a list, as far as they can be fetched."""
    envelope, cursor = first.envelope, _cursor(first)
    if whole not in envelope.get("data", {}):
        return first
    listed = list(envelope["data"][whole])
    while cursor:
        page = await call(service, settings, tool, {**arguments, "cursor": cursor})
        if page.is_error:
            break
        listed += page.envelope["data"].get(whole, ())
        cursor = _cursor(page)
    if _cursor(first) and not cursor:
        envelope = {name: value for name, value in envelope.items() if name != "dropped"} | {"truncated": False}
    envelope = envelope | {"data": envelope["data"] | {whole: listed}}
    return msgspec.structs.replace(first, envelope=envelope)


def _cursor(reply: Reply) -> str:
    return str(reply.envelope.get("dropped", {}).get("cursor", ""))


@asynccontextmanager
async def _service(
    nursery: trio.Nursery, root: str, configured: Configured, shown: Shown
) -> AsyncIterator[Service[Snapshot]]:
    """Opens a service for one command; a signal cancels the nursery, which shows the progress."""
    nursery.start_soon(cancel_on_signal, nursery.cancel_scope)
    settings = msgspec.structs.replace(configured.settings, watch="off")  # gone before anything changes
    disk, live, codec = open_disk(root, settings), open_language_ports(root, settings), SnapshotCodec()
    ignored = configured.ignored
    async with open_service(
        settings,
        disk,
        SingleUseBuilder(),
        codec=codec,
        live=live,
        ignored=ignored,
        sharing=find_sharing(settings, os.environ),
        cluster=find_cluster(settings, disk.root, os.environ),
    ) as service:
        if is_watched():
            nursery.start_soon(_draw, service.latest)
        elif shown is Shown.ALWAYS:
            nursery.start_soon(_tell, service.latest)
        yield service


async def _draw(latest: Latest[Snapshot]) -> None:
    """Draws a bar while a build runs."""
    is_drawn = False
    try:
        while True:
            if latest.building is not None:
                remark(_WIPE + bar(latest.building))
            elif is_drawn:
                remark(_WIPE)
            is_drawn = latest.building is not None
            await trio.sleep(REFRESH_S)
    finally:
        if is_drawn:
            remark(_WIPE)


async def _tell(latest: Latest[Snapshot]) -> None:
    """Writes a line for each stage of a build, and for each tenth of the reading."""
    shown = ""
    while True:
        if latest.building is not None:
            done, total = latest.building.files_done, latest.building.files_total
            tenths = f": {10 * (10 * done // total)} % of {total}" if total else ""
            text = _STAGES.get(latest.building.stage, latest.building.stage) + tenths
            if text != shown:
                complain(text)
            shown = text
        await trio.sleep(REFRESH_S)


def bar(building: Building) -> str:
    """Formats the progress of a build on one line."""
    stage = _STAGES.get(building.stage, building.stage)
    if not building.files_total:
        return f"codemap: {stage} …"
    filled = BAR_WIDTH * building.files_done // building.files_total
    return f"codemap: {stage} [{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {building.files_done}/{building.files_total}"


async def cancel_on_signal(scope: trio.CancelScope) -> None:
    """Cancels a scope at each SIGINT and SIGTERM, until it is cancelled itself."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
