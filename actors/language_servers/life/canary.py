"""A definition that a server is known to find: asked for again, it distinguishes an empty answer from a broken server.

Some servers live on when what does their work has died, and answer that there is nothing, for ever. A landmark is a
place whose definition was found to be that very place; as long as its file is the same, a server that does not find it
any more is broken. Where none is known, the map names definitions that may become one; a server that finds none of them
need not be broken (it may leave the file out), but its empty answers mean little.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from enum import Enum

import msgspec
import trio

from actors.language_servers.life.file_texts import BaseTextsOver, Text, Texts
from actors.language_servers.programs.program import Candidate
from actors.messaging.messages import FileStat
from codemap.live_queries import At
from codemap.lsp.positions import name_at

TRIES_MAX = 5
"""Places that are tried in one life until one proves to be a definition."""


class Known(msgspec.Struct, frozen=True):
    at: At
    stat: FileStat
    """Stat of its file when it was found."""


class Soundness(Enum):
    """How far an empty answer can be believed, after looking for the landmark."""

    SOUND = "sound"
    BROKEN = "broken"
    LATE = "late"
    """The server did not answer in time."""
    DOUBTFUL = "doubtful"
    """It did not find definitions that it should."""
    UNKNOWN = "unknown"
    """No definition is known to look for."""


class Landmark:
    """The landmark of one life, from an earlier one or learned."""

    def __init__(
        self,
        texts: Texts | BaseTextsOver,
        look: Callable[[At, str], Awaitable[bool | None]],
        suggest: Callable[[str], Iterable[Candidate]],
        known: Known | None,
    ) -> None:
        """`look` asks the server whether the definition at a place, on a line of this text, is the place itself;
        `suggest` names a few definitions in a file."""
        self.known = known
        self._texts = texts
        self._look = look
        self._suggest = suggest
        self._is_proven = False
        """Whether this life found it."""
        self._tries = 0
        self._checks = 0
        self._last = Soundness.UNKNOWN
        self._turn = trio.Lock()

    async def check(self, file: str) -> Soundness:
        """Whether the server finds the landmark after this call; those who ask at the same time share the answer.

        Where there is none, definitions in the file are tried, which an empty answer was about.
        """
        begun = self._checks
        async with self._turn:
            if self._checks == begun:
                self._checks += 1
                self._last = await self._check(file)
            return self._last

    async def learn(self, at: At) -> None:
        """Makes a place the landmark where there is none, if the server finds it to be a definition."""
        if self.known is None and self._tries < TRIES_MAX:
            self._tries += 1
            await self._try(at, "")

    async def _check(self, file: str) -> Soundness:
        known = self.known
        text = None if known is None else await self._read(known.at.file)
        if known is None or text is None or text.stat != known.stat:
            self.known = None
            return await self._find_one(file)
        found = await self._look(known.at, text.lines.line(known.at.line))
        if found is None:
            return Soundness.LATE
        if found:
            self._is_proven = True
            return Soundness.SOUND
        # Of an earlier life it is no proof: what that saw may have gone otherwise.
        return Soundness.BROKEN if self._is_proven else Soundness.DOUBTFUL

    async def _find_one(self, file: str) -> Soundness:
        """Makes one of the definitions in a file the landmark."""
        verdict = Soundness.UNKNOWN
        for one in self._suggest(file):
            match await self._try(one.at, one.name):
                case Soundness.SOUND:
                    return Soundness.SOUND
                case Soundness.LATE | Soundness.DOUBTFUL as other:
                    verdict = other
        return verdict

    async def _try(self, at: At, name: str) -> Soundness:
        """Asks whether the name at a place is its own definition; if so, the place becomes the landmark."""
        text = await self._read(at.file)
        line = "" if text is None else text.lines.line(at.line)
        if text is None or (name and name_at(line, at.col) != name):
            return Soundness.UNKNOWN
        found = await self._look(at, line)
        if found is None:
            return Soundness.LATE
        if found and self.known is None:
            self.known = Known(at, text.stat)
            self._is_proven = True
        return Soundness.SOUND if found else Soundness.DOUBTFUL

    async def _read(self, file: str) -> Text | None:
        return (await self._texts.read((file,))).get(file)
