"""Several repositories in one server: each with its own map, settings and path."""

from __future__ import annotations

from pathlib import Path

from tests.system.network import HANDSHAKE, client, served
from tests.system.test_websocket import refuse


async def test_each_root_has_its_own_map_and_settings(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for root, name in ((first, "greet"), (second, "leave")):
        root.mkdir()
        (root / "a.py").write_text(f"def {name}():\n    return 1\n")
        (root / "b.py").write_text(f"def {name}_not():\n    return 1\n")
    (second / "codemap.toml").write_text('exclude = ["b.py"]\ntoken_budget = 300\n')
    async with served(first, "--root", f"other={second}") as server:
        base = server.url
        async with client(base) as one, client(base + "/first") as same, client(base + "/other") as other:
            for each, total in ((one, 2), (same, 2), (other, 0)):
                found = await each.call("map_search", query="greet", freshWaitMs=5000)
                assert found["data"]["total"] == total
            left = await other.call("map_search", query="leave", freshWaitMs=5000)
            assert left["data"]["total"] == 1
            assert left["tokenBudget"]["requested"] == 300
            (second / "c.py").write_text("def leave_late():\n    pass\n")
            assert (await other.call("map_search", query="leave_late", freshWaitMs=5000))["data"]["total"] == 1
            assert (await one.call("map_search", query="leave_late", freshWaitMs=5000))["data"]["total"] == 0
        status, text = await server.page("/mcp/second", **HANDSHAKE)
        assert (status, text) == (404, "There is nothing at this path; there are /mcp and /mcp/first, /mcp/other.")
        metrics = (await server.page("/metrics"))[1]
        assert 'codemap_index_files{root="first"} 2' in metrics
        assert 'codemap_index_files{root="other"} 2' in metrics


def test_several_roots_need_an_address(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    code, said = refuse(tmp_path / "a", "--root", str(tmp_path / "b"))
    needed = "--websocket HOST:PORT or --http HOST:PORT"
    assert (code, said) == (2, f"codemap: several roots need an address to serve at: {needed}.\n")
