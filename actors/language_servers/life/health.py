"""Ends one life of a language server when it hangs, grows too large, forgets what it knew, or is no longer needed.

Source: the limits are those of `actors/language_servers/life/restart_policy.py`.
"""

from __future__ import annotations

from math import inf

import trio

from actors.language_servers.life.canary import Soundness
from actors.language_servers.life.pipes import End, Why
from actors.language_servers.life.restart_policy import (
    CANARY_S,
    MEMORY_SOFT_SHARE,
    TOMBSTONE_MAX_S,
    TOMBSTONES_MAX,
    Quiet,
    has_worked,
    memory_ceiling_bytes,
    verdict_on,
    verdict_on_writing,
)
from actors.language_servers.life.server import Life

BUSY_S = 1.0
"""Pause between two checks of a server that works."""

IDLE_S = 30.0
"""Pause between two checks of an idle server."""


async def watch(life: Life) -> None:
    """Checks the life again and again, and ends it when it must end."""
    assert life.process is not None
    assert life.pipes is not None
    server = life.context.server
    ceiling = memory_ceiling_bytes(server.memory_max_mb, life.context.running_servers.ram_bytes)
    quiet = Quiet(life.pipes.heard_at, None)
    checked_at = trio.current_time()
    while life.end is None:
        now = trio.current_time()
        usage = await life.process.usage()
        cpu_s = None if usage is None else usage.cpu_s
        if life.pipes.heard_at > quiet.since or not _is_waited_for(life) or has_worked(quiet, cpu_s):
            quiet = Quiet(now, cpu_s)
        verdict = _lateness(life, now, quiet, cpu_s)
        if verdict:
            life.stop(End(Why.WEDGED, verdict))
            return
        if usage is not None:
            life.weigh(usage.resident_bytes, round(ceiling * MEMORY_SOFT_SHARE))
            if usage.resident_bytes > ceiling:
                life.stop(End(Why.MEMORY, f"it took {usage.resident_bytes / 1e6:.0f} MB of memory"))
                return
        life.note_use()
        life.context.flights.changed.unpark_all()  # what it was taken to work on may be forgotten by now
        if not life.running.is_busy and (end := _retirement(life, now)):
            life.stop(end)
            return
        if life.answers and life.running.is_busy and now - checked_at >= CANARY_S:
            checked_at = now
            if await life.landmark.check("") is Soundness.BROKEN:
                life.stop(End(Why.UNSOUND, "it no longer finds what it found before"))
                return
        await life.wait_busy(BUSY_S, IDLE_S)


def _is_waited_for(life: Life) -> bool:
    assert life.pipes is not None
    return bool(life.work.outstanding) or life.pipes.blocked_since is not None


def _lateness(life: Life, now: float, quiet: Quiet, cpu_s: float | None) -> str:
    assert life.pipes is not None
    found = [verdict_on(now, one, quiet, cpu_s) for one in life.work.outstanding]
    if life.pipes.blocked_since is not None:
        found.append(verdict_on_writing(now, life.pipes.blocked_since, quiet, cpu_s))
    return next(filter(None, found), "")


def _retirement(life: Life, now: float) -> End | None:
    """Says why a server that nobody waits for should end; empty: it should not."""
    oldest_s = now - min((one.sent_at for one in life.work.buried), default=inf)
    if len(life.work.buried) > TOMBSTONES_MAX or oldest_s > TOMBSTONE_MAX_S:
        return End(Why.REPLACED, f"{len(life.work.buried)} cancelled requests have not ended")
    if life.is_heavy:
        return End(Why.REPLACED, "it takes much memory")
    if now - life.running.used_at >= life.context.server.idle_stop_s:
        return End(Why.STOPPED, "nobody needs it")
    return None
