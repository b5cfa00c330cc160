"""Runs language servers on other versions of the files: each sees given texts in place of the files that differ.

The texts are those of a commit, or those that a rename would leave. These servers run apart from the one that answers
everybody else, so that nobody else ever sees the texts. One that nobody waits for is shown those of the next version.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import trio

from actors.language_servers.life.file_texts import BaseTextsOver
from actors.language_servers.programs.program import Program
from actors.language_servers.restarts import Lives
from codemap.live_queries import BaseTexts, Because, Missed

BASES_MAX = 2
"""Versions of one server's project that have a server at the same time."""

IDLE_S = 60.0
"""A server of another version ends after so long without a question."""

Key = tuple[str, str, str]
"""Identifies a server: its name, project and caveat."""


class _Base(msgspec.Struct, frozen=True):
    lives: Lives
    texts: BaseTextsOver
    scope: trio.CancelScope


class Bases:
    """The servers of other versions, of one family."""

    def __init__(self, nursery: trio.Nursery, jitter: Callable[[], float]) -> None:
        self._nursery = nursery
        self._jitter = jitter
        self._known: dict[tuple[Key, str], _Base] = {}
        """By server and commit, the oldest first."""

    def lives_of(self, lives: Lives, base: BaseTexts) -> Lives:
        """Starts, or finds, the same server on another version."""
        program: Program = lives.context.program
        server: Key = lives.context.server.name, program.project, program.caveat
        known = self._known.get((server, base.commit))
        if known is None or known.lives.context.program != program:
            if known is not None:
                self._end((server, base.commit))
            known = self._become(server, base, program) or self._start(server, base, lives)
        known.texts.add(base.texts)
        return known.lives

    def _become(self, server: Key, base: BaseTexts, program: Program) -> _Base | None:
        """Shows a server that nobody waits for the texts of this version; None where there is none.

        It has loaded the project, and only the documents differ: a new one would load it first.
        """
        idle = [key for key, one in self._known.items() if key[0] == server and one.lives.is_idle]
        for key in idle:
            if self._known[key].lives.context.program == program:
                known = self._known.pop(key)
                known.texts.replace(base.texts)
                self._known[server, base.commit] = known
                return known
        return None

    def _start(self, server: Key, base: BaseTexts, lives: Lives) -> _Base:
        of_same = [key for key in self._known if key[0] == server]
        for key in of_same[: len(of_same) + 1 - BASES_MAX]:
            self._end(key)
        texts = BaseTextsOver(lives.context.disk.texts)
        known = _Base(Lives(lives.context.over(texts, IDLE_S), self._jitter), texts, trio.CancelScope())
        self._known[server, base.commit] = known
        self._nursery.start_soon(_run, known)
        return known

    def _end(self, key: tuple[Key, str]) -> None:
        """Ends the server of a version, and answers the questions that wait for it."""
        base = self._known.pop(key)
        base.scope.cancel()
        life, flights = base.lives.life, base.lives.context.flights
        sent, unseen = ([], []) if life is None else life.unfinished()
        for flight in [*sent, *unseen, *flights]:
            flights.settle(flight, Missed(Because.FAILED, "another base is compared with"))


async def _run(base: _Base) -> None:
    with base.scope:
        await base.lives.run()
