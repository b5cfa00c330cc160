"""The database of a store: what is written is found, what is wrong with the file is found out, and nothing is fatal."""

from __future__ import annotations

import os
import random
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from actors.database import map_file
from actors.database.store_file import StoreFile
from actors.database.store_location import StorePlace
from actors.database.stored_facts import facts_key, stored_facts
from actors.database.tables import FORMAT_VERSION, StoreTrouble
from codemap.extract.extract import dialect_of, extract
from codemap.graph.model.lost_map import LostMap
from codemap.packed.packed_facts import pack_facts

MAKER = b"maker"
NOW_S = 1_700_000_000
DAY_S = 86_400


def place(folder: Path, *, root: bytes = b"root", maker: bytes = MAKER, max_bytes: int = 10_000_000) -> StorePlace:
    return StorePlace(str(folder / "cache" / "codemap" / "r.sqlite"), root, maker, maker, max_bytes)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., StoreFile]]:
    files: list[StoreFile] = []

    def open_one(**members: object) -> StoreFile:
        files.append(StoreFile(place(tmp_path, **members)))  # type: ignore[arg-type]
        return files[-1]

    yield open_one
    for file in files:
        file.close()


Opened = Callable[..., StoreFile]


def key(number: int) -> bytes:
    return number.to_bytes(16, "little")


def body(number: int, size: int = 3000) -> bytes:
    return random.Random(number).randbytes(size)


class Loaded(NamedTuple):
    head: bytes
    parts: list[bytes]
    facts: list[bytes]


def save(file: StoreFile, numbers: list[int], *, head: bytes = b"head", now_s: int = NOW_S) -> Loaded:
    keys = [key(number) for number in numbers]
    file.save(head, [b"one", b"", body(-1, 5000)], keys, lambda place: body(numbers[place]), now_s)
    return Loaded(head, [b"one", b"", body(-1, 5000)], [body(number) for number in numbers])


def load(file: StoreFile) -> Loaded | None:
    """The map, with all its facts."""
    found = file.load()
    return None if found is None else Loaded(found.head, [*map(bytes, found.parts)], [*found.facts])


def database(file: StoreFile) -> Path:
    return Path(file.place.path)


def test_a_map_is_found_with_its_facts(opened: Opened) -> None:
    file = opened()
    assert load(file) is None
    file.keep([(key(1), body(1))], NOW_S)
    written = save(file, [1, 2, 3, 2])
    assert load(file) == written
    assert save(file, [3], head=b"next") == load(file)
    file.close()
    assert load(opened()) == Loaded(b"next", [b"one", b"", body(-1, 5000)], [body(3)])


def test_nothing_is_made_before_the_first_use(tmp_path: Path, opened: Opened) -> None:
    opened()
    assert not list(tmp_path.iterdir())


def test_worktrees_share_facts_and_have_a_map_each(opened: Opened) -> None:
    here, there = opened(root=b"here"), opened(root=b"there")
    save(here, [1, 2])
    assert load(there) is None
    asked: list[int] = []

    def pack(number: int) -> bytes:
        asked.append(number)
        return body(3)

    there.save(b"t", [], [key(1), key(3)], pack, NOW_S)
    assert asked == [1]
    assert [found.head for found in (load(here), load(there)) if found] == [b"head", b"t"]


def test_the_map_of_other_code_is_not_used(opened: Opened) -> None:
    save(opened(), [1])
    other = opened(maker=b"another")
    assert load(other) is None
    assert other.set_aside is None


def test_files_are_private(opened: Opened, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        file = opened()
        save(file, [1])
    finally:
        os.umask(before)
    folder = database(file).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) & 0o022 == 0 or folder.parent == tmp_path / "cache"
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_file_that_others_may_read_is_made_private(opened: Opened) -> None:
    file = opened()
    save(file, [1])
    file.close()
    database(file).chmod(0o644)
    assert load(opened()) is not None
    assert stat.S_IMODE(database(file).stat().st_mode) == 0o600


# -- files that are not to be trusted --------------------------------------------------------------------------------


def edit(statement: str, *values: object) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(statement, values)

    return damage


def overwrite(content: bytes) -> Callable[[Path], None]:
    return lambda path: (path.write_bytes(content), None)[1]


def flip_every_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for at in range(4096 + 100, len(content), 1024):
        content[at] ^= 0xFF
    path.write_bytes(content)


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


