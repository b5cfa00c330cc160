"""The database of a store: its tables, its reads and writes, and what may be wrong with the file.

Every call blocks, and belongs on a thread. Calls may come from several threads, and run one at a time.

Rules of the file:
- Nothing that is read is trusted without its checksum; a file that is damaged, foreign or of another format is set
  aside (one, the latest) and begun anew. Whoever sets a file aside has it alone: every process that has it open holds
  a shared lock beside it.
- What cannot be done raises `StoreTrouble` with a sentence for people; the file may be used again after that.
- Files are private: folders that are made here are 0700, files 0600.

Source: sqlite.org: "Write-Ahead Logging", "How To Corrupt An SQLite Database File" (2.2 on renaming open files).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

import msgspec

from actors.store_place import StorePlace
from actors.stored_facts import FACTS_QUERY, checksum

T = TypeVar("T")

FORMAT_VERSION = 1
APPLICATION_ID = 0x434D4150  # "CMAP"; file(1) and our own check tell by it what the file is

BUSY_S = 2.0
"""How long another process may hold the write lock: its transactions take a tenth of it."""

PAGE_BYTES = 4096
LOG_MAX_BYTES = 4_000_000
"""What remains of the write-ahead log after it was used up."""

EVICTED_SHARE = 0.2
"""Of the limit: how much is made free at a time, so that it is not every write that evicts."""

USED_GRAIN_S = 86_400
"""Contents are marked as used once a day: the mark is written to every row of a map."""

TABLES = {
    "facts": "CREATE TABLE facts (key BLOB PRIMARY KEY, id INTEGER NOT NULL, sum INTEGER NOT NULL, "
    "used INTEGER NOT NULL) WITHOUT ROWID",
    "bodies": "CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    "maps": "CREATE TABLE maps (root BLOB NOT NULL, part INTEGER NOT NULL, saved INTEGER NOT NULL, "
    "sum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (root, part))",
}

_DAMAGE = frozenset(
    (
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_CONSTRAINT,
    )
)
"""Result codes that a sound file of ours never gives."""


class StoreTrouble(Exception):
    """The store cannot be used for now; the message is a sentence."""


class StoredMap(msgspec.Struct, frozen=True):
    """A map as it lies in the store."""

    head: bytes
    parts: tuple[bytes, ...]
    facts: tuple[bytes, ...]
    """Of its files, in their order, packed."""


class _Damaged(Exception):
    """The file is not what this code writes; the message says in what way."""


class _Head(msgspec.Struct, frozen=True, array_like=True):
    maker: bytes
    parts: int
    keys: bytes
    """16 bytes a file."""
    head: bytes


_KEY_BYTES = 16
_encode = msgspec.msgpack.Encoder().encode
_head = msgspec.msgpack.Decoder(_Head)


class StoreFile:
    """One database file, opened when first used."""

    def __init__(self, place: StorePlace) -> None:
        self.place = place
        self.set_aside: str | None = None
        """Why the file was begun anew, in the words of a sentence; None where it was not."""
        self._connection: sqlite3.Connection | None = None
        self._lock_fd: int | None = None
        self._identity: object = None
        self._lost: list[sqlite3.Connection] = []
        """Connections to files that were deleted or replaced by somebody. To close one could delete the log of the
        file that now has its name."""
        self._mutex = threading.Lock()
        self._is_closed = False

    def load(self) -> StoredMap | None:
        """The map that was saved last for this root by this very code, whole; None where there is none."""
        return self._run(self._load)

    def keep(self, facts: Sequence[tuple[bytes, bytes]], now_s: int) -> None:
        """Writes facts, packed, by key. `now_s` is seconds since the epoch."""
        self._run(lambda connection: self._keep(connection, facts, now_s))

    def save(
        self, head: bytes, parts: Sequence[bytes], keys: Sequence[bytes], pack: Callable[[int], bytes], now_s: int
    ) -> None:
        """Replaces the map of this root. `keys` are of its files' facts; those not yet there are had from `pack`."""
        self._run(lambda connection: self._save(connection, head, parts, keys, pack, now_s))

    def size_bytes(self) -> int:
        """What the file takes on disk, its log excluded."""
        return self._run(_size)

    def close(self) -> None:
        """Closes the file for good, or has the call that is running do so when it ends."""
        self._is_closed = True
        connection = self._connection
        if self._mutex.acquire(blocking=False):
            try:
                self._close()
            finally:
                self._mutex.release()
        elif connection is not None:
            with suppress(sqlite3.Error):
                connection.interrupt()

    # -- running ----------------------------------------------------------------------------------------------------

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._mutex:
                return self._attempt(work)
        except (sqlite3.Error, _Damaged) as error:
            raise StoreTrouble(f"{self.place.path}: {error}") from error
        except OSError as error:
            raise StoreTrouble(f"{error.filename or self.place.path}: {error.strerror}") from error
        finally:
            if self._is_closed:
                self.close()

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The work's result; once more on a new file where the present one turns out to be damaged."""
        try:
            return work(self._opened())
        except _Damaged as damage:
            self._set_aside(str(damage))
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGE:
                self._close()
                raise
            self._set_aside(f"damaged: {error}")
        return work(self._opened())

    def _opened(self) -> sqlite3.Connection:
        if self._is_closed:
            raise StoreTrouble(f"{self.place.path}: closed")
        if self._connection is not None and self._identity != (_identity(self.place.path), _identity(self._lock_path)):
            self._lost.append(self._connection)
            self._connection = None
            self._close()
        if self._connection is None:
            self._connection = self._open()
            self._identity = (_identity(self.place.path), _identity(self._lock_path))
        return self._connection

    def _open(self) -> sqlite3.Connection:
        path = self.place.path
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        if self._lock_fd is None:
            _make_private(self._lock_path)
            self._lock_fd = os.open(self._lock_path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            if not _locks(self._lock_fd, fcntl.LOCK_SH):
                self._close()
                raise StoreTrouble(f"{path}: another process is setting it aside")
        _make_private(path)
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def _lock_path(self) -> str:
        return f"{self.place.path}.lock"

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
        lock_fd, self._lock_fd = self._lock_fd, None
        if lock_fd is not None:
            os.close(lock_fd)

    def _set_aside(self, reason: str) -> None:
        """Moves the file out of the way. Raises StoreTrouble while another process has it open."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
        path = self.place.path
        if self._lock_fd is None or not _locks(self._lock_fd, fcntl.LOCK_EX):
            raise StoreTrouble(f"{path} is {reason}, and another process has it open")
        os.replace(path, f"{path}.aside")
        for suffix in ("-wal", "-shm", "-journal"):
            with suppress(FileNotFoundError):
                os.unlink(path + suffix)
        self.set_aside = f"{path} was {reason}; it lies at {path}.aside, and a new one was begun"
        _locks(self._lock_fd, fcntl.LOCK_SH)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _load(self, connection: sqlite3.Connection) -> StoredMap | None:
        root = self.place.root_key
        with _transaction(connection, "DEFERRED"):
            rows = connection.execute(
                "SELECT part, sum, body FROM maps WHERE root = ? ORDER BY part", (root,)
            ).fetchall()
            if not rows:
                return None
            for number, (part, checked, body) in enumerate(rows):
                if part != number or not isinstance(body, bytes) or checked != checksum(_part_key(root, part), body):
                    raise _Damaged("damaged: a part of a map is not what was written")
            head = _decoded(rows[0][2])
            if head.maker != self.place.map_maker:
                return None
            if len(rows) != head.parts + 1:
                raise _Damaged("damaged: a map has other parts than were written")
            facts: list[bytes] = []
            for key in _keys(head.keys):
                row = connection.execute(FACTS_QUERY, (key,)).fetchone()
                if row is None:
                    return None  # made room for others
                if not isinstance(row[1], bytes) or row[0] != checksum(key, row[1]):
                    raise _Damaged("damaged: facts are not what was written")
                facts.append(row[1])
        return StoredMap(head.head, tuple(row[2] for row in rows[1:]), tuple(facts))

    # -- writing ----------------------------------------------------------------------------------------------------

    def _keep(self, connection: sqlite3.Connection, facts: Sequence[tuple[bytes, bytes]], now_s: int) -> None:
        self._make_room(connection, now_s)
        with _transaction(connection, "IMMEDIATE"):
            for key, body in facts:
                _put(connection, key, body, now_s)

    def _save(
        self,
        connection: sqlite3.Connection,
        head: bytes,
        parts: Sequence[bytes],
        keys: Sequence[bytes],
        pack: Callable[[int], bytes],
        now_s: int,
    ) -> None:
        root = self.place.root_key
        first = _encode(_Head(self.place.map_maker, len(parts), b"".join(keys), head))
        has = "SELECT 1 FROM facts WHERE key = ?"
        number_of = dict(zip(keys, range(len(keys)), strict=True))
        missing = [key for key in number_of if connection.execute(has, (key,)).fetchone() is None]
        bodies = {key: pack(number_of[key]) for key in missing}
        with _transaction(connection, "IMMEDIATE"):
            for key, number in number_of.items():
                if key in bodies or connection.execute(has, (key,)).fetchone() is None:
                    _put(connection, key, bodies.get(key) or pack(number), now_s)
            marked = "UPDATE facts SET used = ? WHERE key = ? AND used < ?"
            connection.executemany(marked, [(now_s, key, now_s - USED_GRAIN_S) for key in keys])
            connection.execute("DELETE FROM maps WHERE root = ?", (root,))
            connection.executemany(
                "INSERT INTO maps (root, part, saved, sum, body) VALUES (?, ?, ?, ?, ?)",
                [
                    (root, part, now_s, checksum(_part_key(root, part), body), body)
                    for part, body in enumerate((first, *parts))
                ],
            )
        self._make_room(connection, now_s, keys)

    def _make_room(self, connection: sqlite3.Connection, now_s: int, kept: Sequence[bytes] = ()) -> None:
        """Evicts what was used least lately, `kept` last. Raises StoreTrouble where that is not enough."""
        limit = self.place.max_bytes
        if _size(connection) <= limit:
            return
        with _transaction(connection, "IMMEDIATE"):
            connection.executemany("UPDATE facts SET used = ? WHERE key = ?", [(now_s + 1, key) for key in kept])
            excess = _size(connection) - (1 - EVICTED_SHARE) * limit
            query = (
                "SELECT f.key, f.id, f.used, length(b.body) FROM facts AS f LEFT JOIN bodies AS b ON b.id = f.id "
                "WHERE f.used <= ? ORDER BY f.used"
            )
            evicted: list[tuple[bytes, int]] = []
            last = 0
            for key, number, last, length in connection.execute(query, (now_s,)):  # noqa: B007
                evicted.append((key, number))
                excess -= length or 0
                if excess <= 0:
                    break
            connection.executemany("DELETE FROM facts WHERE key = ?", [(key,) for key, _ in evicted])
            connection.executemany("DELETE FROM bodies WHERE id = ?", [(number,) for _, number in evicted])
            root = self.place.root_key if kept else b""
            connection.execute("DELETE FROM maps WHERE saved <= ? AND root <> ?", (last, root))
            if excess > 0:
                connection.execute("DELETE FROM maps")
                connection.execute("DELETE FROM facts")
                connection.execute("DELETE FROM bodies")
        connection.execute("PRAGMA incremental_vacuum").fetchall()
        if excess > 0:
            raise StoreTrouble(
                f"{self.place.path}: the map does not fit into the {limit // 1_000_000} MB of store_max_mb"
            )


def _prepare(connection: sqlite3.Connection) -> None:
    """Makes the tables of a new file, and refuses one that is not ours. Raises _Damaged."""
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY", f"page_size = {PAGE_BYTES}"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    if _is_new(connection):
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        with _transaction(connection, "IMMEDIATE"):
            if _is_new(connection):
                for table in TABLES.values():
                    connection.execute(table)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
    if _number(connection, "application_id") != APPLICATION_ID:
        raise _Damaged("no store of codemap")
    if _number(connection, "user_version") != FORMAT_VERSION:
        raise _Damaged(f"of another format ({_number(connection, 'user_version')}, not {FORMAT_VERSION})")
    if _schema(connection) != TABLES:
        raise _Damaged("damaged: its tables are others")
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {LOG_MAX_BYTES}").fetchall()


def _is_new(connection: sqlite3.Connection) -> bool:
    return not _schema(connection) and not _number(connection, "application_id")


def _schema(connection: sqlite3.Connection) -> dict[str, str]:
    """The statements that made what the file has, by name; the indexes that tables bring have none."""
    return dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall())


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    value: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return value


def _size(connection: sqlite3.Connection) -> int:
    """Bytes in use."""
    pages = _number(connection, "page_count") - _number(connection, "freelist_count")
    return pages * _number(connection, "page_size")


def _put(connection: sqlite3.Connection, key: bytes, body: bytes, now_s: int) -> None:
    row = connection.execute("SELECT id FROM facts WHERE key = ?", (key,)).fetchone()
    if row is not None:
        connection.execute("DELETE FROM bodies WHERE id = ?", row)
    added = connection.execute("INSERT INTO bodies (body) VALUES (?)", (body,))
    values = (key, added.lastrowid, checksum(key, body), now_s)
    connection.execute("INSERT OR REPLACE INTO facts (key, id, sum, used) VALUES (?, ?, ?, ?)", values)


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def _part_key(root: bytes, part: int) -> bytes:
    return root + part.to_bytes(4, "little")


def _decoded(body: bytes) -> _Head:
    try:
        return _head.decode(body)
    except msgspec.MsgspecError as error:
        raise _Damaged(f"damaged: {error}") from error


def _keys(joined: bytes) -> list[bytes]:
    return [joined[at : at + _KEY_BYTES] for at in range(0, len(joined), _KEY_BYTES)]


def _make_private(path: str) -> None:
    """Makes an empty file of ours that nobody else may read, or sees to it that the one there is such. Raises OSError.

    A database that is there is not opened: to close it would drop the locks that this process may have on it.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise StoreTrouble(f"{path} is no file of this user") from None
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.chmod(path, 0o600)


def _locks(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _identity(path: str) -> tuple[int, int] | None:
    """What tells one file from another that takes its path later; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
