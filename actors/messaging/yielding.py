"""Lets long work on the event loop yield to everything else that runs there.

Trio gives each task that can run one turn a round, and a call takes half a dozen rounds. Work that took a turn in each
of them would make every call wait as often; work that waited for a quiet loop would not end beside fifty clients. So it
goes on while nobody else has anything to do, lets the others go first while they have, and after a while takes a share.
"""

from __future__ import annotations

import trio

WAIT_S = 0.02
"""How long the work lets other tasks go first, round after round."""

SHARE = 0.5
"""Length of the work's turn as a share of the time that the others took: on a full loop the work gets a third of the
time, and a call takes half as long again."""

TURN_MAX_S = 0.02
"""Longest turn, however long the others took."""

QUIET_S = 0.001
"""Length of a turn while no other task is ready: a call that comes meanwhile waits so long."""

QUIET_ROUNDS = 3
"""So many, one after the other, in which nobody was seen to have anything to do: Trio runs the tasks of a round
forwards or backwards by chance, and who comes after us in one is not seen."""

ROUNDS_MAX = 20
"""In so many the others are done, or the clock of the run does not move."""

TURN_STEPS_MAX = 100
"""Most steps of one turn, whatever the clock says."""

_waiting = trio.lowlevel.RunVar("codemap_turns_waiting", 0)
"""Number of pieces of work that let others go first: they do not wait for one another."""


class Turns:
    """Decides when one piece of work yields, by Trio's clock."""

    def __init__(self) -> None:
        self._ends = 0.0
        self._steps = 0
        """Of this turn."""

    async def step(self) -> None:
        """Called between two short steps: lets the others run, unless the turn that their last one earned goes on."""
        begun = trio.current_time()
        self._steps += 1
        if begun < self._ends and self._steps < TURN_STEPS_MAX:
            return
        self._steps = 0
        _waiting.set(_waiting.get() + 1)
        quiet = 0
        try:
            for _ in range(ROUNDS_MAX):
                await trio.lowlevel.checkpoint()
                now = trio.current_time()
                is_quiet = trio.lowlevel.current_statistics().tasks_runnable < _waiting.get()
                quiet = quiet + 1 if is_quiet else 0
                if quiet == QUIET_ROUNDS or now >= begun + WAIT_S:
                    break
        finally:
            _waiting.set(_waiting.get() - 1)
        least = QUIET_S if quiet == QUIET_ROUNDS else 0.0
        self._ends = now + max(least, min((now - begun) * SHARE, TURN_MAX_S))
