"""The map of a root in a store: rows that name its file, the keys of its facts, and the file beside the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple, TypeVar

import msgspec

from actors.database.kept_facts import KeptFacts
from actors.database.map_file import MapFile, Written, delete_map_files, delete_unnamed, write_map_file
from actors.database.store_location import StorePlace
from actors.database.stored_facts import checksum, part_key
from actors.database.tables import Damaged, mark_used, named_files, put, transaction
from codemap.packed.unpacking import unpack

_T = TypeVar("_T")


class StoredMap(msgspec.Struct, frozen=True):
    """A map as stored, still packed."""

    head: bytes
    file: MapFile
    facts: KeptFacts
    """Facts of its files, in their order, packed; read when they are asked for."""

    @property
    def parts(self) -> list[memoryview]:
        return self.file.parts


class NamedMap(NamedTuple):
    """What the rows of a map say."""

    head: bytes
    keys: bytes
    """Of its facts, 16 bytes a file."""
    written: Written


class _Head(msgspec.Struct, frozen=True, array_like=True):
    maker: bytes
    parts: int
    """Rows after this one: one, with what was `Written`."""
    keys: bytes
    """16 bytes a file."""
    head: bytes


_HAS_FACTS = "SELECT 1 FROM facts AS f JOIN bodies AS b ON b.id = f.id WHERE f.key = ?"
"""Selects keys whose facts have a body: a row whose body was lost is written anew."""
_encode = msgspec.msgpack.Encoder().encode
_head = msgspec.msgpack.Decoder(_Head)
_written = msgspec.msgpack.Decoder(Written)


def find_map(connection: sqlite3.Connection, place: StorePlace) -> NamedMap | None:
    """Reads which map this version of the code saved last for the root; None where there is none. Raises Damaged."""
    root = place.root_key
    with transaction(connection, "DEFERRED"):
        rows = connection.execute("SELECT part, sum, body FROM maps WHERE root = ? ORDER BY part", (root,)).fetchall()
        if not rows:
            return None
        for number, (part, checked, body) in enumerate(rows):
            if part != number or not isinstance(body, bytes) or checked != checksum(part_key(root, part), body):
                raise Damaged("damaged: a part of a map is not what was written")
        head = _decoded(_head, rows[0][2])
        if head.maker != place.map_maker:
            return None
        if len(rows) != head.parts + 1 or head.parts != 1:
            raise Damaged("damaged: a map has other parts than were written")
    return NamedMap(head.head, head.keys, _decoded(_written, rows[1][2]))


def replace_map(
    connection: sqlite3.Connection,
    place: StorePlace,
    head: bytes,
    parts: Iterable[bytes],
    keys: Sequence[bytes],
    pack: Callable[[int], bytes],
    now_s: int,
) -> None:
    """Writes the file of a map and its missing facts, names it, and deletes the files that nothing names any more."""
    number_of = dict(zip(keys, range(len(keys)), strict=True))
    missing = [key for key in number_of if connection.execute(_HAS_FACTS, (key,)).fetchone() is None]
    bodies = {key: pack(number_of[key]) for key in missing}
    first = _encode(_Head(place.map_maker, 1, b"".join(keys), head))
    written = write_map_file(place.path, parts)
    with ExitStack() as unnamed:
        unnamed.callback(delete_map_files, place.path, [written.name])
        before = _name_map(connection, place.root_key, (first, _encode(written)), number_of, bodies, pack, now_s)
        unnamed.pop_all()
    delete_map_files(place.path, before)
    delete_unnamed(place.path, named_files(connection))


def delete_map(connection: sqlite3.Connection, place: StorePlace) -> None:
    """Deletes the map of the root, its file last."""
    names = named_files(connection, place.root_key)
    connection.execute("DELETE FROM maps WHERE root = ?", (place.root_key,))
    delete_map_files(place.path, names)


def _name_map(
    connection: sqlite3.Connection,
    root: bytes,
    rows: Sequence[bytes],
    number_of: Mapping[bytes, int],
    bodies: Mapping[bytes, bytes],
    pack: Callable[[int], bytes],
    now_s: int,
) -> list[str]:
    """Writes the rows of a map, by which its file is found, and its facts; returns the files that it replaces."""
    with transaction(connection, "IMMEDIATE"):
        before = named_files(connection, root)
        for key, number in number_of.items():
            if key in bodies or connection.execute(_HAS_FACTS, (key,)).fetchone() is None:
                put(connection, key, bodies.get(key) or pack(number), now_s)
        mark_used(connection, list(number_of), now_s)
        connection.execute("DELETE FROM maps WHERE root = ?", (root,))
        connection.executemany(
            "INSERT INTO maps (root, part, saved, sum, body) VALUES (?, ?, ?, ?, ?)",
            [(root, part, now_s, checksum(part_key(root, part), body), body) for part, body in enumerate(rows)],
        )
    return before


def _decoded(decoder: msgspec.msgpack.Decoder[_T], body: bytes) -> _T:
    try:
        return unpack(decoder, body)
    except msgspec.MsgspecError as error:
        raise Damaged(f"damaged: {error}") from error