DAMAGES = {
    "text": overwrite(b"this is no database\n" * 500),
    "random bytes": overwrite(random.Random(1).randbytes(20_000)),
    "random after the header": lambda path: overwrite(path.read_bytes()[:100] + random.Random(2).randbytes(50_000))(
        path
    ),
    "cut short": cut_in_half,
    "another format": edit(f"PRAGMA user_version = {FORMAT_VERSION + 1}"),
    "another program's": edit("PRAGMA application_id = 7"),
    "a table more": edit("CREATE TABLE more (x)"),
    "a table less": edit("DROP TABLE bodies"),
    "a schema that is no text": lambda path: overwrite(
        path.read_bytes().replace(b"TABLE bodies", b"TABL\xd5 \xd5odies")
    )(path),
    "a trigger": edit("CREATE TRIGGER t AFTER INSERT ON facts BEGIN DELETE FROM maps; END"),
    "a garbage part": edit("UPDATE maps SET body = ? WHERE part = 1", b"garbage"),
    "a garbage head": edit("UPDATE maps SET body = ? WHERE part = 0", b"garbage"),
    "a part less": edit("DELETE FROM maps WHERE part = 1"),
    "a part more": edit("INSERT INTO maps SELECT root, 2, saved, sum, body FROM maps WHERE part = 1"),
}


DAMAGED_FACTS = {
    "flipped bytes": flip_every_page,
    "a garbage body": edit("UPDATE bodies SET body = ? WHERE id = 1", b"garbage"),
    "a text for a body": edit("UPDATE bodies SET body = 'text' WHERE id = 1"),
    "bodies that changed places": edit("UPDATE facts SET id = 3 - id WHERE id < 3"),
    "facts without their bodies": edit("DELETE FROM bodies WHERE id < 3"),
    "facts that name other bodies": edit("UPDATE facts SET id = id + 1000"),
}
"""Found when the facts are asked for."""


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_file_is_set_aside_and_begun_anew(what: str, opened: Opened) -> None:
    file = opened()
    save(file, [1, 2, 3])
    file.close()
    DAMAGES[what](database(file))
    again = opened()
    assert load(again) is None
    assert again.set_aside is not None
    assert Path(f"{database(file)}.aside").exists()
    assert save(again, [4, 5]) == load(again)


@pytest.mark.parametrize("what", DAMAGED_FACTS)
def test_a_map_whose_facts_are_damaged_is_lost_and_begun_anew(what: str, opened: Opened) -> None:
    file = opened()
    save(file, [1, 2, 3])
    file.close()
    DAMAGED_FACTS[what](database(file))
    again, lost = opened(), list[bool]()
    again.on_lost = lambda: lost.append(True)
    found = again.load()
    assert found is not None
    assert again.set_aside is None
    for _ in range(2):
        with pytest.raises(LostMap):
            tuple(found.facts)
    assert lost == [True]
    assert again.load() is None
    assert again.set_aside is not None
    assert save(again, [1, 2, 3]) == load(again)


def only_map(file: StoreFile) -> Path:
    (found,) = database(file).parent.glob("*.map")
    return found


@pytest.mark.parametrize("damage", ["gone", "cut", "garbage", "another's"])
def test_a_map_file_that_is_damaged_is_deleted_and_begun_anew(damage: str, opened: Opened) -> None:
    file = opened()
    save(file, [1, 2, 3])
    file.close()
    path = only_map(file)
    match damage:
        case "gone":
            path.unlink()
        case "cut":
            os.truncate(path, 100)
        case "garbage":
            path.write_bytes(body(5, path.stat().st_size))
        case "another's":
            opened(root=b"other").save(b"t", [b"other"], [], body, NOW_S)
            (other,) = (one for one in path.parent.glob("*.map") if one != path)
            os.replace(other, path)
    again = opened()
    assert load(again) is None
    assert (again.set_aside is None) == (damage == "gone")
    assert not path.exists()
    assert save(again, [1, 2, 3]) == load(again)
    assert stored_keys(again) >= {1, 2, 3}


def test_there_is_one_file_a_map(opened: Opened) -> None:
    here, there = opened(root=b"here"), opened(root=b"there")
    for number in range(3):
        save(here, [number])
        save(there, [number])
    assert len([*database(here).parent.glob("*.map")]) == 2
    loaded = here.load()
    assert loaded is not None
    written = save(here, [9], head=b"next")
    assert bytes(loaded.parts[2]) == written.parts[2]
    assert load(here) == written


