"""Shared facts through real servers: Redis, and an S3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
import trio

from actors.remote.remote import RemoteTrouble
from tests.actors.remote.conformance import (
    NAMES,
    check_several_tasks_use_it_at_a_time,
    check_what_was_written_is_read,
    opened,
    read,
)
from tests.actors.remote.test_shared_build import FILES, build, write_sources
from tests.system.fact_stores import CREDENTIALS, REDIS_PASSWORD, redis_server, s3_server


class Store(msgspec.Struct):
    address: str
    secret: str = ""

    @property
    def environment(self) -> Mapping[str, str]:
        return {"CODEMAP_FACTS_TOKEN": self.secret, "CODEMAP_FACTS_KEY": "a key that only the team has"}


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis")) as address:
        yield address


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3")) as endpoint, pytest.MonkeyPatch.context() as patch:
        for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint}.items():
            patch.setenv(name, value)
        yield "s3://team"


@pytest.fixture(params=["redis", "s3"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def store_of(kind: str, place: int, request: pytest.FixtureRequest) -> Store:
    """An empty store: a database of Redis, a folder of the bucket."""
    base = request.getfixturevalue(kind)
    if kind == "redis":
        return Store(f"{base.removesuffix('/0')}/{place}", REDIS_PASSWORD)
    return Store(f"{base}/folder{place}")


async def test_it_does_what_every_store_does(kind: str, request: pytest.FixtureRequest) -> None:
    for place, check in enumerate((check_what_was_written_is_read, check_several_tasks_use_it_at_a_time)):
        store = store_of(kind, place, request)
        remote = opened(store.address, store.secret)
        await check(remote)
        await remote.aclose()


async def test_facts_are_shared_through_it(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    store = store_of(kind, 2, request)
    (tmp_path / "root").mkdir()
    write_sources(tmp_path / "root")
    wanted = {"facts_remote": store.address}
    pushed = await build(tmp_path / "root", tmp_path / "ci", store.environment, **wanted, facts_push="on")
    assert (pushed.parsed, pushed.counts["written"], pushed.warnings) == (FILES, FILES, [])
    fetched = await build(tmp_path / "root", tmp_path / "own", store.environment, **wanted)
    assert (fetched.parsed, fetched.counts["found"], fetched.warnings) == (0, FILES, [])
    assert fetched.edges == pushed.edges


async def test_who_may_not_is_told_so(kind: str, request: pytest.FixtureRequest) -> None:
    store = store_of(kind, 3, request)
    address = store.address if kind == "redis" else "s3://another-bucket"
    remote = opened(address, "" if kind == "s3" else "another password")
    with trio.fail_after(60), pytest.raises(RemoteTrouble):
        await remote.put_many({NAMES[0]: b"x"})
    await remote.aclose()


async def test_a_server_that_is_gone_is_trouble(tmp_path: Path) -> None:
    with redis_server(tmp_path) as address:
        remote = opened(address, REDIS_PASSWORD)
        with trio.fail_after(60):
            assert await read(remote, NAMES) == {}
    with trio.fail_after(60), pytest.raises(RemoteTrouble):
        await read(remote, NAMES)
    await remote.aclose()
