"""How alike the name of a receiver and that of a class are: `event_dispatcher` and `EventDispatcher`."""

from __future__ import annotations

from enum import IntEnum

from codemap.graph.index.terms import SUBWORDS

SHORT_MIN = 3
"""Fewer letters abbreviate nothing."""

_CLASS_WORDS = frozenset({"class", "cls", "klass", "type", "factory"})
"""The last word of what a class is kept under."""


class Likeness(IntEnum):
    NONE = 0
    PART = 1  # they share a last word, or one abbreviates the other's
    TAIL = 2  # the words of one end with those of the other
    SAME = 3  # the same words


def likeness(name: str, cls: str) -> Likeness:
    """How alike two names are."""
    own, theirs = words_of(name), words_of(cls)
    if not own or not theirs:
        return Likeness.NONE
    if own == theirs or "".join(own) == "".join(theirs):
        return Likeness.SAME
    if _ends_with(theirs, own) or _ends_with(own, theirs):
        return Likeness.TAIL
    last = own[-1]
    if last in theirs or theirs[-1] in own or (len(last) >= SHORT_MIN and theirs[-1].startswith(last)):
        return Likeness.PART
    return Likeness.NONE


def _ends_with(whole: list[str], tail: list[str]) -> bool:
    return len(tail) < len(whole) and whole[-len(tail) :] == tail


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return [part.lower() for part in SUBWORDS.findall(name)]


def list_endings(name: str) -> list[tuple[tuple[str, ...], bool]]:
    """What the names end with of what a variable may hold that is so called, in words, and whether of classes alone."""
    words = words_of(name)
    words = words[1:] if words[:1] == ["get"] else words
    if len(words) < 2:
        return []
    found = [(tuple(words), False)]
    return [*found, (tuple(words[:-1]), True)] if words[-1] in _CLASS_WORDS else found
