"""The store with real processes: killed at any moment, shared by two, on branches; the next start is right."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import trio

from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.lost_map import LostMap
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from tests.system import forked
from tests.system.forked import CODEMAP
from tests.system.process import environment, serving
from tests.system.store_child import SAVED, difference, latest, live, write_files

DEADLINE_S = 180


@pytest.fixture(scope="module")
def context() -> multiprocessing.context.ForkServerContext:
    return forked.context()


@contextmanager
def child(
    context: multiprocessing.context.ForkServerContext, root: Path, folder: Path, seed: int
) -> Iterator[tuple[BaseProcess, Connection]]:
    ours, theirs = context.Pipe()
    process = context.Process(target=live, args=(root, folder, seed, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join(DEADLINE_S)
        process.close()
        ours.close()


def said(pipe: Connection) -> tuple[str, bool, list[str]]:
    assert pipe.poll(DEADLINE_S), "the process says nothing"
    found: tuple[str, bool, list[str]] = pipe.recv()
    return found


def test_killed_at_any_moment(
    context: multiprocessing.context.ForkServerContext, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Half of the kills strike a first build and its writes, half edits; each time the next start is right."""
    chance = random.Random(20_261_121)
    root, folder = tmp_path / "root", tmp_path / "store"
    root.mkdir()
    write_files(root)
    with child(context, root, folder, 0) as (_, pipe):
        said(pipe)
    begin = time.monotonic()
    with child(context, root, tmp_path / "other", 0) as (_, pipe):
        said(pipe)
    build_s = time.monotonic() - begin
    starts_warm = 0
    for number in range(pytestconfig.getoption("--kills") // 2):
        shutil.rmtree(folder)
        begin = time.monotonic()
        with child(context, root, folder, number) as (_, pipe):
            time.sleep(chance.uniform(0.1, 1.2) * build_s)
        with child(context, root, folder, number) as (_, pipe):
            wrong, _, warnings = said(pipe)
            assert (wrong, warnings) == ("", []), f"after kill {number} of a build"
            if number % 4 == 0:  # a busy machine saves no edit in so short a time
                assert pipe.poll(DEADLINE_S), "nothing is saved"
                assert pipe.recv() == SAVED
            time.sleep(chance.uniform(0.0, 0.4))
        with child(context, root, folder, number) as (_, pipe):
            wrong, is_warm, warnings = said(pipe)
            assert (wrong, warnings) == ("", []), f"after kill {number} of an edit"
            starts_warm += is_warm
        assert time.monotonic() - begin < DEADLINE_S
    assert starts_warm, "no kill left a map behind, so none showed that a map is right"


def test_two_processes_on_one_store(context: multiprocessing.context.ForkServerContext, tmp_path: Path) -> None:
    """Two checkouts of one repository are built, edited and kept at the same time."""
    subprocess.run(["git", "init", "-q", tmp_path / "one"], check=True)
    for name in ("one", "two"):
        (tmp_path / name).mkdir(exist_ok=True)
        write_files(tmp_path / name)
    (tmp_path / "two" / ".git").symlink_to(tmp_path / "one" / ".git")
    folder = tmp_path / "store"
    for round_ in range(2):
        with (
            child(context, tmp_path / "one", folder, 1) as (_, one),
            child(context, tmp_path / "two", folder, 2) as (_, two),
        ):
            for pipe in (one, two):
                wrong, is_warm, warnings = said(pipe)
                assert (wrong, warnings, is_warm) == ("", [], bool(round_))
            for pipe in (one, two):
                assert pipe.poll(DEADLINE_S), "the process saves nothing"
                assert pipe.recv() == SAVED
    assert len(list(folder.glob("*.sqlite"))) == 1


async def parses(service: Service[Snapshot]) -> int:
    return int(str(service.statistics()["parserPool"]["parsed"]))


async def test_contents_seen_before_are_not_parsed(tmp_path: Path) -> None:
    """Branches, reverts, a copy of the checkout: what was parsed once is found by its content."""
    root, folder = tmp_path / "root", tmp_path / "store"

    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)

    def prepare() -> None:
        root.mkdir()
        git("init", "-q", "-b", "main")
        for branch in ("main", "other"):
            for number in range(1000):
                (root / f"f{number}.py").write_text(f"def f{number}():\n    return {branch!r}\n")
            git("add", ".")
            git("commit", "-q", "-m", branch)
            git("checkout", "-q", "-B", "other")
        git("worktree", "add", "-q", str(tmp_path / "worktree"), "main")

    await trio.to_thread.run_sync(prepare)
    settings = Settings(store_dir=str(folder), watch="off", workers=2)
    with trio.fail_after(DEADLINE_S):
        async with open_service(
            settings, open_disk(str(root), settings), SingleUseBuilder(), codec=SnapshotCodec()
        ) as service:
            await service.wait_built()
            await service.save()
            assert await parses(service) == 1000
            await trio.to_thread.run_sync(git, "checkout", "-q", "main~0")
            await service.rebuild()
            assert await parses(service) == 2000
            await service.save()
            await trio.to_thread.run_sync(git, "checkout", "-q", "other")
            await service.rebuild()
            assert await parses(service) == 2000
            assert await trio.to_thread.run_sync(difference, root, latest(service)) == ""
        async with open_service(
            settings, open_disk(str(tmp_path / "worktree"), settings), SingleUseBuilder(), codec=SnapshotCodec()
        ) as service:
            await service.wait_built()
            assert (await parses(service), service.is_warm) == (0, False)
            assert len(latest(service).snapshot.files) == 1000


