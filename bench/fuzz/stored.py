"""What is kept on disk: the database as a file, and each kind of record behind a checksum that is right.

Rules of the file:
- A damaged database gives what was saved, whole, or nothing; then it is set aside, and a new one takes what is saved.
- A record that was not written by this code is refused by the exception that its reader is documented to raise.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from actors.database.store_file import StoreFile
from actors.database.store_location import StorePlace
from actors.database.tables import StoreTrouble
from actors.indexing.latest_snapshot import FileRecord
from actors.indexing.stored_metadata import Meta, decoded, encoded, join
from actors.messaging.messages import FileStat
from bench.fuzz.mutation import mutated, mutated_json
from bench.fuzz.sources import seeds
from bench.fuzz.target import Broken, Inputs, shown
from codemap.extract.skipped_files import SkipReason
from codemap.graph.build.build import build_snapshot
from codemap.graph.build.packed_snapshot import pack_snapshot, unpack_snapshot
from codemap.graph.model.lost_map import LostMap
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import language_of
from codemap.packed.packed_facts import BadFacts, pack_facts, unpack_facts
from codemap.packed.parts import BadParts

NOW_S = 1_700_000_000
ROOT, MAKER = b"root", b"maker"
PAGE = 512
_FOREIGN: Sequence[object] = (
    *(None, True, -1, 2**63, 1.5, "", "text", b"bytes", [], {}, [[]], {"a": [1]}, [None] * 9, {1: {2: {3: 4}}}),
    *([b"", [], b"", [], [], b"", [], b"", [], b"", 0], ["", [[1, 2], [3, 4]], 0, b""], msgspec.msgpack.Ext(5, b"x")),
)


@cache
def _snapshots() -> tuple[Snapshot, ...]:
    """A few small maps, of several languages each."""
    found = []
    for begin in range(0, 60, 15):
        files: dict[str, bytes] = {}
        for some in seeds()[begin::60][:4]:
            files |= {path: source for path, source in some.items() if language_of(path) is not None}
        found.append(build_snapshot(files))
    return tuple(found)


def fuzz_database(inputs: Inputs) -> None:
    with TemporaryDirectory(prefix="codemap-fuzz-") as folder:
        whole = Path(folder) / "whole" / "cache.sqlite"
        with closing(StoreFile(_place(whole))) as file:
            saved = _save(file, _snapshots()[0])
        for random in inputs:
            copy = Path(folder) / "copy" / whole.name
            shutil.rmtree(copy.parent, ignore_errors=True)
            shutil.copytree(whole.parent, copy.parent)
            damage = random.choice(DAMAGES)
            if damage in OF_ANY_FILE and random.random() < 0.5:
                damage(random, next(copy.parent.glob("*.map")))
            else:
                damage(random, copy)
            _check_database(copy, saved, damage.__name__)


class Saved(NamedTuple):
    """A map as it was read back."""

    head: bytes
    parts: list[bytes]
    facts: list[bytes]


def _save(file: StoreFile, snapshot: Snapshot) -> Saved:
    facts = [pack_facts(one.facts) for one in snapshot.files]
    keys = [number.to_bytes(16, "little") for number in range(len(facts))]
    file.save(b"head", pack_snapshot(snapshot), keys, facts.__getitem__, NOW_S)
    found = _load(file)
    if found is None:
        raise NotFound("what was saved is not found")
    return found


def _load(file: StoreFile) -> Saved | None:
    """What is loaded, with all facts; None where nothing is, or a part of it is lost."""
    found = file.load()
    with suppress(LostMap):
        return None if found is None else Saved(found.head, [*map(bytes, found.parts)], [*found.facts])
    return None


class NotFound(Broken):
    """A map was saved and could not be loaded."""


def _place(path: Path) -> StorePlace:
    return StorePlace(str(path), ROOT, MAKER, MAKER, 100_000_000)


def _check_database(path: Path, saved: Saved, damage: str) -> None:
    with closing(StoreFile(_place(path))) as file:
        try:
            found = _load(file)
        except StoreTrouble:
            found = None
        if found not in (None, saved):
            raise Broken(f"after {damage}, another map is found than was saved")
    with closing(StoreFile(_place(path))) as file:
        again = _save_or_trouble(file)
    if again not in (None, saved):
        raise Broken(f"after {damage}, another map is found than was saved anew")


def _save_or_trouble(file: StoreFile) -> Saved | None:
    """What is loaded after another save. Damage that only reading meets costs that save, and no other."""
    try:
        try:
            return _save(file, _snapshots()[0])
        except NotFound:
            return _save(file, _snapshots()[0])
    except StoreTrouble:
        return None


def flip_bits(random: Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 3, 30))):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    path.write_bytes(content)


def cut_off(random: Random, path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: random.choice((0, 1, 15, 100, random.randrange(len(content))))])


def swap_pages(random: Random, path: Path) -> None:
    content = path.read_bytes()
    pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
    one, other = random.randrange(len(pages)), random.randrange(len(pages))
    pages[one], pages[other] = pages[other], random.choice((pages[one], random.randbytes(PAGE), bytes(PAGE)))
    path.write_bytes(b"".join(pages))


def add_log(random: Random, path: Path) -> None:
    """A log or journal of another database, which SQLite may think it has to replay."""
    for ending in random.sample(("-wal", "-shm", "-journal"), random.randint(1, 3)):
        source = path.read_bytes()
        path.with_name(path.name + ending).write_bytes(
            random.choice((random.randbytes(4096), source, b"", source[:700]))
        )


def edit_rows(random: Random, path: Path) -> None:
    """What another program may do to it, by SQL."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(sqlite3.Error):
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = random.choice(tables)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        value = random.choice((None, 0, -1, 2**62, "text", b"", random.randbytes(20), 0.5))
        statement = random.choice(
            (
                f"UPDATE {table} SET {random.choice(columns)} = ?",
                f"DELETE FROM {table} WHERE ? IS NOT 1 AND abs(random()) % 2",
                f"CREATE TABLE more AS SELECT *, ? AS odd FROM {table}",
                f"INSERT OR REPLACE INTO {table} ({columns[0]}) VALUES (?)",
            )
        )
        plain = random.choice(
            (
                f"CREATE TRIGGER odd AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
                f"ALTER TABLE {table} ADD COLUMN odd DEFAULT 1",
                f"DROP TABLE {table}",
                "PRAGMA user_version = 7",
                "PRAGMA application_id = 7",
            )
        )
        connection.execute(statement, (value,)) if random.random() < 0.6 else connection.execute(plain)


