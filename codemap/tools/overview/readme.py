"""What a README says first of a repository: for one that no manifest describes."""

from __future__ import annotations

import re

from codemap.fact_building.comments import first_sentence

NAMES = ("README.md", "README.rst", "README", "README.txt", "readme.md", "README.markdown", "README.adoc", "Readme.md")
"""The first that is there is read."""

SHOWN_MAX = 200
"""Characters of the sentence."""

WORDS_MIN = 4
"""Fewer are a title or a caption."""

_READ_MAX = 20_000
"""Characters that are read: what comes later is not what the repository is."""

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_BLOCKS = re.compile(
    r"<!--.*?-->|^(```|~~~).*?^\1|^(?:\.\.|image::|include::)[^\n]*(?:\n[ \t]+[^\n]*|\n(?=\n[ \t]))*",
    re.DOTALL | re.MULTILINE,
)
"""Comments, code, and directives with what is indented below them."""
_HEADINGS = re.compile(r"^(?:#{1,6}|={1,6})[ \t][^\n]*$|^[^\n]+\n([=\-~^*#\"])\1{2,}[ \t]*$", re.MULTILINE)
_IMAGES = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|\|[\w .-]+\|(?:_{1,2})?")
_LINKS = re.compile(r"\[([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])|`([^`<]+?)\s*<[^>`]*>`_{1,2}|https?://\S+?\[([^\]]*)\]")
_TAGS = re.compile(r"</?[A-Za-z][^>]*>")
_ENTITIES = re.compile(r"&\w+;|&#\d+;")
_ASIDE = re.compile(r"\s*(?:[-*+>|:]|\d+[.)])")
"""Begins a line of a list, a quotation, a table, or a field."""
_MARKS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_WORD = re.compile(r"[^\W\d_]{2,}")


def sentence_of(text: str) -> str:
    """The first sentence of the first paragraph of prose; empty where there is none."""
    text = _FRONT_MATTER.sub("", text[:_READ_MAX].replace("\r\n", "\n"))
    text = _HEADINGS.sub("\n\n", _BLOCKS.sub("\n\n", text))
    for paragraph in re.split(r"\n[ \t]*\n", text):
        if shown := _read_prose(paragraph):
            return shown if len(shown) <= SHOWN_MAX else f"{shown[: SHOWN_MAX - 1].rstrip()}…"
    return ""


def _read_prose(paragraph: str) -> str:
    """A paragraph's first sentence as plain text; empty where it is none, or hardly more than links."""
    plain = _ENTITIES.sub(" ", _TAGS.sub("", _IMAGES.sub("", paragraph)))
    if _ASIDE.match(plain.lstrip("\n")) or paragraph.startswith(("    ", "\t")):
        return ""
    if len(_WORD.findall(_LINKS.sub("", plain))) < WORDS_MIN:
        return ""
    said = _LINKS.sub(lambda link: next(filter(None, link.groups()), ""), plain)
    return first_sentence(" ".join(_MARKS.sub("", said).split()))
