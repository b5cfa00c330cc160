"""Finds where a name that is put together at run time may be that of a renamed definition: no edit can follow it.

    getattr(visitor, "visit" + type(self).__name__)

Rules of the file:
- A name may be put together by a string that begins it (`visit` of `visitText`) and that more follows, where the
  function around it asks for a member by name. What a further string ends it with, the name has to end with too
  (`f"get_{kind}_template"`). What an object asks itself for is a member of its class, or of one below.
- A method that asks its object for all names that this has itself (`for name in dir(self)`) gets new ones, too, where
  no string is the old one.
- A class may be the end of such a name: where something is called `visitText`, `Text` is.
- A class may take its private members by their names without the prefix (`Reader(loads=…)` gives `_loads`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from codemap.facts import Symbol
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.live_queries import At, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.listed_strings import lines_around
from codemap.tools.nav.rename.uses.only_members import is_quoted
from codemap.tools.nav.rename.uses.strings import class_of_method, classes_having
from codemap.tools.nav.rename.uses.together import class_of, classes_from, is_kin, places_of
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

BEGINNINGS_MAX = 8
"""Beginnings of names that are looked for; of more, the first."""
FILES_MAX = 20
"""Files that may have a beginning; one that more have is a common word."""
_PART_ENDS = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<=[^\W\d_])(?<![A-Z])(?=[A-Z])")
_GOES_ON = re.compile(r"[\"']\s*(?:\+|%|\.format\b)|[{%]")
_ENDS = re.compile(r"(?:\{[^{}\"']*\}|%\w|[\"']\s*\+\s*[\w.]+(?:\(\w*\))?\s*\+\s*[\"'])(\w*)[\"']")
"""Behind the beginning of a name, what is put in, and the end."""


def find_computed(snapshot: Snapshot, nodes: Sequence[int]) -> Asking[list[At]]:
    """The strings that may begin the name of `nodes`, which are renamed together."""
    node = nodes[0]
    home, row = snapshot.row_of(node)
    lookups = by_name()[home.lang].member_lookups
    if not lookups:
        return []
    name = home.name_of(row)
    keywords = yield from _find_keywords(snapshot, node)
    beginnings = _beginnings_of(name)
    if snapshot.kind_of(node) in CLASS_KINDS:
        longer = (one for one in snapshot.node_names.names if one.endswith(name) and len(one) > len(name) + 1)
        beginnings += [one[: -len(name)] for one in longer]
    beginnings = list(dict.fromkeys(beginnings))[:BEGINNINGS_MAX]
    facts = (yield tuple(Mentioned("", one, FILES_MAX) for one in beginnings)) if beginnings else ()
    files = snapshot.by_path
    strings = [
        (At(one.path, one.line, one.col), beginning)
        for beginning, fact in zip(beginnings, facts, strict=True)
        if isinstance(fact, Found) and isinstance(fact.value, Ledger)
        for one in fact.value.mentions
        if one.account is Account.STRINGS and one.path in files and files[one.path].family == home.family
    ]
    lines = yield from read_lines(at.file for at, _ in strings)
    is_class, having = snapshot.kind_of(node) in CLASS_KINDS, classes_having(snapshot, nodes)
    found: list[At] = []
    for at, beginning in strings:
        after = split_line(lines.get(at.file, ()), at)[1][len(beginning) :]
        end = None if is_class else _ENDS.match(after)
        if not _begins_name(lines.get(at.file, ()), at, beginning) or (end and not name.endswith(end[1])):
            continue
        asked = _find_asked("\n".join(lines_around(files[at.file], lines[at.file], at.line)), lookups)
        own = by_name()[files[at.file].lang].own_values
        cls = class_of_method(snapshot, at) if own.issuperset(asked) else None
        if asked and (is_class or cls is None or _may_have(snapshot, cls, having)):
            found.append(at)
    return keywords + found


def select_asking(snapshot: Snapshot, askers: Sequence[int], name: str, ledger: Ledger | None) -> Asking[list[int]]:
    """Those of some methods, which ask their object for members, that may ask for one of a name: without those that end
    names otherwise, and those that ask for whatever it has."""
    places = {asker: places_of(snapshot, [asker])[0] for asker in askers}
    strings = [] if ledger is None else [one for one in ledger.mentions if one.account is Account.STRINGS]
    lines = yield from read_lines([*(at.file for at in places.values()), *(one.path for one in strings)])
    is_said = ledger is None or any(
        is_quoted(lines.get(one.path, ()), At(one.path, one.line, one.col), name) for one in strings
    )
    found = []
    for asker, at in places.items():
        file = snapshot.by_path[at.file]
        text = "\n".join(lines_around(file, lines.get(at.file, ()), at.line))
        if not _ends_otherwise(text, name) and (is_said or not _reflects(by_name()[file.lang], text)):
            found.append(asker)
    return found


def _ends_otherwise(text: str, name: str) -> bool:
    """Whether all strings of a text that begin a name are followed by an end that this has not."""
    ends = [
        _ENDS.match(text, match.end())
        for beginning in _beginnings_of(name)
        for match in re.finditer(rf"[\"']{re.escape(beginning)}(?!\w)", text)
        if _GOES_ON.match(text, match.end())
    ]
    return bool(ends) and not any(end is None or name.endswith(end[1]) for end in ends)


def _reflects(language: Language, text: str) -> bool:
    """Whether all names that a method asks for are those that its object says it has."""
    lookups = "|".join(map(re.escape, sorted(language.member_lookups)))
    asked = set(re.findall(rf"\b(?:{lookups})\s*\(\s*\w+\s*,\s*([^\s,\"')]+)", text))
    has_names = language.own_names
    return (
        bool(asked and has_names)
        and all(re.search(rf"\bfor\s+{re.escape(one)}\s+in\s+{has_names}", text) for one in asked)
        and not any(re.search(rf"\b{re.escape(one)}\s*[.\[]", text) for one in asked)
    )


def _find_asked(text: str, lookups: Set[str]) -> set[str]:
    """What is asked for members by name in a text."""
    words = "|".join(map(re.escape, sorted(lookups)))
    return {of or first for of, first in re.findall(rf"(?:([\w.\])]+)\.)?\b(?:{words})\s*\(\s*([^\s,]*)", text)}


def _may_have(snapshot: Snapshot, cls: int, having: Set[int]) -> bool:
    """Whether an object of a class may have a member, or one of a class below it."""
    return not having.isdisjoint((cls, *classes_from(snapshot, cls, upwards=False)))


def _find_keywords(snapshot: Snapshot, node: int) -> Asking[list[At]]:
    """The keywords that may give a member its value under its name without the private prefix."""
    home, row = snapshot.row_of(node)
    language, owner = by_name()[home.lang], class_of(snapshot, node)
    name = home.name_of(row)
    passed = name.lstrip(language.private_prefix) if language.private_prefix else name
    if owner is None or not language.prefixless_fields or passed in ("", name):
        return []
    lines = yield from read_lines([home.path])
    head = lines.get(home.path, [])[snapshot.cell(owner, Symbol.START_LINE) - 1 : snapshot.cell(owner, Symbol.LINE)]
    if not re.search(language.prefixless_fields, "\n".join(head)):
        return []
    (fact,) = yield (Mentioned("", passed),)
    mentions = fact.value.mentions if isinstance(fact, Found) and isinstance(fact.value, Ledger) else ()
    places = (one for one in mentions if one.account is Account.NAMES and is_kin(snapshot, one.path, home))
    return [At(one.path, one.line, one.col) for one in places]


def _beginnings_of(name: str) -> list[str]:
    """Of the parts of a name, as `_` and capitals set them apart, the first, the first two, and so on."""
    return [name[: match.end()] for match in _PART_ENDS.finditer(name)]


def _begins_name(lines: Sequence[str], at: At, beginning: str) -> bool:
    """Whether a string begins with the word, and something is put behind it."""
    before, after = split_line(lines, at)
    return before[-1:] in ('"', "'") and _GOES_ON.match(after[len(beginning) :]) is not None
