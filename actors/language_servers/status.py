"""The status of the language servers of one family: for `map_status`, and to say why there is no answer yet.

Written by the supervisor; what is read here is of this moment.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec
import trio

from actors.language_servers.programs.program import Absent
from actors.language_servers.restarts import Lives
from codemap.lsp.state import State


class Stage(Enum):
    COLD = "cold"
    """Not running; the first question starts it."""
    ABSENT = "absent"
    """No program was found."""
    STARTING = "starting"
    LOADING = "loading"
    READY = "ready"
    ENDING = "ending"
    BACKOFF = "backoff"
    """It crashed and is about to be restarted."""
    TRIPPED = "tripped"
    """It crashed too often and is not restarted for a while."""


class ServerStatus(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The status of one language's server; members that do not apply are left out."""

    state: Stage
    server: str | None = None
    version: str | None = None
    project: str | None = None
    """Folder that it serves, relative to the root; left out for the root."""
    projects: int | None = None
    """Number of projects with a server of their own, where there are several."""
    pid: int | None = None
    restarts: int = msgspec.field(default=-1)
    """Restarts since codemap began."""
    uptime_s: int | None = None
    rss_mb: int | None = None
    in_flight: int | None = None
    queued: int | None = None
    answers: int | None = None
    """Answers in this life."""
    progress: str | None = None
    complaints: dict[str, str] | None = None
    """Errors that it reports in configuration files of the project, by file."""
    reason: str | None = None
    """Why it does not run, or how its last life ended."""
    install: str | None = None
    stderr_tail: str | None = None


class Standing:
    """What the supervisor of a family shows to others."""

    def __init__(self) -> None:
        self.lives: dict[str, list[Lives]] = {}
        """By language, the one that was asked last first."""
        self.absent: dict[str, Absent] = {}
        """By language: why none was found when it was asked for last."""

    def chosen(self, language: str, lives: Lives) -> None:
        """Notes the servers that questions of this language go to."""
        self.absent.pop(language, None)
        known = self.lives.setdefault(language, [])
        if known[:1] != [lives]:
            self.lives[language] = [lives, *(one for one in known if one is not lives)]

    def stage(self, language: str) -> Stage:
        lives = self.lives.get(language)
        if language in self.absent or not lives:
            return Stage.ABSENT if language in self.absent else Stage.COLD
        return _stage(lives[0])

    def status(self, language: str) -> dict[str, Any]:
        """The status of a language's server, for `map_status`."""
        lives = self.lives.get(language, [])
        absent = self.absent.get(language)
        if absent is not None:
            found = ServerStatus(Stage.ABSENT, reason=absent.reason, install=absent.install)
        elif lives:
            found = _status(lives[0], len(lives))
        else:
            found = ServerStatus(Stage.COLD)
        plain: dict[str, Any] = msgspec.to_builtins(found)
        return {name: value for name, value in plain.items() if value not in (None, "", -1)}


def _stage(lives: Lives) -> Stage:
    life = lives.life
    if life is None:
        if lives.refusal is not None:
            return Stage.TRIPPED
        died = lives.last_end is not None and lives.last_end.is_death
        return Stage.BACKOFF if died and lives.context.flights.peek() is not None else Stage.COLD
    if life.end is not None:
        return Stage.ENDING
    match life.session.state:
        case State.READY:
            return Stage.READY
        case State.LOADING:
            return Stage.LOADING
        case State.NEW | State.INITIALIZING:
            return Stage.STARTING
        case State.CLOSING | State.CLOSED:
            return Stage.ENDING


def _status(lives: Lives, projects: int) -> ServerStatus:
    life, context = lives.life, lives.context
    queued = context.flights.counts()
    ended = lives.last_end
    common = ServerStatus(
        state=_stage(lives),
        server=context.server.name,
        version=context.program.version,
        project=context.program.project,
        projects=projects if projects > 1 else None,
        restarts=max(0, lives.lives - 1),
        queued=queued.foreground + queued.background,
        reason=ended.message if ended is not None and ended.is_death else None,
        stderr_tail=lives.stderr if ended is not None and ended.is_death else None,
    )
    if life is None or life.process is None:
        return common
    return msgspec.structs.replace(
        common,
        pid=life.process.pid,
        uptime_s=int(trio.current_time() - life.began_at),
        rss_mb=round(life.running.resident_bytes / 1e6) or None,
        in_flight=len(life.work.flights),
        answers=life.answers,
        progress=life.session.progress,
        complaints={file: message for file, message in life.complaints.items() if message} or None,
    )
