"""Reads XML into the list of its elements, in the order in which they begin.

Nothing is resolved: a document that declares a type or entities is refused, for entities may stand for billions of
characters, or for other files.

Source: XML 1.0; the documentation of libexpat.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.parsers import expat

import msgspec

from codemap.config.document import DEPTH_MAX, TOO_DEEP, Unreadable


class Element(msgspec.Struct):
    """One element, apart from those inside it."""

    name: str
    attributes: Mapping[str, str]
    text: str = ""
    """Before its first inner element, without the space around it."""
    depth: int = 0
    """In how many others it is."""


def read(source: bytes) -> list[Element] | Unreadable:
    """All elements, whatever they are in."""
    elements = _Elements()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = elements.begin
    parser.EndElementHandler = elements.close
    parser.CharacterDataHandler = elements.add
    parser.StartDoctypeDeclHandler = _refuse_type
    try:
        parser.Parse(source, True)
    except _Refused as refused:
        return refused.why
    except (expat.ExpatError, ValueError, LookupError) as error:
        return Unreadable(f"is not valid XML: {error}")
    return elements.found


class _Elements:
    """Collects elements; the last one may still be open for text."""

    def __init__(self) -> None:
        self.found: list[Element] = []
        self._is_open = False
        self._depth = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._end_text()
        self.found.append(Element(name, attributes, depth=self._depth))
        self._is_open = True
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _Refused(TOO_DEEP)

    def close(self, _name: str) -> None:
        self._end_text()
        self._depth -= 1

    def add(self, text: str) -> None:
        if self._is_open:
            self.found[-1].text += text

    def _end_text(self) -> None:
        if self._is_open:
            self.found[-1].text = self.found[-1].text.strip()
        self._is_open = False


class _Refused(Exception):
    """The document is not read to its end."""

    def __init__(self, why: Unreadable) -> None:
        self.why = why


def _refuse_type(*_: object) -> None:
    raise _Refused(Unreadable("declares a document type, which is not read"))
