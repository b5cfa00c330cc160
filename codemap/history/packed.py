"""A history as bytes, to be kept, and back."""

from __future__ import annotations

from typing import Any

import lz4.block
import msgspec
import numpy as np

from codemap.history.table import History
from codemap.packed.unpacking import unpack

HISTORY_VERSION = 2
"""Changes whenever the same log would give other columns."""

_COLUMNS = (
    *("author", "time_s", "flags", "reverts", "parent_begin", "parents", "touch_begin", "touch_path", "touch_kind"),
    *("lineage", "side_begin", "side_before", "hunk_begin", "hunks", "links", "head_paths", "head_touches"),
)
_BEGINNINGS = {
    "parent_begin": ("author", "parents", 1),
    "touch_begin": ("author", "touch_path", 1),
    "side_begin": ("touch_path", "side_before", 1),
    "hunk_begin": ("side_before", "hunks", 4),
}
"""Column -> the rows that it has a beginning for, and what they begin in, so many numbers each."""


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    version: int
    head: str
    ids: bytes
    authors: bytes
    subjects: bytes
    paths: bytes
    lineages: int
    columns: list[bytes]


_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(_Packed)


def pack(history: History) -> bytes:
    """Some 5 bytes a changed line range, after compression."""
    columns: list[Any] = [getattr(history, name) for name in _COLUMNS]
    packed = _Packed(
        HISTORY_VERSION,
        history.head,
        history.ids,
        _texts(history.authors),
        _texts(history.subjects),
        _texts(history.paths),
        history.lineages,
        [column.tobytes() for column in columns],
    )
    body: bytes = lz4.block.compress(_encode(packed))
    return body


def unpacked(body: bytes) -> History:
    """Raises ValueError where the bytes are no history."""
    try:
        plain: bytes = lz4.block.decompress(body)
    except lz4.block.LZ4BlockError as error:
        raise ValueError(str(error)) from error
    packed = unpack(_decoder, plain)
    if packed.version != HISTORY_VERSION or len(packed.columns) != len(_COLUMNS):
        raise ValueError("of another version")
    columns: dict[str, Any] = {
        name: np.frombuffer(column, np.int64 if name == "time_s" else np.int32)
        for name, column in zip(_COLUMNS, packed.columns, strict=True)
    }
    history = History(
        packed.head,
        packed.ids,
        _split(packed.authors),
        _split(packed.subjects),
        _split(packed.paths),
        lineages=packed.lineages,
        **columns,
    )
    _check(history)
    return history


def _check(history: History) -> None:
    """Whether every row leads to one that is there. Raises ValueError."""
    count, touches = len(history.author), len(history.touch_path)
    for name, (rows, items, width) in _BEGINNINGS.items():
        begin, length = getattr(history, name), len(getattr(history, items))
        if len(begin) != len(getattr(history, rows)) + 1 or begin[0] or begin[-1] * width != length:
            raise ValueError(f"{name} does not fit")
        if (np.diff(begin) < 0).any():
            raise ValueError(f"{name} is out of order")
    columns = (history.author, history.time_s, history.flags, history.reverts, history.subjects)
    if any(len(column) != count for column in columns):
        raise ValueError("columns of commits differ in length")
    if len(history.touch_kind) != touches or len(history.lineage) != touches or len(history.links) % 3:
        raise ValueError("columns of touches differ in length")
    if len(history.head_paths) != len(history.head_touches) or (count and len(history.ids) % count):
        raise ValueError("columns differ in length")
    links = history.links.reshape(-1, 3)
    for column, end in (
        (history.author, len(history.authors)),
        (history.parents, count),
        (history.reverts, count),
        (history.touch_path, len(history.paths)),
        (history.side_before, touches),
        (history.head_paths, len(history.paths)),
        (history.head_touches, touches),
        (links[:, 0], count),
        (links[:, 1], len(history.paths)),
        (links[:, 2], touches),
    ):
        if len(column) and (int(column.min()) < -2 or int(column.max()) >= end):
            raise ValueError("a row leads nowhere")
    commits = np.repeat(np.arange(count), np.diff(history.parent_begin))
    sides = np.repeat(np.arange(touches), np.diff(history.side_begin))
    if (history.parents >= commits).any() or (history.side_before >= sides).any():
        raise ValueError("a row leads to a later one")


def _texts(texts: tuple[str, ...]) -> bytes:
    """None of them has a NUL."""
    return b"".join(text.encode("utf-8", "surrogateescape") + b"\0" for text in texts)


def _split(joined: bytes) -> tuple[str, ...]:
    return tuple(joined.decode("utf-8", "surrogateescape").split("\0")[:-1])
