"""Partial maps while the first build of a large repository runs: definitions, long before the edges between them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import trio

from actors.messages import Outcome, Parsed

AFTER_S = 0.4
"""A build that takes less is shown when it is done, whole."""

EVERY_S = 0.1

SHARE_MIN = 0.05
"""Of the files; less is as good as nothing."""

GROWTH = 1.5
"""The next partial map has so many times the files: all of them together cost at most three times the last."""


async def show_growing(
    outcomes: Mapping[str, Outcome],
    total: int,
    show: Callable[[Mapping[str, Parsed]], Awaitable[None]],
    take_wanted: Callable[[], bool],
) -> None:
    """Shows what is parsed so far to those who ask, again and again as it grows, until all is there."""
    shown = 0
    await trio.sleep(AFTER_S)
    while len(outcomes) < total:
        if len(outcomes) > max(GROWTH * shown, SHARE_MIN * total) and take_wanted():
            shown = len(outcomes)
            await show({path: outcome for path, outcome in outcomes.items() if isinstance(outcome, Parsed)})
        await trio.sleep(EVERY_S)
