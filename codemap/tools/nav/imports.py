"""Recognizes definitions that are only import bindings: servers name those when they cannot follow the import.

Asked about a use of a name that an unresolvable import binds, a server may answer with the line of that import, in the
file that was asked about. That is no definition; it is asked about once more, as some servers lead from a use to its
import and from there on.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from codemap.facts import Binding, Import, Source, SourceKind, rows
from codemap.live_queries import At, Definition, Fact, Found, Place, doubt_of
from codemap.tools.places.current_file import FileNow
from codemap.tools.places.rows import rows_by_name_place
from codemap.tools.places.words import words_of
from codemap.tools.tool import Asking


class Followed(msgspec.Struct, frozen=True):
    fact: Fact
    imports: tuple[Place, ...] = ()
    """The import bindings that the server named and could not be led beyond, where it named nothing else."""


def follow(now: FileNow, at: At, fact: Fact) -> Asking[Followed]:
    """The answer to `Definition(at)`, led beyond imports of the same file where the server can."""
    if not isinstance(fact, Found):
        return Followed(fact)
    bindings = imports_among(now, fact.value)
    if not bindings:
        return Followed(fact)
    asked = tuple(Definition(place.at) for place in bindings if place.at != at)
    facts = (yield asked) if asked else ()
    beyond = [place for one in facts if isinstance(one, Found) for place in one.value]
    found = [place for place in (*fact.value, *beyond) if not is_import(now, place)]
    if not found:
        return Followed(fact, bindings)
    why = doubt_of((fact, *(one for one in facts if isinstance(one, Found))))
    value = tuple(dict.fromkeys(found))
    return Followed(msgspec.structs.replace(fact, value=value, incomplete=why.incomplete, is_lasting=why.is_lasting))


def imports_among(now: FileNow, places: Sequence[Place]) -> tuple[Place, ...]:
    """Selects the places that are import bindings of the file."""
    return tuple(place for place in places if is_import(now, place))


def is_import(now: FileNow, place: Place) -> bool:
    """Whether a place is a name that an import of the file binds or asks for, and no definition."""
    parsed = now.parsed
    if parsed is None or place.is_external or place.file != now.path:
        return False
    if (place.line, place.col) in rows_by_name_place(parsed) or place.line > len(now.lines):
        return False
    word = next((word.text for word in words_of(now.lines[place.line - 1]) if word.col <= place.col < word.end), "")
    return any(line == place.line and (col == place.col or name == word) for line, col, name in _list_bound(now))


def _list_bound(now: FileNow) -> list[tuple[int, int, str]]:
    """Line and column of each import, with a name that it binds; an empty one for an import that binds none."""
    assert now.parsed is not None, "whoever asks made sure"
    facts = now.parsed.facts
    imports, bindings, sources = (rows(table).tolist() for table in (facts.imports, facts.bindings, facts.sources))
    places = [(imports[at + Import.LINE], imports[at + Import.COL]) for at in range(0, len(imports), Import.WIDTH)]
    found = [(line, col, "") for line, col in places]
    for at in range(0, len(bindings), Binding.WIDTH):
        first = bindings[at + Binding.FIRST]
        for source in range(first, first + bindings[at + Binding.COUNT]):
            if sources[source * Source.WIDTH + Source.KIND] == SourceKind.IMPORT:
                number = sources[source * Source.WIDTH + Source.A]
                found.append((*places[number], facts.names[bindings[at + Binding.NAME]]))
    return found


def warning(name: str, imports: Sequence[Place], instead: str) -> str:
    """Warns that the answer ends at an import; `instead` is the call that may find more."""
    lines = ", ".join(str(place.line) for place in imports)
    return (
        f"The server leads only to the import of {name} at line {lines}: it did not resolve that import. "
        f"Install what is imported, or try {instead}."
    )
