"""Python's language servers over Flask, as released: what they answer, and that it is of this moment."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from codemap.live_queries import (
    Because,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    Outline,
    References,
    WorkspaceSymbols,
)
from tests.system.live import Asker, ask_in_one_life, callers, live, places, root_of, tree

SERVERS = ("ty", "basedpyright", "pyright")
APP, CONTEXT, SESSIONS = "src/flask/app.py", "src/flask/ctx.py", "src/flask/sessions.py"
SCAFFOLD, SANSIO_APP = "src/flask/sansio/scaffold.py", "src/flask/sansio/app.py"


@pytest.fixture(params=SERVERS)
async def asker(flask: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Asker]:
    root = tmp_path / "flask"
    shutil.copytree(flask, root)
    async with live(root, request.param) as asker:
        yield asker


async def test_what_a_server_answers_of_flask(asker: Asker) -> None:
    await ask_in_one_life(
        asker,
        an_edit_shows_in_the_next_answer,
        files_that_come_and_go_show_in_the_next_answer,
        columns_count_utf_16_units,
        implementations,
        what_a_server_knows,
    )


async def what_a_server_knows(asker: Asker) -> None:
    found = await asker.value(Definition(asker.at(APP, "make_response", "response = self.make_response(rv)")))
    assert places(found) == [f"{APP}:1129 def make_response(self, rv: ft.ResponseReturnValue) -> Response:"]
    found = await asker.value(Definition(asker.at(APP, "AppContext", "return AppContext(self)")))
    assert places(found) == [f"{CONTEXT}:238 class AppContext:"]

    found = await asker.value(References(asker.at(SCAFFOLD, "find_package", "def find_package(")))
    assert {(place.file, place.line) for place in found} >= {(SANSIO_APP, 518)}
    assert {(place.file, place.line) for place in found} <= {(SANSIO_APP, 32), (SANSIO_APP, 518)}
    found = await asker.value(References(asker.at(SCAFFOLD, "_find_package_path", "def _find_"), with_declaration=True))
    assert places(found) == [
        f"{SCAFFOLD}:709 def _find_package_path(import_name: str) -> str:",
        f"{SCAFFOLD}:767 package_path = _find_package_path(import_name)",
    ]

    text = await asker.value(Hover(asker.at(SCAFFOLD, "find_package", "def find_package(")))
    assert "find_package" in text
    assert "import_name: str" in text
    assert "Find the prefix that a package is installed under" in text

    item = await root_of(asker, CallRoots(asker.at(SCAFFOLD, "_find_package_path", "def _find_")))
    assert (item.name, item.place.file, item.place.line) == ("_find_package_path", SCAFFOLD, 709)
    assert callers(await asker.value(CallsTo(item))) == {f"{SCAFFOLD} find_package": [767]}
    item = await root_of(asker, CallRoots(asker.at(SCAFFOLD, "find_package", "def find_package(")))
    called = callers(await asker.value(CallsFrom(item)))
    assert called[f"{SCAFFOLD} _find_package_path"] == [767]

    symbols = tree(await asker.value(Outline(SESSIONS)))
    assert {"SessionMixin", "SecureCookieSession", "SessionInterface", "SecureCookieSessionInterface"} <= set(symbols)
    assert {"open_session", "save_session"} <= set(symbols["SessionInterface"])

    named = await asker.value(WorkspaceSymbols("py", "SecureCookieSessionInterface"))
    assert [(one.place.file, one.place.line) for one in named if one.name == "SecureCookieSessionInterface"] == [
        (SESSIONS, 298)
    ]


async def implementations(asker: Asker) -> None:
    question = Implementations(
        asker.at(SESSIONS, "open_session", "def open_session(self, app: Flask, request: Request) -> SessionMixin")
    )
    if asker.server == "pyright":
        assert (await asker.missed(question)).because is Because.UNSUPPORTED
        return
    assert {place.line for place in await asker.value(question)} >= {337}


async def an_edit_shows_in_the_next_answer(asker: Asker) -> None:
    question = Definition(asker.at(APP, "AppContext", "return AppContext(self)"))
    assert places(await asker.value(question)) == [f"{CONTEXT}:238 class AppContext:"]

    context = asker.root / CONTEXT
    old_context = context.read_text()
    context.write_text("# one\n# two\n" + old_context)
    assert places(await asker.value(question)) == [f"{CONTEXT}:240 class AppContext:"]

    app = asker.root / APP
    old_app = app.read_text()
    app.write_text("# one\n" + old_app)
    moved = Definition(asker.at(APP, "AppContext", "return AppContext(self)"))
    assert moved.at.line == question.at.line + 1
    assert places(await asker.value(moved)) == [f"{CONTEXT}:240 class AppContext:"]
    context.write_text(old_context)
    app.write_text(old_app)


async def files_that_come_and_go_show_in_the_next_answer(asker: Asker) -> None:
    asked = References(asker.at(SCAFFOLD, "_find_package_path", "def _find_"))
    old = f"{SCAFFOLD}:767 package_path = _find_package_path(import_name)"
    assert places(await asker.value(asked)) == [old]

    new = asker.root / "src/flask/late.py"
    new.write_text("from .sansio.scaffold import _find_package_path\n\nLATE = _find_package_path('late')\n")
    found = places(await asker.value(asked))
    assert "src/flask/late.py:3 LATE = _find_package_path('late')" in found
    assert found[-1] == old
    [place] = await asker.value(Definition(asker.at("src/flask/late.py", "_find_package_path", "LATE")))
    assert (place.file, place.line) == (SCAFFOLD, 709)

    new.unlink()
    assert places(await asker.value(asked)) == [old]


async def columns_count_utf_16_units(asker: Asker) -> None:
    file = asker.root / "src/flask/wide.py"
    file.write_text('def größe() -> int: ...\n\n\nX = "🦊", größe()\n', encoding="utf-8")
    question = Definition(asker.at("src/flask/wide.py", "größe", "🦊"))
    assert question.at.col == 11
    [place] = await asker.value(question)
    assert (place.line, place.col, place.end_col) == (1, 5, 10)
    places_of = await asker.value(References(place.at))
    assert [(one.line, one.col, one.end_col) for one in places_of] == [(4, 11, 16)]
    file.unlink()


@pytest.mark.parametrize("server", SERVERS)
async def test_projects_with_environments_of_their_own_have_servers_of_their_own(tmp_path: Path, server: str) -> None:
    """Modules of the same name are those of the asking file's project; uses in other projects are not passed over."""
    root = tmp_path / "monorepo"
    for name in ("one", "two"):
        folder = root / name
        (folder / name).mkdir(parents=True)
        (folder / "uv.lock").write_text("version = 1\n")
        (folder / "pyproject.toml").write_text(f'[project]\nname = "{name}"\nversion = "1"\n')
        (folder / "shared.py").write_text(f"def of_{name}(): ...\n\n\ndef same(): ...\n")
        (folder / name / "__init__.py").write_text("from shared import same\n\nsame()\n")
    (root / "two/two/more.py").write_text("from one import same\nfrom shared import of_two\n\nof_two()\n")
    async with live(root, server) as asker:
        for name in ("one", "two"):
            [place] = await asker.value(Definition(asker.at(f"{name}/{name}/__init__.py", "same", "same()")))
            assert place.file == f"{name}/shared.py"
        [place] = await asker.value(Definition(asker.at("two/two/more.py", "one", "from one")))
        assert place.file == "one/one/__init__.py"
        found = await asker.found(References(asker.at("one/shared.py", "same")))
        assert {place.file for place in found.value} >= {"one/one/__init__.py"}
        assert found.incomplete == "2 files that mention it are in projects that were not searched"
        own = await asker.value(References(asker.at("two/shared.py", "of_two")))
        assert {place.file for place in own} == {"two/two/more.py"}
