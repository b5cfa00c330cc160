"""Several repositories in one server: each with its own map, settings and path."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.system.network import HANDSHAKE, client, served

NOT_ASKED = "Not asked: the root(s) app; map_neighbors and map_impact are."


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


async def test_a_question_to_one_root_is_answered_from_all(tmp_path: Path) -> None:
    """Callers in another root, the ID that is shown, and an edit there that the next answer has."""
    library, app = tmp_path / "library", tmp_path / "app"
    for path, text in {
        library / "pyproject.toml": "[project]\nname = 'shop'\n",
        library / "src/shop/__init__.py": "class Store:\n    def put(self, item):\n        return item\n",
        app / "main.py": "from shop import Store\n\ndef run():\n    Store().put(1)\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    asked = {"nodeId": "Store.put", "direction": "in", "freshWaitMs": 5000, "edgeKinds": ["calls"], "rows": "compact"}
    async with served(library, "--root", str(app)) as server, client(server.url) as one:
        found = (await one.call("map_neighbors", **asked))["data"]
        assert found["neighbors"] == [{"edge": "calls", "confidence": "type", "rows": {"@app/main.py": ["run 4"]}}]
        assert (found["mentions"]["total"], found["mentions"]["accounted"]) == (2, 2)
        (app / "more.py").write_text("import shop\n\ndef late():\n    shop.Store().put(2)  # put\n")
        found = (await one.call("map_neighbors", **asked))["data"]
        assert found["neighbors"][0]["rows"] == {"@app/main.py": ["run 4"], "@app/more.py": ["late 4"]}
        assert found["mentions"]["rest"] == {"comments": 1}
        out = await one.call(
            "map_neighbors", nodeId="@app/more.py#late", direction="out", edgeKinds=["calls"], rows="compact"
        )
        assert list(out["data"]["neighbors"][0]["rows"]) == ["src/shop/__init__.py"]
        shown = await one.call("map_code", nodeIds=["py:@app/more.py#late"], rows="compact")
        assert "shop.Store().put(2)" in shown["data"]["code"]["@app/more.py#late"][0]
        searched = await one.call("map_search", query="late", fileFilter="@app", rows="compact")
        assert searched["data"]["results"] == ["@app/more.py#late 3 def late()"]
        nothing = await one.call("map_search", query="late")
        assert nothing["data"]["total"] == 0
        assert nothing["warnings"] == ['Not asked: the root(s) app; fileFilter:"@*" looks in all.']
        begun = await one.call("map_context", task="put an item", nodeIds=["Store.put"], rows="compact")
        assert begun["data"]["callers"] == {"@app/main.py": ["run 4"], "@app/more.py": ["late 4"]}
        assert begun["warnings"] == [
            'Words were looked for in this root alone: map_search with fileFilter:"@*" looks in all.'
        ]
        traced = await one.call("map_context", task='File "/srv/app/more.py", line 4, in late', rows="compact")
        assert traced["data"]["read"] == ["@app/more.py#late 3-4 frame 1, line 4"]
        assert "shop.Store().put(2)" in traced["data"]["code"]["@app/more.py#late"][0]
        refused = await one.call("resolve", nodeId="py:@app/more.py#late")
        assert refused["error"]["code"] == "NODE_NOT_FOUND"
        assert refused["error"]["hint"] == "resolve stays in the root that is asked: call /mcp/app."
        for tool in ("map_overview", "map_metrics"):
            assert (await one.call(tool))["warnings"] == [NOT_ASKED]


def _write(files: Mapping[Path, str]) -> None:
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


async def test_a_change_in_a_library_reaches_its_users_in_other_roots(tmp_path: Path) -> None:
    """Users of users and tests in another root, calls there that do not fit any more, and what names do not exist."""
    library, app = tmp_path / "library", tmp_path / "app"
    store = library / "src/shop/__init__.py"
    _write(
        {
            library / "pyproject.toml": "[project]\nname = 'shop'\n",
            store: "def put(item):\n    return item\n\n\ndef take():\n    return 1\n",
            library / "tests/test_own.py": "import shop\n\ndef test_put():\n    shop.put(1)\n",
            app / "main.py": "import shop\n\ndef run():\n    shop.put(1)\n\ndef main():\n    run()\n    shop.take()\n",
            app / "tests/test_run.py": "from main import run\n\ndef test_run():\n    run()\n",
        }
    )
    _git(library, "init", "-q")
    _git(library, "add", ".")
    _git(library, "commit", "-qm", "one")
    async with served(library, "--root", str(app)) as server, client(server.url) as one:
        asked = {"rows": "compact", "freshWaitMs": 5000}
        found = (await one.call("map_impact", nodeIds=["put"], **asked))["data"]
        assert found["factors"] == {"directUsers": 1, "files": 1, "folders": 1, "tests": 2, "public": True}
        assert [view["rows"] for view in found["impacted"]] == [
            {"@app/main.py": ["run 4"]},
            {"@app/main.py": ["main 7 via run"]},
        ]
        assert {run["runner"]: run["command"] for run in found["tests"]} == {
            "pytest": "pytest tests/test_own.py::test_put",
            "pytest in @app": "pytest tests/test_run.py::test_run",
        }
        store.write_text("def put(item, key):\n    return item\n")
        found = (await one.call("map_impact", base="HEAD", **asked))["data"]
        assert found["notAdapted"] == [
            {
                "used": "put",
                "misfit": "missing `key`",
                "rows": {"@app/main.py": ["run 4"], "tests/test_own.py": ["test_put 4"]},
            },
            {"used": "take", "why": "removed", "rows": {"@app/main.py": ["main 8"]}},
        ]
        assert found["factors"]["directUsers"] == 2
        for tool in ("map_unused", "map_history"):
            assert NOT_ASKED in (await one.call(tool))["warnings"]
