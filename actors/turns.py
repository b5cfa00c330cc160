"""Long work on the loop, beside everything else that runs there.

Trio gives each task that can run one turn a round. With fifty calls under way a round takes a hundred times as long as
a step of a build, which would then get a hundredth of the processor and not end.
"""

from __future__ import annotations

import trio

SHARE = 0.5
"""Of the time that all others took in the last round: the work has a third of a loop that is full, and who waits for
others waits half as long again."""

TURN_MAX_S = 0.02
"""However long the others took: nobody is to wait for long because of this."""


class Turns:
    """The turns of one piece of work, by the clock of the run."""

    def __init__(self) -> None:
        self._ends = 0.0

    async def step(self) -> None:
        """Called between two short steps: lets the others run, unless the turn that their last one earned goes on."""
        now = trio.current_time()
        if now < self._ends:
            return
        await trio.lowlevel.checkpoint()
        back = trio.current_time()
        self._ends = back + min((back - now) * SHARE, TURN_MAX_S)
