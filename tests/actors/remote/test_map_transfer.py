"""A map that travels: another checkout answers from it, and reads only what differs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
import trio

from actors.database.store_file import StoreFile
from actors.database.store_location import store_place
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.remote import map_transfer
from actors.remote.map_transfer import NotTransferred, Transferred, pull_map, push_map
from actors.remote.opening import Sharing, find_sharing
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from codemap.graph.query.export import exported_edges, exported_nodes
from codemap.settings import Settings

KEY = {"CODEMAP_FACTS_KEY": "a key that only the team has"}
FILES = 9


class Read(msgspec.Struct):
    """What a start did, and what its map has."""

    parsed: int
    same: int
    """Files that were read and had the known content."""
    is_warm: bool
    map: object


class World:
    """A repository, a shared folder, and stores of several machines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        (folder / "team").mkdir()
        (self.root / "app").mkdir(parents=True)
        for number in range(FILES):
            (self.root / "app" / f"m{number}.py").write_text(f"def f{number}():\n    return f{number}()\n")
        self.git("init", "-q")
        self.commit()

    def git(self, *words: str, root: Path | None = None) -> None:
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", *words], cwd=root or self.root, env={**os.environ, **own, **names}, check=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "change")

    def clone(self, name: str) -> Path:
        self.git("clone", "-q", str(self.root), str(self.folder / name))
        return self.folder / name

    def settings(self, machine: str, **more: object) -> Settings:
        own = {"workers": 1, "watch": "off", "store_dir": str(self.folder / machine)}
        return msgspec.convert({**own, "facts_remote": str(self.folder / "team"), **more}, Settings)

    def sharing(self, settings: Settings, environment: dict[str, str] = KEY) -> Sharing:
        found = find_sharing(settings, environment)
        assert isinstance(found, Sharing)
        return found

    async def start(self, root: Path, machine: str, *, pushes: bool = False) -> Read:
        settings = self.settings(machine)
        disk = open_disk(str(root), settings)
        async with open_service(settings, disk, SingleUseBuilder(), codec=SnapshotCodec()) as service:
            assert await service.wait_built() is None
            await service.rebuild()
            published = service.latest.get()
            assert published is not None
            resolver = service.statistics()["resolver"]
            shown = list(exported_edges(published.snapshot)), list(exported_nodes(published.snapshot))
            read = Read(service.parsed, int(str(resolver["filesSame"])), service.is_warm, shown)
            if pushes:
                sent = await push_map(published, settings, self.sharing(settings), disk)
                assert (sent.files, sent.recorded) == (FILES, FILES)
        return read

    async def pull(self, root: Path, machine: str, environment: dict[str, str] = KEY, **more: object) -> Transferred:
        settings = self.settings(machine, **more)
        place = store_place(str(root), settings, {})
        assert place is not None
        file = StoreFile(place)
        try:
            return await pull_map(settings, self.sharing(settings, environment), file, open_disk(str(root), settings))
        finally:
            file.close()


def outdate(root: Path) -> None:
    """Has git note the files as of some time ago, so that nothing is too recent to tell."""
    noted = (root / ".git" / "index").stat()
    os.utime(root / ".git" / "index", ns=(noted.st_atime_ns, noted.st_mtime_ns + 1_000_000_000))


async def test_a_clone_reads_only_what_differs(tmp_path: Path) -> None:
    world = World(tmp_path)
    with trio.fail_after(120):
        pushed = await world.start(world.root, "ci", pushes=True)
        clone = world.clone("clone")
        outdate(clone)
        fetched = await world.pull(clone, "own")
        assert (fetched.files, fetched.recorded) == (FILES, FILES)
        assert await world.start(clone, "own") == Read(0, 0, True, pushed.map)

        later = world.clone("later")
        (later / "app" / "m0.py").write_text("def f0():\n    return changed()\n\n\ndef changed(): ...\n")
        (later / "app" / "m2.py").unlink()
        world.git("add", "-A", root=later)
        world.git("commit", "-qm", "later", root=later)
        (later / "app" / "m3.py").write_text((later / "app" / "m3.py").read_text() + "\n\ndef new(): ...\n")
        outdate(later)
        (later / "app" / "m1.py").touch()
        fetched = await world.pull(later, "own")
        assert fetched.recorded == FILES - 4, "m0 and m3 differ, m2 is gone, and m1 could be another"
        read = await world.start(later, "own")
        assert (read.parsed, read.same, read.is_warm) == (2, 1, True)
        alone = await world.start(later, "alone")
        assert (alone.parsed, alone.is_warm) == (FILES - 1, False)
        assert read.map == alone.map


async def test_a_file_that_pretends_to_be_as_committed_is_read(tmp_path: Path) -> None:
    """An archive may bring an index that says anything, and files with any time of their last write."""
    world = World(tmp_path)
    with trio.fail_after(120):
        await world.start(world.root, "ci", pushes=True)
        clone = world.clone("clone")
        file = clone / "app" / "m4.py"
        before = file.stat()
        file.write_text(file.read_text().replace("f4", "g4"))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        outdate(clone)
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        assert (await world.pull(clone, "own")).recorded == FILES - 1
        read = await world.start(clone, "own")
        assert (read.parsed, read.is_warm) == (1, True)
        assert read.map == (await world.start(clone, "alone")).map


async def test_nothing_altered_forged_or_absent_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    with trio.fail_after(120):
        with pytest.raises(NotTransferred, match="has no map of the last 1 commit"):
            await world.pull(world.root, "own")
        await world.start(world.root, "ci", pushes=True)
        with pytest.raises(NotTransferred, match="an entry of it is forged"):
            await world.pull(world.root, "own", {"CODEMAP_FACTS_KEY": "the key of another team"})
        with pytest.raises(NotTransferred, match="by this version and these settings"):
            await world.pull(world.root, "own", exclude=["app/m1.py"])
        with pytest.raises(NotTransferred, match="--facts-share names leaves out"):
            await world.pull(world.root, "own", facts_share="names")
        for entry in [path for path in (tmp_path / "team").rglob("*") if path.is_file()]:
            whole = entry.read_bytes()
            entry.write_bytes(whole[:-1] + bytes((whole[-1] ^ 1,)))
            with pytest.raises(NotTransferred, match="is not to be used: an entry of it is damaged"):
                await world.pull(world.root, "own")
            entry.write_bytes(whole)
        monkeypatch.setattr(map_transfer, "map_maker", lambda: b"another version")
        with pytest.raises(NotTransferred, match="has no map"):
            await world.pull(world.root, "own")
        monkeypatch.undo()
        shutil.rmtree(tmp_path / "team")
        with pytest.raises(NotTransferred, match="No such file"):
            await world.pull(world.root, "own")
        assert not (await world.start(world.root, "own")).is_warm


async def test_without_a_commit_there_is_no_map_to_look_for(tmp_path: Path) -> None:
    world = World(tmp_path)
    shutil.rmtree(world.root / ".git")
    with trio.fail_after(120), pytest.raises(NotTransferred, match="git has none here"):
        await world.pull(world.root, "own")
