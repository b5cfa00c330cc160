"""Packs the facts of one file into bytes for the store: msgpack, compressed where that pays.

Facts of tables compress to half at 400 MB/s with LZ4; zlib gives a third at 90 MB/s, which takes a fiftieth of a first
build. The first byte says which of the two forms follows.
"""

from __future__ import annotations

import lz4.block
import msgspec

from codemap.facts import FileFacts
from codemap.packed.unpacking import unpack

PLAIN, COMPRESSED = b"\0", b"\1"

COMPRESS_MIN_BYTES = 256
"""Below this, compressing saves less than a row of a database costs."""

_SIZE_BYTES = 4
"""What LZ4 is packed with: the size of the plain bytes, little-endian."""
_EXPANSION_MAX = 255
"""LZ4 has no way to say more with a byte; a size beyond that is no reason to ask for memory."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(FileFacts)


class BadFacts(ValueError):
    """The bytes are not what `pack_facts` gave."""


def pack_facts(facts: FileFacts) -> bytes:
    """The facts as bytes."""
    return compressed(_encoder.encode(facts))


def compressed(plain: bytes) -> bytes:
    """Bytes in the form that `expanded` takes; smaller, where that pays."""
    if len(plain) >= COMPRESS_MIN_BYTES:
        smaller: bytes = lz4.block.compress(plain)
        if len(smaller) < len(plain):
            return COMPRESSED + smaller
    return PLAIN + plain


def unpack_facts(packed: bytes) -> FileFacts:
    """The facts that were packed. Raises BadFacts."""
    try:
        return unpack(_decoder, expanded(packed))
    except ValueError as error:  # of msgspec, or of text in it that is not UTF-8
        raise BadFacts(str(error)) from error


def expanded(packed: bytes) -> bytes:
    """The facts as plain msgpack. Raises BadFacts where the bytes cannot be expanded."""
    form, body = packed[:1], packed[1:]
    if form == PLAIN:
        return body
    if form != COMPRESSED:
        raise BadFacts("neither plain nor compressed")
    if int.from_bytes(body[:_SIZE_BYTES], "little") > _EXPANSION_MAX * len(body):
        raise BadFacts("larger than so many bytes can become")
    try:
        plain: bytes = lz4.block.decompress(body)
    except (ValueError, lz4.block.LZ4BlockError) as error:
        raise BadFacts(str(error)) from error
    return plain
