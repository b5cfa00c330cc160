"""Why a rename is refused, as answers show it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import get_args

from codemap.live import At, Edit, Found, Renaming
from codemap.tools.nav.rename.changed import Changed
from codemap.tools.nav.rename.params import (
    FILES,
    INCOMPLETE,
    MISSED,
    OUTSIDE,
    UNUSUAL,
    Allowed,
    RefusalView,
)

PLACES_MAX = 20
"""Of one reason that are named."""


def refusals_of_edits(edits: Sequence[Edit], renaming: Renaming, changed: Changed, fact: Found) -> list[RefusalView]:
    """What is wrong with the edits themselves."""
    outside = [edit.place.at for edit in edits if edit.place.is_external]
    found = refusals_for(OUTSIDE, "it would change files outside the root", outside)
    if renaming.file_operations:
        operations = list(renaming.file_operations)
        found.append({"reason": FILES, "why": "it would create, rename or delete files", "at": operations})
    if changed.unusual:
        why = "the edits there do not only replace the name, overlap, or are of a file that is no UTF-8"
        found.append({"reason": UNUSUAL, "why": why, "at": list(changed.unusual)})
    if fact.incomplete:
        found.append({"reason": INCOMPLETE, "why": f"there may be more uses: {fact.incomplete}"})
    return found


def refusals_for(reason: str, why: str, places: Sequence[At]) -> list[RefusalView]:
    """One, or none where there are no places."""
    named = list(dict.fromkeys(f"{at.file}:{at.line}:{at.col}" for at in places))
    more = f" ({len(named)} places)" if len(named) > PLACES_MAX else ""
    return [{"reason": reason, "why": why + more, "at": named[:PLACES_MAX]}] if named else []


def what_to_do(refused: Sequence[RefusalView]) -> str:
    reasons = [one["reason"] for one in refused]
    if not set(reasons) <= set(get_args(Allowed)):
        return "Nothing is to be changed: this cannot be overruled."
    added = " pass addMissed:true to edit those uses too, or" if MISSED in reasons else ""
    return f"Nothing is to be changed. To have the edits all the same,{added} pass allow:{json.dumps(reasons)}."
