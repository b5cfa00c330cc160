"""Follows declarations to definitions and back, as in C.

Asked where a definition itself is defined, a server may name its declaration, and asked there, the definition (measured
with clangd). So what is named in place of a definition says nothing against it where it leads back.
"""

from __future__ import annotations

import msgspec

from codemap.live_queries import Definition, Fact, Found, Place, doubt_of
from codemap.tools.nav.target import Target
from codemap.tools.tool import Asking


def with_counterpart(target: Target, fact: Fact) -> Asking[Fact]:
    """The answer to `Definition(target.at)`; where that leads back to the target, with the target's own place first."""
    if target.row is None or not isinstance(fact, Found) or not fact.value:
        return fact
    places: tuple[Place, ...] = fact.value
    if places[0].is_external or any(place.at == target.at for place in places):
        return fact
    (back,) = yield (Definition(places[0].at),)
    own = [place for place in back.value if place.at == target.at] if isinstance(back, Found) else []
    if not own or not isinstance(back, Found):
        return fact
    doubt = doubt_of((fact, back))
    return msgspec.structs.replace(
        fact, value=(*own, *places), incomplete=doubt.incomplete, is_lasting=doubt.is_lasting
    )
