"""The history of a repository as it lies in the store: a row beside those of the maps, the same for all checkouts."""

from __future__ import annotations

import sqlite3
from functools import cache
from hashlib import blake2b

from actors.database.facts import checksum, part_key
from actors.database.place import StorePlace, code_digest
from actors.database.tables import make_room, transaction


@cache
def history_key() -> bytes:
    """Of what this very code made."""
    return blake2b(b"history\0" + code_digest(("history",)), digest_size=16).digest()


def keep_history(connection: sqlite3.Connection, place: StorePlace, body: bytes, now_s: int) -> None:
    """Replaces what is kept."""
    key = history_key()
    with transaction(connection, "IMMEDIATE"):
        connection.execute("DELETE FROM maps WHERE root = ?", (key,))
        connection.execute(
            "INSERT INTO maps (root, part, saved, sum, body) VALUES (?, 0, ?, ?, ?)",
            (key, now_s, checksum(part_key(key, 0), body), body),
        )
    make_room(connection, place, now_s, ())


def recall_history(connection: sqlite3.Connection) -> bytes | None:
    """What is kept; None where there is none that is whole."""
    key = history_key()
    row = connection.execute("SELECT sum, body FROM maps WHERE root = ? AND part = 0", (key,)).fetchone()
    if row is None or not isinstance(row[1], bytes) or row[0] != checksum(part_key(key, 0), row[1]):
        return None
    return row[1]
