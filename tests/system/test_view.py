"""The page of `codemap view` in a real browser, over a real repository and its service: one walk through all of it."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.view import serve
from tests.system import web
from tests.system.npm import script
from tests.system.process import CODEMAP, environment

WALK_S = 300
HOSTILE = "<img src=x onerror=alert(1)>.py"
CODE = 'def hostile_name():\n    """</script><script>alert(2)</script>"""\n    return "--> <b>"\n'


@pytest.fixture(scope="module")
def seen(flask: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What a visitor saw; and, when the tests are done, that the page ends with its command."""
    folder = tmp_path_factory.mktemp("view")
    root = folder / "flask"
    shutil.copytree(flask, root)
    (root / "src" / HOSTILE).write_text(CODE)
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "First")):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=root, check=True)
    run = folder / "run"
    run.mkdir(mode=0o700)
    own = environment(CODEMAP_SHARE="on", CODEMAP_ROWS="auto", CODEMAP_LINGER_S="1", XDG_RUNTIME_DIR=str(run))
    view = subprocess.Popen(
        [CODEMAP, "view", "--no-open", "--root", str(root)], stdout=subprocess.PIPE, env=own, text=True
    )
    try:
        assert view.stdout is not None
        view.stdout.readline()
        url = view.stdout.readline().strip()
        client = script(Path(__file__).parent / "clients" / "view.mjs")
        serving = [CODEMAP, "serve", "--root", str(root)]
        walk = [*client, url, str(root / "src/flask/app.py"), str(folder), *serving]
        done = subprocess.run(walk, capture_output=True, text=True, env=own, timeout=WALK_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        yield json.loads(done.stdout)
    finally:
        view.send_signal(signal.SIGINT)
        view.communicate(timeout=WALK_S)
        assert view.returncode == 0


def test_the_overview(seen: dict[str, Any]) -> None:
    assert {"src/flask", "src/flask/sansio", "src/flask/json"} <= set(seen["overview"]["boxes"])
    assert "key=" not in seen["overview"]["url"]
    assert "definitions" in seen["overview"]["state"]
    assert "tests" not in seen["overview"]["boxes"]
    assert "tests" in seen["unfolded"]


def test_from_an_area_to_a_symbol(seen: dict[str, Any]) -> None:
    assert seen["files"]["heading"] == "Files of src/flask"
    assert {"app.py", "cli.py", "helpers.py"} <= set(seen["files"]["boxes"])
    assert seen["file"] == "src/flask/app.py"


def test_search_leads_to_a_symbol_with_its_code(seen: dict[str, Any]) -> None:
    symbol = seen["symbol"]
    assert symbol["heading"] == "Flask.make_response"
    assert {"Flask.make_response", "Flask.finalize_request", "JSONProvider.response"} <= set(symbol["boxes"])
    assert {"Response", "request", "ResponseReturnValue"} <= set(symbol["links"])
    assert symbol["keywords"] > 10


def test_a_path_and_an_impact(seen: dict[str, Any]) -> None:
    assert seen["path"] == ["Flask.make_response", "JSONProvider.response"]
    assert seen["impact"]["heading"] == "What a change of JSONProvider.response may break"
    assert {"JSONProvider.response", "Flask.make_response"} <= set(seen["impact"]["boxes"])


def test_the_page_follows_the_disk(seen: dict[str, Any]) -> None:
    before, after = (int(seen["live"][when].split()[2]) for when in ("before", "after"))
    assert after == before + 1
    assert any("added_while_you_watched" in one and one.endswith(" added") for one in seen["changes"])


def test_what_a_repository_is_called_stays_text(seen: dict[str, Any]) -> None:
    hostile = seen["hostile"]
    assert HOSTILE in hostile["found"]
    assert hostile["place"] == f"src/{HOSTILE}"
    assert "</script><script>alert(2)</script>" in hostile["code"]
    assert hostile["images"] == 0
    assert seen["dialogs"] == []


def test_nothing_leaves_the_machine_and_nothing_fails(seen: dict[str, Any]) -> None:
    origin = seen["again"]["origin"]
    own = (origin, origin.replace("http:", "ws:"), "data:")
    assert seen["requests"]
    assert [url for url in seen["requests"] if not url.startswith(own)] == []
    assert seen["console"] == []


def test_everybody_can_use_it(seen: dict[str, Any]) -> None:
    assert seen["violations"].keys() >= {
        *("overview", "files", "search", "symbol", "path", "impact", "changes", "phone"),
    }
    assert [found for found in seen["violations"].values() if found] == []
    assert seen["phone"] == 390


def test_a_host_shows_the_page_inside_a_conversation(seen: dict[str, Any]) -> None:
    app = seen["app"]
    assert set(app["tools"]) == {"map_overview", "map_neighbors", "map_path", "map_impact"}
    assert app["type"] == "text/html;profile=mcp-app"
    assert {"map_neighbors", "map_code"} <= set(app["called"])
    assert "Flask.finalize_request" in app["boxes"]
    assert app["paper"] == "rgb(13, 17, 23)"


def test_the_url_is_good_for_one_visit(seen: dict[str, Any]) -> None:
    assert seen["again"]["status"] == 401
    assert "codemap view" in seen["again"]["text"]


def test_the_page_that_ships_is_what_its_sources_give(tmp_path: Path) -> None:
    shipped = Path(serve.__file__).with_name("page.html").read_text(encoding="utf-8")
    assert web.check_types() == ""
    assert web.build(tmp_path / "page.html") == shipped, "run `npm ci && npm run build` in web/"
