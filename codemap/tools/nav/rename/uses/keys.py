"""Finds what names the fields of a class whose values are dictionaries: their names are keys there.

    class Options(TypedDict):
        verify: bool

    def check(options: Options): return options["verify"]      # as the server shows
    default = {"verify": True}                                 # perhaps

A server that renames the field may leave the keys alone, though it knows what they are. Where it does not, a dictionary
may be one of the class, or become one, and a keyword may make one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from codemap.facts import Symbol
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Definition, Found
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.only_members import is_quoted
from codemap.tools.nav.rename.uses.together import class_of, classes_from, is_kin, places_of
from codemap.tools.places.texts import read_lines
from codemap.tools.tool import Asking

HEAD_LINES = 4
"""Lines in which the bases of a class are stated."""


class Keys(msgspec.Struct, frozen=True):
    certain: tuple[At, ...] = ()
    possible: tuple[At, ...] = ()


def find_keys(snapshot: Snapshot, nodes: Sequence[int], ledger: Ledger | None) -> Asking[Keys]:
    """Those that name a field, one of `nodes`, which are renamed together; none of another member."""
    owner, home = class_of(snapshot, nodes[0]), snapshot.row_of(nodes[0])[0]
    pattern = by_name()[home.lang].keyed_classes
    if owner is None or ledger is None or not pattern:
        return Keys()
    classes = [snapshot.row_of(cls) for cls in (owner, *classes_from(snapshot, owner, upwards=True))]
    heads = [(file.path, file.cell(row, Symbol.LINE) - 1) for file, row in classes]
    lines = yield from read_lines(path for path, _ in heads)
    texts = ("\n".join(lines.get(path, ())[first : first + HEAD_LINES]) for path, first in heads)
    if not any(re.search(pattern, text) for text in texts):
        return Keys()
    mentions = [one for one in ledger.mentions if is_kin(snapshot, one.path, home)]
    strings = [At(one.path, one.line, one.col) for one in mentions if one.account is Account.STRINGS]
    lines = yield from read_lines(at.file for at in strings)
    keys = [at for at in strings if is_quoted(lines.get(at.file, ()), at, snapshot.name_of(nodes[0]))]
    keys += [At(one.path, one.line, one.col) for one in mentions if one.account is Account.NAMES]
    facts = (yield tuple(map(Definition, keys))) if keys else ()
    defined = {*places_of(snapshot, nodes)}
    certain: list[At] = []
    possible: list[At] = []
    for at, fact in zip(keys, facts, strict=True):
        if not isinstance(fact, Found) or fact.incomplete or not fact.value:
            possible.append(at)
        elif defined.issuperset(place.at for place in fact.value):
            certain.append(at)
        elif not defined.isdisjoint(place.at for place in fact.value):
            possible.append(at)
    return Keys(tuple(certain), tuple(possible))
