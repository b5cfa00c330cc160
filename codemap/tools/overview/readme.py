"""What a README says first of its repository: for one that no manifest describes.

Each pattern takes time in proportion to the text, whatever stands in it: what it could run past, it may not contain.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable

from codemap.fact_building.comments import first_sentence
from codemap.live_queries import Fact, Found, Question, Source, SourceNow

NAMES = ("README.md", "README.rst", "README", "README.txt", "readme.md", "README.markdown", "README.adoc", "Readme.md")
"""The first that is there is read."""

SHOWN_MAX = 200
"""Characters of the sentence."""

_WORDS_MIN = 4
"""Fewer are a title or a caption."""
_PARAGRAPHS_MAX = 8
_READ_MAX = 20_000
"""Characters that are read: what comes later is not what the repository is."""

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ASIDES = re.compile(
    r"<!--.*?(?:-->|\Z)|^(```|~~~).*?(?:^\1|\Z)|^(?:\.\.|image::|include::)[^\n]*(?:\n[ \t]+[^\n]*|\n(?=\n[ \t]))*",
    re.DOTALL | re.MULTILINE,
)
"""Comments, code, and directives with what is indented below them; what is not ended goes on to the end."""
_HEADINGS = re.compile(r"^ {0,3}(?:#{1,6}|={1,6})[ \t][^\n]*$|^[^\n]+\n([=\-~^*#\"])\1{2,}[ \t]*$", re.MULTILINE)
_IMAGES = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])|\|[\w .-]+\|(?:_{1,2})?")
_LINKS = re.compile(
    r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|`([^`<]+)<[^<>`]*>`_{1,2}|`([^`]+)`_{1,2}"
    r"|https?://[^\s\[]{1,200}\[([^\[\]]*)\]"
)
_TAGS = re.compile(r"</?[A-Za-z][^<>]*>")
_ENTITIES = re.compile(r"&\w+;|&#\d+;")
_LISTED = re.compile(r"\s*(?:[-*+]\s|[>|]|:\w+:|\d+[.)]\s)")
"""Begins a line of a list, a quotation, a table, or a field."""
_MARKS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_DEFINES = r"(?:(?:is|are) (?:an?|the|designed)|provides|implements)\b"
_WORD = re.compile(r"[^\W\d_]{2,}")


def ask_sentence(names: Iterable[str]) -> Generator[tuple[Question, ...], tuple[Fact, ...], str]:
    """What the README at the root says now of one of some names; empty where it says nothing, or there is none."""
    for paths in (NAMES[:1], NAMES[1:]):
        facts = yield tuple(map(Source, paths))
        for fact in facts:
            if isinstance(fact, Found) and isinstance(fact.value, SourceNow):
                return sentence_of(fact.value.text, names)
    return ""


def sentence_of(text: str, names: Iterable[str]) -> str:
    """The first sentence that says what one of some names is; else the first of prose; empty where there is none."""
    text = _FRONT_MATTER.sub("", text[:_READ_MAX].replace("\r\n", "\n"))
    text = _HEADINGS.sub("\n\n", _ASIDES.sub("\n\n", text))
    prose = [said for paragraph in re.split(r"\n[ \t]*\n", text) if (said := _read_prose(paragraph))]
    called = "|".join(re.escape(name) for name in names if name)
    defined = re.compile(rf"\b(?:The )?(?:{called})\b[^.]{{0,40}}? {_DEFINES}", re.IGNORECASE)
    for said in prose[:_PARAGRAPHS_MAX] if called else ():
        if found := defined.search(said):
            return _shorten(first_sentence(said[found.start() :]))
    telling = [said for said in map(first_sentence, prose) if not said.endswith(":")]
    return _shorten(telling[0]) if telling else ""


def _read_prose(paragraph: str) -> str:
    """A paragraph as plain text; empty where it is a list or a table, or hardly more than links."""
    plain = _ENTITIES.sub(" ", _TAGS.sub("", _IMAGES.sub("", paragraph)))
    if _LISTED.match(plain.lstrip("\n")) or paragraph.startswith(("    ", "\t")):
        return ""
    if len(_WORD.findall(_LINKS.sub("", plain))) < _WORDS_MIN:
        return ""
    said = _LINKS.sub(lambda link: next(filter(None, link.groups()), ""), plain)
    return " ".join(_MARKS.sub("", said).split())


def _shorten(said: str) -> str:
    return said if len(said) <= SHOWN_MAX else f"{said[: SHOWN_MAX - 1].rstrip()}…"
