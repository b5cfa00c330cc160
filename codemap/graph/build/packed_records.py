"""Records as bytes that can be kept, and back; without the questions that nobody asks any more."""

from __future__ import annotations

from typing import Any

import msgspec

from codemap.graph.model.records import NO_RECORDS, Form, Names, Pairs, Records
from codemap.packed.parts import BadParts, Parts, packed

_encoder = msgspec.msgpack.Encoder()
_forms = msgspec.msgpack.Decoder(list[list[bytes | int | bool | None]] | None)


def pack_records(records: Records | None) -> list[bytes]:
    """The parts, in a fixed order."""
    kept = NO_RECORDS if records is None else records.compacted()
    forms = None if records is None else [[_plain(part) for part in form] for form in kept.forms]
    pairs = [column for some in (kept.asks, kept.guesses) for column in (some.firsts, some.counts, some.seconds)]
    return [
        _encoder.encode(forms),
        bytes(kept.names.text),
        packed(kept.names.ends, "<i4"),
        packed(kept.names.marks, "<u4"),
        packed(kept.cells, "<i4"),
        *(packed(column, "<i4") for column in pairs),
    ]


def unpack_records(parts: Parts) -> Records | None:
    """The records that were packed. Raises ValueError."""
    forms, text, ends = parts.value(_forms), parts.octets(), parts.array("<i4")
    marks, cells = parts.array("<u4", len(ends)), parts.array("<i4").reshape(-1, 4)
    asks, guesses = (_pairs(parts) for _ in range(2))
    if len(text) != (int(ends[-1]) if len(ends) else 0):
        raise BadParts("records of another snapshot")
    if forms is None:
        return None
    spelled: tuple[Form, ...] = tuple(tuple(map(_word, form)) for form in forms)
    return Records(spelled, Names(text, ends, marks), cells, asks, guesses)


def _pairs(parts: Parts) -> Pairs:
    firsts = parts.array("<i4")
    return Pairs(firsts, parts.array("<i4", len(firsts)), parts.array("<i4"))


def _plain(part: object) -> Any:
    """Paths may hold bytes that are no UTF-8."""
    return part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part


def _word(plain: bytes | int | None) -> object:
    return plain.decode("utf-8", "surrogatepass") if isinstance(plain, bytes) else plain
