"""Records as bytes that can be kept, and back; without the questions that nobody asks any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from codemap.graph.model.edges import Ints
from codemap.graph.model.records import GONE, NAME, NODE, OTHER, Form, Names, Pairs, Records
from codemap.unpacking import unpack

_encoder = msgspec.msgpack.Encoder()
_forms = msgspec.msgpack.Decoder(list[list[bytes | int | bool | None]] | None)
ARRAYS = 9
"""Arrays of integers, beside two texts."""


def pack_records(records: Records | None) -> tuple[bytes, bytes, list[Ints]]:
    """The forms, the names, and the arrays."""
    if records is None:
        return _encoder.encode(None), b"", [np.empty(0, np.int32)] * ARRAYS
    records = records.compacted()
    lengths = np.diff(records.names.ends, prepend=0).astype(np.int32)
    forms = [[_plain(part) for part in form] for form in records.forms]
    arrays = [lengths, *records.cells.T, *records.asks.rows().T, *records.guesses.rows().T]
    return _encoder.encode(forms), records.names.text, arrays


def unpack_records(forms: bytes, text: bytes, arrays: Sequence[Ints], nodes: int, files: int) -> Records | None:
    """The records that were packed, of a snapshot with so many nodes and files. Raises ValueError,
    msgspec.MsgspecError."""
    found = unpack(_forms, forms)
    if found is None:
        return None
    lengths, *columns = arrays
    ends = np.cumsum(lengths, dtype=np.int32)
    cells, asks, guesses = (np.stack(some, 1) for some in (columns[:4], columns[4:6], columns[6:]))
    if (
        int(lengths.sum()) != len(text)
        or _is_beyond(lengths, 0, len(text) + 1)
        or _is_beyond(cells[:, 0], 0, len(found))
        or _is_beyond(cells[:, NODE], GONE, nodes)
        or _is_beyond(cells[:, NAME], 0, len(ends))
        or _is_beyond(cells[:, OTHER], GONE, nodes)
        or _is_beyond(asks[:, 0], -len(cells), files)
        or _is_beyond(asks[:, 1], 0, len(cells))
        or _is_beyond(guesses[:, 0], 0, files)
        or _is_beyond(guesses[:, 1], 0, len(ends))
    ):
        raise ValueError("records of another snapshot")
    spelled: tuple[Form, ...] = tuple(tuple(map(_word, form)) for form in found)
    return Records(spelled, Names(text, ends), cells, Pairs.of_rows(asks), Pairs.of_rows(guesses))


def _is_beyond(numbers: Ints, first: int, last: int) -> bool:
    """Whether some number is not from `first` to before `last`."""
    return bool(len(numbers)) and not first <= int(numbers.min()) <= int(numbers.max()) < last


def _plain(part: object) -> Any:
    """Paths may hold bytes that are no UTF-8."""
    return part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part


def _word(plain: bytes | int | None) -> object:
    return plain.decode("utf-8", "surrogatepass") if isinstance(plain, bytes) else plain
