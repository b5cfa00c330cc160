"""How long language servers are waited for, when they are killed, and when they are started again. Time is an argument.

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

from codemap.live import (
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
"""Without a byte and without work for so long, past a deadline: wedged."""

PROBE_S = 3.0
"""The same for a probe, which costs nothing: it comes after a request that was too late."""

IDLE_CPU_S = 0.2
"""Less CPU than this in such a time is no work."""

STALL_S = 5.0
"""Nobody reads the server's stdin for so long, and it does no work: wedged."""

STALL_MAX_S = 30.0
"""The same, whether it works or not."""

RETRY_DELAYS_S = (0.2, 0.5, 1.0)
"""Before a request is repeated whose files moved on."""

SETTLE_MAX_S = 3.0
"""How long a server that looks at files again is waited for."""

TOMBSTONES_MAX = 8
"""More cancelled requests than this without an end: replaced when nobody waits for it."""

TOMBSTONE_MAX_S = 60.0
"""The same for one that is older."""

TOMBSTONE_BUSY_S = 2.0
"""So long a cancelled request counts as work that the server has; then it is taken to have forgotten it."""

CHANGES_MAX = 2000
"""More changed files than this at once, and a server that reads the disk is quicker begun anew."""

CANARY_S = 60.0
"""Time of use between two looks whether a known definition is still found."""

QUARANTINE_S = 600.0
"""How long a request is not repeated that twice ended a server."""

MEMORY_SOFT_SHARE = 0.5
"""Of the ceiling: above it, nothing is done in the background, and the server is replaced when nobody waits for it."""

MEMORY_RAM_SHARE = 0.25
"""Of the machine's memory: no server may have more."""

MEMORY_REST_S = 3600.0
"""How long a server stays down that twice in `MEMORY_PERIOD_S` had more memory than it may."""

MEMORY_PERIOD_S = 1800.0

INTENSITY = 4
"""Deaths within the period that are still borne."""

PERIOD_S = 120.0

START_FAILURES_MAX = 2
"""In a row."""

BACKOFF_S = (0.0, 0.5, 2.0, 8.0)
"""Before the next start, after the first death within the period, the second, …"""

BACKOFF_JITTER = 0.2

TRIPPED_MIN_S = 60.0
TRIPPED_MAX_S = 900.0

HEALTHY_S = 600.0
"""A life of this length makes all that was before forgotten."""

FIND_S = 10.0
"""Searches for programs keep callers waiting for so long, all together."""

FIND_AGAIN_S = 1.0
"""The same for what was looked for before and did not take as long then."""

RETRY_FIND_S = 5.0
"""A program that was missing is looked for again after this, where a caller waits for it."""

RETRY_FIND_IDLE_MIN_S = 60.0
"""The same where nobody in particular does; doubles each time."""

RETRY_FIND_IDLE_MAX_S = 900.0


class Patience(msgspec.Struct, frozen=True):
    """How long an answer may take."""

    warm_s: float
    """Later than this is strange, for a server that is ready."""
    hard_s: float
    """Later than this is never borne, however busy the server is."""


QUICK = Patience(3.0, 30.0)
LONG = Patience(10.0, 90.0)
WHOLE = Patience(3.0, 60.0)
PROBE = Patience(PROBE_S, 90.0)


def patience_with(question: LiveQuestion) -> Patience:
    """How long the answer to a question may take."""
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
    """A request that the server has not ended, whether somebody still waits for it or not."""

    sent_at: float
    patience: Patience


class Quiet(msgspec.Struct, frozen=True):
    """Since when nothing was heard of the server, and what CPU it had taken by then."""

    since: float
    cpu_s: float | None
    """None where the system does not say."""


def verdict_on(now: float, outstanding: Outstanding, quiet: Quiet, cpu_s: float | None) -> str:
    """Why a server must be killed that has not ended this request; empty: it need not be."""
    waited_s = now - outstanding.sent_at
    if waited_s >= outstanding.patience.hard_s:
        return f"no answer in {waited_s:.0f} s"
    quiet_s = now - max(quiet.since, outstanding.sent_at)
    needed_s = QUIET_S if outstanding.patience is not PROBE else PROBE_S
    if waited_s < outstanding.patience.warm_s or quiet_s < needed_s or has_worked(quiet, cpu_s):
        return ""
    return f"no word and no work in {quiet_s:.0f} s"


def verdict_on_writing(now: float, blocked_since: float, quiet: Quiet, cpu_s: float | None) -> str:
    """Why a server must be killed that has not read its stdin since; empty: it need not be."""
    blocked_s = now - blocked_since
    if blocked_s >= STALL_MAX_S or (blocked_s >= STALL_S and not has_worked(quiet, cpu_s)):
        return f"it has not read its input for {blocked_s:.0f} s"
    return ""


def has_worked(quiet: Quiet, cpu_s: float | None) -> bool:
    """Whether it may have worked since it is quiet."""
    return quiet.cpu_s is None or cpu_s is None or cpu_s - quiet.cpu_s >= IDLE_CPU_S


class Health(msgspec.Struct, frozen=True):
    """What is remembered of the lives of one server."""

    deaths: tuple[float, ...] = ()
    """When, within the period; the latest last."""
    start_failures: int = 0
    """In a row."""
    memory_kills: tuple[float, ...] = ()
    trips: int = 0
    """In a row."""


class Again(msgspec.Struct, frozen=True):
    """It is started again, not before."""

    at: float


class Tripped(msgspec.Struct, frozen=True):
    """It is left alone until then."""

    until: float


class Death(msgspec.Struct, frozen=True):
    """How a life ended that was not to end."""

    at: float
    lived_s: float
    answers: int
    """How many requests it had answered."""
    is_initialized: bool = True
    is_by_memory: bool = False


def after_death(health: Health, death: Death, jitter: float) -> tuple[Health, Again | Tripped]:
    """What is remembered after a death, and what follows. `jitter` from 0 up to 1 spreads the starts."""
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
    """Above it a server is killed. `ram_bytes`: of the machine; None where that is unknown."""
    wanted = wanted_mb * 1_000_000
    return wanted if ram_bytes is None else min(wanted, round(ram_bytes * MEMORY_RAM_SHARE))


def looks_again_at(asked_at: float, times: int) -> float:
    """When a program that was missing `times` times in a row is looked for again though no caller waits for it."""
    return asked_at + min(RETRY_FIND_IDLE_MAX_S, RETRY_FIND_IDLE_MIN_S * 2.0 ** (times - 1))
