"""Which files a server is shown before it is asked for the uses of a name."""

from __future__ import annotations

from pathlib import Path

from actors.language_servers.life.project_loading import Shown, of_server, outside, shown_for_search, shown_for_uses
from actors.language_servers.programs.project_roots import projects_of
from codemap.lsp.server import Entry, Server

CONFIGS = ("lark.json", "a/lark.json", "b/lark.json", "b/other.json")


def record(open_max: int = 32) -> Server:
    return Server(
        name="lark",
        entry=Entry(names=("lark",)),
        arguments=(),
        install="",
        language_ids={".lk": "lark", ".old": "lark"},
        projects=("lark.json",),
        open_max=open_max,
    )


def test_one_file_of_each_other_project_comes_first_and_then_the_others() -> None:
    mentioning = ["a/x.lk", "a/y.lk", "b/z.lk", "b/in/w.lk", "top.lk", "b/readme.md"]
    shown = shown_for_uses(record(), "a/x.lk", mentioning, CONFIGS)
    assert shown == Shown(("a/x.lk", "b/in/w.lk", "top.lk", "a/y.lk", "b/z.lk"))


def test_every_file_without_a_project_is_needed() -> None:
    mentioning = ["x.lk", "y.lk", "z.lk", "a/w.lk"]
    assert shown_for_uses(record(3), "x.lk", mentioning, ["a/lark.json"]) == Shown(("x.lk", "a/w.lk", "y.lk"), 1)
    assert shown_for_uses(record(3), "x.lk", mentioning, ["lark.json"]) == Shown(("x.lk", "a/w.lk", "y.lk"))


def test_where_there_is_no_room_the_files_that_are_left_out_are_counted() -> None:
    mentioning = ["a/x.lk", "b/y.lk", "top.lk", "a/z.lk"]
    assert shown_for_uses(record(2), "a/x.lk", mentioning, CONFIGS) == Shown(("a/x.lk", "b/y.lk"), 1)


def test_a_search_needs_one_file_of_each_project() -> None:
    files = ["a/x.lk", "a/y.lk", "b/z.lk", "top.lk", "more.lk"]
    assert shown_for_search(record(), files, CONFIGS) == Shown(("a/x.lk", "b/z.lk", "more.lk", "a/y.lk", "top.lk"))
    assert shown_for_search(record(2), files, CONFIGS) == Shown(("a/x.lk", "b/z.lk"), 1)
    assert shown_for_search(record(), [], CONFIGS) == Shown()


def test_a_file_of_the_languages_first_ending_stands_for_its_project() -> None:
    assert shown_for_search(record(1), ["a.old", "b.lk"], ["lark.json"]) == Shown(("b.lk",))


def test_files_outside_of_the_folder_that_is_served_are_counted() -> None:
    mentioning = ["a/x.lk", "a/b/y.lk", "ab/z.lk", "top.lk", "top.md", "top.lk"]
    assert outside(record(), "a", mentioning) == 2


def test_files_are_counted_by_the_project_that_they_lie_in(tmp_path: Path) -> None:
    for name in ("lark.mod", "in/lark.mod", "work/lark.work", "work/a/lark.mod"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    files = ["a.lk", "b/c.lk", "in/d.lk", "in/e/f.lk", "in/e/readme.md", "work/g.lk", "work/a/h.lk"]
    found = projects_of(str(tmp_path), of_server(record(), files), (("lark.work",), ("lark.mod",)))
    assert found == {"": 2, "in": 2, "work": 2}
