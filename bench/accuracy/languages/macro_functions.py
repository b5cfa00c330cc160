"""Functions that a macro makes of a block (`TEST(suite, name) {…}`): a server has them at the macro, the map at the
argument that names them. They are one definition."""

from __future__ import annotations

from collections import Counter

import msgspec

from bench.accuracy.claims import Exported
from bench.accuracy.edges import Oracle

_KEYWORDS = frozenset(
    ("template", "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "decltype", "__attribute__")
)


def without_keywords(oracle: Oracle) -> Oracle:
    """The oracle without words that look like calls and name nothing, at which it says what is made or declared there
    (`template <> int f<int>() {…}`)."""
    return msgspec.structs.replace(oracle, uses=tuple(use for use in oracle.uses if use.name not in _KEYWORDS))


def named_by_arguments(oracle: Oracle, exported: Exported) -> Oracle:
    """The oracle with such definitions where the map has them: on a line on which each has one that the other has
    not."""
    places = {f"{node.file}:{node.line}:{node.col}": node for node in exported.nodes if node.kind == "function"}
    known = {definition.place for definition in oracle.definitions}
    on_line = {place.rpartition(":")[0]: place for place in places.keys() - known}
    alone = Counter(place.rpartition(":")[0] for place in places.keys() - known)
    spare = Counter(place.rpartition(":")[0] for place in known - places.keys())
    definitions = []
    for definition in oracle.definitions:
        line = definition.place.rpartition(":")[0]
        is_made = definition.place not in places and alone[line] == spare[line] == 1
        place = on_line[line] if is_made else definition.place
        definitions.append(msgspec.structs.replace(definition, place=place))
    return msgspec.structs.replace(oracle, definitions=tuple(definitions))
