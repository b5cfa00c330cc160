"""What is drawn from a repository, the same each time: names to ask for, and first sentences of documentation.

Rules of the file:
- A query has one right answer: a part of a name, or a misspelling, is drawn only where no other name has it, or is as
  near to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from bench.relevance.repositories import Definition, Mapped
from codemap.extract.extract import extract
from codemap.facts import Symbol, rows
from codemap.languages import language_of

SEED = 20
NAMES = 20
"""Names of each form: exact, a part, qualified, misspelt."""
NAME_CHARS_MIN, MISSPELT_CHARS_MIN = 4, 7
SENTENCES = 60
WORDS_MIN = 5
"""Words of a sentence that tells something."""

_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COMMENT = re.compile(r"\s*(?:///?!?|//|#|--|\*|/\*|;|%)")
_ATTRIBUTE = re.compile(r"\s*(?:@|#\[|\[\w|template\b|export\b|$)")
_QUOTES = ('"""', "'''")
_ABOVE_MAX, _BELOW_MAX = 200, 30
"""Lines before a definition, and after it begins, in which its documentation may stand."""


class Asked(NamedTuple):
    form: str
    query: str
    is_right: Callable[[Definition], bool]


class Told(NamedTuple):
    """A definition, and the first sentence of its documentation, which is masked."""

    definition: Definition
    sentence: str


def names(mapped: Mapped) -> list[Asked]:
    """Names as people ask for them."""
    random = Random(SEED)
    definitions = {one.name: one for one in map(mapped.definition, mapped.product())}
    all_names = {mapped.snapshot.name_of(node) for node in range(mapped.snapshot.first_external)}
    spellings = Counter(name.lower() for name in all_names)
    lower = sorted(spellings)
    usable = [name for name in sorted(definitions) if _is_usable(name) and spellings[name.lower()] == 1]
    random.shuffle(usable)
    text = "\n".join(lower)
    found: list[Asked] = []
    found += [Asked("exact", name, _is_called(name)) for name in usable[:NAMES]]
    parts = ((name, _part(name)) for name in usable)
    single = [(name, part) for name, part in parts if part and text.count(part.lower()) == 1]
    found += [Asked("partial", part, _is_called(name)) for name, part in single[:NAMES]]
    inside = [definitions[name].qualified for name in usable if "." in definitions[name].qualified]
    tails = [".".join(qualified.split(".")[-2:]) for qualified in inside]
    found += [Asked("qualified", tail, _ends_in(tail)) for tail in dict.fromkeys(tails)][:NAMES]
    misspelt = ((name, _misspelt(name, random)) for name in usable if len(name) >= MISSPELT_CHARS_MIN)
    near = ((name, wrong) for name, wrong in misspelt if _is_nearest(name.lower(), wrong.lower(), lower))
    found += [Asked("misspelt", wrong, _is_called(name)) for (name, wrong), _ in zip(near, range(NAMES), strict=False)]
    return found


def sentences(mapped: Mapped) -> tuple[list[Told], dict[str, bytes]]:
    """First sentences of documentation of the product, and the sources in which those definitions have none."""
    random = Random(SEED)
    nodes = [node for node in mapped.product() if len(_words(mapped, node)) >= WORDS_MIN]
    random.shuffle(nodes)
    sources = dict(mapped.sources)
    told: list[Told] = []
    for node in nodes:
        if len(told) == SENTENCES:
            break
        definition = mapped.definition(node)
        masked = _masked(mapped, node, sources[definition.path])
        if masked is not None:
            sources[definition.path] = masked
            told.append(Told(definition, mapped.snapshot.text_of(node, Symbol.DOC)))
    return told, sources


def _words(mapped: Mapped, node: int) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", mapped.snapshot.text_of(node, Symbol.DOC))


def _masked(mapped: Mapped, node: int, source: bytes) -> bytes | None:
    """The source with the comment above a definition, and the text in quotes at its beginning, made blank.

    None where the definition has its documentation elsewhere.
    """
    file, row = mapped.snapshot.row_of(node)
    lines = source.decode("utf-8", "surrogateescape").split("\n")
    first, last = file.cell(row, Symbol.START_LINE) - 1, file.cell(row, Symbol.END_LINE) - 1
    at = first
    is_block = False
    while at > max(0, first - _ABOVE_MAX):
        line = lines[at - 1].strip()
        is_block = (is_block or line.endswith("*/")) and not line.startswith("/*")
        if is_block or line.startswith("/*") or _COMMENT.match(line):
            if not line.startswith("#["):
                lines[at - 1] = ""
        elif not _ATTRIBUTE.match(line):
            break
        at -= 1
    body = "\n".join(lines[first : last + 1])
    near = len("\n".join(lines[first : min(last, first + _BELOW_MAX) + 1]))
    for quote in _QUOTES:
        opened = body.find(quote, 0, near)
        closed = body.find(quote, opened + 3) if opened >= 0 else -1
        if closed >= 0:
            body = body[: opened + 3] + re.sub(r"[^\n]", " ", body[opened + 3 : closed]) + body[closed:]
            break
    masked = "\n".join([*lines[:first], body, *lines[last + 1 :]]).encode("utf-8", "surrogateescape")
    name = file.qualified_name(row)
    facts = extract(file.path, masked)
    symbols = rows(facts.symbols)
    count = len(symbols) // Symbol.WIDTH
    if language_of(file.path) is None or count != len(file.symbols) // Symbol.WIDTH:
        return None
    has_none = symbols[row * Symbol.WIDTH + Symbol.DOC] < 0
    return masked if name and has_none else None


def _is_called(name: str) -> Callable[[Definition], bool]:
    return lambda found: found.name == name


def _ends_in(tail: str) -> Callable[[Definition], bool]:
    return lambda found: f".{found.qualified}".endswith(f".{tail}")


def _is_usable(name: str) -> bool:
    return len(name) >= NAME_CHARS_MIN and name.isidentifier() and not name.startswith("__")


def _part(name: str) -> str:
    """A name without its first or its last word; empty where it has too few of them."""
    words = list(_SUBWORD.finditer(name))
    if len(words) < 3:
        return ""
    return name[words[1].start() :] if len(name) % 2 else name[: words[-2].end()]


def _misspelt(name: str, random: Random) -> str:
    """A name with two letters swapped, one left out, or one written twice; the first letter is right."""
    at = random.randrange(1, len(name) - 1)
    forms = (
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        name[:at] + name[at + 1 :],
        name[: at + 1] + name[at:],
    )
    return forms[random.randrange(len(forms))]


def _is_nearest(name: str, wrong: str, lower: Sequence[str]) -> bool:
    """Whether no other name contains the misspelt one, or is one edit away from it."""
    return wrong != name and all(
        other == name or (wrong not in other and not _is_near(other, wrong)) for other in lower
    )


def _is_near(one: str, other: str) -> bool:
    """Whether one edit makes one word the other: a letter more, less, another, or two swapped."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    first, second = one[start : len(one) - end], other[start : len(other) - end]
    return max(len(first), len(second)) <= 1 or (len(first) == len(second) == 2 and first == second[::-1])
