"""What an answer shows, read as a client would: the lines that commands print, the rows of a structured reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from bench.relevance.overview import hearts_in

_HIT = re.compile(r"^(?:\./)?([^:\s]+?)[:-](\d+)[:-](.*)$")
_SED = re.compile(r"^sed -n \S+ (\S+)$")
_LANGUAGE = re.compile(r"^[a-z]+:(?=[^ ]*[./#])")
_STEP = re.compile(r"^(\S+?):(\d+) (\S+)")
_LINES = re.compile(r"^\d+(,\d+)*$")
_NOT_SHOWN = ("folded", "packages", "signature", "candidates")
"""Members of a reply that name no definition or site of the answer one by one."""


class Row(msgspec.Struct, frozen=True):
    """A file, or a definition in it, or sites in either."""

    path: str
    name: str = ""
    """Qualified; of a printed line, its text."""
    lines: frozenset[int] = frozenset()
    is_kin: bool = False
    """Named as one of the family that was asked about, and not as a neighbor of it."""


def printed(command: str, output: str) -> list[Row]:
    """The lines that a command printed; those of `sed` are of its file, others without a place are paths."""
    sed = _SED.match(command)
    rows = []
    for line in output.splitlines():
        hit = _HIT.match(line)
        if sed:
            rows.append(Row(sed[1], line))
        elif hit:
            rows.append(Row(hit[1], hit[3], frozenset({int(hit[2])})))
        else:
            rows.append(Row(line.strip().removeprefix("./"), line))
    return rows


def replied(data: Any) -> list[Row]:
    """The rows of a reply's data, compact or not, without the node that was asked about."""
    if isinstance(data, dict) and "areas" in data:
        return list(_overview(data))
    if isinstance(data, dict):
        data = {key: value for key, value in data.items() if key != "node"}
    return list(_rows(data))


def _overview(data: dict[str, Any]) -> Iterator[Row]:
    for area in data["areas"]:
        yield Row(area["area"].partition(": ")[0])
    yield from (Row(place) for place in data.get("others", {}))
    yield from (Row(path, name) for path, _, name in (heart.partition("#") for heart in hearts_in(data)))


def _rows(value: Any) -> Iterator[Row]:
    if isinstance(value, str):
        yield from _named(value)
    elif isinstance(value, list):
        for one in value:
            yield from _rows(one)
    elif isinstance(value, dict):
        for member in ("rows", "family"):
            rows = value.get(member)
            for path, texts in rows.items() if isinstance(rows, dict) else ():
                yield from (_row(path, text, is_kin=member == "family") for text in _texts(texts))
        if isinstance(value.get("id"), str):
            lines = [value[key] for key in ("line",) if key in value]
            sites = [site["line"] for site in value.get("sites", ())]
            path, name = _place(value["id"])
            yield Row(path, name, frozenset([*lines, *sites]))
        for key, inner in value.items():
            if key not in (*_NOT_SHOWN, "rows", "family", "id"):
                yield from _rows(inner)


def _texts(rows: Any) -> Iterable[str]:
    return (row for row in ([rows] if isinstance(rows, str) else rows) if isinstance(row, str))


def _row(path: str, text: str, *, is_kin: bool) -> Row:
    """`Qualified.name 3,9 used 5`, or `3,9` for the file itself."""
    words = text.split(" ")
    name = "" if _LINES.match(words[0]) else words[0]
    return Row(path, name, _lines(words), is_kin)


def _named(text: str) -> Iterator[Row]:
    """`file#Qualified.name 3 …`, with or without a language, or a step of a path: `file:3 Qualified.name …`."""
    if step := _STEP.match(text):
        yield Row(step[1], step[3], frozenset({int(step[2])}))
        return
    place, _, rest = text.partition(" ")
    if "#" in place or ("/" in place and "." in place):
        path, name = _place(place)
        yield Row(path, name, _lines(rest.split(" ")))


def _place(place: str) -> tuple[str, str]:
    path, _, name = _LANGUAGE.sub("", place).partition("#")
    return path, name


def _lines(words: Iterable[str]) -> frozenset[int]:
    return frozenset(int(line) for word in words if _LINES.match(word) for line in word.split(","))
