"""Long work on the loop, beside everything else that runs there.

Trio gives each task that can run one turn a round, and a call takes half a dozen rounds. Work that took a turn in each
of them would make every call wait as often; work that waited for a quiet loop would not end beside fifty clients. So it
goes on while nobody else has anything to do, lets the others go first while they have, and after a while takes a share.
"""

from __future__ import annotations

import trio

WAIT_S = 0.02
"""So long the others go first, round after round."""

SHARE = 0.5
"""Of the time that the others then took: the work has a third of a loop that is full, and who waits for others waits
half as long again."""

TURN_MAX_S = 0.02
"""However long the others took: nobody is to wait for long because of this."""

QUIET_S = 0.001
"""A turn where nobody else has anything to do: who comes meanwhile waits so long."""

QUIET_ROUNDS = 3
"""So many, one after the other, in which nobody was seen to have anything to do: Trio runs the tasks of a round
forwards or backwards by chance, and who comes after us in one is not seen."""

ROUNDS_MAX = 20
"""In so many the others are done, or the clock of the run stands still."""

TURN_STEPS_MAX = 100
"""Steps of one turn, whatever the clock says."""

_waiting = trio.lowlevel.RunVar("codemap_turns_waiting", 0)
"""Pieces of work that let others go first: they do not wait for each other."""


class Turns:
    """The turns of one piece of work, by the clock of the run."""

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
