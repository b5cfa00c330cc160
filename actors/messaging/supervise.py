"""Supervision: runs a group of actors, restarts it when one of them fails, and gives up when it fails too often.

The members of a group restart as one: when any of them ends, the others are cancelled, every open ask of the group
fails with `ActorDied`, and after a delay all are restarted. An actor that restarts alone is a group of one. More than
`intensity` restarts within the period make the group `Unavailable`: its inboxes answer so at once, and it is tried
again when somebody asks for it, or after a pause, for ever. While it fails again within a period, it is given up at
once, and the pauses grow. Nothing of it ends the process.

An `Outage` is the world's failure: it is logged in a line, without a traceback, and its words are for people.

This is one of the two places that catch `Exception`.

Source: Erlang/OTP's `supervisor` for intensity and period.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
import trio

from actors.messaging.inbox import ActorDied, Inbox
from actors.messaging.log import Severity, leaf, log, trace
from actors.messaging.messages import Unavailable

DOUBLINGS_MAX = 30
"""How often a pause is doubled at most: enough for any pause, and few enough for a float."""


class Policy(msgspec.Struct, frozen=True):
    """When to restart and when to give up."""

    intensity: int = 3
    """Restarts allowed within the period; one more makes the group unavailable."""
    period_s: float = 60.0
    delay_min_s: float = 0.25
    delay_max_s: float = 30.0
    retry_after_s: float = 300.0
    """After giving up, the pause until the group is tried again unasked; doubled after each further time."""
    retry_max_s: float = 300.0


class Outage(Exception):
    """Raised when something outside of codemap that an actor needs is missing for now; the message is a clause for
    people."""


class Actor(msgspec.Struct, frozen=True):
    """A member of a group. `run` is one life: it ends only by failing or by being cancelled."""

    run: Callable[[], Awaitable[None]]
    inbox: Inbox[Any]


class Restart(msgspec.Struct, frozen=True):
    delay_s: float


class GiveUp(msgspec.Struct, frozen=True):
    pause_s: float


class SupervisorStatistics(msgspec.Struct, frozen=True, rename="camel"):
    state: str
    """`running`, `restarting`, `unavailable` or `stopped`."""
    restarts: int
    """Number of restarts since the process began."""
    last_failure: str | None


class Supervisor:
    """One group under supervision."""

    def __init__(
        self,
        name: str,
        actors: Sequence[Actor],
        policy: Policy,
        *,
        clock: Callable[[], float] = trio.current_time,
        jitter: Callable[[], float],
    ) -> None:
        """`jitter` gives numbers from 0 up to 1; it spreads the restarts of groups that failed together."""
        self.name = name
        self._actors = tuple(actors)
        self._policy = policy
        self._clock = clock
        self._jitter = jitter
        self._rearmed = trio.Event()
        self._changed = trio.lowlevel.ParkingLot()
        self._unavailable: Unavailable | None = None
        self._state = "stopped"
        self._restarts = 0
        self._lives = 0
        self._last_failure: str | None = None

    @property
    def life(self) -> int:
        """The number of the present life, or of the last one."""
        return self._lives

    @property
    def is_running(self) -> bool:
        return self._state == "running"

    @property
    def last_failure(self) -> str | None:
        """Why the last life failed, as a clause; None while none has."""
        return self._last_failure

    @property
    def unavailable(self) -> Unavailable | None:
        """Why the group is not restarted for now; None while it runs or is about to."""
        return self._unavailable

    def rearm(self) -> None:
        """Restarts a group that was given up; does nothing otherwise."""
        self._rearmed.set()

    async def wait_available(self) -> None:
        """Waits until the group runs or is about to."""
        while self._unavailable is not None:
            await self._changed.park()
        await trio.lowlevel.checkpoint()

    async def wait_failed(self) -> str:
        """Waits until the present life fails and returns why; where none runs, why the last one failed."""
        while self.is_running:
            await self._changed.park()
        await trio.lowlevel.checkpoint()
        return self._last_failure or "it was stopped"

    async def wait_unavailable(self) -> Unavailable:
        """Waits until the group is given up and returns why."""
        while self._unavailable is None:
            await self._changed.park()
        await trio.lowlevel.checkpoint()
        return self._unavailable

    def statistics(self) -> SupervisorStatistics:
        return SupervisorStatistics(self._state, self._restarts, self._last_failure)

    async def run(self) -> None:
        """Runs the group until cancelled; then its inboxes are closed and every ask has ended."""
        failures: list[float] = []
        given_up = 0  # times since it last ran for a period
        try:
            while True:
                began = self._clock()
                reason, is_outage = await self._live()
                now = self._clock()
                if now - began >= self._policy.period_s:
                    given_up = 0
                failures = [at for at in failures if at > now - self._policy.period_s] + [now]
                match decide(len(failures), given_up, self._policy, self._jitter()):
                    case GiveUp(pause_s):
                        severity = Severity.DEBUG if given_up else Severity.ERROR  # nothing new is said every 30 s
                        log("gave-up", severity, group=self.name, failures=len(failures), reason=reason)
                        given_up += 1
                        why = reason if is_outage else f"{self.name} failed {len(failures)} times, last: {reason}"
                        await self._wait_rearmed(Unavailable(why), pause_s)
                    case Restart(delay_s):
                        self._restarts += 1
                        log("restart", Severity.WARNING, group=self.name, delay_s=delay_s, reason=reason)
                        await trio.sleep(delay_s)
        finally:
            self._state = "stopped"
            self._changed.unpark_all()
            for actor in self._actors:
                actor.inbox.close()

    async def _live(self) -> tuple[str, bool]:
        """One life of the group; returns why it ended, and whether that was an outage."""
        reason, is_outage = "ended", False
        self._lives += 1
        self._state = "running"
        try:
            async with trio.open_nursery() as nursery:
                for actor in self._actors:
                    nursery.start_soon(_live, actor)
        except* Exception as errors:
            # A cancellation that comes at the same time is no failure and goes its way.
            cause = _cause(errors)
            is_outage = isinstance(cause, Outage)
            if is_outage:
                reason = str(cause)
            else:
                log("crash", Severity.ERROR, group=self.name, error=type(cause).__name__, trace=trace(errors))
                reason = f"{type(cause).__name__}: {cause}"
        self._last_failure = reason
        self._state = "restarting"
        self._changed.unpark_all()
        return reason, is_outage

    async def _wait_rearmed(self, why: Unavailable, pause_s: float) -> None:
        self._state = "unavailable"
        self._rearmed = trio.Event()
        self._unavailable = why
        for actor in self._actors:
            actor.inbox.give_up(why)
        self._changed.unpark_all()
        with trio.move_on_after(pause_s):
            await self._rearmed.wait()
        self._unavailable = None
        for actor in self._actors:
            actor.inbox.resume()
        self._changed.unpark_all()
        log("rearmed", Severity.DEBUG, group=self.name)


async def contain(what: str, run: Callable[[], Awaitable[None]]) -> None:
    """Runs a function whose failure may end nothing else: the traceback goes to the log."""
    try:
        await run()
    except* Exception as errors:
        log("crash", Severity.ERROR, what=what, error=type(_cause(errors)).__name__, trace=trace(errors))


def decide(failures: int, given_up: int, policy: Policy, jitter: float) -> Restart | GiveUp:
    """Decides what follows the latest of `failures` within the period, of a group that was given up so often since it
    last ran for one. `jitter` from 0 up to 1 adds up to half of the delay."""
    if given_up or failures > policy.intensity:
        return GiveUp(min(policy.retry_max_s, policy.retry_after_s * 2.0 ** min(given_up, DOUBLINGS_MAX)))
    delay_s = min(policy.delay_max_s, policy.delay_min_s * 2.0 ** (failures - 1))
    return Restart(delay_s * (1.0 + jitter / 2))


async def _live(actor: Actor) -> None:
    with actor.inbox.serving():
        await actor.run()
        raise ActorDied(actor.inbox.actor, "returned")


def _cause(error: BaseException) -> BaseException:
    """The error to name: the first that is not merely somebody's ask that failed with another actor."""
    if isinstance(error, BaseExceptionGroup):
        causes = [_cause(one) for one in error.exceptions]
        return next((one for one in causes if not isinstance(one, ActorDied)), causes[0])
    return leaf(error)
