"""Joined maps: which roots a question waits for, what it says of those that are missing, and what is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

import pytest
import trio
from trio.testing import MockClock

from actors.indexing.latest_snapshot import Latest, Published, Publisher
from actors.service import joined_maps
from actors.service.joined_maps import KEPT_MAX, Joined, JoinedMaps
from actors.service.service import Service
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.persistent import PersistentMap

LIBRARY = {"setup.cfg": "[metadata]\nname = shop\n", "shop/__init__.py": "def put():\n    pass\n"}
USER = {"main.py": "import shop\n\nshop.put()\n"}
OTHER = {"other.py": "def put():\n    pass\n"}
BY_S = 5.0


class FakeService:
    """A service that publishes what it is given."""

    def __init__(self) -> None:
        self.latest: Latest[Snapshot] = Latest()
        self.why_behind = ""

    def publish(self, files: Mapping[str, str]) -> None:
        snapshot = build_snapshot({path: text.encode() for path, text in files.items()})
        nothing: PersistentMap[str, object] = PersistentMap({})
        Publisher(self.latest).publish(
            Published(1, snapshot, nothing, {}, nothing, {}, {}, (), 0)  # type: ignore[arg-type]
        )

    async def wait_built(self) -> None:
        await self.latest.wait_until(lambda _published: True)

    def behind(self) -> str:
        return self.why_behind


class FakeRoot:
    def __init__(self, files: Mapping[str, str] | None) -> None:
        self.fake = FakeService()
        self.loads = self.uses = 0
        self.service: Service[Snapshot] | None = None
        if files is not None:
            self.fake.publish(files)

    def keep(self) -> None:
        self.uses += 1

    async def load(self) -> Service[Snapshot]:
        self.loads += self.service is None
        self.service = cast("Service[Snapshot]", self.fake)
        await trio.lowlevel.checkpoint()
        return self.service


class Asking:
    """A process with some roots."""

    def __init__(self, roots: Mapping[str, FakeRoot]) -> None:
        self.roots = roots
        self.maps = JoinedMaps(roots)

    async def ask(self, root: str, *also: str) -> Joined:
        own = self.roots[root].fake.latest.get()
        assert own is not None
        await self.roots[root].load()
        return await self.maps.find(root, own, also, trio.current_time() + BY_S)


@asynccontextmanager
async def asking(**files: Mapping[str, str] | None) -> AsyncIterator[Asking]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    asked = Asking({name: FakeRoot(text) for name, text in files.items()})
    with trio.fail_after(1000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(asked.maps.run)
            await trio.testing.wait_all_tasks_blocked()
            yield asked
            nursery.cancel_scope.cancel()


def paths_of(joined: Joined) -> list[str]:
    return [] if joined.snapshot is None else [file.path for file in joined.snapshot.files]


async def test_roots_with_a_package_in_common_are_joined(autojump_clock: MockClock) -> None:
    async with asking(lib=LIBRARY, app=USER, other=OTHER) as process:
        found = await process.ask("lib")
        assert paths_of(found) == ["@app/main.py", "shop/__init__.py"]
        assert (list(found.members), found.warnings) == (["@app/"], ())
        assert paths_of(await process.ask("app")) == ["@lib/shop/__init__.py", "main.py"]
        assert (await process.ask("other")).snapshot is None
        assert paths_of(await process.ask("other", "lib")) == ["@lib/shop/__init__.py", "other.py"]


async def test_roots_that_may_have_to_do_with_one_are_named(autojump_clock: MockClock) -> None:
    async with asking(lib=LIBRARY, app=USER, other=OTHER) as process:
        own = process.roots["lib"].fake.latest.get()
        assert own is not None
        assert process.maps.beside("lib", own.snapshot) == ["app", "other"]
        await process.ask("lib")
        assert process.maps.beside("lib", own.snapshot) == ["app"]


async def test_an_edit_is_in_the_next_answer_and_the_same_maps_are_joined_once(autojump_clock: MockClock) -> None:
    async with asking(lib=LIBRARY, app=USER) as process:
        first = await process.ask("lib")
        assert (await process.ask("lib")).snapshot is first.snapshot
        process.roots["app"].fake.publish({"main.py": "def apart():\n    pass\n"})
        assert (await process.ask("lib")).snapshot is None
        process.roots["app"].fake.publish({**USER, "more.py": "from shop import put\n"})
        assert "@app/more.py" in paths_of(await process.ask("lib"))


async def test_a_root_that_is_not_indexed_is_named_and_waited_for_once(autojump_clock: MockClock) -> None:
    async with asking(lib=LIBRARY, slow=None) as process:
        for waited_s in (BY_S, joined_maps.SLOW_S):
            begun = trio.current_time()
            found = await process.ask("lib")
            assert trio.current_time() - begun == pytest.approx(waited_s)
            assert found.snapshot is None
            assert found.warnings == ("Not indexed yet, and missing here: the root(s) slow. Repeat the call.",)
        process.roots["slow"].fake.publish(USER)
        assert paths_of(await process.ask("lib")) == ["@slow/main.py", "shop/__init__.py"]


async def test_what_a_root_may_lack_is_said(autojump_clock: MockClock) -> None:
    async with asking(lib=LIBRARY, app=USER, twin=LIBRARY) as process:
        process.roots["app"].fake.why_behind = "the folder is not there"
        warnings = (await process.ask("lib")).warnings
        assert warnings == (
            "The roots lib, twin publish shop: uses in others may mean that of either.",
            "The map of the root app may lack changes: the folder is not there.",
        )


async def test_roots_that_were_let_go_are_loaded_again_where_they_may_matter(autojump_clock: MockClock) -> None:
    async with asking(lib=LIBRARY, app=USER, other=OTHER) as process:
        await process.ask("lib")
        assert [root.uses for root in process.roots.values()] == [1, 1, 0]
        for name in ("app", "other"):
            process.roots[name].service = None
        found = await process.ask("lib")
        assert paths_of(found) == ["@app/main.py", "shop/__init__.py"]
        assert [process.roots[name].loads for name in ("app", "other")] == [2, 1]
        assert found.warnings == ("Not loaded, as they had no package in common with this one: the root(s) other.",)
        assert (await process.ask("lib", "other")).warnings == ()


async def test_few_joined_maps_are_kept_and_none_of_a_root_that_is_gone(autojump_clock: MockClock) -> None:
    users = {f"app{number}": USER for number in range(KEPT_MAX + 1)}
    async with asking(lib=LIBRARY, **users) as process:
        for name in users:
            await process.ask(name)
        dropped = [process.maps.forget(name) for name in ("app0", "app1", "app1", "", "lib", "")]
        assert dropped == [False, True, False, True, True, False]


async def test_a_failure_is_that_of_the_call_and_of_no_other(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Iterator[None]:
        yield
        raise ZeroDivisionError

    async with asking(lib=LIBRARY, app=USER) as process:
        with monkeypatch.context() as patched:
            patched.setattr(joined_maps, "join", fail)
            with pytest.raises(ZeroDivisionError):
                await process.ask("lib")
        assert (await process.ask("lib")).snapshot is not None
