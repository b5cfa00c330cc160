"""How code says that it writes a variable or field, as data, and the search for that beside a name.

Nothing is parsed: the lines around the name are looked at. A language states tokens as they are in its code. Where
several of its `operators` and `others` fit, the longest counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

Site = tuple[int, int]
"""Line and column, 1-based; columns count UTF-16 code units."""

STEPS = ("++", "--")
COMPOUND = ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
TYPE_BEHIND = r"[?!]?\s*:[^=;{}]*"
"""A type behind the name of what has it."""
_PATH = r"[\w$@.>-]*"
"""What a name is a member of, in front of it: `this.`, `self->`."""
_AMONG = r"[\w$@.\[\]*>-]"
_NEVER = r"(?!)"
_GOES_ON = re.compile(r"\s*(?:(?:\.|->|\?\.|\?->|::)\w|\()")
"""A member of what is named, or a call."""
_CALLED = re.compile(r"(?:\[[^\[\]]*\]|\.\w+)*\.(?=\w+\s*(?:::<[^()]*>)?\()")
"""Between the name and a method that is called on it or a part of it."""
_INITIALIZES = re.compile(r"\w+\s*[({]")
_LISTED = re.compile(r"(?:\)\s*(?:noexcept\s*)?:|[)}]\s*,)(?:\s|//[^\n]*\n|/\*.*?\*/)*\Z", re.DOTALL)
"""In front of a field in a constructor's list of initializers: the end of the parameters, or of the field before."""
_LINES_BEFORE = 8
_ARGUMENTS = re.compile(r"<[^<>]*>")
_POINTS = re.compile(r"[*&]")
"""In the type of a variable whose members are not parts of its value."""


class Writes(msgspec.Struct, frozen=True, kw_only=True):
    """The defaults are those of languages like C."""

    marks: str = ""
    """What names may begin with, beside letters: `$`."""
    operators: tuple[str, ...] = ("=", *COMPOUND, *STEPS)
    """Behind what they write."""
    others: tuple[str, ...] = ("==", "=>")
    """Operators that begin with one of these and write nothing."""
    before: tuple[str, ...] = STEPS
    """In front of what they write: operators, and words (`del`, `&mut`)."""
    takers: tuple[str, ...] = ()
    """Functions that write what they are given (`unset`)."""
    several: tuple[str, ...] = ()
    """Those of `operators` that write all names in front of them: `a, b = 1, 2`."""
    behind_name: str = ""
    """A pattern of what may be between the name in a definition and what assigns it: `TYPE_BEHIND`."""
    holds_parts: bool = False
    """Whether a variable holds the members of its value, so that to assign one changes the variable: not where it only
    refers to an object."""
    lists_initializers: bool = False
    """Whether constructors give fields first values in front of their bodies: `Store() : size_(0), items_{} {`."""
    changing_signature: str = ""
    """A pattern of the signature of a method that changes its receiver, where signatures say so."""


class _Patterns(NamedTuple):
    whole: re.Pattern[str]
    """The name, perhaps of a container whose part is assigned; with members where these are parts of its value."""
    assigns: re.Pattern[str]
    stated: re.Pattern[str]
    """The name in a definition, with what is behind it and assigns it."""
    among: re.Pattern[str]
    """The name and further ones that are assigned together."""
    before: re.Pattern[str]


_FIRST = re.compile(rf"\s*(?:{_AMONG}+\s*,\s*)*{_AMONG}*")
"""What may stand before one of several names on its line."""


def is_written(writes: Writes, lines: Sequence[str], site: Site, *, is_definition: bool, has_parts: bool) -> bool:
    """Whether a line writes what it names at a place. `has_parts`: see `own_parts`."""
    patterns, (text, col) = _patterns(writes, has_parts), _line_at(lines, site)
    start = col - 1 if text.isascii() else len(text.encode("utf-16-le")[: 2 * (col - 1)].decode("utf-16-le", "ignore"))
    if is_definition and patterns.stated.match(text, start):
        return True
    if patterns.among.match(text, start) and _FIRST.fullmatch(text[:start]):
        return True
    found = patterns.whole.match(text, start)
    if found is None:
        return False
    is_behind = patterns.before.search(text[:start]) and not _GOES_ON.match(text, found.end())
    return bool(is_behind or patterns.assigns.match(text, found.end()))


def is_initialized(lines: Sequence[str], site: Site) -> bool:
    """Whether a constructor gives the field at a place its first value in front of its body; see
    `Writes.lists_initializers`."""
    line, (text, col) = site[0], _line_at(lines, site)
    before = "\n".join((*lines[max(0, line - _LINES_BEFORE) : line - 1], text[: col - 1]))
    return _INITIALIZES.match(text, col - 1) is not None and _LISTED.search(before) is not None


def find_called(writes: Writes, lines: Sequence[str], site: Site) -> Site:
    """Where the method is named that is called on what is named at a place, in ASCII alone; (0, 0) where none is."""
    text, col = _line_at(lines, site)
    found = _patterns(writes, False).whole.match(text, col - 1) if text.isascii() else None
    called = _CALLED.match(text, found.end()) if found is not None else None
    return (site[0], called.end() + 1) if called is not None else (0, 0)


def own_parts(writes: Writes, signature: str) -> bool:
    """Whether what is assigned to a member of a variable of that signature changes the variable's own value."""
    stated = signature
    while (bare := _ARGUMENTS.sub("", stated)) != stated:
        stated = bare
    return writes.holds_parts and not _POINTS.search(stated)


def _line_at(lines: Sequence[str], site: Site) -> tuple[str, int]:
    line, col = site
    return lines[line - 1] if line <= len(lines) else "", col


@cache
def _patterns(writes: Writes, has_parts: bool) -> _Patterns:
    name = rf"[{re.escape(writes.marks)}]{{0,2}}\w+" if writes.marks else r"\w+"
    part = r"\[[^\[\]]*\]|\.\w+" if has_parts else r"\[[^\[\]]*\]"
    unlike = f"(?!{_any(writes.others)})"
    words = [rf"(?<!\w){re.escape(one)}\s+" if one[-1].isalpha() else re.escape(one) for one in writes.before]
    words += [rf"\b{one}\s*\((?:[^()]*(?:\([^()]*\)[^()]*)*,)?\s*" for one in writes.takers]
    several = rf"{name}\s*(?:,\s*{_AMONG}+\s*)+{unlike}{_any(writes.several)}"
    stated = f"{name}{writes.behind_name}{unlike}="
    return _Patterns(
        whole=re.compile(f"{name}(?:{part})*"),
        assigns=re.compile(rf"\s*{unlike}{_any(writes.operators)}"),
        stated=re.compile(stated if writes.behind_name else _NEVER),
        among=re.compile(several if writes.several else _NEVER),
        before=re.compile(rf"(?:{'|'.join(words)}){_PATH}\Z" if words else _NEVER),
    )


def _any(tokens: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(tokens, key=len, reverse=True)))})"
