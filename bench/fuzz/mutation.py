"""Broken versions of good inputs: bytes by bytes and lines, JSON by its values.

Pure but for the source of randomness that is passed in; the same one gives the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

EDITS_MAX = 6
PIECE_MAX = 400
"""Bytes that one edit takes out, doubles or borrows; many small changes reach deeper than few large ones."""
REPEATS = (2, 10, 300, 3000)
"""How often a piece is repeated: deep nesting and long lists find other faults than wrong bytes."""
ITEMS_MAX = 5000
"""Of a list that is repeated: what is repeated twice, within another, is made of the square."""
SIZE_MAX = 60_000
"""Bytes of an input: larger ones take long and find little more."""

ODD_BYTES = (
    *(b"\0", b"\xff", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n"),
    *(b"\x1b[2J", b"\x0b", b"\x0c", b"\x85", b"\t", b" ", b"\\", b"'", b'"', b'"""', b"`", b"${", b"#", b"//", b"/*"),
    *(b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b";", b",", b":", b"=", b"@", b"*", b"&", b"!", b"?", b"%"),
    *(b"-1", b"0", b"9223372036854775808", b"1e999", b"\\u0000", b"\\ud800", b"../", b"/", b"//", b"null", b"true"),
)
ODD_TEXTS = (
    *(
        "",
        "\0",
        "\ud800",
        "\u202e",
        "\U000e0041",
        "x" * 5000,
        "../../etc/passwd",
        "/",
        ".",
        "..",
        "a\nb",
        "%00",
        "%",
        "#",
    ),
    *(
        "~2",
        "py:",
        "py:a.py#",
        "*",
        "**/*",
        "[",
        "(a+)+$",
        "{}",
        "${x}",
        "\x1b[31m",
        "π",
        "\u2028",
        "-1",
        "null",
        "é" * 300,
    ),
)
ODD_NUMBERS = (0, -1, 1, 2**31, -(2**31) - 1, 2**53, 2**63, 2**64, 10**400, 0.5, -0.0, 1e308)


def mutated(random: Random, source: bytes, others: Sequence[bytes] = (), words: Sequence[bytes] = ()) -> bytes:
    """The bytes after a few edits; `others` are inputs to borrow from, `words` what is put in besides odd bytes."""
    edits: list[Callable[[Random, bytes], bytes]] = [_cut, _double, _flip, _swap_lines, _truncate, _nest]
    edits += [lambda some, text: _put(some, text, some.choice([*ODD_BYTES, *words]))] * 4
    if others:
        edits.append(lambda some, text: _put(some, text, _piece(some, some.choice(others))))
    for _ in range(random.randint(1, EDITS_MAX)):
        source = random.choice(edits)(random, source)[:SIZE_MAX]
    return source


def mutated_json(random: Random, value: Any, texts: Sequence[str] = ()) -> Any:
    """The value with one to three of its parts replaced, wrapped, doubled, renamed or taken away."""
    for _ in range(random.randint(1, 3)):
        value = _changed(random, value, texts)
    return value


def encoded(random: Random, value: Any) -> bytes:
    """A value as JSON, in one of the ways that it can be written; what has no form in UTF-8 is escaped."""
    text = json.dumps(value, ensure_ascii=random.random() < 0.5, separators=random.choice([None, (",", ":")]))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


# -- bytes ------------------------------------------------------------------------------------------------------------


def _spot(random: Random, source: bytes) -> int:
    return random.randint(0, len(source))


def _piece(random: Random, source: bytes) -> bytes:
    start = _spot(random, source)
    return source[start : start + random.randint(1, PIECE_MAX)]


def _put(random: Random, source: bytes, piece: bytes) -> bytes:
    at = _spot(random, source)
    return source[:at] + piece + source[at + random.choice((0, 0, len(piece))) :]


def _cut(random: Random, source: bytes) -> bytes:
    at = _spot(random, source)
    return source[:at] + source[at + random.randint(1, PIECE_MAX) :]


def _double(random: Random, source: bytes) -> bytes:
    return _put(random, source, _piece(random, source))


def _flip(random: Random, source: bytes) -> bytes:
    if not source:
        return source
    at = random.randrange(len(source))
    return source[:at] + bytes((source[at] ^ 1 << random.randrange(8),)) + source[at + 1 :]


def _truncate(random: Random, source: bytes) -> bytes:
    return source[: _spot(random, source)] if random.random() < 0.3 else source


def _swap_lines(random: Random, source: bytes) -> bytes:
    lines = source.splitlines(keepends=True)
    if len(lines) > 1:
        one, other = random.randrange(len(lines)), random.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _nest(random: Random, source: bytes) -> bytes:
    """A short piece of it, over and over."""
    at = _spot(random, source)
    return source[:at] + source[at : at + random.randint(1, 12)] * random.choice(REPEATS) + source[at:]


# -- values -----------------------------------------------------------------------------------------------------------


def _changed(random: Random, value: Any, texts: Sequence[str]) -> Any:
    """The value with a change in one of its parts, chosen by walking down."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        name = random.choice(list(value))
        match random.randrange(10):
            case 0:
                return {key: part for key, part in value.items() if key != name}
            case 1:
                return {
                    (random.choice([*ODD_TEXTS, *texts]) if key == name else key): part for key, part in value.items()
                }
            case 2:
                return value | {random.choice([*ODD_TEXTS, *texts]): value[name]}
            case _:
                return value | {name: _changed(random, value[name], texts)}
    if isinstance(value, list) and value and random.random() < 0.85:
        at = random.randrange(len(value))
        match random.randrange(6):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return (value[: at + 1] * random.choice(REPEATS[:3]))[: max(len(value), ITEMS_MAX)]
            case _:
                return [*value[:at], _changed(random, value[at], texts), *value[at + 1 :]]
    return _other(random, value, texts)


def _other(random: Random, value: Any, texts: Sequence[str]) -> Any:
    """Something in the place of a value."""
    match random.randrange(8):
        case 0:
            return random.choice((None, True, False))
        case 1:
            return random.choice(ODD_NUMBERS)
        case 2:
            return [value]
        case 3:
            return {"": value}
        case 4:
            deep: Any = value
            for _ in range(random.choice((5, 60, 250))):
                deep = [deep] if random.random() < 0.5 else {"a": deep}
            return deep
        case 5 if isinstance(value, str):
            at = random.randint(0, len(value))
            return value[:at] + random.choice(ODD_TEXTS) + value[at:]
        case _:
            return random.choice([*ODD_TEXTS, *texts])
