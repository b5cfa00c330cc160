"""Opens the database of a store, runs its reads and writes, and replaces a damaged file.

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
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from actors.database.confirmations import keep_confirmed, recall_confirmed
from actors.database.kept_facts import KEY_BYTES, KeptFacts
from actors.database.map_file import BadMapFile, open_map_file
from actors.database.store_location import StorePlace
from actors.database.stored_facts import companions
from actors.database.stored_map import StoredMap, delete_map, find_map, replace_map
from actors.database.tables import (
    DAMAGE_CODES,
    Damaged,
    StoreTrouble,
    make_room,
    mark_used,
    named_files,
    prepare,
    put,
    stored_bytes,
    transaction,
)
from actors.files.private_file import NotOurs, identity, is_regular, locks, make_private
from codemap.graph.verified.confirmations import Confirmed

T = TypeVar("T")

BUSY_S = 2.0
"""How long to wait for another process's write lock: its transactions take a tenth of it."""


class StoreFile:
    """One database file, opened when first used."""

    def __init__(self, place: StorePlace) -> None:
        self.place = place
        self.set_aside: str | None = None
        """Why the file was begun anew, in the words of a sentence; None where it was not."""
        self.on_lost: Callable[[], None] | None = None
        """Called, on whichever thread, when a map that was loaded turns out to be damaged, or to lack facts."""
        self._is_map_lost = self._has_damaged_facts = False
        self._connection: sqlite3.Connection | None = None
        self._lock_fd: int | None = None
        self._identity: object = None
        self._lost: list[sqlite3.Connection] = []
        """Connections to files that were deleted or replaced by somebody. To close one could delete the log of the
        file that now has its name."""
        self._mutex = threading.Lock()
        self._is_closed = False

    def load(self) -> StoredMap | None:
        """Loads the map that this version of the code saved last for this root; None where missing or damaged."""
        return self.run(self._load)

    def keep(self, facts: Sequence[tuple[bytes, bytes]], now_s: int) -> None:
        """Writes facts, packed, by key. `now_s` is seconds since the epoch."""
        self.run(lambda connection: self._keep(connection, facts, now_s))

    def keep_confirmed(self, found: Mapping[str, Confirmed], now_s: int) -> None:
        """Writes confirmations of language servers, by path."""
        self.run(lambda connection: self._keep_confirmed(connection, found, now_s))

    def recall(self, contents: Sequence[tuple[str, bytes]]) -> dict[str, Confirmed]:
        """Reads the confirmations of some contents (path, digest), by path."""
        maker = self.place.facts_maker
        return self.run(lambda connection: recall_confirmed(connection, maker, contents))

    def save(
        self, head: bytes, parts: Iterable[bytes], keys: Sequence[bytes], pack: Callable[[int], bytes], now_s: int
    ) -> None:
        """Replaces the map of this root. `keys` are those of its files' facts; `pack` makes the missing ones."""
        self.run(lambda connection: self._save(connection, head, parts, keys, pack, now_s))

    def mark_used(self, loaded: StoredMap, now_s: int) -> None:
        """Notes that a loaded map is in use: what was not used for longer makes room first."""
        self.run(lambda connection: self._mark_used(connection, loaded.facts.keys, now_s))

    def forget_lost(self) -> None:
        """Deletes a map that was loaded and turned out to be lost, so that no start loads it again."""
        if self._is_map_lost:
            self.run(self._forget_lost)

    def check(self, loaded: StoredMap) -> None:
        """Compares the checksums of a loaded map, where that was not done yet; what is damaged is lost."""
        if not loaded.file.is_checked and not loaded.file.check():
            self._note_lost(False)

    def size_bytes(self) -> int:
        """Size of the file on disk in bytes, without its log, and of the files of maps."""
        return self.run(stored_bytes)

    def close(self) -> None:
        """Closes the file for good; a call that is running closes it when it ends."""
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

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Runs a function with the file open and returns its result. Raises StoreTrouble."""
        try:
            with self._mutex:
                return self._attempt(work)
        except (sqlite3.Error, Damaged) as error:
            raise StoreTrouble(f"{self.place.path}: {error}") from error
        except NotOurs as error:
            raise StoreTrouble(str(error)) from error
        except OSError as error:
            raise StoreTrouble(f"{error.filename or self.place.path}: {error.strerror}") from error
        finally:
            if self._is_closed:
                self.close()

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Runs a function; once more on a new file if the present one turns out to be damaged."""
        try:
            return work(self._opened())
        except Damaged as damage:
            self._set_aside(str(damage))
        except UnicodeDecodeError as error:  # of a message of SQLite that quotes what it found
            self._set_aside(f"damaged: {error}")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in DAMAGE_CODES:
                self._close()
                raise
            self._set_aside(f"damaged: {error}")
        return work(self._opened())

    def _opened(self) -> sqlite3.Connection:
        if self._is_closed:
            raise StoreTrouble(f"{self.place.path}: closed")
        if self._connection is not None and self._identity != (identity(self.place.path), identity(self._lock_path)):
            self._lost.append(self._connection)
            self._connection = None
            self._close()
        if self._connection is None:
            self._connection = self._open()
            prepare(self._connection)
            self._identity = (identity(self.place.path), identity(self._lock_path))
        return self._connection

    def _open(self) -> sqlite3.Connection:
        path = self.place.path
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        if self._lock_fd is None:
            make_private(self._lock_path)
            self._lock_fd = os.open(self._lock_path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            if not locks(self._lock_fd, fcntl.LOCK_SH):
                self._close()
                raise StoreTrouble(f"{path}: another process is setting it aside")
        make_private(path)
        for other in companions(path):
            if not is_regular(other):
                raise NotOurs(f"{other} is no file of this user")
        return sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)

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
        """Renames the damaged file. Raises StoreTrouble while another process has it open."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
        path = self.place.path
        if self._lock_fd is None or not locks(self._lock_fd, fcntl.LOCK_EX):
            raise StoreTrouble(f"{path} is {reason}, and another process has it open")
        os.replace(path, f"{path}.aside")
        self._has_damaged_facts = False
        for other in companions(path):
            with suppress(FileNotFoundError):
                os.unlink(other)
        self.set_aside = f"{path} was {reason}; it lies at {path}.aside, and a new one was begun"
        locks(self._lock_fd, fcntl.LOCK_SH)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _load(self, connection: sqlite3.Connection, *, may_retry: bool = True) -> StoredMap | None:
        self._check_facts()
        if self._is_map_lost:
            self._drop_map(connection)
        named = find_map(connection, self.place)
        if named is None:
            return None
        try:
            file = open_map_file(self.place.path, named.written)
        except FileNotFoundError:
            names = named_files(connection, self.place.root_key)
            if may_retry and names != [named.written.name]:  # another process has stored one since
                return self._load(connection, may_retry=False)
            self._drop_map(connection)
            return None
        except BadMapFile as bad:
            self.set_aside = f"a map beside {self.place.path} was damaged ({bad}); it was deleted, and is built anew"
            self._drop_map(connection)
            return None
        return StoredMap(named.head, file, KeptFacts(self.place.path, named.keys, self._note_lost))

    def _forget_lost(self, connection: sqlite3.Connection) -> None:
        self._drop_map(connection)
        self._check_facts()

    def _drop_map(self, connection: sqlite3.Connection) -> None:
        self._is_map_lost = False
        delete_map(connection, self.place)

    def _check_facts(self) -> None:
        """Raises Damaged where facts of a map that was loaded turned out to be damaged."""
        if self._has_damaged_facts:
            raise Damaged("damaged: facts are not what was written")

    def _note_lost(self, is_damaged: bool) -> None:
        self._is_map_lost = True
        self._has_damaged_facts |= is_damaged
        if self.on_lost is not None:
            self.on_lost()

    # -- writing ----------------------------------------------------------------------------------------------------

    def _keep(self, connection: sqlite3.Connection, facts: Sequence[tuple[bytes, bytes]], now_s: int) -> None:
        make_room(connection, self.place, now_s, ())
        with transaction(connection, "IMMEDIATE"):
            for key, body in facts:
                put(connection, key, body, now_s)

    def _keep_confirmed(self, connection: sqlite3.Connection, found: Mapping[str, Confirmed], now_s: int) -> None:
        make_room(connection, self.place, now_s, ())
        with transaction(connection, "IMMEDIATE"):
            keep_confirmed(connection, self.place.facts_maker, found, now_s)

    def _save(
        self,
        connection: sqlite3.Connection,
        head: bytes,
        parts: Iterable[bytes],
        keys: Sequence[bytes],
        pack: Callable[[int], bytes],
        now_s: int,
    ) -> None:
        self._check_facts()
        replace_map(connection, self.place, head, parts, keys, pack, now_s)
        self._is_map_lost = False
        make_room(connection, self.place, now_s, keys)

    def _mark_used(self, connection: sqlite3.Connection, joined: bytes, now_s: int) -> None:
        with transaction(connection, "IMMEDIATE"):
            mark_used(connection, [joined[at : at + KEY_BYTES] for at in range(0, len(joined), KEY_BYTES)], now_s)
            connection.execute("UPDATE maps SET saved = ? WHERE root = ?", (now_s, self.place.root_key))