def test_a_map_that_the_database_cannot_name_leaves_no_file(opened: Opened) -> None:
    file = opened()
    written = save(file, [1])

    def fail(_: int) -> bytes:
        raise LostMap("gone")

    with pytest.raises(LostMap):
        file.save(b"next", [b"x"], [key(7)], fail, NOW_S)
    with closing(sqlite3.connect(database(file), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreTrouble):
            save(file, [2])
        other.execute("ROLLBACK")
    assert len([*database(file).parent.glob("*.map")]) == 1
    assert load(file) == written


def test_a_map_file_found_damaged_while_it_is_used_is_lost(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_file, "CHECKED_AT_ONCE", 0)
    monkeypatch.setattr(map_file, "_identity", lambda _: (0, 0, 0, 0))
    file, lost = opened(), list[bool]()
    file.on_lost = lambda: lost.append(True)
    save(file, [1, 2, 3])
    content = bytearray(only_map(file).read_bytes())
    content[content.index(body(-1, 5000)) + 9] ^= 1
    only_map(file).write_bytes(content)
    found = file.load()
    assert found is not None
    file.check(found)
    assert lost == [True]
    assert file.load() is None
    assert not [*database(file).parent.glob("*.map")]


def test_a_map_whose_facts_made_room_is_lost_alone(opened: Opened) -> None:
    file = opened()
    save(file, [1, 2, 3])
    found = file.load()
    assert found is not None
    edit("DELETE FROM facts WHERE id = 2")(database(file))
    assert [found.facts[0], found.facts[2]] == [body(1), body(3)]
    with pytest.raises(LostMap, match="made room"):
        _ = found.facts[1]
    assert file.load() is None
    assert file.set_aside is None
    assert save(file, [1, 2, 3]) == load(file)


def test_facts_of_a_loaded_map_are_read_from_the_file_that_it_came_from(opened: Opened) -> None:
    """Whatever takes its place, and whatever is written meanwhile."""
    file, other = opened(), opened()
    save(file, [1, 2, 3])
    found = file.load()
    assert found is not None
    save(other, [4, 5])
    with closing(sqlite3.connect(database(file), isolation_level=None)) as writing:
        writing.execute("BEGIN IMMEDIATE")
        assert found.facts[1] == body(2)
        writing.execute("ROLLBACK")
    file.close()
    other.close()
    assert found.facts[0] == body(1)
    edit("DELETE FROM maps")(database(file))
    os.replace(database(file), f"{database(file)}.before")
    for suffix in ("-wal", "-shm"):
        Path(f"{database(file)}{suffix}").unlink(missing_ok=True)
    save(opened(), [6])
    assert tuple(found.facts) == (body(1), body(2), body(3))


def test_what_a_loaded_map_has_is_used(opened: Opened) -> None:
    file = opened(max_bytes=1_000_000)
    save(file, list(range(50)), now_s=NOW_S - 9 * DAY_S)
    found = file.load()
    assert found is not None
    file.mark_used(found, NOW_S)
    other = opened(root=b"other", max_bytes=1_000_000)
    save(other, list(range(100, 250)), now_s=NOW_S - 5 * DAY_S)
    save(other, list(range(250, 330)), now_s=NOW_S + DAY_S)
    assert tuple(found.facts) == tuple(body(number) for number in range(50))


@pytest.mark.parametrize("what", ["random bytes", "flipped bytes", "cut short", "a table less"])
def test_a_file_that_is_damaged_while_open(what: str, opened: Opened) -> None:
    file = opened()
    save(file, list(range(100)))
    with closing(sqlite3.connect(database(file))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (DAMAGES | DAMAGED_FACTS)[what](database(file))
    for _ in range(3):
        file.keep([(key(number), body(number)) for number in range(200, 260)], NOW_S)
        written = save(file, [7, 8, 9])
    assert load(file) == written


@pytest.mark.parametrize("seed", range(60))
def test_random_damage_is_never_read_back(seed: int, opened: Opened) -> None:
    """Whatever bytes change: what is read is what was written, or nothing."""
    file = opened()
    written = save(file, list(range(30)))
    file.close()
    chance = random.Random(seed)
    content = bytearray(database(file).read_bytes())
    for _ in range(chance.choice((1, 1, 5, 50))):
        at = chance.randrange(len(content))
        content[at : at + chance.choice((1, 8, 4096))] = chance.randbytes(chance.choice((1, 8, 4096)))
    database(file).write_bytes(content)
    again = opened()
    with suppress(LostMap):
        assert load(again) in (written, None)
    assert save(again, [1, 2]) == load(again)


def test_bodies_that_are_lost_while_it_is_open_are_written_again(opened: Opened) -> None:
    file = opened()
    save(file, [1, 2, 3])
    edit("DELETE FROM bodies")(database(file))
    assert save(file, [1, 2, 3]) == load(file)
    assert file.set_aside is None


def test_a_file_set_aside_before_makes_way(opened: Opened) -> None:
    for content in (b"first" * 100, b"second" * 100):
        file = opened()
        save(file, [1])
        file.close()
        overwrite(content)(database(file))
        again = opened()
        load(again)
        again.close()
    assert Path(f"{database(file)}.aside").read_bytes() == b"second" * 100


def test_a_damaged_file_stays_while_another_process_has_it_open(opened: Opened) -> None:
    file, other = opened(), opened()
    save(file, [1])
    load(other)
    edit("UPDATE maps SET body = ? WHERE part = 0", b"garbage")(database(file))
    with pytest.raises(StoreTrouble, match="another process has it open"):
        load(file)
    other.close()
    assert load(file) is None
    assert file.set_aside is not None


# -- places that cannot be used --------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_made(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "cache").write_text("a file stands here")
    file = opened()
    for _ in range(2):
        with pytest.raises(StoreTrouble, match="Not a directory"):
            load(file)
    (tmp_path / "cache").unlink()
    assert load(file) is None


def test_a_folder_that_may_not_be_written() -> None:
    file = StoreFile(StorePlace("/proc/self/codemap/r.sqlite", b"", b"", b"", 1))
    with pytest.raises(StoreTrouble, match="/proc/self/codemap"):
        file.keep([(key(1), b"")], NOW_S)


@pytest.mark.parametrize("name", ["r.sqlite", "r.sqlite.lock"])
def test_a_link_or_a_folder_in_its_place_is_left_alone(name: str, tmp_path: Path, opened: Opened) -> None:
    file = opened()
    folder = database(file).parent
    folder.mkdir(parents=True)
    (tmp_path / "other").write_text("not ours")
    (folder / name).symlink_to(tmp_path / "other")
    with pytest.raises(StoreTrouble, match="no file of this user"):
        load(file)
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(StoreTrouble, match="no file of this user"):
        load(file)
    assert (tmp_path / "other").read_text() == "not ours"


def make_socket(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(path))


INTRUDERS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": make_socket,
    "folder": os.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "link to a pipe": lambda path: (os.mkfifo(f"{path}.pipe"), path.symlink_to(f"{path}.pipe"))[0],
}
AT_ONCE_S = 30.0


@contextmanager
def at_once(*pipes: Path) -> Iterator[None]:
    """The body waits for nobody; whoever waits at one of the pipes is let go long after that."""

    def let_go() -> None:
        for pipe in pipes:
            with suppress(OSError):
                os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))

    timer = threading.Timer(2 * AT_ONCE_S, let_go)
    timer.start()
    start = time.monotonic()
    try:
        yield
    finally:
        timer.cancel()
    assert time.monotonic() - start < AT_ONCE_S


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal", ".lock"])
@pytest.mark.parametrize("what", INTRUDERS)
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
def test_what_is_no_file_is_never_waited_for(what: str, suffix: str, is_open: bool, opened: Opened) -> None:
    """In place of the database or of a file that SQLite would open with it."""
    facts = extract("a.py", b"def f(): ...\n")
    file = opened()
    file.keep([(facts_key(MAKER, dialect_of("a.py"), b"digest"), pack_facts(facts))], NOW_S)
    if not is_open:
        file.close()
        file = opened()
    path = Path(file.place.path + suffix)
    path.unlink(missing_ok=True)
    INTRUDERS[what](path)
    with at_once(path):
        if is_open and suffix in ("-wal", "-shm", "-journal"):
            load(file)  # it has open what stood there before
        else:
            with pytest.raises(StoreTrouble, match="no file of this user"):
                load(file)
    with at_once(path), stored_facts(file.place.path, MAKER) as stored:
        found = stored.find("a.py", b"digest")
        assert found is None or suffix == ".lock"


