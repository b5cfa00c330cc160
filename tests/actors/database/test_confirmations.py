"""What language servers said, kept: found by path and content, added to, and never read back damaged."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs

from actors.database.store_file import StoreFile
from actors.database.store_location import StorePlace
from actors.database.stored_facts import checksum
from codemap.graph.model.edges import EdgeKind
from codemap.graph.verified.confirmations import (
    Confirmation,
    Confirmed,
    Inside,
    Outside,
    pack_confirmations,
    unpack_confirmations,
)

NOW_S = 1_700_000_000
DIGEST = b"d" * 16


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[bytes], StoreFile]]:
    files: list[StoreFile] = []

    def open_one(maker: bytes = b"maker") -> StoreFile:
        files.append(StoreFile(StorePlace(str(tmp_path / "r.sqlite"), b"root", maker, maker, 10_000_000)))
        return files[-1]

    yield open_one
    for file in files:
        file.close()


def said(*lines: int, server: str = "ty 1.0", row: int = 1) -> Confirmed:
    meant = (Inside("b.py", DIGEST, row), Outside("os"))
    return pack_confirmations(DIGEST, server, [Confirmation(line, 5, 1, EdgeKind.CALLS, meant) for line in lines])


def test_it_is_found_by_path_and_content(opened: Callable[..., StoreFile]) -> None:
    opened().keep_confirmed({"a.py": said(1, 2)}, NOW_S)
    file = opened()
    assert file.recall([("a.py", DIGEST)]) == {"a.py": said(1, 2)}
    assert file.recall([("b.py", DIGEST), ("a.py", b"e" * 16)]) == {}
    assert opened(b"other code").recall([("a.py", DIGEST)]) == {}


def test_what_is_new_is_added_and_of_one_place_the_new_counts(opened: Callable[..., StoreFile]) -> None:
    file = opened()
    for new in (said(1, 2), said(2, 3, row=7)):
        file.keep_confirmed({"a.py": new}, NOW_S)
    (whole,) = file.recall([("a.py", DIGEST)]).values()
    assert unpack_confirmations(whole) == [*unpack_confirmations(said(1)), *unpack_confirmations(said(2, 3, row=7))]
    file.keep_confirmed({"a.py": said(9, server="ty 2.0")}, NOW_S)
    assert file.recall([("a.py", DIGEST)]) == {"a.py": said(9, server="ty 2.0")}


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_row_is_none(seed: int, opened: Callable[..., StoreFile]) -> None:
    file = opened()
    file.keep_confirmed({"a.py": said(1, 2), "b.py": said(3)}, NOW_S)
    chance = random.Random(seed)
    with closing(sqlite3.connect(file.place.path)) as connection:
        rows = connection.execute("SELECT key, body FROM confirmed ORDER BY length(body) DESC").fetchall()
        key, body = rows[0]
        at = chance.randrange(len(body))
        damaged = body[:at] + bytes([body[at] ^ chance.randrange(1, 256)]) + body[at + 1 :]
        connection.execute("UPDATE confirmed SET body = ? WHERE key = ?", (damaged, key))
        connection.commit()
    assert file.recall([("a.py", DIGEST), ("b.py", DIGEST)]) == {"b.py": said(3)}


def test_what_does_not_fit_together_is_none(opened: Callable[..., StoreFile]) -> None:
    """Though its checksum is right: another program's idea of it."""
    file = opened()
    unsound = structs.replace(said(1), targets=b"\0" * 8)
    file.keep_confirmed({"a.py": unsound}, NOW_S)
    assert file.recall([("a.py", DIGEST)]) == {}
    file.keep_confirmed({"a.py": said(4)}, NOW_S)
    assert file.recall([("a.py", DIGEST)]) == {"a.py": said(4)}


def test_text_that_is_not_utf_8_is_none(opened: Callable[..., StoreFile]) -> None:
    file = opened()
    file.keep_confirmed({"a.py": said(1, server="server")}, NOW_S)
    with closing(sqlite3.connect(file.place.path)) as connection:
        [(key, body)] = connection.execute("SELECT key, body FROM confirmed").fetchall()
        body = body.replace(b"server", b"se\xffver")
        connection.execute("UPDATE confirmed SET body = ?, sum = ?", (body, checksum(key, body)))
        connection.commit()
    assert file.recall([("a.py", DIGEST)]) == {}