OF_ANY_FILE: Sequence[Callable[[Random, Path], None]] = (flip_bits, cut_off, swap_pages)
DAMAGES: Sequence[Callable[[Random, Path], None]] = (*OF_ANY_FILE, add_log, edit_rows)


# -- records ----------------------------------------------------------------------------------------------------------


def fuzz_records(inputs: Inputs) -> None:
    for random in inputs:
        snapshot = random.choice(_snapshots())
        random.choice((_facts, _parts, _meta))(random, snapshot)


def _facts(random: Random, snapshot: Snapshot) -> None:
    packed = pack_facts(random.choice(list(snapshot.files)).facts)
    body = _other(random, packed[1:])
    with suppress(BadFacts):
        unpack_facts(random.choice((packed[:1], b"\0", b"\1", b"")) + body)


def _parts(random: Random, snapshot: Snapshot) -> None:
    parts = pack_snapshot(snapshot)
    facts = [pack_facts(file.facts) for file in snapshot.files]
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(parts))
        parts[at] = _other(random, parts[at])
    if random.random() < 0.2:
        parts = parts[: random.randrange(len(parts))]
    if random.random() < 0.1:
        facts = facts[1:]
    try:
        unpack_snapshot(parts, facts, {})
    except BadParts:
        pass
    except Exception as error:
        raise Broken(f"{type(error).__name__}: {error}; parts {[shown(part[:80]) for part in parts]}") from error


def _meta(random: Random, snapshot: Snapshot) -> None:
    paths = [file.path for file in snapshot.files]
    records = tuple(FileRecord(FileStat(1, 2, 3, 4), b"digest", True) for _ in paths)
    meta = Meta(join(paths), records, b"", (), (), join(["x"]), (SkipReason.BINARY,), join([".rst"]), (1,), b"", NOW_S)
    with suppress(ValueError):
        decoded(_other(random, encoded(meta)))


def _other(random: Random, body: bytes) -> bytes:
    """Other bytes in the place of some: broken ones, other values in the same form, or what others would write."""
    kind = random.random()
    if kind < 0.15:
        return msgspec.msgpack.encode(random.choice(_FOREIGN))
    if kind < 0.4:
        try:
            value: Any = mutated_json(random, msgspec.msgpack.decode(body))
            return msgspec.msgpack.encode(value)
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):
            pass  # no msgpack, or what has no form in it
    return mutated(random, body)
