"""Answers as pictures for documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from codemap.pictures.formats import FORMATS
from codemap.pictures.of_answers import LISTED, PICTURES


def as_wanted(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call whose answer is drawn: tests are counted, as long as nobody asks for them."""
    folded = {"tests": "fold"} if tool in LISTED else {}
    return folded | dict(arguments) | {"rows": "full"}


def pages_of(tool: str) -> str:
    """The list of an answer that is drawn with all of its pages; empty: there is none."""
    return LISTED.get(tool, "")


def picture(envelope: Mapping[str, Any], tool: str, shape: str, say: Callable[[str], str]) -> str:
    """The text of a file in a format of a reply that is ok; `say` puts what is left out in the words of its reader."""
    drawn = PICTURES[tool](envelope["data"])
    if "dropped" in envelope:
        drawn = msgspec.structs.replace(drawn, notes=(*drawn.notes, f"Not drawn: {say(envelope['dropped']['note'])}"))
    return FORMATS[shape](drawn)
