"""Finds the keys that name the fields of a class: its values are dictionaries, or get their fields from one.

    class Options(TypedDict):
        verify: bool

    def check(options: Options): return options["verify"]      # as the server shows
    default = {"verify": True}                                 # perhaps

    @dataclass
    class Settings:
        size: int = 1

    def run(settings: Settings, **given): return replace(settings, **given)
    run(default, size=2)                                       # perhaps

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
from codemap.live_queries import At, Definition, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.only_members import is_quoted
from codemap.tools.nav.rename.uses.together import class_of, classes_from, is_kin, places_of
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

HEAD_LINES = 4
"""Lines in which the bases of a class are stated."""
FILES_MAX = 40
"""Files that name a class which are looked at; a class that more name may be made in any way."""
_ASKED = re.compile(r"[\w\])](?:\[|\.(?:get|pop|setdefault)\()\s*[\"']\Z")
_GIVEN = re.compile(r"[\"']\s*:")


class Keys(msgspec.Struct, frozen=True):
    certain: tuple[At, ...] = ()
    possible: tuple[At, ...] = ()


def find_keys(snapshot: Snapshot, nodes: Sequence[int], ledger: Ledger | None) -> Asking[Keys]:
    """Those that name a field, one of `nodes`, which are renamed together; none of another member."""
    owner, home, name = class_of(snapshot, nodes[0]), snapshot.row_of(nodes[0])[0], snapshot.name_of(nodes[0])
    language = by_name()[home.lang]
    if owner is None or ledger is None or not language.strings.keyed_classes:
        return Keys()
    heads = yield from _read_heads(snapshot, owner)
    are_dictionaries = any(re.search(language.strings.keyed_classes, head) for head in heads)
    has_fields = are_dictionaries or any(re.search(language.strings.field_classes, head) for head in heads)
    if not has_fields or not (are_dictionaries or (yield from _takes_entries(snapshot, owner))):
        return Keys()
    mentions = [one for one in ledger.mentions if is_kin(snapshot, one.path, home)]
    strings = [At(one.path, one.line, one.col) for one in mentions if one.account is Account.STRINGS]
    lines = yield from read_lines(at.file for at in strings)
    keys = [at for at in strings if is_quoted(lines.get(at.file, ()), at, name)]
    keys = [at for at in keys if are_dictionaries or _is_key(lines[at.file], at, name)]
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


def _read_heads(snapshot: Snapshot, cls: int) -> Asking[list[str]]:
    """The lines in which a class and those above it state their decorators and bases."""
    classes = [snapshot.row_of(one) for one in (cls, *classes_from(snapshot, cls, upwards=True))]
    lines = yield from read_lines(file.path for file, _ in classes)
    return [
        "\n".join(
            lines.get(file.path, ())[
                file.cell(row, Symbol.START_LINE) - 1 : file.cell(row, Symbol.LINE) - 1 + HEAD_LINES
            ]
        )
        for file, row in classes
    ]


def _takes_entries(snapshot: Snapshot, cls: int) -> Asking[bool]:
    """Whether code that names a class makes a value of it from the entries of a dictionary."""
    name, home = snapshot.name_of(cls), snapshot.row_of(cls)[0]
    pattern = by_name()[home.lang].strings.entry_takers.format(cls=re.escape(name))
    (fact,) = yield (Mentioned("", name, FILES_MAX),)
    if not isinstance(fact, Found) or not isinstance(fact.value, Ledger):
        return True
    mentions = [one for one in fact.value.mentions if one.account not in (Account.STRINGS, Account.COMMENTS)]
    lines = yield from read_lines(sorted({one.path for one in mentions if is_kin(snapshot, one.path, home)}))
    return any(re.search(pattern, "\n".join(some)) for some in lines.values())


def _is_key(lines: Sequence[str], at: At, name: str) -> bool:
    before, behind = split_line(lines, at)
    return _ASKED.search(before) is not None or _GIVEN.match(behind, len(name)) is not None
