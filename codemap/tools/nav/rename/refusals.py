"""Why a rename is refused, as answers show it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import get_args

from codemap.live_queries import At, Edit, Found, Renaming
from codemap.tools.compact import GroupedRows
from codemap.tools.nav.rename.changed import Changed
from codemap.tools.nav.rename.params import (
    BREAKS,
    COLLISION,
    CONTRADICTED,
    FILES,
    INCOMPLETE,
    MISSED,
    OUTSIDE,
    UNDECIDED,
    UNUSUAL,
    Allowed,
    RefusalView,
    place_of,
)
from codemap.tools.nav.rename.trial import Trial
from codemap.tools.nav.rename.uses.open_uses import OpenUses
from codemap.tools.places.anchors import clip
from codemap.tools.places.texts import read_lines
from codemap.tools.tool import Asking

PLACES_MAX = 20
"""Places that are named for one reason."""
LINES_MAX = 20
"""Lines that are shown of all places."""


def refusals_of_edits(edits: Sequence[Edit], renaming: Renaming, changed: Changed, fact: Found) -> list[RefusalView]:
    """What is wrong with the edits themselves."""
    outside = [edit.place.at for edit in edits if edit.place.is_external]
    found = _refusals_for(OUTSIDE, "it would change files outside the root", outside)
    if renaming.file_operations:
        operations = list(renaming.file_operations)
        found.append({"reason": FILES, "why": "it would create, rename or delete files", "at": operations})
    if changed.unusual:
        why = "the edits there do not only replace the name, overlap, or are of a file that is no UTF-8"
        found.append({"reason": UNUSUAL, "why": why, "at": list(changed.unusual)})
    if fact.incomplete:
        found.append({"reason": INCOMPLETE, "why": f"there may be more uses: {fact.incomplete}"})
    return found


def refusals_of_map(
    new_name: str, collisions: Sequence[At], missed: Sequence[At], open_uses: OpenUses, foreign: Sequence[At]
) -> list[RefusalView]:
    """What the map has against the edits: the new name is taken, uses are (or may be) missed, others edited."""
    return [
        *_refusals_for(COLLISION, f"{new_name} stands there already", collisions),
        *_refusals_for(MISSED, "the map is sure of it there, and the server leaves it alone", missed),
        *_refusals_for(UNDECIDED, "it may be used there, and neither map nor server knows", open_uses.undecided),
        *_refusals_for(UNDECIDED, "a value there may be one of its class as well", open_uses.disputed),
        *_refusals_for(UNDECIDED, "it may be looked up there, by a name made at run time", open_uses.computed),
        *_refusals_for(UNDECIDED, "tests run examples of documents, and one there may use it", open_uses.examples),
        *_refusals_for(UNDECIDED, "a string may name it there", open_uses.strings),
        *_refusals_for(CONTRADICTED, "the map is sure that something else is meant there", foreign),
    ]


def refusals_of_trial(trial: Trial) -> list[RefusalView]:
    """What would be wrong in the files after the edits."""
    return [
        *_refusals_for(BREAKS, f"it would be wrong there: {trial.message}", trial.broken),
        *_refusals_for(BREAKS, "it overrides a member of a class outside, which keeps the name", trial.overriding),
        *_refusals_for(BREAKS, "the parameter is given the fixture that is called so: rename that", trial.given),
    ]


def split_allowed(
    reasons: Sequence[RefusalView], allowed: Sequence[str]
) -> tuple[list[RefusalView], list[RefusalView]]:
    """The reasons that still refuse a rename, and those that its caller overrules."""
    refused = [one for one in reasons if one["reason"] not in allowed]
    return refused, [one for one in reasons if one["reason"] in allowed]


def _refusals_for(reason: str, why: str, places: Sequence[At]) -> list[RefusalView]:
    """A refusal for some places; none where there are no places."""
    named = list(dict.fromkeys(f"{at.file}:{at.line}:{at.col}" for at in places))
    more = f" ({len(named)} places)" if len(named) > PLACES_MAX else ""
    return [{"reason": reason, "why": why + more, "at": named[:PLACES_MAX]}] if named else []


def show_lines(refused: Sequence[RefusalView]) -> Asking[GroupedRows]:
    """The lines that refusals name, as they are now, by file: `12 return Entry(size)`. Whoever is to tell uses from
    their namesakes need not open the files."""
    named = (one for refusal in refused if refusal["reason"] in get_args(Allowed) for one in refusal.get("at", ()))
    places = [*dict.fromkeys((at.file, at.line) for at in map(place_of, named))][:LINES_MAX]
    lines = yield from read_lines(file for file, _ in places)
    shown: GroupedRows = {}
    for file, line in places:
        if line <= len(lines.get(file, ())):
            shown.setdefault(file, []).append(f"{line} {clip(lines[file][line - 1].strip())}")
    return shown


def what_to_do(refused: Sequence[RefusalView]) -> str:
    reasons = list(dict.fromkeys(one["reason"] for one in refused))
    if not set(reasons) <= set(get_args(Allowed)):
        return "Nothing is to be changed: this cannot be overruled."
    added = " pass addMissed:true to edit those uses too, or" if MISSED in reasons else ""
    if UNDECIDED in reasons:
        added += ' read these lines and pass those that are uses as also:["PATH:LINE:COL"], and'
    return f"Nothing is to be changed. To have the edits all the same,{added} pass allow:{json.dumps(reasons)}."
