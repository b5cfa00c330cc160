"""Decides what a string means by which an object is asked for a member, where it is not written in the asking itself.

    def __eq__(self, other):
        return all(getattr(self, one) == getattr(other, one) for one in ("host", "port"))

    with mock.patch.object(store, "load"): ...         # `store` is a `Store`, as the server shows

Rules of the file:
- A method that goes through names and asks its own object for each needs those that its class has. Where it does more
  with them, it may show them, and a test compare that: then they are in doubt.
- A string that a method gives another of its own may be asked for where the class asks itself for members by names that
  it does not write.
- What asks a value for a member by a string means that of its class, where the server shows the class.
- A file may ask values of a class for names that it goes through and hands on, or that a test is given one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto

import msgspec

from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.impact.prefix_dispatch import asks_itself
from codemap.languages import by_name
from codemap.live_queries import At, Found, Hover
from codemap.tools.nav.rename.uses.listed_strings import gets_at_members, lines_around, span_around
from codemap.tools.nav.rename.uses.together import classes_from
from codemap.tools.places.rows import utf16_length
from codemap.tools.places.texts import split_line
from codemap.tools.tool import Asking

LINES_ABOVE = 10
"""Lines above a string in which the statement that it is in may begin."""
LISTED_LINES = 40
"""Lines above a string in which a list that it is in may begin."""
_GOES_THROUGH = re.compile(r"\bfor\s+(\w+)\s+in\s+[^:]*\Z")
_ASKED_OF = re.compile(r"\(\s*([\w.]+)\s*,\s*[\"']\Z")
_BY_KEY = r"\s*(?:\.\s*\w+\s*\(|\[)\s*[\"']\Z"
_IS_IN = r"\s*(?:not\s+)?in\s+"
_TYPE = re.compile(r"```\w*\n(?:<class '|type\[)?([^\W\d]\w*)(?:'>|\])?\n```")


class Asker(msgspec.Struct, frozen=True):
    words: str
    """A name, or several with dots between: `self` of `getattr(self, "name")`, of `"name" in vars(self)`, and of
    `self.__dict__["name"]`; empty for anything else."""
    offset: int
    """Characters before the last name on the line; below zero where there is none."""


class Asked(Enum):
    SURELY = auto()
    PERHAPS = auto()
    NOT = auto()


def find_asker(snapshot: Snapshot, lines: Sequence[str], at: At, name: str) -> Asker | None:
    """What is asked for a member by a string that is its name; None where the string asks nothing for it."""
    strings = by_name()[snapshot.by_path[at.file].lang].strings
    before, rest = split_line(lines, at)
    tables, first = strings.member_tables, len(before) + len(name) + 1
    by_key = tables and re.search(f"(?:{tables}){_BY_KEY}", before)
    is_in = tables and re.match(f"{_IS_IN}(?:{tables})", rest[len(name) + 1 :])
    is_asked = re.search(strings.member_strings or r"\Z\A", before)
    match = by_key or is_in or (is_asked and _ASKED_OF.search(before))
    if not match:
        return Asker("", -1) if is_asked else None
    group = match.lastindex or 0
    return Asker(match[group], (first if match is is_in else 0) + match.start(group) + match[group].rfind(".") + 1)


def find_asked(snapshot: Snapshot, lines: Sequence[str], at: At, cls: int) -> Asked:
    """Whether a method of a class asks its own object for the member that a string in it is the name of."""
    file = snapshot.by_path[at.file]
    strings = by_name()[file.lang].strings
    words = "|".join(map(re.escape, sorted(strings.member_access | strings.member_lookups)))
    own = "|".join(map(re.escape, sorted(strings.own_values)))
    if not words or not own:
        return Asked.NOT
    head = "\n".join((*lines[max(0, at.line - 1 - LINES_ABOVE) : at.line - 1], split_line(lines, at)[0]))
    match = _GOES_THROUGH.search(head)
    text = "\n".join(lines_around(file, lines, at.line))
    if match and re.search(rf"\b(?:{words})\s*\(\s*(?:{own})\s*,\s*{match[1]}\b", text):
        rest = re.sub(rf"\b(?:{words})\s*\([^()]*?,\s*{match[1]}\b|\bfor\s+{match[1]}\s+in\b", "", text)
        return Asked.PERHAPS if re.search(rf"\b{match[1]}\b", rest) else Asked.SURELY
    is_given = re.search(rf"\b(?:{own})\.\w+\(\s*(?:[^()\"']*,\s*)?[\"']\Z", head) is not None
    return Asked.PERHAPS if is_given and asks_itself(snapshot, cls) else Asked.NOT


def may_be_asked(snapshot: Snapshot, lines: Sequence[str], at: At, classes: Iterable[int]) -> bool:
    """Whether a file that names one of some classes may ask a value of theirs for what a string is the name of: by a
    name that it goes through, or that is given beside the name by which it asks (`parametrize("method", ["load"])`)."""
    file = snapshot.by_path[at.file]
    strings = by_name()[file.lang].strings
    words, own = ("|".join(map(re.escape, sorted(some))) for some in (strings.member_lookups, strings.own_values))
    text = "\n".join(lines)
    names = "|".join(re.escape(snapshot.name_of(cls)) for cls in classes)
    asked = re.findall(rf"\b(?:{words})\s*\(\s*(?!(?:{own})\s*,)\w+\s*,\s*(\w+)", text) if words and own else []
    if not asked or not re.search(rf"\b(?:{names})\b", text):
        return False
    span = span_around(file, lines, at.line)
    head = "\n".join((*lines[max(span.start, at.line - LISTED_LINES) - 1 : at.line - 1], split_line(lines, at)[0]))
    match = _GOES_THROUGH.search(head)
    if match:
        around = "\n".join(lines[span.start - 1 : span.stop - 1])
        called = {*re.findall(rf"(\w+)\s*\((?:[^()]*,\s*)?{match[1]}\s*[,)]", around)}
        functions = [one for name in called for one in snapshot.named(name) if snapshot.row_of(one)[0] is file]
        is_own = re.search(rf"\b(?:{words})\s*\(\s*(?:{own})\s*,\s*{match[1]}\b", around)
        return not is_own and (
            not called.isdisjoint(strings.member_lookups)
            or any(gets_at_members(snapshot, one, lines) for one in functions)
        )
    given = "|".join({*asked})
    return re.search(rf"[(\[]\s*[\"'](?:{given})[\"']", head) is not None


def find_asked_of_classes(
    snapshot: Snapshot, strings: Mapping[At, Asker], texts: Mapping[str, Sequence[str]], having: set[int]
) -> Asking[tuple[list[At], list[At]]]:
    """Those of strings, each asked of something, that are asked of a class among `having`, or of an object of one; and
    those asked of objects of classes that are not related to these."""
    names = {snapshot.name_of(cls) for cls in having}
    found = [at for at, asker in strings.items() if asker.words.rpartition(".")[2] in names]
    others: list[At] = []
    related = having.union(*(classes_from(snapshot, cls, upwards=True) for cls in having))
    receivers = {at: place for at, place in places_of_askers(strings, texts).items() if at not in found}
    facts = (yield tuple(map(Hover, receivers.values()))) if receivers else ()
    for at, fact in zip(receivers, facts, strict=True):
        shown = _TYPE.match(fact.value) if isinstance(fact, Found) and not fact.incomplete else None
        classes = [one for one in snapshot.named(shown[1]) if snapshot.kind_of(one) in CLASS_KINDS] if shown else []
        found += [at] if classes and having >= {*classes} else []
        others += [at] if classes and related.isdisjoint(classes) else []
    return found, others


def places_of_askers(strings: Mapping[At, Asker], texts: Mapping[str, Sequence[str]]) -> dict[At, At]:
    """Where the last names are of what strings ask, but for what has none."""
    return {
        at: At(at.file, at.line, utf16_length(texts[at.file][at.line - 1][: asker.offset]) + 1)
        for at, asker in strings.items()
        if asker.offset >= 0
    }
