"""Envelopes as people read them: the whole text of each."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.command_line.display.terminal import Style, style_of, table
from actors.command_line.one_command import bar
from actors.command_line.text_rendering import readable
from actors.indexing.latest_snapshot import Building
from tests.tools.test_every_reply import Asked, asked, budgets, render, slow

PLAIN = Style()
WIDE = Style(width=200)


def shown(data: Any, style: Style = PLAIN, **members: Any) -> str:
    return "\n" + readable({"ok": True, "data": data, "warnings": [], **members}, style)


def text(expected: str) -> str:
    return dedent(expected)


REFRESH = {
    "id": "py:app/store.py#Store.refresh",
    "kind": "method",
    "name": "refresh",
    "file": "app/store.py",
    "line": 21,
    "signature": "def refresh(self)",
}


def test_search() -> None:
    other = {"id": "py:app/a.py", "kind": "file", "name": "a.py", "file": "app/a.py", "line": 1, "stale": True}
    warnings = ["1 file has changed: run codemap rebuild."]
    dropped = {"kind": "results", "count": 3, "note": "Pass a longer query."}
    assert shown({"results": [REFRESH, other], "total": 5}, warnings=warnings, dropped=dropped) == text(
        """
        total  5

        results
          method  py:app/store.py#Store.refresh  :21  def refresh(self)
          file    py:app/a.py                    :1   stale

        warning: 1 file has changed: run codemap rebuild.
        note: Pass a longer query.
        """
    )


def test_the_cursor_stands_where_it_is_to_be_passed() -> None:
    dropped = {
        "kind": "results",
        "count": 3,
        "note": "Left out 3 results. Or pass cursor for the rest.",
        "cursor": "aB-9",
    }
    assert shown({"total": 5}, dropped=dropped) == text(
        """
        total  5

        note: Left out 3 results. Or pass --cursor aB-9 for the rest.
        """
    )


def test_neighbors() -> None:
    data = {
        "node": {**REFRESH, "doc": "Renews it."},
        "neighbors": [
            {
                "id": "py:app/api.py#login",
                "kind": "function",
                "edge": "calls",
                "direction": "in",
                "confidence": "type",
                "depth": 1,
                "sites": [{"line": 17, "col": 3}, {"line": 19, "col": 3}],
            },
            {
                "id": "py:ext:time",
                "kind": "module",
                "edge": "imports",
                "direction": "out",
                "confidence": "import",
                "depth": 2,
                "sites": [],
            },
        ],
        "unresolved": [
            {
                "owner": "py:app/jobs.py#tick",
                "name": "refresh",
                "edge": "calls",
                "direction": "in",
                "confidence": "candidate",
                "sites": [{"line": 9, "col": 1}],
                "candidates": ["py:a.py#A.refresh", "py:b.py#B.refresh"],
            }
        ],
        "omitted": 0,
    }
    assert shown(data, WIDE) == text(
        """
        py:app/store.py#Store.refresh  app/store.py:21
        def refresh(self)
        Renews it.
        ├─ <- calls type          function  py:app/api.py#login  at 17, 19
        ├─ -> imports (2) import  module    py:ext:time
        └─ unresolved
             <- calls candidate  py:app/jobs.py#tick  at 9  refresh: one of py:a.py#A.refresh, py:b.py#B.refresh
        """
    )


def test_compact_neighbors() -> None:
    data = {
        "node": "py:app/store.py#Store.refresh 21",
        "signature": "def refresh(self)",
        "neighbors": [
            {
                "edge": "calls",
                "direction": "in",
                "confidence": "type",
                "rows": {"src/apiV2.py": ["login 17,19", "Session.renew 40 name"], "app/jobs.py": ["tick 12"]},
                "folded": {"tests": {"tests/test_store.py": 3, "tests/unit/": 9}},
            },
            {"edge": "extends", "direction": "out", "depth": 2, "confidence": "exact", "rows": {"a.py": ["Base 4"]}},
            {"edge": "imports", "depth": 2, "via": "app/api.py", "rows": {"main.py": ["3"]}},
        ],
        "packages": ["json 21"],
        "unresolved": [
            {"edge": "calls", "name": "refresh", "candidates": ["app/a.py#A.refresh"], "rows": {"b.py": ["f 3"]}},
            {"edge": "calls", "direction": "out", "names": ["get 22: app/a.py#A.get or 3 others"]},
        ],
    }
    assert shown(data, Style(width=80)) == text(
        """
        py:app/store.py#Store.refresh 21
        def refresh(self)
        ├─ <- calls [type]
        │    src/apiV2.py  login 17,19
        │                  Session.renew 40 name
        │    app/jobs.py   tick 12
        │    tests: tests/{test_store.py 3, unit/ 9}
        ├─ -> extends (2) [exact]
        │    a.py  Base 4
        ├─ imports (2) via app/api.py
        │    main.py  3
        ├─ packages
        │    json 21
        └─ unresolved
             calls refresh  this or app/a.py#A.refresh
               b.py  f 3
             -> calls
               get 22: app/a.py#A.get or 3 others
        """
    )


def test_undecided_calls_without_rows_are_their_names() -> None:
    data = {
        "node": "ts:a.ts#send 5",
        "neighbors": [],
        "unresolved": [{"edge": "calls", "names": ["relay 6: make.relay"]}],
    }
    assert "relay 6: make.relay" in shown(data)
    assert "relay 6: make.relay" in shown(data, WIDE)


def test_undecided_uses_that_are_all_folded_are_a_line_each() -> None:
    folded = {"tests": {"tests/test_store.py": 3}}
    use = {"edge": "calls", "name": "refresh", "likelihood": "low", "candidateCount": 4, "candidates": ["A.refresh"]}
    assert shown(
        {"node": "py:a.py#B.refresh 2", "neighbors": [], "unresolved": [use | {"folded": folded}]}, WIDE
    ) == text(
        """
        py:a.py#B.refresh 2
        └─ unresolved
             calls refresh  low likelihood  this or A.refresh, 2 more
               tests: tests/test_store.py 3
        """
    )


def test_the_code_of_what_to_read_is_below_its_name() -> None:
    code = {"a.py#f": ["1-2\ndef f():\n    ..."], "a.py#h": ["9\ndef h(): ..."]}
    data = {"read": ["a.py#f 1-2 named", "a.py#g 5-6 name: g", "b.py"], "code": code, "unknown": ["x", "y"]}
    assert readable({"ok": True, "data": data, "warnings": []}, PLAIN) == text(
        """\
        a.py#f 1-2 named
        1  def f():
        2      ...

        a.py#g 5-6 name: g
        b.py

        a.py#h
        9  def h(): ...

        unknown
          x
          y
        """
    )


def test_few_others_that_a_use_may_mean_are_named() -> None:
    use = {
        "edge": "calls",
        "name": "f",
        "candidateCount": 9,
        "candidates": ["A.f", "B.f", "C.f"],
        "rows": {"a.py": ["g 1"]},
    }
    printed = shown({"node": "py:a.py#D.f 2", "neighbors": [], "unresolved": [use]}, PLAIN)
    assert "this or A.f, B.f, 6 more" in printed


def test_no_tree_is_drawn_where_no_terminal_shows_it() -> None:
    data = {
        "node": "py:app/store.py#Store.refresh 21",
        "neighbors": [
            {
                "edge": "calls",
                "to": "Base.refresh",
                "confidence": "type",
                "rows": {"app/store.py": ["renew 40"], "a.py": ["login 17"]},
            }
        ],
        "unresolvedSites": 3,
        "unresolved": [{"edge": "calls", "name": "refresh", "rows": {"b.py": ["f 3"]}}],
    }
    assert shown(data) == text(
        """
        py:app/store.py#Store.refresh 21
        calls to Base.refresh [type]
          same file  renew 40
          a.py  login 17
        unresolved 3
          calls refresh
            b.py  f 3
        """
    )
    areas = [{"area": "src", "files": 40}, {"area": "src/app", "files": 10, "uses": {"lib": 7}}]
    assert shown({"areas": areas}) == text(
        """
        src  40 files
          src/app  10 files
            uses lib 7
        """
    )


def test_mentions_are_a_line() -> None:
    assert shown({"mentions": {"total": 2, "accounted": 2}}) == "\nmentions  all 2\n"
    rest = {"otherUses": 1, "comments": 3}
    counts = {"total": 9, "accounted": 5, "how": "pass mentions:true", "rest": rest, "notIndexed": {"documents": 2}}
    assert shown({"mentions": counts}) == "\nmentions  5 of 9; others are no uses\n"
    doubts = {"rest": {"strings": 1, "unknown": 2, "comments": 1}, "notIndexed": {"documents": 2, "otherTexts": 3}}
    assert shown({"mentions": counts | doubts}) == text(
        """
        mentions  5 of 9; perhaps strings 1, unknown 2, other texts 3; others are no uses (--mentions)
        """
    )
    assert shown({"mentions": counts | {"unseenFiles": 1}}) == text(
        """
        mentions  5 of 9; unseen files 1; others are no uses (--mentions)
        """
    )
    assert shown({"mentions": counts | {"stay": {"a.py": ["f 3"]}}}) == text(
        """
        mentions
          total  9
          accounted  5
          how  pass --mentions
          rest  other uses 1, comments 3
          not indexed  documents 2
          stay
            a.py  f 3
        """
    )


def test_no_column_is_filled_where_no_terminal_shows_it() -> None:
    rows = {"src/a/long/folder/store.py": ["login 17", "Session.renew 40 name"], "a.py": ["tick 12"]}
    assert shown({"read": ["x 1"], "callers": rows}) == text(
        """
        read  x 1

        callers
          src/a/long/folder/store.py
            login 17
            Session.renew 40 name
          a.py  tick 12
        """
    )


def test_folders_that_files_share_are_said_once() -> None:
    core = "core/src/main/java/org/shop"
    rows = {
        f"{core}/Store.java": ["Store 4"],
        "web/src/main/java/org/shop/Page.java": ["Page 9"],
        f"{core}/disk/File.java": ["File.open 7", "File.close 9"],
        f"{core}/disk/Cache.java": ["Cache 2"],
    }
    assert shown({"callers": rows}) == text(
        """
        callers
          core/src/main/java/org/shop/
            Store.java  Store 4
            disk/File.java
              .open 7
              .close 9
            disk/Cache.java  Cache 2
          web/src/main/java/org/shop/Page.java  Page 9
        """
    )
    short = {"app/a.py": ["f 1"], "app/b.py": ["g 2"]}
    assert shown({"callers": short}) == text(
        """
        callers
          app/a.py  f 1
          app/b.py  g 2
        """
    )


def test_a_section_may_have_names_alone() -> None:
    named = {"edge": "calls", "names": ["BackendQueue.Put 99: Disk.Put or 2 others"]}
    assert shown({"node": "go:a.go#f 3", "neighbors": [], "unresolvedSites": 1, "unresolved": [named]}) == text(
        """
        go:a.go#f 3
        unresolved 1
          calls
            BackendQueue.Put 99: Disk.Put or 2 others
        """
    )


def test_what_the_rows_of_a_file_are_in_is_said_once() -> None:
    rows = {
        "src/term.rs": ["Term.new 4: a(b)", "Term.draw 8: c", "Term.draw 9: d.e 5"],
        "src/other.rs": ["Term.new 4", "Cell.new 8", "4"],
        "app/Shop.java": ["Shop.sell 3 to X.y: z"],
        "app/Store.java": ["Store 3", "Store.sell 9"],
        "app/Cart.java": ["Cart.Line.add 7"],
        "app/views.py": ["Page.show 3", "Page.Part.hide 9", "Page.show 12"],
    }
    assert shown({"callers": rows}) == text(
        """
        callers
          src/term.rs  Term
            .new 4: a(b)
            .draw 8: c
              9: d.e 5
          src/other.rs
            Term.new 4
            Cell.new 8
            4
          app/Shop.java  .sell 3 to X.y: z
          app/Store.java
            Store 3
            Store.sell 9
          app/Cart.java  .Line.add 7
          app/views.py  Page
            .show 3
            .Part.hide 9
            .show 12
        """
    )


def test_neighbors_of_several_nodes_stand_below_one_another() -> None:
    made = {"node": "py:a.py#make 3", "neighbors": [{"edge": "calls", "rows": {"a.py": ["run 7"]}}]}
    cut = {"node": "py:a.py#run 6", "mentions": {"total": 1, "accounted": 1}}
    missing = [{"id": "mkae", "code": "NODE_NOT_FOUND", "message": "No definition is called mkae."}]
    assert shown({"nodes": [made, cut], "missing": missing}) == text(
        """
        py:a.py#make 3
        calls
          same file  run 7

        py:a.py#run 6
        mentions  all 1

        missing
          No definition is called mkae.
        """
    )


def test_a_chain_says_each_file_once() -> None:
    steps = ["app/a.py:3 f", "app/a.py:9 g", "app/b.py:2 h overridden by", "app/a.py:4 k"]
    lines = ["app/a.py:3 f", ":9 g", "app/b.py:2 h overridden by", "app/a.py:4 k"]
    found = {"found": True, "chains": [{"steps": steps}]}
    assert shown(found) == "\n".join(["", "found  yes", *lines, ""])
    several = shown({"found": True, "chains": [{"steps": steps}, {"steps": steps[1:]}]})
    assert several.count("steps") == 2
    assert "    :9 g\n" in several


def test_uses_that_a_change_leaves_say_why_they_no_longer_fit() -> None:
    rows = {"app/api.py": ["login 31,40"]}
    gone = {"used": "Store.prune", "why": "removed", "rows": rows}
    assert shown(
        {"notAdapted": [{"used": "Store.refresh", "misfit": "missing `timeout`", "rows": rows}, gone]}
    ) == text(
        """
        not adapted
          Store.refresh missing `timeout`
            app/api.py  login 31,40
          Store.prune removed
            app/api.py  login 31,40
        """
    )


def test_path() -> None:
    path = [
        {"node": REFRESH, "edgeToNext": {"kind": "calls", "direction": "out", "confidence": "exact"}},
        {"node": {"id": "py:app/a.py"}, "edgeToNext": {"kind": "imports", "direction": "in", "confidence": "import"}},
        {"node": {"id": "py:app/b.py"}},
    ]
    assert shown({"found": True, "path": path}) == text(
        """
        py:app/store.py#Store.refresh  app/store.py:21
          | calls  exact
        py:app/a.py
          ^ imports  import
        py:app/b.py
        """
    )
    assert shown({"found": False, "why": "Not connected."}) == text(
        """
        found  no
        why  Not connected.
        """
    )
    others = [{"path": path[:1]}]
    assert shown({"found": False, "why": "Either way.", "path": path[1:], "chains": others}) == text(
        """
        found  no
        why  Either way.

        py:app/a.py
          ^ imports  import
        py:app/b.py

        py:app/store.py#Store.refresh  app/store.py:21
          | calls  exact
        """
    )


def test_a_path_among_others_is_a_list() -> None:
    assert shown({"read": ["app/a.py#f 1-2"], "path": ["app/a.py:1 f", "app/b.py:3 g"]}) == text(
        """
        read  app/a.py#f 1-2

        path
          app/a.py:1 f
          app/b.py:3 g
        """
    )


def test_overview() -> None:
    data = {"files": 2, "clusters": [{"id": "c1", "label": "app", "files": 2, "hubs": [REFRESH]}]}
    assert shown(data, WIDE) == text(
        """
        files  2

        └─ app  ████████████  2 files
             method  py:app/store.py#Store.refresh  :21  def refresh(self)
        """
    )


def test_overview_by_areas() -> None:
    hearts = [f"store.py#Symbol{number} {number}" for number in range(6)]
    area = {"area": "app", "files": 2, "about": "Sessions.", "uses": {"core": 7, "web": 2}, "hearts": hearts}
    assert shown({"files": 2, "areas": [area, {"area": "web", "files": 1, "hearts": []}]}, Style(width=100)) == text(
        """
        files  2

        ├─ app  ████████████  2 files  Sessions.
        │    uses core 7, web 2
        │    store.py#Symbol0 0, store.py#Symbol1 1, store.py#Symbol2 2, store.py#Symbol3 3,
        │    store.py#Symbol4 4, store.py#Symbol5 5
        └─ web  ██████        1 file
        """
    )


def test_no_line_ends_inside_the_name_of_a_file() -> None:
    hearts = [f"ssr-server.ts#symbol{number} {number}" for number in range(20, 30)]
    hearts.append(f"ssr-server.ts#{'long' * 40} 30")
    shown_hearts = shown({"areas": [{"area": "app", "files": 2, "hearts": hearts}]}).partition("ssr")[2].splitlines()
    assert len(shown_hearts) > 3
    assert all(line.rstrip(",")[-2:].isdigit() for line in shown_hearts)


def test_files_outside_have_no_folder_in_common_with_those_inside() -> None:
    outside = {f"/usr/lib/python3/{name}.pyi": ["1:1"] for name in ("abc", "builtins", "typing")}
    assert shown({"locations": {"app/store.py": ["4:9"]} | outside}) == text(
        """
        locations
          app/store.py  4:9
          /usr/lib/python3/
            abc.pyi  1:1
            builtins.pyi  1:1
            typing.pyi  1:1
        """
    )


def test_areas_hang_on_the_folders_around_them() -> None:
    sizes = {"src": 40, "src/app": 10, "lib": 4, "src/app/web: a.py and 3 more": 1, "srcs": 2, "src/lib: b.py": 0}
    assert shown({"areas": [{"area": name, "files": files} for name, files in sizes.items()]}, WIDE) == text(
        """
        ├─ src                                 ████████████  40 files
        │  ├─ src/app                          ███           10 files
        │  │  └─ src/app/web: a.py and 3 more  ▎             1 file
        │  └─ src/lib: b.py                    ▏             0 files
        ├─ lib                                 █▎            4 files
        └─ srcs                                ▋             2 files
        """
    )


def test_a_branch_of_areas_is_where_its_first_one_would_be() -> None:
    sizes = {"packages/app": 40, "scripts": 10, "packages/cli": 8, "packages": 4}
    assert shown({"areas": [{"area": name, "files": files} for name, files in sizes.items()]}, WIDE) == text(
        """
        ├─ packages         █▎            4 files
        │  ├─ packages/app  ████████████  40 files
        │  └─ packages/cli  ██▍           8 files
        └─ scripts          ███           10 files
        """
    )


def test_neighbors_of_several_steps_hang_on_what_led_to_them() -> None:
    edge = {"edge": "extends", "direction": "in", "confidence": "exact", "kind": "class"}
    neighbors = [
        {"id": "py:a.py#B", "line": 5, **edge},
        {"id": "py:a.py#C", "line": 9, "depth": 2, "via": "py:a.py#B", **edge},
        {"id": "py:b.py#D", "line": 2, **edge},
        {"id": "py:b.py#F", "line": 2, "depth": 3, "via": "py:b.py#cut", **edge},
    ]
    node = {"id": "py:a.py#A", "file": "a.py", "line": 1}
    assert shown(
        {"node": node, "neighbors": neighbors, "folded": {"tests": {"tests/": 4}}, "omitted": 2}, WIDE
    ) == text(
        """
        py:a.py#A  a.py:1
        ├─ <- extends exact  class  py:a.py#B  :5
        │  └─ <- extends (2) exact  class  py:a.py#C  :9
        ├─ <- extends exact  class  py:b.py#D  :2
        ├─ py:b.py#cut
        │  └─ <- extends (3) exact  class  py:b.py#F  :2
        └─ tests: 4

        omitted  2
        """
    )


def test_tests_come_with_the_command_that_runs_them() -> None:
    run = {"runner": "pytest", "count": 1, "command": "pytest a.py", "rows": {"a.py": ["test_a", "test_b likely"]}}
    assert shown({"tests": [run]}) == text(
        """
        tests
          runner  pytest
          count  1
          command  pytest a.py
          rows
            a.py
              test_a
              test_b likely
        """
    )


def test_an_error_names_what_would_do() -> None:
    error = {"code": "NODE_NOT_FOUND", "message": "x is not there.", "hint": "Look.", "recoveryOptions": ["y", "z"]}
    assert readable({"ok": False, "error": error, "warnings": []}, PLAIN) == text(
        """\
        NODE_NOT_FOUND: x is not there.
        Look.
          y
          z
        """
    )


def test_a_path_stays_as_it_is_where_names_of_members_become_words() -> None:
    folded = {"folded": {"tests": {"src/testApp/voIP.cpp": 2, "b.py": 1}}, "builtAt": "now"}
    assert readable({"ok": True, "data": folded, "warnings": []}, PLAIN) == text(
        """\
        built at  now

        folded
          tests  src/testApp/voIP.cpp 2, b.py 1
        """
    )


def test_a_narrow_terminal_cuts_lines_and_not_words_of_wide_ones() -> None:
    assert table([("ab", "cdef"), ("a", "c")], Style(width=6)) == ["ab  c…", "a   c"]
    assert table([("ab", "cd"), ("a", "c")], Style(width=6)) == ["ab  cd", "a   c"]


def test_names_cannot_command_the_terminal() -> None:
    evil = {**REFRESH, "id": "py:\x1b[2J.py#x", "signature": "def x():\r\n\x07"}
    result = readable({"ok": True, "data": {"results": [evil]}, "warnings": []}, Style(has_color=True))
    assert "\x1b[2J" not in result
    assert r"\u001b[2J" in result
    assert "\r" not in result
    assert "\x07" not in result


@pytest.mark.parametrize(
    ("width", "environment", "has_color"),
    [
        (80, {}, True),
        (None, {}, False),
        (80, {"NO_COLOR": "1"}, False),
        (80, {"NO_COLOR": ""}, True),
        (80, {"TERM": "dumb"}, False),
    ],
)
def test_color_only_where_it_is_wanted(width: int | None, environment: dict[str, str], has_color: bool) -> None:
    assert style_of(width, environment) == Style(width, has_color)
    assert style_of(width, environment, "always") == Style(width, has_color=True)
    assert style_of(width, environment, "never") == Style(width)


def test_the_bar() -> None:
    assert bar(Building("list")) == "codemap: looking for files …"
    assert bar(Building("extract", 5, 10)) == "codemap: reading files [############............] 5/10"
    assert bar(Building("graph", 10, 10)) == "codemap: connecting symbols [########################] 10/10"


def test_places_are_written_as_in_compilers_messages() -> None:
    locations = [
        {"file": "app/store.py", "line": 21, "col": 9, "id": REFRESH["id"], "snippet": "def refresh(self):"},
        {"file": "app/api.py", "line": 5, "col": 11, "snippet": "store.refresh()"},
    ]
    assert shown({"locations": locations, "total": 2}) == text(
        """
        total  2

        locations
          app/store.py:21:9  py:app/store.py#Store.refresh  def refresh(self):
          app/api.py:5:11                                   store.refresh()
        """
    )


def test_a_call_hierarchy_is_a_tree() -> None:
    leaf = {"name": "main", "kind": "function", "file": "app/main.py", "line": 3, "col": 5, "sites": [{"line": 4}]}
    caller = {"id": "py:app/api.py#login", "kind": "function", "file": "app/api.py", "line": 7, "children": [leaf]}
    assert shown({"root": {**REFRESH, "children": [caller]}, "direction": "incoming"}) == text(
        """
        direction  incoming

        root
          method  py:app/store.py#Store.refresh  app/store.py:21
            function  py:app/api.py#login  app/api.py:7
              function  main  app/main.py:3  at 4
        """
    )


def test_texts_of_several_lines_stay_so_and_hide_nothing() -> None:
    data = {"language": "py", "contents": "```python\ndef f()\n```\n\x1b[2Jgone", "name": "two\nlines"}
    assert shown(data) == text(
        """
        language  py
        name  two\\nlines

        ```python
        def f()
        ```
        \\u001b[2Jgone
        """
    )


@slow
@given(call=asked(), budget=budgets, width=st.sampled_from([None, 60]))
def test_every_reply_can_be_read(call: Asked, budget: int, width: int | None) -> None:
    structured = render("native", call, budget).structured
    assert readable(json.loads(json.dumps(structured)), Style(width=width)).strip() or structured["ok"]
