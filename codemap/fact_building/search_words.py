"""Collects, for search, the words that document each definition and the words in its body.

They are read out of the text alone, by what nearly all languages share, so that no walk looks at comments and strings.

Rules of the file:
- What is inside a definition belongs to the innermost one. A comment right above a definition documents it, and so
  does a text in triple quotes near its beginning.
- A word is a run of letters and underscores. Each counts once in the documentation of a definition, and once in its
  body. Stop words, and what the syntax of many languages says everywhere, are left out.
- It runs once a definition: its loops are plain.
"""

from __future__ import annotations

from itertools import filterfalse

from codemap.stop_words import STOP_WORDS

Stretch = tuple[int, int, int]
"""Offset of the beginning, minus that of the end, and the symbol: sorted, what encloses comes before what it holds."""

_BLANKS = bytes(byte if byte >= 128 or chr(byte).isalpha() or byte == ord("_") else ord(" ") for byte in range(256))
_SYNTAX = """
assert async await bool break case catch class const continue def default del elif else end enum except export
extends extern false final finally fn for fun func function goto if impl implements import include inline int
instanceof interface internal lambda let long match mod module mut namespace new nil none not null nullptr object
open override package pass private protected pub public raise ref require return self short static string struct
super switch template this throw throws trait true try type typedef typename typeof undefined union unsigned unless
use using val var virtual void where while yield
"""
_LETTERS = [chr(letter) for letter in range(ord("A"), ord("z") + 1)]
_NOISE = frozenset(
    word.encode() for some in (*STOP_WORDS, *_SYNTAX.split(), *_LETTERS) for word in (some, some.title())
)
_QUOTES = (b'"""', b"'''")
_NEAR = 1_000
"""Bytes of a definition before its documentation: a long signature."""
_MARKS = (b"#", b"//", b"--", b"*", b";", b"%")
"""What a line of a comment begins with."""


def wording(source: bytes, stretches: list[Stretch]) -> tuple[str, list[int]]:
    """The words, with a blank between them, and in their order (symbol, words that document it, words of its body).

    `stretches` are the definitions, without the file itself, each inside another or apart from it.
    """
    docs, bodies = _attribute_texts(source, sorted(stretches))
    words: list[bytes] = []
    counts: list[int] = []
    is_noise = _NOISE.__contains__
    count = 0
    for symbol in sorted(bodies):
        first = count
        if symbol in docs:
            words += filterfalse(is_noise, dict.fromkeys(docs[symbol].split()))
            count = len(words)
        words += filterfalse(is_noise, dict.fromkeys(bodies[symbol].split()))
        counts += (symbol, count - first, len(words) - count)
        count = len(words)
    return b" ".join(words).decode("utf-8", "replace"), counts


def _attribute_texts(source: bytes, stretches: list[Stretch]) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """Symbol -> the plain text that documents it, where there is any, and that of its body."""
    plain = source.translate(_BLANKS)
    docs: dict[int, bytes] = {}
    bodies: dict[int, bytes] = {0: b""}
    at, end_of_file = 0, len(source)
    ends, owners = [end_of_file], [0]
    for start, minus_end, symbol in [*stretches, (end_of_file, 0, 0)]:
        while ends and ends[-1] <= start:
            end = ends.pop()
            bodies[owners.pop()] += plain[at:end]
            at = max(at, end)
        if not ends:
            break
        between = source[at:start].rstrip()
        if between:
            above = at + _find_comment_at_end(between)
            docs[symbol] = plain[above:start]
            bodies[owners[-1]] += plain[at:above]
        bodies[symbol] = b""
        at = start
        ends.append(-minus_end)
        owners.append(symbol)
    if any(quote in source for quote in _QUOTES):
        _take_quoted(source, plain, stretches, docs)
    return docs, bodies


def _find_comment_at_end(text: bytes) -> int:
    """Where the comment begins that a text ends with; its length where it ends with none."""
    if text.endswith(b"*/"):
        return max(text.rfind(b"/*"), 0)
    first = len(text)
    while first:
        line = text.rfind(b"\n", 0, first - 1) + 1
        if not text[line:first].lstrip().startswith(_MARKS):
            break
        first = line
    return first


def _take_quoted(source: bytes, plain: bytes, stretches: list[Stretch], docs: dict[int, bytes]) -> None:
    """Adds what is in triple quotes near the beginning of definitions, before those inside them."""
    nexts = [*(start for start, _, _ in stretches), len(source)]
    for (start, minus_end, symbol), next_start in zip([(0, -len(source), 0), *stretches], nexts, strict=True):
        near = min(-minus_end, next_start, start + _NEAR)
        for quote in _QUOTES:
            opened = source.find(quote, start, near)
            closed = source.find(quote, opened + len(quote), -minus_end) if opened >= 0 else -1
            if closed >= 0:
                docs[symbol] = docs.get(symbol, b"") + plain[opened:closed]
                break
