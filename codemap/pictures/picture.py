"""What a picture shows: boxes, arrows between them, and what is left out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Literal

import msgspec

from codemap.escapes import escaped

Tone = Literal["plain", "center", "aside"]
"""How much a box stands out: what was asked about, or what is outside the product."""

TEXT_MAX_CHARS = 60
NOTE_CHARS = 80
"""Of a line of a note, where its words allow."""
NOTE_LINES_MAX = 4
_BLANKS = str.maketrans({"\n": " ", "\r": " ", "\t": " ", "\ufffe": "\ufffd", "\uffff": "\ufffd"})
"""Line ends, and what XML cannot contain."""


class Box(msgspec.Struct, frozen=True):
    key: str
    text: str
    detail: str = ""
    """A second line, smaller."""
    tone: Tone = "plain"


class Link(msgspec.Struct, frozen=True):
    """An arrow between two boxes, by their keys."""

    source: str
    target: str
    text: str
    is_sure: bool = True
    """Guesses are dotted."""
    weight: int = 1
    """How many uses it stands for; heavy ones are drawn thick."""


class Picture(msgspec.Struct, frozen=True):
    title: str
    boxes: tuple[Box, ...]
    """By key, which are distinct."""
    links: tuple[Link, ...]
    """Between boxes of it, distinct."""
    notes: tuple[str, ...] = ()
    """What is left out, and other sentences that belong under it."""


def draw(
    title: str,
    boxes: Iterable[Box],
    links: Iterable[Link],
    most: tuple[int, int],
    notes: Sequence[str] = (),
) -> Picture:
    """A picture of the first boxes and links, of each as many as `most` says; the others are counted in a note."""
    distinct: dict[str, Box] = {}
    for box in boxes:
        distinct.setdefault(box.key, box)
    every = list(distinct.values())
    shown = every[: most[0]]
    keys = {box.key for box in shown}
    between = list(dict.fromkeys(link for link in links if link.source in keys and link.target in keys))
    left = ((len(every) - most[0], "boxes"), (len(between) - most[1], "arrows"))
    counted = [f"{count} more {what}" for count, what in left if count > 0]
    return Picture(title, tuple(shown), tuple(between[: most[1]]), (*notes, *counted))


def lines_of(note: str) -> list[str]:
    """A sentence in lines between words, without what nobody sees; of a long one the first lines."""
    shown = escaped(note.translate(_BLANKS))
    return wrap(
        shown, NOTE_CHARS, max_lines=NOTE_LINES_MAX, placeholder=" …", break_long_words=False, break_on_hyphens=False
    )


def line_of(text: str) -> str:
    """One line of text without what nobody sees, cut in the middle where it is long."""
    shown = escaped(text.translate(_BLANKS))
    if len(shown) <= TEXT_MAX_CHARS:
        return shown
    half = (TEXT_MAX_CHARS - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"
