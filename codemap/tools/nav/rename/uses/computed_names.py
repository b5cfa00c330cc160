"""Finds where a name that is put together at run time may be that of a renamed definition: no edit can follow it.

    getattr(visitor, "visit" + type(self).__name__)

Rules of the file:
- A name may be put together by a string that begins it (`visit` of `visitText`) and that more follows, where the
  function around it asks for a member by name. What a further string ends it with, the name has to end with too
  (`f"get_{kind}_template"`). What an object asks itself for is a member of its class, or of one below; what is inside a
  function is asked of nothing.
- A method that asks its object for all names that this has itself (`for name in dir(self)`) gets new ones, too, where
  no string is the old one. One that asks for whole names which it goes through (`for name in self.shown`) gets them
  from strings, keywords, or from outside; so does one that is given a name (`def get(self, key)`), if that is of
  several words.
- A definition of a module may be asked of it by the end of its name (`getattr(module, kind + "Extension")`).
- What nothing uses may be found by how its name begins (`if name.startswith("visit_")`).
- A class may be the end of such a name: where something is called `visitText`, `Text` is.
- A class may take its private members by their names without the prefix (`Reader(loads=…)` gives `_loads`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.languages.names_in_strings import NamesInStrings
from codemap.live_queries import At, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.listed_strings import lines_around
from codemap.tools.nav.rename.uses.only_members import SEVERAL_WORDS, is_local, is_quoted, may_be_asked_for
from codemap.tools.nav.rename.uses.strings import class_of_method, classes_having
from codemap.tools.nav.rename.uses.together import class_of, classes_from, is_kin, places_of
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

BEGINNINGS_MAX = 8
"""Beginnings of names that are looked for; of more, the first."""
FILES_MAX = 20
"""Files that may have a beginning; one that more have is a common word."""
_COMPARED = re.compile(r"(?:\.startswith\s*\(|\[:\d+\]\s*==)\s*[\"']\Z")
_UNUSED = (Account.DEFINITION, Account.OTHER_DEFINITIONS, Account.COMMENTS)
_PUT_IN = re.compile(r"[}%]\Z|\+\s*[\"']\Z")
"""Before what ends a name: what is put in."""
_PART_ENDS = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<=[^\W\d_])(?<![A-Z])(?=[A-Z])")
_GOES_ON = re.compile(r"[\"']\s*(?:\+|%|\.format\b)|[{%]")
_ENDS = re.compile(r"(?:\{[^{}\"']*\}|%\w|[\"']\s*\+\s*[\w.]+(?:\(\w*\))?\s*\+\s*[\"'])(\w*)[\"']")
"""Behind the beginning of a name, what is put in, and the end."""


def find_computed(snapshot: Snapshot, nodes: Sequence[int], ledger: Ledger | None) -> Asking[list[At]]:
    """The strings that may begin the name of `nodes`, which are renamed together."""
    node = nodes[0]
    home, row = snapshot.row_of(node)
    lookups = by_name()[home.lang].strings.member_lookups
    if not lookups:
        return []
    name = home.name_of(row)
    keywords = yield from _find_keywords(snapshot, node)
    beginnings = _beginnings_of(name)
    if snapshot.kind_of(node) in CLASS_KINDS:
        longer = (one for one in snapshot.node_names.names if one.endswith(name) and len(one) > len(name) + 1)
        beginnings += [one[: -len(name)] for one in longer]
    beginnings = list(dict.fromkeys(beginnings))[:BEGINNINGS_MAX]
    strings, lines = yield from _find_strings(snapshot, beginnings, home)
    files = snapshot.by_path
    is_class, having = snapshot.kind_of(node) in CLASS_KINDS, classes_having(snapshot, nodes)
    found: list[At] = []
    for at, beginning in () if is_local(snapshot, node) else strings:
        after = split_line(lines.get(at.file, ()), at)[1][len(beginning) :]
        end = None if is_class else _ENDS.match(after)
        if not _begins_name(lines.get(at.file, ()), at, beginning) or (end and not name.endswith(end[1])):
            continue
        asked = _find_asked("\n".join(lines_around(files[at.file], lines[at.file], at.line)), lookups)
        own = by_name()[files[at.file].lang].strings.own_values
        cls = class_of_method(snapshot, at) if own.issuperset(asked) else None
        if asked and (is_class or cls is None or _may_have(snapshot, cls, having)):
            found.append(at)
    if snapshot.is_file(snapshot.parent_of(node) or 0):
        ended = (yield from _find_ended(snapshot, name, home)) or []
        texts = yield from read_lines(at.file for at in ended)
        around = {at: "\n".join(lines_around(files[at.file], texts.get(at.file, ()), at.line)) for at in ended}
        found += [at for at in ended if _find_asked(around[at], lookups)]
    if ledger is not None and not is_class and all(one.account in _UNUSED for one in ledger.mentions):
        found += yield from _find_compared(snapshot, _beginnings_of(name), home)
    return keywords + found


def _find_compared(snapshot: Snapshot, beginnings: Sequence[str], home: IndexedFile) -> Asking[list[At]]:
    """The strings with which code compares the beginnings of names that it goes through: some words."""
    strings, lines = yield from _find_strings(snapshot, beginnings, home)
    return [
        at
        for at, beginning in strings
        if is_quoted(lines.get(at.file, ()), at, beginning)
        and _COMPARED.search(split_line(lines.get(at.file, ()), at)[0])
    ]


def _find_strings(
    snapshot: Snapshot, words: Sequence[str], home: IndexedFile
) -> Asking[tuple[list[tuple[At, str]], Mapping[str, Sequence[str]]]]:
    """The places of some words in strings, each with the word, and the lines of their files."""
    facts = (yield tuple(Mentioned("", one, FILES_MAX) for one in words)) if words else ()
    strings = [
        (At(one.path, one.line, one.col), word)
        for word, fact in zip(words, facts, strict=True)
        if isinstance(fact, Found) and isinstance(fact.value, Ledger)
        for one in fact.value.mentions
        if one.account is Account.STRINGS and is_kin(snapshot, one.path, home)
    ]
    return strings, (yield from read_lines(at.file for at, _ in strings))


def select_asking(snapshot: Snapshot, askers: Sequence[int], name: str, ledger: Ledger | None) -> Asking[list[int]]:
    """Those of some methods, which ask their object for members, that may ask for one of a name: without those that end
    names otherwise, and those that ask for whatever it has, or for names that nothing is."""
    places = {asker: places_of(snapshot, [asker])[0] for asker in askers}
    mentions = [] if ledger is None else ledger.mentions
    strings = [At(one.path, one.line, one.col) for one in mentions if one.account is Account.STRINGS]
    lines = yield from read_lines([*(at.file for at in places.values()), *(at.file for at in strings)])
    is_said = ledger is None or any(is_quoted(lines.get(at.file, ()), at, name) for at in strings)
    may_be_given = is_said or any(may_be_asked_for(lines.get(at.file, ()), at, name) for at in strings)
    may_be_given = may_be_given or any(one.account is Account.NAMES for one in mentions)
    if not may_be_given:
        may_be_given = yield from _may_be_put_together(snapshot, snapshot.row_of(askers[0])[0], name)
    found = []
    for asker, at in places.items():
        file = snapshot.by_path[at.file]
        text = "\n".join(lines_around(file, lines.get(at.file, ()), at.line))
        language = by_name()[file.lang]
        asked = _find_whole_names(language.strings, text)
        is_any_own = all(_goes_through_own(language.strings, text, one) for one in asked)
        are_given = all(_is_given(text, one, name) for one in asked)
        is_none = bool(asked) and ((is_any_own and not is_said) or (are_given and not may_be_given))
        if not is_none and not _ends_otherwise(text, name):
            found.append(asker)
    return found


def _may_be_put_together(snapshot: Snapshot, home: IndexedFile, name: str) -> Asking[bool]:
    """Whether a string begins a name, or ends it behind what is put in."""
    begun, lines = yield from _find_strings(snapshot, _beginnings_of(name), home)
    if any(_begins_name(lines.get(at.file, ()), at, beginning) for at, beginning in begun):
        return True
    return (yield from _find_ended(snapshot, name, home)) != []


def _find_ended(snapshot: Snapshot, name: str, home: IndexedFile) -> Asking[list[At] | None]:
    """The strings that end a name behind what is put in (`kind + "Extension"`); None where an end is in many files."""
    ends = [name[match.start() :] for match in _PART_ENDS.finditer(name)]
    facts = (
        (yield tuple(Mentioned("", before + end, FILES_MAX) for end in ends for before in ("", "s"))) if ends else ()
    )
    if not all(isinstance(fact, Found) and isinstance(fact.value, Ledger) for fact in facts):
        return None
    mentions = [one for fact in facts if isinstance(fact, Found) for one in fact.value.mentions]
    places = [
        At(one.path, one.line, one.col)
        for one in mentions
        if one.account is Account.STRINGS and is_kin(snapshot, one.path, home)
    ]
    lines = yield from read_lines(at.file for at in places)
    return [at for at in places if _PUT_IN.search(split_line(lines.get(at.file, ()), at)[0])]


def _ends_otherwise(text: str, name: str) -> bool:
    """Whether all strings of a text that begin a name are followed by an end that this has not."""
    ends = [
        _ENDS.match(text, match.end())
        for beginning in _beginnings_of(name)
        for match in re.finditer(rf"[\"']{re.escape(beginning)}(?!\w)", text)
        if _GOES_ON.match(text, match.end())
    ]
    return bool(ends) and not any(end is None or name.endswith(end[1]) for end in ends)


def _find_whole_names(strings: NamesInStrings, text: str) -> set[str]:
    """The variables with the names that a method asks for; none where it puts some of them together."""
    lookups = "|".join(map(re.escape, sorted(strings.member_lookups)))
    asked = set(re.findall(rf"\b(?:{lookups})\s*\(\s*\w+\s*,\s*([^\s,\"')]+)", text))
    are_whole = all(one.isidentifier() and not re.search(rf"\b{one}\s*(?:[.\[]|\+?=(?!=))", text) for one in asked)
    return asked if are_whole else set()


def _goes_through_own(strings: NamesInStrings, text: str, variable: str) -> bool:
    """Whether a variable goes through all names that an object says it has."""
    has_names = strings.own_names
    return bool(has_names) and re.search(rf"\bfor\s+{variable}\s+in\s+{has_names}", text) is not None


def _is_given(text: str, variable: str, name: str) -> bool:
    """Whether a variable goes through something; or is a parameter, of which a name of several words is asked."""
    if re.search(rf"\bfor\s+(?:[\w\s]+,\s*)?{variable}\s*(?:,[\w\s,]+)?\s+in\b", text):
        return True
    return SEVERAL_WORDS.search(name) is not None and re.search(rf"\A[^:]*[(,]\s*{variable}\b", text) is not None


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
    passed = name.lstrip(language.scopes.private_prefix) if language.scopes.private_prefix else name
    if owner is None or not language.strings.prefixless_fields or passed in ("", name):
        return []
    lines = yield from read_lines([home.path])
    head = lines.get(home.path, [])[snapshot.cell(owner, Symbol.START_LINE) - 1 : snapshot.cell(owner, Symbol.LINE)]
    if not re.search(language.strings.prefixless_fields, "\n".join(head)):
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
