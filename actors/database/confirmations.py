"""Stores confirmations of language servers: one row for each content of a file, the latest.

Rules of the file:
- What leads to rows of symbol tables is only good for the code that made these tables: its maker is in every key.
- A row that is not what was written, or does not fit together, is as good as none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import msgspec

from actors.database.stored_facts import checksum
from codemap.graph.verified.confirmations import Confirmed, is_sound, merge_confirmations
from codemap.packed.unpacking import unpack

_QUERY = "SELECT sum, body FROM confirmed WHERE key = ?"
_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Confirmed)


def confirmed_key(maker: bytes, path: str, digest: bytes) -> bytes:
    """Makes the key of the confirmations of one content at one path: 16 bytes."""
    named = path.encode("utf-8", "surrogateescape")
    return blake2b(b"\0".join((maker, digest.hex().encode(), named)), digest_size=16).digest()


def keep_confirmed(connection: sqlite3.Connection, maker: bytes, found: Mapping[str, Confirmed], now_s: int) -> None:
    """Writes confirmations inside a transaction; they replace older ones of the same use."""
    for path, new in found.items():
        key = confirmed_key(maker, path, new.digest)
        old = _found(connection, key, new.digest)
        if old == new:
            connection.execute("UPDATE confirmed SET used = ? WHERE key = ?", (now_s, key))
            continue
        body = _encode(merge_confirmations(old, new))
        connection.execute(
            "INSERT OR REPLACE INTO confirmed (key, sum, used, body) VALUES (?, ?, ?, ?)",
            (key, checksum(key, body), now_s, body),
        )


def recall_confirmed(
    connection: sqlite3.Connection, maker: bytes, contents: Sequence[tuple[str, bytes]]
) -> dict[str, Confirmed]:
    """Reads the confirmations of some contents, by path."""
    found: dict[str, Confirmed] = {}
    some = {key for (key,) in connection.execute("SELECT key FROM confirmed LIMIT ?", (len(contents),))}
    are_all = len(some) < len(contents)  # fewer than are asked for, most often none: most need not be looked up
    for path, digest in contents if some else ():
        key = confirmed_key(maker, path, digest)
        one = _found(connection, key, digest) if key in some or not are_all else None
        if one is not None:
            found[path] = one
    return found


def _found(connection: sqlite3.Connection, key: bytes, digest: bytes) -> Confirmed | None:
    row = connection.execute(_QUERY, (key,)).fetchone()
    if row is None or not isinstance(row[1], bytes) or row[0] != checksum(key, row[1]):
        return None
    try:
        one = unpack(_decoder, row[1])
    except ValueError:  # of msgspec, or of text in it that is not UTF-8
        return None
    return one if one.digest == digest and is_sound(one) else None
