"""The facts of a stored map's files, each read from the store when something asks for it.

Rules of the file:
- What is read is checked; what is gone, damaged or unreadable is `LostMap`, and is reported once.
- It has a connection of its own, which only reads: it waits for no write, and goes on with the file that it has open
  where another takes that file's place.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import overload
from urllib.parse import quote

from actors.database.stored_facts import FACTS_QUERY, checksum
from codemap.graph.model.lost_map import LostMap

KEY_BYTES = 16
_NAMES_FACTS = "SELECT 1 FROM facts WHERE key = ?"
BUSY_S = 2.0
"""How long to wait for a lock: readers need one only while a log is recovered."""


class KeptFacts(Sequence[bytes]):
    """The facts, packed, in the order of the files."""

    def __init__(self, path: str, keys: bytes, report: Callable[[bool], None]) -> None:
        """`keys` are those of the facts, joined. Calls `report`, on whichever thread, when the map is lost, with
        whether the file is damaged. Raises sqlite3.Error."""
        self._keys = keys
        self._report: Callable[[bool], None] | None = report
        self._mutex = threading.Lock()
        self._connection = sqlite3.connect(
            f"file:{quote(path)}?mode=ro", uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        with closing(self._connection.execute(FACTS_QUERY, (b"",))):  # the file is open from here on
            pass

    def __len__(self) -> int:
        return len(self._keys) // KEY_BYTES

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        """Raises LostMap, IndexError."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        first = range(len(self))[place] * KEY_BYTES
        key = self._keys[first : first + KEY_BYTES]
        try:
            with self._mutex:
                row = self._connection.execute(FACTS_QUERY, (key,)).fetchone()
                is_named = row is not None or self._connection.execute(_NAMES_FACTS, (key,)).fetchone() is not None
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._lost(f"the facts of a file cannot be read ({error})") from error
        if not is_named:
            raise self._lost("the facts of a file made room for others")
        if row is None or not isinstance(row[1], bytes) or row[0] != checksum(key, row[1]):
            raise self._lost("the facts of a file are not what was written", is_damaged=True)
        found: bytes = row[1]
        return found

    @property
    def keys(self) -> bytes:
        """The keys, joined."""
        return self._keys

    def _lost(self, why: str, *, is_damaged: bool = False) -> LostMap:
        report, self._report = self._report, None
        if report is not None:
            report(is_damaged)
        return LostMap(why)
