"""The page of `codemap view` in a real browser, over a real repository and its service: one walk through all of it."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import correlation, fmean
from typing import Any

import pytest

from actors.view import serve
from tests.system import web
from tests.system.npm import script
from tests.system.process import CODEMAP, environment

CLIENTS = Path(__file__).parent / "clients"
PICTURES = Path(__file__).parent / "pictures"
WALK_S = 300
LIKE = 0.8
"""How much pictures of one layout correlate at least: fonts and their smoothing are not the same on every machine."""
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
        _git(root, *words)
    with (root / "src/flask/cli.py").open("a") as file:
        file.write("\n# The end.\n")
    _git(root, "commit", "-q", "-a", "-m", "Second")
    run = folder / "run"
    run.mkdir(mode=0o700)
    own = environment(CODEMAP_SHARE="on", CODEMAP_ROWS="auto", CODEMAP_LINGER_S="1", XDG_RUNTIME_DIR=str(run))
    stored = folder / "map.html"
    with stored.open("wb") as page:
        exported = subprocess.Popen([CODEMAP, "export", "--html", "--root", str(flask)], stdout=page, env=own)
    host = web.bundle(CLIENTS / "view_host.mjs", folder / "host.js")
    assert exported.wait(WALK_S) == 0
    view = subprocess.Popen(
        [CODEMAP, "view", "--no-open", "--root", str(root)], stdout=subprocess.PIPE, env=own, text=True
    )
    try:
        assert view.stdout is not None
        view.stdout.readline()
        url = view.stdout.readline().strip()
        for name in ("view_app.mjs", "view_whole.mjs"):
            script(CLIENTS / name)
        client = script(CLIENTS / "view.mjs")
        serving = [CODEMAP, "serve", "--root", str(root)]
        walk = [*client, url, str(root / "src/flask/app.py"), str(folder), str(stored), str(host), *serving]
        done = subprocess.run(walk, capture_output=True, text=True, env=own, timeout=WALK_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        yield json.loads(done.stdout)
    finally:
        view.send_signal(signal.SIGINT)
        view.communicate(timeout=WALK_S)
        assert view.returncode == 0


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=root, check=True)


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
        *("overview", "files", "search", "symbol", "path", "impact", "changes", "phone", "whole", "chosen", "tree"),
    }
    assert [found for found in seen["violations"].values() if found] == []
    assert seen["phone"] == 390


def test_a_host_shows_the_page_inside_a_conversation(seen: dict[str, Any]) -> None:
    app = seen["app"]
    assert set(app["tools"]) == {"map_overview", "map_neighbors", "map_path", "map_impact"}
    assert app["own"] == [["map_graph", ["app"]]]
    assert app["type"] == "text/html;profile=mcp-app"
    assert {"map_neighbors", "map_code", "map_graph"} <= set(app["called"])
    assert "Flask.finalize_request" in app["boxes"]
    assert app["paper"] == "rgb(13, 17, 23)"
    assert (app["name"], app["height"], app["end"]) == ("codemap", "560px", {})


def test_a_build_is_a_bar(seen: dict[str, Any]) -> None:
    assert seen["progress"] == [30, 160, "Building the map: 30 of 80 files are read."]
    assert seen["progressAfter"] == 0


def test_the_whole_map(seen: dict[str, Any]) -> None:
    whole = seen["whole"]
    assert whole["all"]["heading"] == "The whole map"
    assert int(whole["all"]["circles"]) > 400
    assert int(whole["all"]["edges"]) > 50
    assert "definitions" in whole["all"]["label"]
    assert int(whole["zoomed"]["circles"]) < int(whole["all"]["circles"])
    assert whole["clicked"] != "The whole map"


def test_what_moves_is_not_drawn_anew(seen: dict[str, Any]) -> None:
    """Where the picture has enough of it; `bench.page` measures frames."""
    assert seen["whole"]["moved"] == 0


def test_keys_lead_from_an_area_to_a_definition(seen: dict[str, Any]) -> None:
    (area, at), (file, _), (definition, there) = seen["whole"]["keys"]
    assert at.startswith("#/whole//area=")
    assert file.startswith(area.partition(": ")[0])
    assert there == f"#/whole//py:{file}#{definition}"


def test_colors_say_how_complex_files_are_and_how_often_they_change(seen: dict[str, Any]) -> None:
    whole = seen["whole"]
    assert "1 to 2" in whole["complexity"]
    assert "fewer than 2 commits" in whole["churn"]
    assert whole["areas"] == whole["churn"]


def test_inheritance_is_a_tree(seen: dict[str, Any]) -> None:
    tree = seen["whole"]["tree"]
    assert tree["count"] == 9
    assert tree["base"] < tree["heir"]


def test_the_whole_map_as_a_file(seen: dict[str, Any]) -> None:
    stored = seen["stored"]
    assert {"src/flask", "src/flask/sansio", "src/flask/json"} <= set(stored["boxes"])
    assert "definitions" in stored["state"]
    assert stored["area"] == "src/flask/sansio"
    assert int(stored["file"]["circles"]) > 20
    assert stored["symbol"] == "App"
    assert stored["search"].startswith("Flask.make_response")
    assert {"Flask.finalize_request", "JSONProvider.response"} <= set(stored["around"])
    assert [url for url in stored["requests"] if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", ["overview", "symbol", "phone", "map", "tree"])
def test_pictures_are_what_they_were(seen: dict[str, Any], name: str, request: pytest.FixtureRequest) -> None:
    """How much each of 64 by 40 parts differs from the paper, beside what is committed: layout, not letters."""
    path = PICTURES / f"{name}.txt"
    rows = seen["pictures"][name]
    if request.config.getoption("--update"):
        path.write_text("\n".join([*rows, ""]))
    wanted = path.read_text().split()
    assert _likeness(rows, wanted) >= LIKE, "look at it; `--update` takes it over"
    others = [one for other, one in seen["pictures"].items() if other != name]
    assert max(_likeness(rows, other) for other in others) < LIKE


def _likeness(rows: list[str], others: list[str]) -> float:
    """The correlation of two pictures, each part with those around it; 0 where nothing is to be seen on one."""
    first, second = _blurred(rows), _blurred(others)
    if len(set(first)) == 1 or len(set(second)) == 1:
        return 0.0
    return correlation(first, second)


def _blurred(rows: list[str]) -> list[float]:
    values = [[float(int(digit, 16)) for digit in row] for row in rows]
    return [
        fmean(one for line in values[max(0, at - 1) : at + 2] for one in line[max(0, column - 1) : column + 2])
        for at in range(len(values))
        for column in range(len(values[at]))
    ]


def test_the_url_is_good_for_one_visit(seen: dict[str, Any]) -> None:
    assert seen["again"]["status"] == 401
    assert "codemap view" in seen["again"]["text"]


def test_the_page_that_ships_is_what_its_sources_give(tmp_path: Path) -> None:
    shipped = Path(serve.__file__).with_name("page.html").read_text(encoding="utf-8")
    assert web.check_types() == ""
    assert web.build(tmp_path / "page.html") == shipped, "run `npm ci && npm run build` in web/"
