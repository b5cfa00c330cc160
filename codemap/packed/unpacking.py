"""Decodes stored msgpack: gives a value, or raises ValueError, whatever the bytes are."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def unpack(decoder: msgspec.msgpack.Decoder[T], body: bytes | memoryview) -> T:
    """The value. Raises msgspec.DecodeError, a ValueError, also where it is nested too deep or holds text that is not
    UTF-8, for which msgspec raises others."""
    try:
        return decoder.decode(body)
    except (RecursionError, UnicodeDecodeError) as error:
        raise msgspec.DecodeError(f"{type(error).__name__}: {error}") from error
