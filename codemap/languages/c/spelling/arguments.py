"""Arguments of macros that no function could be given: types, declarations, operators, statements. They are spelt as
expressions of the same names.

Source: ISO/IEC 9899:2018, 6.10.3 "Macro replacement": an argument is any tokens between commas.
"""

from __future__ import annotations

from codemap.languages.c.spelling.heads import Part, Unit, clean, split_head
from codemap.languages.c.spelling.text import Spelling
from codemap.languages.c.spelling.words import TAGS, is_attribute

_OPERATORS = frozenset(
    (b"==", b"!=", b"<", b">", b"<=", b">=", b"+", b"-", b"*", b"/", b"%", b"&", b"|", b"^", b"&&", b"||", b"=", b"!")
)
_ENDS = frozenset((b",", b")", b";"))


def argument(spelling: Spelling, at: int) -> int:
    """Spells an argument that begins at a token; the number of the token to go on at."""
    tokens = spelling.tokens
    text = tokens.text(at)
    if text in _ENDS:
        if text == b"," and tokens.text(at - 1) in (b",", b"("):
            spelling.insert(at, b"0")
        return at
    if (text in _OPERATORS or text in (b"<<", b">>", b"->", b".")) and tokens.text(at + 1) in _ENDS:
        spelling.write(at, b"0")
        return at + 1
    found, end = split_head(tokens, at)
    if not found:
        return at
    called = next((place for place, part in enumerate(found) if part.unit is Unit.CALLED), -1)
    if called >= 0:
        end = found[called].first + 1
        _join(spelling, found[: called + 1])
        return end
    is_typed = any(part.unit is Unit.TYPE for part in found) or found[0].unit is Unit.QUALIFIER
    stars = end
    while tokens.text(stars) == b"*" or (stars > end and _is_between(spelling, stars)):
        stars += 1
    behind = tokens.text(stars)
    if not is_typed and len(found) == 1 and (stars == end or behind not in _ENDS):
        return end
    if stars > end:
        clean(spelling, found, end, names=0)
        found = [part for part in found if part.unit is not Unit.WORD or not is_blank(spelling, part.first)]
    if is_typed and stars > end and tokens.is_word(stars):
        more, stars_end = split_head(tokens, stars)
        for part in more[:-1]:
            spelling.blank(part.first, part.last)
        for number in range(end, stars):
            if tokens.text(number) != b"*":
                spelling.blank(number, number)
        _join(spelling, found)
        return stars_end
    if stars > end and behind in _ENDS:
        spelling.blank(end, stars - 1)
    _join(spelling, found)
    return max(stars, end)


def _is_between(spelling: Spelling, number: int) -> bool:
    """Whether a word behind a star says something of the pointer."""
    tokens = spelling.tokens
    return tokens.text(number) in (b"const", b"volatile", b"restrict") or (
        tokens.is_word(number) and tokens.text(number + 1) == b"*" and is_attribute(tokens.text(number))
    )


def is_blank(spelling: Spelling, number: int) -> bool:
    """Whether a token has gone."""
    return spelling.text[spelling.tokens.starts[number]] == ord(" ")


def _join(spelling: Spelling, found: list[Part]) -> None:
    """Words side by side become a sum: a type's tag or nothing for it, then the names."""
    tokens = spelling.tokens
    is_first = True
    for part in found:
        if part.unit is Unit.QUALIFIER:
            spelling.blank(part.first, part.last)
            continue
        if part.unit is Unit.TYPE:
            if tokens.text(part.first) in TAGS and part.last > part.first:
                spelling.blank(part.first, part.last - 1)
            else:
                spelling.blank(part.first, part.last)
                spelling.write(part.first, b"0")
        if not is_first:
            spelling.insert(part.first, b"+")
        is_first = False
    if is_first and found:
        spelling.write(found[0].first, b"0")
