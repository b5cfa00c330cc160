"""Looks facts up in the store for worker processes: read-only, and any failure counts as a miss.

Rules of the file:
- What is not there, damaged, locked or unreadable is a miss: the file is parsed as if there were no store.
- Workers import it: the standard library and the pure package only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from urllib.parse import quote
from zlib import crc32

from actors.files.private_file import is_regular
from codemap.extract.extract import dialect_of
from codemap.packed.packed_facts import BadFacts, unpack_facts

BUSY_S = 0.05
"""How long a worker waits for a lock before it parses the file itself."""

FACTS_QUERY = "SELECT f.sum, b.body FROM facts AS f JOIN bodies AS b ON b.id = f.id WHERE f.key = ?"


def facts_key(maker: bytes, dialect: str, digest: bytes) -> bytes:
    """Makes the key of the facts of one content: 16 bytes. `maker` identifies the code that extracts."""
    return blake2b(b"\0".join((maker, dialect.encode(), digest)), digest_size=16).digest()


def checksum(key: bytes, body: bytes) -> int:
    """Computes a checksum that detects a damaged body, and one stored under another key."""
    return crc32(body, crc32(key))


def part_key(root: bytes, part: int) -> bytes:
    """Makes the key that goes into the checksum of a part of a map or a history."""
    return root + part.to_bytes(4, "little")


class StoredFacts:
    """Reads facts from a store."""

    def __init__(self, connection: sqlite3.Connection | None, maker: bytes) -> None:
        self._connection = connection
        self._maker = maker

    def find(self, path: str, digest: bytes) -> bytes | None:
        """Looks up the facts of a content for a file of this path, packed; None where missing or damaged."""
        if self._connection is None:
            return None
        try:
            key = facts_key(self._maker, dialect_of(path), digest)
            row = self._connection.execute(FACTS_QUERY, (key,)).fetchone()
            if row is None or not isinstance(row[1], bytes) or row[0] != checksum(key, row[1]):
                return None
            body: bytes = row[1]
            unpack_facts(body)
        except (sqlite3.Error, UnicodeDecodeError, BadFacts, LookupError):
            return None
        return body


def companions(path: str) -> list[str]:
    """Lists the files that SQLite would open beside a database; if one were a pipe, opening would block."""
    return [path + suffix for suffix in ("-wal", "-shm", "-journal")]


@contextmanager
def stored_facts(path: str, maker: bytes) -> Iterator[StoredFacts]:
    """Opens the facts of a database; the store is empty for an empty path, or where it cannot be read."""
    connection = _connect(path) if path else None
    if connection is None:
        yield StoredFacts(None, maker)
        return
    with closing(connection):
        yield StoredFacts(connection, maker)


def _connect(path: str) -> sqlite3.Connection | None:
    if not all(map(is_regular, (path, *companions(path)))):
        return None
    try:
        connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=BUSY_S, isolation_level=None)
        connection.execute("BEGIN")  # locks are taken once for all that is looked up, not for each
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    return connection