def test_a_cache_that_vanishes_is_begun_anew(opened: Opened) -> None:
    file = opened()
    save(file, [1])
    shutil.rmtree(database(file).parent.parent)
    assert load(file) is None
    written = save(file, [2])
    assert load(file) == written
    assert database(file).exists()


def test_a_lock_that_another_holds_is_waited_for_and_then_trouble(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.database.store_file.BUSY_S", 0.05)
    file = opened()
    save(file, [1])
    with closing(sqlite3.connect(database(file), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert load(file) is not None
        with pytest.raises(StoreTrouble, match="locked"):
            save(file, [2])
        other.execute("ROLLBACK")
    assert save(file, [2]) == load(file)


FULL_DISK = """
import resource, sys
from actors.database.store_file import StoreFile, StoreTrouble
from actors.database.store_location import StorePlace
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))  # a write beyond fails, as on a full disk
file = StoreFile(StorePlace(sys.argv[1], b"root", b"m", b"m", 10**9))
file.save(b"small", [], [], bytes, 1)
for _ in range(2):
    try:
        file.save(b"large", [bytes(500_000)], [], bytes, 1)
    except StoreTrouble as trouble:
        print("trouble")
print(file.load().head, file.set_aside)
"""


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "f" / "r.sqlite")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("trouble\ntrouble\nb'small' None\n", "")


# -- size ------------------------------------------------------------------------------------------------------------


def stored_keys(file: StoreFile) -> set[int]:
    with closing(sqlite3.connect(database(file))) as connection:
        return {int.from_bytes(row[0], "little") for row in connection.execute("SELECT key FROM facts")}


def test_what_was_used_least_lately_goes_first(opened: Opened) -> None:
    file = opened(max_bytes=1_000_000)
    save(file, list(range(100)), now_s=NOW_S - 9 * DAY_S)
    save(file, list(range(100, 200)), now_s=NOW_S - 5 * DAY_S)
    used_again = [*range(50), *range(200, 300)]
    assert save(file, used_again, now_s=NOW_S) == load(file)
    written = save(file, [*used_again, *range(300, 320)], now_s=NOW_S + 1)
    left = stored_keys(file)
    assert left >= {*used_again, *range(300, 320)}
    assert not left & set(range(50, 100))
    assert file.size_bytes() <= 1_000_000
    assert load(file) == written
    assert database(file).stat().st_size <= 1_000_000


def test_facts_that_come_by_the_batch_stay_within_the_limit(opened: Opened) -> None:
    file = opened(max_bytes=500_000)
    for batch in range(50):
        file.keep([(key(batch * 10 + n), body(n)) for n in range(10)], NOW_S + batch)
    assert file.size_bytes() < 600_000
    assert stored_keys(file) >= set(range(480, 500))


def test_the_map_of_a_checkout_that_is_gone_makes_room(opened: Opened) -> None:
    gone, here = opened(root=b"gone", max_bytes=600_000), opened(root=b"here", max_bytes=600_000)
    save(gone, list(range(80)), now_s=NOW_S - 90 * DAY_S)
    written = save(here, list(range(100, 200)), now_s=NOW_S)
    assert load(gone) is None
    assert load(here) == written
    assert gone.set_aside is here.set_aside is None


def test_a_map_that_does_not_fit_is_not_kept_and_said(opened: Opened) -> None:
    file = opened(max_bytes=100_000)
    with pytest.raises(StoreTrouble, match="store_max_mb"):
        save(file, list(range(200)))
    assert load(file) is None
    assert file.size_bytes() < 100_000
    assert save(file, [1, 2]) == load(file)


# -- looking up ------------------------------------------------------------------------------------------------------


def test_a_worker_finds_facts_by_content_dialect_and_maker(opened: Opened) -> None:
    facts = extract("a.py", b"def f(): ...\n")
    file = opened()
    file.keep([(facts_key(MAKER, dialect_of("a.py"), b"digest"), pack_facts(facts))], NOW_S)
    path = file.place.path
    with stored_facts(path, MAKER) as stored:
        assert stored.find("other/name.py", b"digest") is not None
        assert stored.find("a.ts", b"digest") is None
        assert stored.find("a.unknown", b"digest") is None
        assert stored.find("a.py", b"others") is None
    with stored_facts(path, b"newer code") as stored:
        assert stored.find("a.py", b"digest") is None
    assert dialect_of("a.ts") != dialect_of("a.tsx")


@pytest.mark.parametrize("what", DAMAGES)
def test_a_worker_takes_damage_for_a_miss(what: str, opened: Opened) -> None:
    facts = extract("a.py", b"def f(): ...\n")
    ours = facts_key(MAKER, dialect_of("a.py"), b"digest")
    file = opened()
    file.keep([(ours, pack_facts(facts)), (key(2), body(2)), (key(3), body(3))], NOW_S)
    save(file, [2, 3])
    file.close()
    DAMAGES[what](database(file))
    with stored_facts(file.place.path, MAKER) as stored:
        assert stored.find("a.py", b"digest") in (None, pack_facts(facts))


@pytest.mark.parametrize("path", ["", "/nowhere/at/all.sqlite", "/proc/self/mem", "/"])
def test_a_worker_without_a_store_finds_nothing(path: str) -> None:
    with stored_facts(path, MAKER) as stored:
        assert stored.find("a.py", b"digest") is None
