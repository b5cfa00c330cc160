"""The tables of a store: schema, sizes, and eviction of what was used least recently.

Facts and their bodies stand apart, so that marking what is used writes no bodies.

Rules of the file:
- Whoever calls has the file open for writing, and no transaction begun.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from actors.database.map_file import Written, delete_map_files
from actors.database.store_location import StorePlace
from actors.database.stored_facts import checksum

_decoder = msgspec.msgpack.Decoder(Written)

FORMAT_VERSION = 2
APPLICATION_ID = 0x434D4150  # "CMAP"; file(1) and our own check recognise the file by it

PAGE_BYTES = 4096
LOG_MAX_BYTES = 4_000_000
"""Size to which the write-ahead log is truncated after a checkpoint."""

USED_GRAIN_S = 86_400
"""Contents are marked as used once a day: the mark is written to every row of a map."""

EVICTED_SHARE = 0.2
"""Share of the limit that one eviction frees, so that not every write evicts."""

EVICTED_AT_ONCE = 100
"""Rows evicted between two checks of the size."""

TABLES = {
    "facts": "CREATE TABLE facts (key BLOB PRIMARY KEY, id INTEGER NOT NULL, sum INTEGER NOT NULL, "
    "used INTEGER NOT NULL) WITHOUT ROWID",
    "bodies": "CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    "maps": "CREATE TABLE maps (root BLOB NOT NULL, part INTEGER NOT NULL, saved INTEGER NOT NULL, "
    "sum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (root, part))",
    "confirmed": "CREATE TABLE confirmed (key BLOB PRIMARY KEY, sum INTEGER NOT NULL, used INTEGER NOT NULL, "
    "body BLOB NOT NULL)",
}

DAMAGE_CODES = frozenset(
    (
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_CONSTRAINT,
    )
)
"""SQLite result codes that only a damaged or foreign file gives."""


class StoreTrouble(Exception):
    """Raised when the store cannot be used for now; the message is a sentence."""


class Damaged(Exception):
    """Raised for a file that this code did not write; the message says how it differs."""


def prepare(connection: sqlite3.Connection) -> None:
    """Creates the tables of a new file and checks those of an old one. Raises Damaged."""
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY", f"page_size = {PAGE_BYTES}"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    if _is_new(connection):
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        with transaction(connection, "IMMEDIATE"):
            if _is_new(connection):
                for table in TABLES.values():
                    connection.execute(table)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
    if _number(connection, "application_id") != APPLICATION_ID:
        raise Damaged("no store of codemap")
    if _number(connection, "user_version") != FORMAT_VERSION:
        raise Damaged(f"of another format ({_number(connection, 'user_version')}, not {FORMAT_VERSION})")
    if _schema(connection) != TABLES:
        raise Damaged("damaged: its tables are others")
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {LOG_MAX_BYTES}").fetchall()


def _is_new(connection: sqlite3.Connection) -> bool:
    return not _schema(connection) and not _number(connection, "application_id")


def _schema(connection: sqlite3.Connection) -> dict[str, str]:
    """Reads the schema: the statements that made tables and indexes, by name."""
    return dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall())


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    value: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return value


def size_of(connection: sqlite3.Connection) -> int:
    """Counts the bytes in use."""
    pages = _number(connection, "page_count") - _number(connection, "freelist_count")
    return pages * _number(connection, "page_size")


def named_files(connection: sqlite3.Connection, root: bytes | None = None) -> list[str]:
    """The files of all maps, or of those of one root."""
    return [one.name for one in _written(connection, root)]


def stored_bytes(connection: sqlite3.Connection) -> int:
    """Counts the bytes in use, with those of the files of maps."""
    return size_of(connection) + sum(one.size for one in _written(connection))


def _written(connection: sqlite3.Connection, root: bytes | None = None) -> list[Written]:
    rows = connection.execute("SELECT body FROM maps WHERE part = 1 AND (root = ? OR ? IS NULL)", (root, root))
    found: list[Written] = []
    for (body,) in rows.fetchall():
        with suppress(msgspec.MsgspecError):
            found.append(_decoder.decode(body))
    return found


def put(connection: sqlite3.Connection, key: bytes, body: bytes, now_s: int) -> None:
    row = connection.execute("SELECT id FROM facts WHERE key = ?", (key,)).fetchone()
    if row is not None:
        connection.execute("DELETE FROM bodies WHERE id = ?", row)
    added = connection.execute("INSERT INTO bodies (body) VALUES (?)", (body,))
    values = (key, added.lastrowid, checksum(key, body), now_s)
    connection.execute("INSERT OR REPLACE INTO facts (key, id, sum, used) VALUES (?, ?, ?, ?)", values)


def mark_used(connection: sqlite3.Connection, keys: Sequence[bytes], now_s: int) -> None:
    marked = "UPDATE facts SET used = ? WHERE key = ? AND used < ?"
    connection.executemany(marked, [(now_s, key, now_s - USED_GRAIN_S) for key in keys])


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")


def make_room(connection: sqlite3.Connection, place: StorePlace, now_s: int, kept: Sequence[bytes]) -> None:
    """Evicts the least recently used rows, `kept` last: facts with the maps that may read them. Raises StoreTrouble
    where that is not enough."""
    limit = place.max_bytes
    if stored_bytes(connection) <= limit:
        return
    named = set(named_files(connection))
    aim = int((1 - EVICTED_SHARE) * limit)
    with transaction(connection, "IMMEDIATE"):
        connection.executemany("UPDATE facts SET used = ? WHERE key = ?", [(now_s + 1, key) for key in kept])
        query = "SELECT key, id, used FROM facts WHERE used <= ? ORDER BY used"
        rows = connection.execute(query, (now_s,)).fetchall()
        evicted_until = 0
        for at in range(0, len(rows), EVICTED_AT_ONCE):
            some = rows[at : at + EVICTED_AT_ONCE]
            connection.executemany("DELETE FROM facts WHERE key = ?", [(key,) for key, _, _ in some])
            connection.executemany("DELETE FROM bodies WHERE id = ?", [(number,) for _, number, _ in some])
            evicted_until = some[-1][2]
            if stored_bytes(connection) <= aim:
                break
        connection.execute("DELETE FROM confirmed WHERE used <= ?", (evicted_until,))
        others = (evicted_until + USED_GRAIN_S, place.root_key if kept else b"")
        connection.execute("DELETE FROM maps WHERE saved <= ? AND root <> ?", others)
        fits = stored_bytes(connection) <= limit
        if not fits:
            for table in TABLES:
                connection.execute(f"DELETE FROM {table}")
    delete_map_files(place.path, named - set(named_files(connection)))
    connection.execute("PRAGMA incremental_vacuum").fetchall()
    if not fits:
        raise StoreTrouble(f"{place.path}: the map does not fit into {limit // 1_000_000} MB (store_max_mb)")
