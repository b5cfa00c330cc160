"""A definition that a server is known to find: asked for again, it tells an empty answer from a broken server.

Some servers live on when what does their work has died, and answer that there is nothing, for ever. A landmark is a
place whose definition was found to be that very place; as long as its file is the same, a server that does not find it
any more is broken.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum

import msgspec
import trio

from actors.language_texts import Texts
from actors.messages import FileStat
from codemap.live import At

TRIES_MAX = 5
"""Places that are tried in one life until one is its own definition."""


class Known(msgspec.Struct, frozen=True):
    at: At
    stat: FileStat
    """Of its file when it was found."""


class Soundness(Enum):
    """What looking for the landmark says of an empty answer."""

    SOUND = "sound"
    BROKEN = "broken"
    LATE = "late"
    """The server had no time to look."""
    UNKNOWN = "unknown"
    """There is no landmark, or none any more."""


class Landmark:
    """The landmark of one life, from an earlier one or learned."""

    def __init__(self, texts: Texts, look: Callable[[At, str], Awaitable[bool | None]], known: Known | None) -> None:
        """`look` asks the server whether the definition at a place, on a line of this text, is the place itself."""
        self.known = known
        self._texts = texts
        self._look = look
        self._is_proven = False
        """Whether this life found it."""
        self._tries = 0
        self._checks = 0
        self._last = Soundness.UNKNOWN
        self._turn = trio.Lock()

    async def check(self) -> Soundness:
        """Whether the server finds the landmark after this call; those who ask at the same time share the answer."""
        begun = self._checks
        async with self._turn:
            if self._checks == begun:
                self._checks += 1
                self._last = await self._check()
            return self._last

    async def learn(self, at: At) -> None:
        """Takes a place for the landmark where there is none, if the server says that it is a definition."""
        if self.known is not None or self._tries >= TRIES_MAX:
            return
        self._tries += 1
        text = (await self._texts.read((at.file,))).get(at.file)
        if text is not None and await self._look(at, text.lines.line(at.line)) and self.known is None:
            self.known = Known(at, text.stat)
            self._is_proven = True

    async def _check(self) -> Soundness:
        known = self.known
        if known is None:
            return Soundness.UNKNOWN
        text = (await self._texts.read((known.at.file,))).get(known.at.file)
        if text is None or text.stat != known.stat:
            self.known = None
            return Soundness.UNKNOWN
        found = await self._look(known.at, text.lines.line(known.at.line))
        if found is None:
            return Soundness.LATE
        if found:
            self._is_proven = True
            return Soundness.SOUND
        if self._is_proven:
            return Soundness.BROKEN
        self.known = None  # of an earlier life: what that saw may have gone otherwise
        return Soundness.UNKNOWN
