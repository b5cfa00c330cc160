"""Cuts an answer to the largest part of it that fits a budget, for any dialect.

All states of an answer form one chain, from whole to nothing, that does not depend on the budget; the first state that
fits is taken. So a bigger budget never shows less. The chain:

1. Everything.
2. The declared lists, one after the other in cutting order, each to its largest prefix that fits and then to nothing; a
   list inside another goes before it, cut to the same length in every parent, but down to its `keep` elements only. The
   last list keeps one element; what is inside it goes below `keep` then. A spare member is like a list of one.
3. `snippet` members are left out; then texts, notes and warnings are shortened, in steps; compact rows keep their
   names and lines.
4. Where the elements of the last list can be divided: of the remaining one the last parts, after all other members.
   (In step 2, parts of the next element are shown where there is room.)
5. Members go, the last first, those of the one remaining element after all others. A row in a group stays whole: where
   it does not fit, the page shows nothing, and the next one begins with it.
6. An empty payload.

Steps 1 and 2 encode each element once and then work with prefix sums of lengths; for each list the room for the note is
taken at its longest. What goes below `keep`, and steps 3 to 5, are rare, and encode each state they try.

How long a text is (characters, bytes) and how much room a dialect leaves for the payload, beside the losses, warnings
and position that it must state, are given as functions.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import msgspec

from codemap.envelope.answer import CutList, Dropped, Spare
from codemap.envelope.cursor import Position
from codemap.envelope.lists import values_at
from codemap.envelope.page import Page, Stage
from codemap.envelope.tree import Squeezed, leaves, plain, pruned, shortened, squeezed, unseen_in_code
from codemap.escapes import escaped, is_plain

Measure = Callable[[bytes], int]
"""The length of a JSON text in the unit of the budget."""


class Rest(msgspec.Struct, frozen=True):
    """The members of the reply beside its payload."""

    fixed: tuple[Dropped, ...]
    """What fixed limits of the tool left out, whatever the budget."""
    losses: tuple[Dropped, ...]
    """What the budget left out, in the order of cutting."""
    warnings: tuple[str, ...]
    position: Position
    """Where the next page begins; empty when there is none."""
    text_max: int = 0
    """Characters that one note may have; 0 for no limit."""


Room = Callable[[Rest], int]
"""The room for the payload, in the unit of the budget; smaller for a longer rest."""


class Packed(msgspec.Struct, frozen=True):
    tree: Any
    text: bytes
    """The JSON of the tree."""
    rest: Rest


TEXT_STEPS = (0, 240, 120, 60, 30)
"""Characters that a text keeps, step by step; the first step leaves out snippets only."""

WARNINGS_KEPT = {240: 8, 120: 4, 60: 2, 30: 1}
"""Warnings kept at each step; all at the first."""

SHORTENED = "texts"
"""The kind of what is there, but shortened."""

PARTS_LEAST = 4
"""Parts of an element that a page with others ends with: fewer say nothing."""

_MORE = "pass a bigger tokenBudget"

_encode = msgspec.json.Encoder().encode


def pack(
    payload: Any,
    lists: tuple[CutList | Spare, ...],
    resume: Position,
    rest: Rest,
    room: Room,
    measure: Measure,
) -> Packed:
    """The first state that fits; `rest` holds the fixed limits and the warnings."""
    tree, text = plain(payload)
    warnings = rest.warnings
    if not is_plain(text) and (warning := unseen_in_code(tree)):
        warnings = (*warnings, warning)
    rest = Rest(tuple(map(_escape_loss, rest.fixed)), (), tuple(map(escaped, warnings)), ())
    has_pages = bool(resume) or any(isinstance(cut, CutList) and cut.page for cut in lists)
    if not has_pages and measure(text) <= room(rest):
        return Packed(tree, text, rest)  # as most answers do: no need to look for their lists
    page = Page(tree, lists, resume)
    if page.is_part:
        text = _encode(tree)
    whole = Packed(tree, text, Rest(rest.fixed + page.beyond(), (), rest.warnings, page.after_all()))
    if measure(text) <= room(whole.rest):
        return whole
    stages = page.detach(measure)
    if stages and _cut_lists(page, stages, measure(_encode(tree)), rest, room):
        losses, position = page.restore()
        packed = Packed(tree, _encode(tree), _add_losses(rest, losses, position))
        return (_divide(page, tree, rest, room, measure) if page.can_divide() else None) or packed
    losses, position = page.restore()
    rest_cut = _add_losses(rest, losses, position)
    for _ in page.lower():
        losses, position = page.restore()
        rest_cut = _add_losses(rest, losses, position)
        packed = _finish(tree, rest_cut)
        if measure(packed.text) <= room(rest_cut):
            return packed
    if page.can_divide():
        return _divide_first(page, tree, rest, room, measure)
    grouped = frozenset(cut.path[-1] for cut in lists if isinstance(cut, CutList) and cut.is_grouped)
    for step in TEXT_STEPS:
        small = squeezed(tree, step, grouped)
        packed = _finish(small.tree, _squeeze_rest(rest_cut, small, step))
        if measure(packed.text) <= room(packed.rest):
            return packed
    pruned_fit = _prune(page, packed, room, measure)
    if pruned_fit is not None:
        return pruned_fit
    return _show_nothing(page, rest)


def _cut_lists(page: Page, stages: list[Stage], bare: int, rest: Rest, room: Room) -> bool:
    """Sets the caps of the stages; false when even the smallest do not fit."""
    later = bare + sum(stage.sums[-1] for stage in stages)
    for stage in stages:
        later -= stage.sums[-1]
        stage.cap = stage.kept + stage.floor
        longest = _add_losses(rest, page.losses_at_most(stage), page.position_at_most())
        fitting = bisect_right(stage.sums, room(longest) - later) - 1
        if fitting >= stage.floor:
            stage.cap = stage.kept + min(fitting, len(stage.sums) - 1)
            return True
    return False


def _divide_first(page: Page, tree: Any, rest: Rest, room: Room, measure: Measure) -> Packed:
    """Parts of the remaining element: with all that is beside it, else a few alone, and short warnings."""
    page.show_none()
    found = _divide(page, tree, rest, room, measure)
    if found is None:
        *path, member = page.survivor()
        (holder,) = values_at(tree, path)
        beside = leaves(tree) - leaves(holder[member])
        for name in holder.keys() - {member}:
            del holder[name]
        short = _squeeze_rest(rest, Squeezed(tree, 0, 0), TEXT_STEPS[-1])
        if beside:
            short = msgspec.structs.replace(short, losses=(*short.losses, Dropped("members", beside, _MORE)))
        found = _divide(page, tree, short, room, measure, range(1, PARTS_LEAST))
    return found or _show_nothing(page, rest)


def _divide(
    page: Page, tree: Any, rest: Rest, room: Room, measure: Measure, counts: range = range(PARTS_LEAST, sys.maxsize)
) -> Packed | None:
    """The state with the most parts of the next element that fits, so many or all of them; None where none does."""
    left = page.parts_left()
    lowest, highest, best = 1, min(left, counts.stop - 1), None
    while lowest <= highest:
        most = (lowest + highest) // 2
        count, (losses, position) = page.show_parts(most)
        state = _finish(tree, msgspec.structs.replace(rest, losses=(*losses, *rest.losses), position=position))
        if measure(state.text) > room(state.rest):
            highest = most - 1
        else:
            lowest = most + 1
            if count >= min(counts.start, left):
                best = state
    return best


def _prune(page: Page, packed: Packed, room: Room, measure: Measure) -> Packed | None:
    survivor = page.survivor()
    total = leaves(packed.tree)
    lowest, highest, best = int(page.keeps_row), total - 1, None
    while lowest <= highest:
        keep = (lowest + highest) // 2
        tree = pruned(packed.tree, survivor, keep)
        losses = (*packed.rest.losses, Dropped("members", total - keep, _MORE))
        state = _finish(tree, msgspec.structs.replace(packed.rest, losses=losses))
        if measure(state.text) <= room(state.rest):
            best, lowest = state, keep + 1
        else:
            highest = keep - 1
    return best


def _show_nothing(page: Page, rest: Rest) -> Packed:
    losses, position = page.withheld()
    count = sum(loss.count for loss in rest.fixed + losses) + len(rest.warnings)
    return _finish({}, Rest((), (Dropped("everything", max(count, 1), _MORE),), (), position, TEXT_STEPS[-1]))


def _squeeze_rest(rest: Rest, small: Squeezed, step: int) -> Rest:
    kept = rest.warnings[: WARNINGS_KEPT.get(step, len(rest.warnings))]
    short = tuple(shortened(warning, step) for warning in kept) if step else kept
    texts = small.texts + sum(a is not b for a, b in zip(short, kept, strict=True))
    losses = list(rest.losses)
    for kind, count in (("snippets", small.snippets), (SHORTENED, texts), ("warnings", len(rest.warnings) - len(kept))):
        if count:
            losses.append(Dropped(kind, count, _MORE))
    return Rest(rest.fixed, tuple(losses), short, rest.position, step)


def _finish(tree: Any, rest: Rest) -> Packed:
    return Packed(tree, _encode(tree), rest)


def _add_losses(rest: Rest, losses: tuple[Dropped, ...], position: Position) -> Rest:
    return Rest(rest.fixed, losses, rest.warnings, position)


def _escape_loss(loss: Dropped) -> Dropped:
    return msgspec.structs.replace(loss, kind=escaped(loss.kind), note=escaped(loss.note))
