"""The watcher: notices what changes on disk, and has the resolver look at it.

Events are hints. What they name is collected until it is quiet, then the resolver compares just that with the disk.
Where events were lost, or the rules changed by which files are ignored, it compares everything. Where there are no
events at all, it compares everything now and then.

The file is long because noticing and handing on share one life.

Rules of the file:
- A folder that came is watched first and looked at after, so nothing in it is missed.
- A root that moved ends this life: the next one watches what is there then, and compares everything.
- One look at a time is under way; what changes meanwhile waits for the next.
- Whoever asks for freshness gets what was done before the ask: the kernel queues an event before the call that causes
  it returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from typing import assert_never

import msgspec
import trio

from actors.messaging.inbox import ActorDied, Address, Delivery, Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    EVERYTHING,
    Drain,
    Drained,
    Fresh,
    Freshen,
    Look,
    Noticed,
    Rebuild,
    ResolverMessage,
    Unavailable,
    WatcherMessage,
)
from actors.messaging.supervise import Outage
from actors.ports import (
    Came,
    Event,
    Gone,
    Indexed,
    Lost,
    LostBecause,
    Ports,
    Touched,
    Unwatchable,
    Watch,
    away_because,
)
from actors.watch.debounce import Pace, Pending
from actors.watch.watch_status import Mode, WatcherStatistics, Watching

READ_PAUSE_S = 0.002
"""Between two readings of events: the kernel merges what repeats meanwhile."""

READS_MAX = 64
"""Most reads in a row, so that a flood of events does not delay whoever waits for the first of them."""

COVERS_MAX = 64
"""With more new folders at once than this, everything is covered anew."""

RETRY_S = 300.0
"""After watching failed, the pause until it is tried again."""

POLL_SHARE_MAX = 0.05
"""Most of the time that is spent on polling, as a share."""

RULE_FILES = frozenset((".gitignore", "pyvenv.cfg"))
"""Names of files that decide which other files are indexed."""


class WatchSettings(msgspec.Struct, frozen=True):
    mode: str
    """`auto`, `poll` or `off`."""
    pace: Pace
    poll_s: float


async def watcher(
    inbox: Inbox[WatcherMessage],
    *,
    resolver: Address[ResolverMessage],
    ports: Ports,
    settings: WatchSettings,
    watching: Watching,
    matters: Callable[[str], bool],
    uncounted: Collection[str],
) -> None:
    """Runs until cancelled. `matters`: whether a file of this path could be indexed, or bears on those that are;
    folders with an `uncounted` name never hold any."""
    async with trio.open_nursery() as nursery:
        life = _Life(resolver, ports, settings, watching, matters, uncounted)
        nursery.start_soon(life.hand_on)
        nursery.start_soon(life.notice)
        async for delivery in inbox:
            match delivery.message:
                case Noticed(paths):
                    life.tell(paths)
                case Freshen():
                    nursery.start_soon(life.freshen, delivery)
                case Drain() as ask:
                    nursery.start_soon(life.drain, delivery, ask)
                case _:
                    assert_never(delivery.message)


class _Life:
    """One life of the watcher."""

    def __init__(
        self,
        resolver: Address[ResolverMessage],
        ports: Ports,
        settings: WatchSettings,
        watching: Watching,
        matters: Callable[[str], bool],
        uncounted: Collection[str],
    ) -> None:
        self._resolver = resolver
        self._ports = ports
        self._settings = settings
        self._watching = watching
        self._matters = matters
        self._uncounted = uncounted
        self._pending = Pending(settings.pace)
        self._watch: Watch | None = None
        self._reading = trio.Lock()
        self._urgent: list[Delivery[WatcherMessage]] = []
        self._told = trio.lowlevel.ParkingLot()
        self._mode, self._reason = Mode.STARTING, ""
        self._failure = ""
        self._following = trio.CancelScope()
        self._is_unreconciled = False
        """What changed before the folders were watched, or after, may have been missed."""
        self._events = self._overflows = self._looks = 0
        self._last_event_at = -math.inf
        self._publish()

    async def notice(self) -> None:
        """Notices changes by the best available means, for ever."""
        match self._settings.mode:
            case "off":
                self._enter(Mode.OFF)
            case "poll":
                self._enter(Mode.POLLING)
                await self._poll()
            case _:
                while True:
                    reason = await self._follow()
                    log("unwatchable", Severity.WARNING, reason=reason)
                    self._enter(Mode.POLLING, reason)
                    with trio.move_on_after(RETRY_S):
                        await self._poll()

    async def hand_on(self) -> None:
        """Hands pending changes to the resolver, when it is time or someone asks."""
        while True:
            await self._wait_due()
            asked, self._urgent = self._urgent, []
            hints = self._pending.hand_on()
            if hints.is_everything or self._is_unreconciled:
                self._is_unreconciled = False
                await self._compare_all()
                self._pending.done()
            elif hints.paths:
                looked = await self._resolver.ask(Look(hints.paths))
                if isinstance(looked, Unavailable):
                    raise ActorDied("resolver", looked.reason)
                self._pending.done(looked.ignored)
            self._looks += hints.is_everything or bool(hints.paths)
            self._publish()
            for delivery in asked:
                if isinstance(delivery.message, Freshen):
                    delivery.answer(delivery.message, Fresh())

    async def freshen(self, delivery: Delivery[WatcherMessage]) -> None:
        """Answers once everything that was done before is in the map."""
        watch = self._watch
        if watch is None or not await self._drain(watch):
            self._is_unreconciled = True
        if not delivery.is_abandoned:
            self._urgent.append(delivery)
            self._told.unpark_all()

    async def drain(self, delivery: Delivery[WatcherMessage], ask: Drain) -> None:
        """Answers once all queued events are in the journal."""
        watch = self._watch
        is_certain = watch is not None and await self._drain(watch)
        delivery.answer(ask, Drained(self._watching.journal.position, is_certain))

    def tell(self, paths: Iterable[str]) -> None:
        """Notes changes that another actor saw."""
        if self._mode is not Mode.OFF:
            for path in paths:
                if path == EVERYTHING:
                    self._is_unreconciled = True
                else:
                    self._note(path)
            self._publish()
            self._told.unpark_all()

    async def _wait_due(self) -> None:
        while not self._urgent and not self._is_unreconciled:
            left_s = self._pending.due_at() - trio.current_time()
            if left_s <= 0:
                return
            with trio.move_on_after(left_s):
                await self._told.park()

    async def _compare_all(self) -> None:
        rebuilt = await self._resolver.ask(Rebuild())
        if isinstance(rebuilt, Unavailable):
            raise ActorDied("resolver", rebuilt.reason)

    async def _poll(self) -> None:
        took_s = 0.0
        while True:
            await trio.sleep(max(self._settings.poll_s, took_s / POLL_SHARE_MAX))
            began = trio.current_time()
            await self._compare_all()
            took_s = trio.current_time() - began

    async def _follow(self) -> str:
        """Reads events as they come; returns why no more come."""
        try:
            with self._ports.open_watch() as watch, trio.CancelScope() as self._following:
                await watch.cover_all()
                if not watch.folders:
                    raise Outage(away_because(self._ports, None) or f"the folder {self._ports.root} cannot be opened")
                self._watch = watch
                self._enter(Mode.EVENTS)
                self._is_unreconciled = True
                self._watching.journal.add_everything()
                self._told.unpark_all()
                while True:
                    await watch.wait()
                    await self._drain(watch)
                    await trio.sleep(READ_PAUSE_S)
        except Unwatchable as error:
            self._failure = str(error)
        finally:
            self._watch = None
        return self._failure

    async def _drain(self, watch: Watch) -> bool:
        """Reads all queued events; False, and the end of the watch, where no more come."""
        async with self._reading:
            for _ in range(READS_MAX):
                if self._watch is not watch:
                    return False
                events = watch.read()
                if not events:
                    break
                try:
                    await self._take(watch, events)
                except Unwatchable as error:
                    self._failure = str(error)
                    self._watch = None
                    self._following.cancel()
                    return False
            return True

    async def _take(self, watch: Watch, events: list[Event]) -> None:
        now = trio.current_time()
        self._events += len(events)
        self._last_event_at = now
        came: set[str] = set()
        is_everything = is_indexed = False
        for event in events:
            match event:
                case Touched(path):
                    if path.rpartition("/")[2] in RULE_FILES:
                        is_everything = True
                    elif self._matters(path):
                        self._note(path)
                    else:
                        self._watching.others.add(path)
                case Came(folder):
                    came.add(folder)
                    self._watching.others.add(folder + "/")
                case Gone(folder):
                    self._watching.others.add(folder + "/")
                    if folder.rpartition("/")[2] not in self._uncounted:
                        self._note(folder + "/")
                case Indexed():
                    is_indexed = True
                case Lost(why):
                    is_everything = True
                    if why is LostBecause.ROOT:
                        raise Outage(away_because(self._ports, None) or f"the folder {self._ports.root} was moved")
                    if why is LostBecause.OVERFLOW:
                        self._overflows += 1
                        log("events-lost", Severity.WARNING)
                case _:
                    assert_never(event)
        tops = _tops(came)
        if is_indexed and not is_everything:
            is_everything = await watch.has_new_rules()
        if is_everything or len(tops) > COVERS_MAX:
            await watch.cover_all()
            self._pending.add_everything(trio.current_time())
            self._watching.journal.add_everything()
        else:
            for folder in tops:
                if await watch.cover(folder):
                    self._note(folder + "/")
        self._publish()
        self._told.unpark_all()

    def _note(self, path: str) -> None:
        self._pending.add(path, trio.current_time())
        self._watching.journal.add(path)

    def _enter(self, mode: Mode, reason: str = "") -> None:
        self._mode, self._reason = mode, reason
        self._publish()

    def _publish(self) -> None:
        self._watching.pending = self._pending.known()
        self._watching.statistics = WatcherStatistics(
            self._mode.value,
            self._reason or None,
            0 if self._watch is None else self._watch.folders,
            self._events,
            self._overflows,
            self._looks,
            self._last_event_at,
        )


def _tops(folders: set[str]) -> list[str]:
    """Filters folders to those that lie in no other of them."""
    found: list[str] = []
    for folder in sorted(folders):
        parts = folder.split("/")
        if not any("/".join(parts[:depth]) in folders for depth in range(1, len(parts))):
            found.append(folder)
    return found
