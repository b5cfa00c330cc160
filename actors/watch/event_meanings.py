"""Watches a tree by inotify: maps watches to folders, and raw events to what changed there.

Rules of the file:
- A folder is watched before it is scanned, so that what is created during the scan causes an event.
- A folder that moves takes its watches along, under names that are wrong from then on: they end, and the place where
  it arrives is covered anew.
- Of git's own folder, two files count: the index, and the list of what this repository ignores.
- Ignore files of nested repositories are noticed, as all in watched folders. What lies in their own git folders is not,
  nor is the user's global list: a change of those shows with the next comparison of everything.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice

import trio

from actors.listing.watched_folders import Ground, folders_under, tracks_others
from actors.ports import Came, Event, Gone, Indexed, Lost, LostBecause, Touched
from actors.watch.inotify import Inotify, Mask, RawEvent

_BATCH = 256
"""Folders per call in a thread: some 10 ms, so that a cancelled watch ends soon."""

_REPOSITORY = b".git"


class TreeWatch:
    """The real `Watch`, by inotify. Used by one task at a time."""

    def __init__(self, survey: Callable[[], Awaitable[Ground]]) -> None:
        """`survey` returns what decides which folders are watched now. Raises Unwatchable."""
        self._inotify = Inotify()
        self._survey = survey
        self._ground: Ground | None = None
        self._folders: dict[int, bytes] = {}
        self._watches: dict[bytes, int] = {}
        self._git_files: dict[int, dict[bytes, Event]] = {}
        """By watch on a folder of git: what its files mean."""

    @property
    def folders(self) -> int:
        return len(self._folders)

    async def cover_all(self) -> None:
        self._ground = ground = await self._survey()
        reached: set[bytes] = set()
        await self._cover(ground, b"", reached)
        for folder in [folder for folder in self._watches if folder not in reached]:
            self._drop(folder)
        self._watch_git(ground)

    async def cover(self, folder: str) -> bool:
        if self._ground is None:
            self._ground = await self._survey()
        reached: set[bytes] = set()
        await self._cover(self._ground, os.fsencode(folder), reached)
        return bool(reached)

    async def has_new_rules(self) -> bool:
        before, now = self._ground, await self._survey()
        return before is None or await trio.to_thread.run_sync(tracks_others, before, now)

    async def wait(self) -> None:
        await self._inotify.wait()

    def read(self) -> list[Event]:
        events: list[Event] = []
        for raw in self._inotify.read():
            event = self._meaning(raw)
            if event is not None and (not events or events[-1] != event):
                events.append(event)
        return events

    def close(self) -> None:
        self._inotify.close()

    async def _cover(self, ground: Ground, folder: bytes, reached: set[bytes]) -> None:
        steps = self._watch_each(ground, folder, reached)
        while await trio.to_thread.run_sync(_advance, steps):
            pass

    def _watch_each(self, ground: Ground, start: bytes, reached: set[bytes]) -> Iterator[None]:
        for folder in folders_under(ground, start):
            watch = self._inotify.add(ground.root + b"/" + folder)
            if watch is not None:
                old = self._folders.get(watch)
                if old is not None and old != folder and self._watches.get(old) == watch:
                    del self._watches[old]
                self._folders[watch] = folder
                self._watches[folder] = watch
                reached.add(folder)
            yield

    def _watch_git(self, ground: Ground) -> None:
        for watch in self._git_files:
            self._inotify.remove(watch)
        self._git_files = {}
        rules = Lost(LostBecause.RULES)
        for folder, files in (
            (ground.around.own, {b"index": Indexed()}),
            (os.path.join(ground.around.store, b"info"), {b"exclude": rules}),
        ):
            number = self._inotify.add(folder)
            if number is not None and number not in self._folders:
                self._git_files[number] = {**self._git_files.get(number, {}), **files}

    def _drop(self, folder: bytes) -> None:
        watch = self._watches.pop(folder)
        self._folders.pop(watch, None)
        self._inotify.remove(watch)

    def _meaning(self, raw: RawEvent) -> Event | None:
        mask = raw.mask
        if mask & Mask.Q_OVERFLOW:
            return Lost(LostBecause.OVERFLOW)
        if raw.watch in self._git_files:
            return self._git_files[raw.watch].get(raw.name)
        folder = self._folders.get(raw.watch)
        if folder is None:
            return None
        if mask & Mask.IGNORED:
            del self._folders[raw.watch]
            if self._watches.get(folder) == raw.watch:
                del self._watches[folder]
            return None
        if mask & (Mask.UNMOUNT | Mask.DELETE_SELF | Mask.MOVE_SELF):
            return Lost(LostBecause.ROOT) if not folder or mask & Mask.UNMOUNT else None
        if not raw.name:
            return None
        if raw.name == _REPOSITORY:
            return Lost(LostBecause.RULES)
        path = folder + b"/" + raw.name if folder else raw.name
        text = os.fsdecode(path)
        if not mask & Mask.ISDIR:
            return Touched(text)
        if mask & Mask.MOVED_FROM:
            below = path + b"/"
            for moved in [one for one in self._watches if one == path or one.startswith(below)]:
                self._drop(moved)
        if mask & (Mask.MOVED_FROM | Mask.DELETE):
            return Gone(text)
        return Came(text)


def _advance(steps: Iterator[None]) -> bool:
    return sum(1 for _ in islice(steps, _BATCH)) == _BATCH
