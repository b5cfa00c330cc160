"""What a server says of code that macros make and that templates leave open, in the terms of the map.

Functions that a macro makes of a block (`TEST(suite, name) {…}`) are at the macro for a server, at the argument that
names them for the map: they are one definition, and what is called at one place is called by one function. Where a
template leaves open which overload is meant, a server names all; any of them is as right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from bench.accuracy.claims import Exported
from bench.accuracy.edges import Claim, Oracle, Use

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


Site = tuple[str, int, int]


def at_their_sites(claims: Sequence[Claim], oracle: Oracle) -> Iterator[Claim]:
    """The claims; one of what the oracle has at a site has the source that the oracle has there."""
    uses: dict[Site, list[Use]] = {}
    for use in oracle.uses:
        uses.setdefault((use.path, use.line, use.col), []).append(use)
    for claim in claims:
        there = {
            use.source
            for site in claim.sites
            for use in uses.get((claim.path, *site), ())
            if use.relation is claim.relation and claim.target in use.targets
        }
        for source in there | {claim.source}:
            yield msgspec.structs.replace(claim, source=source)


def without_open(oracle: Oracle, claims: Sequence[Claim]) -> Oracle:
    """The oracle with one target at each site: of several, one that is claimed there, else the first."""
    claimed: dict[Site, set[str]] = {}
    for claim in claims:
        for site in claim.sites:
            claimed.setdefault((claim.path, *site), set()).add(claim.target)

    def decided(use: Use) -> Use:
        if len(use.targets) < 2:
            return use
        there = claimed.get((use.path, use.line, use.col), set()) & {*use.targets}
        return msgspec.structs.replace(use, targets=(min(there, default=use.targets[0]),), is_resolved=False)

    return msgspec.structs.replace(oracle, uses=tuple(map(decided, oracle.uses)))
