"""The cursor: an opaque token that continues a cut answer where the page before ended.

It holds the tool, the arguments (but for `cursor` and `tokenBudget`) and the version of the map, each as a short hash,
and a *position*: per outer list of the answer, in declared order, an `Offset`. The tool is asked again with the same
arguments; it gives the same lists, because the version is the same; the packer skips what was shown.

How pages run, for each outer list on its own:
- A page shows elements from `shown` on, as many as its list allows a page. No element comes twice, none is skipped.
- When lists inside the elements of that page were cut and the outer list has a key, the position gets a *window*: the
  elements from `window.start` to `shown`, whose inner lists were shown up to `window.caps`. The next pages give the
  rest of the window, depth first, as continuation entries (`continued: true`), and only then the next outer elements.
- Lists deeper down, or inside elements without a key, are not continued; their note names the narrowing call.

- An element that can be divided goes on, where a page ends within it, with its `part` on the next.

Every page shows one element at least, in reduced form if it must, so that a walk ends. Where the budget is so small
that nothing fits beside the envelope there is no cursor; the note then asks for a bigger budget.

Format: URL-safe base64, without padding, of CRC-16 (2 bytes), hashes (3 + 5 + 6 bytes), msgpack of the position. A `-`
at the beginning is a `.`: a command line would take it for an option.
"""

from __future__ import annotations

import binascii
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, Any

import msgspec

from codemap.packed.unpacking import unpack

CURSOR_MAX_CHARS = 4096
"""Far above what any answer needs: a longer one is not decoded."""

IGNORED_ARGUMENTS = frozenset({"cursor", "tokenBudget"})
"""Arguments that may differ from page to page."""

_CHECK_BYTES = 2
_TOOL_BYTES = 3
_ARGUMENTS_BYTES = 5
_VERSION_BYTES = 6
_HEAD_BYTES = _CHECK_BYTES + _TOOL_BYTES + _ARGUMENTS_BYTES + _VERSION_BYTES
_ALPHABET = re.compile(r"[A-Za-z0-9_-]+\Z")

Count = Annotated[int, msgspec.Meta(ge=0)]


class Window(msgspec.Struct, frozen=True, array_like=True):
    """Shown elements whose inner lists are still to be finished; they end at the `shown` of their offset."""

    start: Count
    """Index of the first element."""
    caps: tuple[Count, ...]
    """Per continued inner list, in declared order: how many of each were shown with their elements."""
    rows: Count = 0
    """Inner elements of the window shown by continuation pages so far."""


class Offset(msgspec.Struct, frozen=True, array_like=True):
    """Where a page begins in one outer list."""

    shown: Count = 0
    """Elements shown so far."""
    pages: Count = 0
    """Pages so far; counted by the first offset of a position only."""
    window: Window | None = None
    part: Count = 0
    """Parts of the next element that were shown."""


Position = tuple[Offset, ...]
"""An offset per outer list, in declared order; empty at the beginning."""


class Origin(msgspec.Struct, frozen=True, dict=True):
    """The call that an answer belongs to."""

    tool: str
    arguments: Mapping[str, Any]
    """As the client sent them."""
    version: str | Callable[[], str]
    """The snapshot's version token; or what identifies the answer otherwise, made for a call that has a cursor."""

    @cached_property
    def hashes(self) -> bytes:
        """Of the tool, the arguments and the version, as a cursor holds them."""
        arguments = {name: value for name, value in self.arguments.items() if name not in IGNORED_ARGUMENTS}
        canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
        version = self.version if isinstance(self.version, str) else self.version()
        return _hash(self.tool, _TOOL_BYTES) + _hash(canonical, _ARGUMENTS_BYTES) + _hash(version, _VERSION_BYTES)


class CursorRefused(ValueError):
    """The cursor does not continue this call; the message says why and what to do. It becomes BAD_ARGS."""


def encode_cursor(origin: Origin, position: Position) -> str:
    body = origin.hashes + _ENCODER.encode([_shorten(offset) for offset in position])
    text = urlsafe_b64encode(_check(body) + body).rstrip(b"=").decode()
    return f".{text[1:]}" if text.startswith("-") else text


def decode_cursor(text: str, origin: Origin) -> Position:
    """Where the page begins. Raises CursorRefused, naming why."""
    raw = _decode_text(text)
    tool, arguments, version = _split(origin.hashes)
    its_tool, its_arguments, its_version = _split(raw[_CHECK_BYTES:_HEAD_BYTES])
    if its_tool != tool:
        raise CursorRefused(
            f"cursor: it was given by another tool than {origin.tool}; pass it back to the tool that gave it"
        )
    if its_arguments != arguments:
        raise CursorRefused(
            "cursor: it belongs to other arguments; repeat the call that gave it, changing only tokenBudget"
        )
    if its_version != version:
        raise CursorRefused("cursor: the map or the code has moved on since it was given; call again without cursor")
    try:
        return unpack(_DECODER, raw[_HEAD_BYTES:])
    except msgspec.DecodeError:
        raise _refuse() from None


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(tuple[Offset, ...])


def _shorten(offset: Offset) -> list[Any]:
    """The members of an offset without the default ones at its end."""
    members = [offset.shown, offset.pages, offset.window, offset.part]
    while members and not members[-1]:
        members.pop()
    return members


def _decode_text(text: str) -> bytes:
    text = f"-{text[1:]}" if text.startswith(".") else text
    if len(text) > CURSOR_MAX_CHARS or not _ALPHABET.match(text):
        raise _refuse()
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise _refuse() from None
    if len(raw) <= _HEAD_BYTES or raw[:_CHECK_BYTES] != _check(raw[_CHECK_BYTES:]):
        raise _refuse()
    return raw


def _refuse() -> CursorRefused:
    return CursorRefused("cursor: not a cursor; pass dropped.cursor back exactly as it was given, or leave it out")


def _split(hashes: bytes) -> tuple[bytes, bytes, bytes]:
    end = _TOOL_BYTES + _ARGUMENTS_BYTES
    return hashes[:_TOOL_BYTES], hashes[_TOOL_BYTES:end], hashes[end:]


def _hash(text: str, size: int) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def _check(body: bytes) -> bytes:
    return binascii.crc_hqx(body, 0).to_bytes(_CHECK_BYTES, "big")
