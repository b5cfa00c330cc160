"""Decides how long to wait for language servers, when to kill them, and when to restart them. Time is an argument.

Numbers are measured on two busy cores over eleven servers. Deadlines belong to whoever asks; the limits here are those
of the server, whoever waits for it.

Rules of the file:
- Pure: seconds of any clock that does not go back, in and out.
- A server is killed for being late only when it is idle (wedged) or far too late; a busy one is waited for.

Source: Erlang/OTP's `supervisor` for intensity and period; "Release It!" for the circuit breaker.
"""

from __future__ import annotations

from typing import assert_never

import msgspec

from codemap.live_queries import (
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Diagnostics,
    Hover,
    Implementations,
    LiveQuestion,
    Outline,
    References,
    Rename,
    RenameRange,
    WorkspaceSymbols,
)

QUIET_S = 8.0
"""A late server counts as hung after so long without output and without CPU use."""

PROBE_S = 3.0
"""The same after an unanswered probe, which costs a server nothing; it is sent when a request is too late."""

IDLE_CPU_S = 0.2
"""CPU seconds in that time below which a server counts as idle."""

STALL_S = 5.0
"""A server that does not read its stdin for so long and uses no CPU counts as hung."""

STALL_MAX_S = 30.0
"""The same, whether it uses CPU or not."""

RETRY_DELAYS_S = (0.2, 0.5, 1.0)
"""Pauses before a request is repeated because its files changed."""

SETTLE_MAX_S = 3.0
"""How long to wait for a server that rereads files."""

TOMBSTONES_MAX = 8
"""With more cancelled requests than this without an end, a server is replaced when nobody waits for it."""

TOMBSTONE_MAX_S = 60.0
"""The same for a cancelled request that is older."""

TOMBSTONE_BUSY_S = 2.0
"""How long a cancelled request counts as work of the server; then it is assumed forgotten."""

CHANGES_MAX = 2000
"""With more changed files at once than this, a server that reads the disk is restarted, which is quicker."""

CANARY_S = 60.0
"""Time of use between two checks that a known definition is still found."""

QUARANTINE_S = 600.0
"""How long a question that crashed a server twice is not asked again."""

MEMORY_SOFT_SHARE = 0.5
"""Share of the memory ceiling above which nothing is asked in the background, and the server is replaced when idle."""

MEMORY_RAM_SHARE = 0.25
"""Share of the machine's memory that no server may exceed."""

MEMORY_REST_S = 3600.0
"""How long a server stays down that exceeded its memory twice in `MEMORY_PERIOD_S`."""

MEMORY_PERIOD_S = 1800.0

INTENSITY = 4
"""Deaths allowed within the period."""

PERIOD_S = 120.0

START_FAILURES_MAX = 2
"""Failed starts in a row that are allowed."""

BACKOFF_S = (0.0, 0.5, 2.0, 8.0)
"""Before the next start, after the first death within the period, the second, …"""

BACKOFF_JITTER = 0.2

TRIPPED_MIN_S = 60.0
TRIPPED_MAX_S = 900.0

HEALTHY_S = 600.0
"""After a life of this length, earlier deaths are forgotten."""

FIND_S = 10.0
"""How long searches for programs may keep callers waiting, all together."""

FIND_AGAIN_S = 1.0
"""The same for a program that was looked for before and took less time then."""

RETRY_FIND_S = 5.0
"""After this time a missing program is looked for again for a caller."""

RETRY_FIND_IDLE_MIN_S = 60.0
"""The same in the background; doubled each time."""

RETRY_FIND_IDLE_MAX_S = 900.0


class Patience(msgspec.Struct, frozen=True):
    """The time limits of an answer."""

    warm_s: float
    """Time after which a ready server is checked."""
    hard_s: float
    """Time after which a server is killed, however busy it is."""


QUICK = Patience(3.0, 30.0)
LONG = Patience(10.0, 90.0)
WHOLE = Patience(3.0, 60.0)
PROBE = Patience(PROBE_S, 90.0)


def patience_with(question: LiveQuestion) -> Patience:
    """Chooses the time limits of the answer to a question."""
    match question:
        case Definition() | Hover() | CallRoots() | Outline() | RenameRange():
            return QUICK
        case References() | Implementations() | CallsTo() | CallsFrom() | Diagnostics() | Rename():
            return LONG
        case WorkspaceSymbols():
            return WHOLE
        case _:
            assert_never(question)


class Outstanding(msgspec.Struct, frozen=True):
    """A request that the server has not ended, with or without somebody who waits for it."""

    sent_at: float
    patience: Patience