@pytest.mark.parametrize("damage", ["DELETE FROM facts", "UPDATE bodies SET body = x'00'"])
async def test_a_map_that_loses_facts_while_it_is_served_is_built_anew(damage: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    write_files(root)
    settings = Settings(store_dir=str(tmp_path / "store"), watch="off", workers=1)

    def serve() -> AbstractAsyncContextManager[Service[Snapshot]]:
        return open_service(settings, open_disk(str(root), settings), SingleUseBuilder(), codec=SnapshotCodec())

    with trio.fail_after(DEADLINE_S):
        async with serve() as service:
            await service.wait_built()
            await service.save()
        async with serve() as service:
            await service.rebuild()
            assert service.is_warm
            before = latest(service)
            (database,) = (tmp_path / "store").glob("*.sqlite")
            with closing(sqlite3.connect(database, isolation_level=None)) as connection:
                connection.execute(damage)
            with pytest.raises(LostMap):
                _ = before.snapshot.files[0].facts
            after = await service.latest.wait_version_above(before.version)
            assert len(after.snapshot.files[0].facts.names) > 0
            assert await trio.to_thread.run_sync(difference, root, after) == ""
            await service.save()
        async with serve() as service:
            await service.rebuild()
            assert service.is_warm
            assert await parses(service) == 0
            assert await trio.to_thread.run_sync(difference, root, latest(service)) == ""


async def test_a_command_on_a_map_that_lost_its_facts_answers(small: Path, tmp_path: Path) -> None:
    words = (CODEMAP, "search", "greet", "--json", "--root", str(small), "--store-dir", str(tmp_path / "store"))

    async def search() -> Any:
        done = await trio.run_process(
            words, capture_stdout=True, capture_stderr=True, env=environment(CODEMAP_STORE="on")
        )
        return json.loads(done.stdout)["data"]["results"]

    found = await search()
    (database,) = (tmp_path / "store").glob("*.sqlite")
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("UPDATE bodies SET body = x'00'")
    assert await search() == found
    assert (tmp_path / "store" / f"{database.name}.aside").exists()
    assert await search() == found


async def test_a_second_server_answers_from_the_store(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    extra = {"CODEMAP_STORE": "on", "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("xdg"))}
    async with serving(small, extra=extra) as server:
        await server.initialize()
        await server.call("map_search", query="greet")
        while not (status := await server.call("map_status"))["data"]["actors"]["store"]["mapsSaved"]:  # noqa: ASYNC110
            await trio.sleep(0.1)
        assert status["data"]["actors"]["parserPool"]["parsed"] == 2
    (small / "b.py").write_text("from a import greet\n\n\ndef other():\n    return greet()\n")
    async with serving(small, extra=extra) as server:
        await server.initialize()
        await server.call("map_rebuild")
        found = await server.call("map_search", query="other")
        assert found["data"]["results"][0]["id"] == "py:b.py#other"
        status = await server.call("map_status")
        actors = status["data"]["actors"]
        assert (actors["store"]["isLoaded"], actors["parserPool"]["parsed"]) == (True, 1)


async def test_a_store_that_cannot_be_used_is_reported(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    blocked = tmp_path_factory.mktemp("xdg") / "file"
    blocked.write_text("")
    async with serving(small, extra={"CODEMAP_STORE": "on", "XDG_CACHE_HOME": str(blocked)}) as server:
        await server.initialize()
        found = await server.call("map_search", query="greet")
        assert found["data"]["results"][0]["id"] == "py:a.py#greet"
        status = await server.call("map_status")
        assert any("Nothing is kept for the next start" in warning for warning in status["data"]["warnings"])


async def test_a_pipe_in_its_place_holds_nothing_up(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.mktemp("xdg")
    extra = {"CODEMAP_STORE": "on", "XDG_CACHE_HOME": str(cache)}
    for is_pipe in (False, True):
        async with serving(small, extra=extra) as server:
            await server.initialize()
            assert (await server.call("map_search", query="greet"))["data"]["total"] == 1
            status = (await server.call("map_status"))["data"]
            assert status["actors"]["parserPool"]["timeouts"] == 0
            assert any("is no file of this user" in warning for warning in status["warnings"]) == is_pipe
        for path in cache.glob("codemap/*.sqlite*"):
            path.unlink()
            os.mkfifo(path)


def test_the_child_says_a_wrong_map_from_a_right_one(tmp_path: Path) -> None:
    write_files(tmp_path)
    sources = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    class Published:
        snapshot = build_snapshot(sources)

    assert difference(tmp_path, Published()) == ""  # type: ignore[arg-type]
    (tmp_path / "f1.py").write_text("x = 1\n")
    assert difference(tmp_path, Published()).startswith("contents: ")  # type: ignore[arg-type]
