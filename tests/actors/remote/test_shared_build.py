"""A whole build over a real HTTP cache that is well, dead, stalls or lies: the map is the same, and comes in time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
import trio

from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.remote.opening import Sharing, find_sharing
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from codemap.graph.query.export import ExportedEdge, ExportedNode, exported_edges, exported_nodes
from codemap.settings import Settings
from tests.actors.remote.cache_server import cache_server

KEY: Mapping[str, str] = {"CODEMAP_FACTS_KEY": "a key that only the team has"}
COUNT = 70
"""Files of Python: more than one batch."""
IN_TIME_S = 60.0
"""A stalled request takes as long as the server stalls, twice that."""


class Built(msgspec.Struct):
    edges: list[ExportedEdge]
    nodes: list[ExportedNode]
    parsed: int
    counts: dict[str, object]
    warnings: list[str]
    took_s: float


def write_sources(root: Path, count: int = COUNT) -> None:
    (root / "app").mkdir()
    (root / "app" / "__init__.py").touch()
    for number in range(count):
        before = f"from app.m{number - 1} import Shop as Before\n" if number else "class Before: ...\n"
        (root / "app" / f"m{number}.py").write_text(
            f'{before}\n\nclass Shop(Before):\n    """Sells {number}."""\n\n    def sell(self) -> "Shop":\n'
            f"        return Before().sell()\n"
        )
    (root / "page.ts").write_text("/** Shows. */\nexport function show(shop: string) { return show(shop) }\n")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    write_sources(root)
    return root


async def build(
    root: Path, store: Path, environment: Mapping[str, str] = KEY, *, is_hasty: bool = False, **settings: str
) -> Built:
    """Builds with a store of the machine in a folder; `is_hasty` with the patience that users have."""
    wanted = msgspec.convert({"workers": 1, "watch": "off", "store_dir": str(store), **settings}, Settings)
    began = trio.current_time()
    sharing = find_sharing(wanted, environment)
    if isinstance(sharing, Sharing) and not is_hasty:
        sharing = msgspec.structs.replace(sharing, first_answer_s=IN_TIME_S, batch_s=IN_TIME_S)
    with trio.fail_after(120):
        async with open_service(
            wanted, open_disk(str(root), wanted), SingleUseBuilder(), codec=SnapshotCodec(), sharing=sharing
        ) as service:
            assert await service.wait_built() is None
            took_s = trio.current_time() - began
            await service.flush()
            published = service.latest.get()
            assert published is not None
            snapshot = published.snapshot
            edges, nodes = list(exported_edges(snapshot)), list(exported_nodes(snapshot))
            counts = service.statistics().get("sharer", {})
            return Built(edges, nodes, service.parsed, counts, service.sharing_warnings, took_s)


FILES = COUNT + 2


async def test_every_kind_of_store_gives_the_same_map(root: Path, tmp_path: Path) -> None:
    alone = await build(root, tmp_path / "alone")
    assert (alone.parsed, alone.counts) == (FILES, {})
    with cache_server() as server:
        pushed = await build(root, tmp_path / "pushed", facts_remote=server.url, facts_push="on")
        assert (pushed.parsed, pushed.counts["written"]) == (FILES, len(server.entries))
        assert len(server.entries) == FILES
        fine = await build(root, tmp_path / "fine", facts_remote=server.url)
        assert (fine.parsed, fine.counts["found"], fine.warnings) == (0, FILES, [])

        server.answer = lambda value: value[:-1] + bytes((value[-1] ^ 4,))
        flipping = await build(root, tmp_path / "flipping", facts_remote=server.url)
        server.answer = lambda value: b"codemap\x02" + value[8:]
        foreign = await build(root, tmp_path / "foreign", facts_remote=server.url)
        server.answer = lambda value: value
        other = {"CODEMAP_FACTS_KEY": "the key of another team"}
        forged = await build(root, tmp_path / "forged", other, facts_remote=server.url)
        server.is_stalled = True
        stalled = await build(root, tmp_path / "stalled", is_hasty=True, facts_remote=server.url)
    dead = await build(root, tmp_path / "dead", facts_remote=server.url)
    for lying, why in ((flipping, "damaged"), (foreign, "foreign"), (forged, "forged")):
        assert (lying.parsed, lying.counts["found"], lying.counts["refused"]) == (FILES, 0, {why: FILES})
    for absent in (stalled, dead):
        assert (absent.parsed, absent.counts["asked"]) == (FILES, 0)
    assert "cannot be reached" in dead.warnings[0]
    for one in (pushed, fine, flipping, foreign, forged, stalled, dead):
        assert one.edges == alone.edges
        assert one.nodes == alone.nodes
        assert one.took_s < IN_TIME_S


async def test_a_folder_shares_names_alone(root: Path, tmp_path: Path) -> None:
    """Edges are those of a build alone; signatures and docs are nowhere in the folder, and so in no answer."""
    (tmp_path / "shared").mkdir()
    wanted = {"facts_remote": str(tmp_path / "shared"), "facts_share": "names", "facts_trusted": "on"}
    pushed = await build(root, tmp_path / "pushed", {}, **wanted, facts_push="on")
    assert (pushed.parsed, pushed.counts["written"]) == (FILES, FILES)
    entries = [path.read_bytes() for path in (tmp_path / "shared").rglob("*") if path.is_file()]
    assert len(entries) == FILES
    assert not [entry for entry in entries if b"Sells" in entry or b"Shows" in entry or b"def sell" in entry]
    assert [entry for entry in entries if b"sell" in entry]
    fine = await build(root, tmp_path / "fine", {}, **wanted)
    assert (fine.parsed, fine.counts["found"]) == (0, FILES)
    assert fine.edges == pushed.edges
    assert [node.id for node in fine.nodes] == [node.id for node in pushed.nodes]
    whole = await build(root, tmp_path / "fine", {})
    assert whole.parsed == FILES, "what lacks docs is not taken for whole once the folder is gone"
    assert whole.nodes == pushed.nodes
