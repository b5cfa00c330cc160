"""Reports the progress of a call to its client: the build of the map, the start of a language server, its questions.

A client that sent a token is notified ten times a second at most, and only of what is new. The numbers of one call
rise, as the protocol wants it, though one stage may follow another.

Source: MCP 2025-11-25, "Progress".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec
import trio

from actors.indexing.latest_snapshot import Building
from actors.language_servers.status import Stage
from actors.service.service import Service
from codemap.escapes import escaped
from codemap.graph.model.snapshot import Snapshot

EVERY_S = 0.1
HALF = 50.0
"""Percent of a build after parsing; binding is the second half."""
RISE = 0.001
"""Added to a number that did not rise."""


class Progress(msgspec.Struct, frozen=True):
    done: float
    total: float | None
    """Total; None where unknown."""
    sentence: str


class Following:
    """The state of a running call, written by the code that answers it."""

    def __init__(self) -> None:
        self.asked = self.answered = 0
        """Questions to language servers."""
        self.languages: set[str] = set()
        """Of those servers."""
        self.service: Service[Snapshot] | None = None

    def progress(self) -> Progress | None:
        """The progress of the call; None where nothing is waited for."""
        service = self.service
        if service is None:
            return None
        if service.latest.building is not None:
            return _of_build(service.latest.building)
        if self.answered < self.asked:
            status = service.live_status()
            working = (_of_server(status.get(language, {})) for language in sorted(self.languages))
            words = next((said for said in working if said), "")
            sentence = f"{self.answered} of {self.asked} questions to the language server are answered"
            return Progress(self.answered, self.asked, f"{sentence}: {words}" if words else sentence)
        return None


T = TypeVar("T")
Notify = Callable[[float, float | None, str], Awaitable[None]]


async def with_progress(following: Following, notify: Notify, answer: Callable[[], Awaitable[T]]) -> T:
    """Runs a call and notifies of its progress meanwhile."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(report, following, notify)
        answered = await answer()
        nursery.cancel_scope.cancel()
    return answered


async def report(following: Following, notify: Notify) -> None:
    """Notifies of the progress of a call whenever it changes, until cancelled."""
    reported: Progress | None = None
    last = -1.0
    while True:
        await trio.sleep(EVERY_S)
        now = following.progress()
        if now is None or now == reported:
            continue
        reported = now
        total = now.total if now.done > last else None
        last = max(now.done, last + RISE)
        await notify(last, total, now.sentence)


def _of_build(building: Building) -> Progress:
    """The progress of a build, in percent: an edit may parse one file and bind a thousand."""
    done, total = building.files_done, building.files_total
    half = round(HALF * done / max(total, 1), 2)
    match building.stage:
        case "list":
            return Progress(0, None, "Listing the files")
        case "extract":
            return Progress(half, 2 * HALF, f"Parsed {done} of {total} files")
        case _:
            return Progress(HALF + half, 2 * HALF, f"Bound the names of {done} of {total} files")


def _of_server(status: Mapping[str, Any]) -> str:
    """Says what a server without an answer is doing; empty where it just works."""
    match status.get("state"):
        case Stage.STARTING.value | Stage.COLD.value | Stage.BACKOFF.value:
            return "it is starting"
        case Stage.LOADING.value:
            return escaped(str(status.get("progress") or "it loads the project"))
        case _:
            return escaped(str(status.get("progress") or ""))
