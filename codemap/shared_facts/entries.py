"""Entries of a shared store: under which name they are found, and what is accepted of what comes back.

The name of an entry says which source it is about, and nothing of the facts, so whoever can write to a store could put
any facts under it. The envelope around a value therefore has a message authentication code over name and value, made
with a key that only the team has; without it, a value is accepted of a store only that the user calls trusted.

    offset  bytes  what
    0       8      MAGIC, with the version of this layout
    8       1      what the body is, `Content`
    9       8      length of the body in bytes, little-endian
    17      32     SHA-256 of the body
    49      32     HMAC-SHA256 of the 49 bytes before and the name; zeros where it was written without a key
    81             body

Rules of the file:
- Nothing is accepted that is not whole: a shorter, longer or altered value is refused before anything reads its body.

Source: RFC 2104 (HMAC), FIPS 180-4 (SHA-256).
"""

from __future__ import annotations

import hmac
import struct
from enum import Enum, IntEnum
from hashlib import sha256

MAGIC = b"codemap\x01"
_FIELDS = struct.Struct("<8sBQ32s")
_CODE_BYTES = 32
HEAD_BYTES = _FIELDS.size + _CODE_BYTES

KEY_MIN_BYTES = 16
"""Length of a team's key from which it cannot be guessed."""


class Content(IntEnum):
    """What the body of an entry is."""

    FACTS = 1
    """Packed facts of one content."""
    NAMES = 2
    """The same without what `names_only` leaves out."""
    PART = 3
    """A piece of a map."""
    MAP = 4
    """The list of the pieces of a map."""


class Refusal(Enum):
    """Why a value was not accepted, as a word that completes "N entries were …"."""

    FOREIGN = "foreign"
    """No entry, or one of another version or kind."""
    DAMAGED = "damaged"
    """Not of the length, or not with the digest, that it says."""
    UNSIGNED = "unsigned"
    """Written without a key."""
    FORGED = "forged"
    """Written with another key, or for another name."""


def entry_name(content: Content, key: bytes) -> str:
    """Makes the name of an entry: 64 hexadecimal digits, as caches that are addressed by SHA-256 want them."""
    return sha256(b"\0".join((MAGIC, content.name.encode(), key))).hexdigest()


def seal(name: str, content: Content, body: bytes, key: bytes | None) -> bytes:
    """Puts a body into its envelope; `key` is the team's, None: it is not signed."""
    fields = _FIELDS.pack(MAGIC, content, len(body), sha256(body).digest())
    return fields + (bytes(_CODE_BYTES) if key is None else _code(fields, name, key)) + body


def unseal(name: str, content: Content, sealed: bytes, key: bytes | None) -> bytes | Refusal:
    """Takes the body out of its envelope, or says why not. Without `key`, no signature is asked for."""
    if len(sealed) < HEAD_BYTES:
        return Refusal.FOREIGN
    fields, code, body = sealed[: _FIELDS.size], sealed[_FIELDS.size : HEAD_BYTES], sealed[HEAD_BYTES:]
    magic, kind, size, digest = _FIELDS.unpack(fields)
    if magic != MAGIC or kind != content:
        return Refusal.FOREIGN
    if size != len(body) or digest != sha256(body).digest():
        return Refusal.DAMAGED
    if key is None or hmac.compare_digest(code, _code(fields, name, key)):
        return body
    return Refusal.FORGED if any(code) else Refusal.UNSIGNED


def _code(fields: bytes, name: str, key: bytes) -> bytes:
    return hmac.digest(key, fields + name.encode(), "sha256")
