"""Stores the history of a repository: one row, shared by all checkouts."""

from __future__ import annotations

import sqlite3
from functools import cache
from hashlib import blake2b

from actors.database.store_location import StorePlace, code_digest
from actors.database.stored_facts import checksum, part_key
from actors.database.tables import make_room, transaction


@cache
def history_key() -> bytes:
    """Makes the key under which this version of the code keeps a history."""
    return blake2b(b"history\0" + code_digest(("history",)), digest_size=16).digest()


def keep_history(connection: sqlite3.Connection, place: StorePlace, body: bytes, now_s: int) -> None:
    """Replaces the stored history."""
    key = history_key()
    with transaction(connection, "IMMEDIATE"):
        connection.execute("DELETE FROM maps WHERE root = ?", (key,))
        connection.execute(
            "INSERT INTO maps (root, part, saved, sum, body) VALUES (?, 0, ?, ?, ?)",
            (key, now_s, checksum(part_key(key, 0), body), body),
        )
    make_room(connection, place, now_s, ())


def recall_history(connection: sqlite3.Connection) -> bytes | None:
    """Reads the stored history; None where it is missing or damaged."""
    key = history_key()
    row = connection.execute("SELECT sum, body FROM maps WHERE root = ? AND part = 0", (key,)).fetchone()
    if row is None or not isinstance(row[1], bytes) or row[0] != checksum(part_key(key, 0), row[1]):
        return None
    return row[1]
