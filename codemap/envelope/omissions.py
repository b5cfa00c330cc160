"""Says in a reply what was left out, losses of one kind together, and which calls show it."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.envelope.answer import Dropped
from codemap.envelope.fit_budget import SHORTENED


def by_kind(losses: Sequence[Dropped]) -> list[Dropped]:
    """One loss a kind, with the notes of all of that kind."""
    kinds: dict[str, Dropped] = {}
    for loss in losses:
        known = kinds.get(loss.kind)
        if known is None:
            kinds[loss.kind] = loss
        else:
            note = known.note if loss.note in known.note else f"{known.note}; {loss.note}"
            kinds[loss.kind] = Dropped(loss.kind, known.count + loss.count, note)
    return list(kinds.values())


def sentence(loss: Dropped) -> str:
    """Says how many of which kind were left out, and the call that shows them."""
    verb = "Shortened" if loss.kind == SHORTENED else "Left out"
    return f"{verb} {loss.count} {loss.kind}: {loss.note.rstrip('.')}."


def next_step(losses: Sequence[Dropped]) -> str:
    """The calls that show what was left out, without numbers: the same words for the same kinds."""
    notes = dict.fromkeys(loss.note.rstrip(".") for loss in losses if not loss.note.endswith("tokenBudget"))
    return " ".join(f"{note[:1].upper()}{note[1:]}." for note in notes)
