"""msgpack that nobody wrote: whatever it is, it is refused as what cannot be decoded."""

from __future__ import annotations

import msgspec
import pytest

from actors.indexing.stored_metadata import Meta, decoded, encoded
from codemap.packed.unpacking import unpack


class Pair(msgspec.Struct, array_like=True):
    left: str
    right: tuple[int, ...] = ()


DECODER = msgspec.msgpack.Decoder(Pair)
DEEP = b"\x91" * 5000 + b"\x01"
"""Lists within lists."""


def test_what_was_kept() -> None:
    pair = Pair("a", (1, 2))
    assert unpack(DECODER, msgspec.msgpack.encode(pair)) == pair


@pytest.mark.parametrize(
    "body",
    [b"", b"\xc1", b"\x92\xa1a", b"\x92\xa2\xff\xfe\x90", b"\x93\xa1a\x90" + DEEP, b"\x92\xa1a" + DEEP],
    ids=["nothing", "no msgpack", "cut off", "no text", "more than there is, too deep", "too deep"],
)
def test_what_nobody_wrote(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        unpack(DECODER, body)


def test_the_head_of_a_kept_map_that_is_too_deep() -> None:
    body = encoded(Meta(b"", (), b"", (), (), b"", (), b"", (), b"", 0))
    count = body[0]
    assert count & 0xF0 == 0x90, "a short list"
    with pytest.raises(ValueError, match="Recursion"):
        decoded(bytes([count + 1]) + body[1:] + DEEP)
