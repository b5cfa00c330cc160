"""Says which macros may make a name of words that they join (`save_##kind`): what such a one uses names no definition.

Only an answer that would say that nothing uses a definition, or that there is none of a name, waits for the texts.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from codemap.envelope.answer import Answer
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name, language_of
from codemap.live_queries import Found, NamesSought
from codemap.mentions.seeking import Sought
from codemap.tools.neighbors.asked import Asked
from codemap.tools.tool import Asking

PLACES_SHOWN = 3


def ask_joined(asked: Asked, found: Answer) -> Asking[Answer]:
    """The answer, which does not say `none` where a macro may make the name of the node."""
    file = asked.snapshot.file_of(asked.node)
    if found.data.get("emptyBecause") != "none" or file is None or asked.node == file.base:
        return found
    name = asked.snapshot.name_of(asked.node)
    said = yield from _ask_places(asked.snapshot, name, {file.family})
    if not said:
        return found
    return replace(found, data={**found.data, "emptyBecause": "unresolved"}, warnings=(*found.warnings, said))


def ask_made(snapshot: Snapshot, name: str) -> Asking[list[str]]:
    """Which macros may make a name that no definition has: a sentence, or nothing."""
    said = yield from _ask_places(snapshot, name, {file.family for file in snapshot.files})
    return [said] if said else []


def _ask_places(snapshot: Snapshot, name: str, families: Iterable[str]) -> Asking[str]:
    joining = {each.family for each in by_name().values() if each.liveness.pasting_macros}
    if joining.isdisjoint(families) or not name.isidentifier():
        return ""
    (fact,) = yield (NamesSought((name,)),)
    if not isinstance(fact, Found):
        return ""
    sought: Sought = fact.value
    places: dict[str, list[str]] = {}
    for one in sought.files:
        language = language_of(one.path)
        if language is not None and language.family in families and one.path in snapshot.by_path:
            for joined in one.pasted:
                if joined.may_make(name):
                    places.setdefault(f"{joined.start}…{joined.end}", []).append(f"{one.path}:{joined.line}")
    if not places:
        return ""
    listed = [f"{made} at {', '.join(its[:PLACES_SHOWN])}" for made, its in sorted(places.items())[:PLACES_SHOWN]]
    return f"Macros join words to names (##), of which {name} may be one: {'; '.join(listed)}. See who calls these."