class Quiet(msgspec.Struct, frozen=True):
    """Since when the server has written nothing, and its CPU use by then."""

    since: float
    cpu_s: float | None
    """CPU seconds; None where unknown."""


def verdict_on(now: float, outstanding: Outstanding, quiet: Quiet, cpu_s: float | None) -> str:
    """Decides whether a server must be killed for a request without an end: why, or empty."""
    waited_s = now - outstanding.sent_at
    if waited_s >= outstanding.patience.hard_s:
        return f"no answer in {waited_s:.0f} s"
    quiet_s = now - max(quiet.since, outstanding.sent_at)
    needed_s = QUIET_S if outstanding.patience is not PROBE else PROBE_S
    if waited_s < outstanding.patience.warm_s or quiet_s < needed_s or has_worked(quiet, cpu_s):
        return ""
    return f"no word and no work in {quiet_s:.0f} s"


def verdict_on_writing(now: float, blocked_since: float, quiet: Quiet, cpu_s: float | None) -> str:
    """Decides whether a server must be killed because it does not read its stdin: why, or empty."""
    blocked_s = now - blocked_since
    if blocked_s >= STALL_MAX_S or (blocked_s >= STALL_S and not has_worked(quiet, cpu_s)):
        return f"it has not read its input for {blocked_s:.0f} s"
    return ""


def has_worked(quiet: Quiet, cpu_s: float | None) -> bool:
    """Whether the server may have used CPU since it is quiet."""
    return quiet.cpu_s is None or cpu_s is None or cpu_s - quiet.cpu_s >= IDLE_CPU_S


class Health(msgspec.Struct, frozen=True):
    """What is remembered of earlier lives of one server."""

    deaths: tuple[float, ...] = ()
    """Times of deaths within the period, the latest last."""
    start_failures: int = 0
    """Failed starts in a row."""
    memory_kills: tuple[float, ...] = ()
    trips: int = 0
    """How often in a row it was given up."""


class Again(msgspec.Struct, frozen=True):
    """Restart it at this time."""

    at: float


class Tripped(msgspec.Struct, frozen=True):
    """Do not restart it until then."""

    until: float


class Death(msgspec.Struct, frozen=True):
    """An unexpected end of a life."""

    at: float
    lived_s: float
    answers: int
    """Number of requests it had answered."""
    is_initialized: bool = True
    is_by_memory: bool = False


def after_death(health: Health, death: Death, jitter: float) -> tuple[Health, Again | Tripped]:
    """Decides what is remembered after a death, and when to restart. `jitter` from 0 up to 1 spreads the starts."""
    if death.lived_s >= HEALTHY_S:
        health = Health(memory_kills=health.memory_kills)
    now = death.at
    deaths = (*(at for at in health.deaths if at > now - PERIOD_S), now)
    kills = tuple(at for at in health.memory_kills if at > now - MEMORY_PERIOD_S)
    failures = 0 if death.is_initialized else health.start_failures + 1
    after = Health(deaths, failures, (*kills, now) if death.is_by_memory else kills, health.trips)
    if len(after.memory_kills) > 1:
        return Health(trips=health.trips + 1), Tripped(now + MEMORY_REST_S)
    is_unproven = health.trips > 0 and death.answers == 0
    if len(deaths) > INTENSITY or failures >= START_FAILURES_MAX or is_unproven:
        rest_s = min(TRIPPED_MAX_S, TRIPPED_MIN_S * 2.0**health.trips)
        return Health(memory_kills=after.memory_kills, trips=health.trips + 1), Tripped(now + rest_s)
    delay_s = BACKOFF_S[min(len(deaths), len(BACKOFF_S)) - 1]
    return after, Again(now + delay_s * (1 - BACKOFF_JITTER + 2 * BACKOFF_JITTER * jitter))


def memory_ceiling_bytes(wanted_mb: int, ram_bytes: int | None) -> int:
    """Computes the memory above which a server is killed. `ram_bytes` is the machine's; None where unknown."""
    wanted = wanted_mb * 1_000_000
    return wanted if ram_bytes is None else min(wanted, round(ram_bytes * MEMORY_RAM_SHARE))


def looks_again_at(asked_at: float, times: int) -> float:
    """Computes when a program that was missing `times` times in a row is looked for again in the background."""
    return asked_at + min(RETRY_FIND_IDLE_MAX_S, RETRY_FIND_IDLE_MIN_S * 2.0 ** (times - 1))
