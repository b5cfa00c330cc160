"""How answers of codemap and printed lines are held against the known answers of questions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.value.judge import Verdict, judged_printed, judged_reply
from bench.value.peers import command_of, judged, shown
from bench.value.questions import Kind, Question, questions
from bench.value.report import PEERS, Got, PerItem, Scored, report, short
from bench.value.shown import Row, printed, replied
from bench.value.strategies import call_of
from bench.value.who import with_definitions

ASIDE = ("tests/*",)


def asking(kind: Kind, *items: str, also: tuple[str, ...] = (), subject: str = "") -> Question:
    return Question("made_up", kind, "?", "made up", items, (), subject=subject, also=also)


def reply_of(**rows: list[str]) -> list[Row]:
    """The rows of a compact list; `a__py` stands for the file `a.py`."""
    data = {
        "node": "py:s.py#get 1",
        "neighbors": [{"edge": "calls", "rows": {k.replace("__", "."): v for k, v in rows.items()}}],
    }
    return replied(data)


def test_forty_questions_of_nine_kinds_on_five_repositories() -> None:
    known = questions()
    assert len(known.questions) == 40
    assert Counter(question.repository for question in known.questions) == dict.fromkeys(known.repositories, 8)
    assert len({question.kind for question in known.questions}) == 9
    for question in known.questions:
        assert question.items
        assert question.grep
        assert question.established
        assert len(set(question.items)) == len(question.items), question.asks
        assert bool(question.word) == (question.kind in ("callers", "importers", "hierarchy")), question.asks


def test_a_call_is_made_of_the_kind_alone() -> None:
    """No question has arguments of its own: what differs between two of a kind is what the question names."""
    shapes: dict[Kind, set[str]] = {}
    for question in questions().questions:
        tool, arguments = call_of(question)
        for own in (question.subject, question.to, question.asks):
            arguments = {key: "…" if own and value == own else value for key, value in arguments.items()}
        shapes.setdefault(question.kind, set()).add(f"{tool} {arguments}")
    assert {kind: len(each) for kind, each in shapes.items()} == dict.fromkeys(shapes, 1)


def test_a_reply_with_a_missing_site_is_not_right() -> None:
    question = asking("callers", "a.py:3", "a.py:9", "b.py:4")
    whole = judged_reply(question, reply_of(a__py=["f 3,9"], b__py=["g 4 name"]), ASIDE)
    assert (whole.is_right, whole.wrong) == (True, ())
    cut = judged_reply(question, reply_of(a__py=["f 3"], b__py=["g 4"]), ASIDE)
    assert (cut.is_right, cut.missing) == (False, ("a.py:9",))
    elsewhere = judged_reply(question, reply_of(c__py=["f 3,9"], b__py=["g 4"]), ASIDE)
    assert elsewhere.missing == ("a.py:3", "a.py:9")


def test_a_row_of_production_code_beyond_the_answer_is_wrong() -> None:
    question = asking("callers", "a.py:3", also=("a.py:5",))
    rows = [*reply_of(a__py=["f 3", "h 5", "k 7"]), Row("tests/t.py", "t", frozenset({1}))]
    found = judged_reply(question, rows, ASIDE)
    assert (found.is_right, found.wrong, found.rows) == (True, ("a.py#k 7",), 3)


def test_a_family_is_an_answer_only_where_it_is_asked_for() -> None:
    rows = replied({"family": {"a.py": ["B.get 9 override"]}, "neighbors": []})
    assert judged_reply(asking("review", "a.py#B.get"), rows, ()).is_right
    assert judged_reply(asking("review", "a.py:3"), rows, ()).wrong == ("a.py#B.get 9",)
    assert judged_reply(asking("callers", "a.py:3"), rows, ()).rows == 0


def test_folded_counts_and_the_node_itself_are_no_answer() -> None:
    data = {"node": "py:a.py#f 3", "neighbors": [{"edge": "calls", "rows": {}, "folded": {"tests": {"a.py#f": 3}}}]}
    assert not judged_reply(asking("review", "a.py#f"), replied(data), ()).is_right


@pytest.mark.parametrize(
    ("kind", "item", "name", "is_right"),
    [
        ("hierarchy", "a.py#Base.Sub", "Base.Sub", True),
        ("hierarchy", "a.py#Sub", "Base.Sub", False),
        ("hierarchy", "a.py#Sub", "Sub~2", True),
        ("hierarchy", "a.py#Sub", "Sub.get", False),
        ("path", "a.py#Sub", "Sub.__init__", True),
        ("path", "A.java#Sub", "Sub.Sub~2", False),
        ("tests", "a.py#test_it", "test_it.app", True),
        ("tests", "a.py#test_it", "test_it_again", False),
        ("path", "a.py#f | a.py#g", "g", True),
    ],
)
def test_a_definition_is_shown_by_its_file_and_qualified_name(
    kind: Kind, item: str, name: str, *, is_right: bool
) -> None:
    assert judged_reply(asking(kind, item), [Row("a.py", name)], ()).is_right == is_right


def test_replies_of_other_shapes_are_read_too() -> None:
    data: dict[str, Any] = {
        "path": [{"node": {"id": "py:a.py#f", "line": 3}}, {"node": "b.py#C.g 7"}],
        "chains": [{"steps": ["src/d.py:5 D.k overridden by"]}],
        "results": ["c.py#h 2 def h(n: int) -> None [name: h]"],
    }
    lines = {(row.path, row.name): row.lines for row in replied(data)}
    assert lines == {("a.py", "f"): {3}, ("b.py", "C.g"): {7}, ("c.py", "h"): {2}, ("src/d.py", "D.k"): {5}}
    overview = {"areas": [{"area": "src/zip", "hearts": ["file.py#Zip 3"]}], "others": {"docs": 2}}
    rows = replied(overview)
    assert judged_reply(asking("orientation", "zip", "src/zip/file.py#Zip", "docs"), rows, ()).is_right
    assert judged_reply(asking("orientation", "tar"), rows, ()).missing == ("tar",)


def test_printed_lines_are_held_to_file_and_line_or_name() -> None:
    rows = printed("rg -n -w get -t py .", "./a.py:3:    x.get()\n./a.py:9:def get(self):\n")
    assert judged_printed(asking("callers", "a.py:3"), rows).is_right
    assert not judged_printed(asking("callers", "a.py:4"), rows).is_right
    assert judged_printed(asking("hierarchy", "a.py#S.get"), rows).is_right
    assert not judged_printed(asking("hierarchy", "b.py#S.get"), rows).is_right
    assert judged_printed(asking("dependencies", "b.py#S.get"), rows).is_right
    body = printed("sed -n 3,4p a.py", "    x.put()\n")
    assert judged_printed(asking("review", "a.py#S.put"), body).is_right


def test_who_prints_each_definition_around_a_hit_once(tmp_path: Path) -> None:
    method = "    def f(self):\n        if x:\n            get()\n            get()\n"
    (tmp_path / "a.py").write_text(f"class A:\n{method}\n    def g(self):\n        get()\n")
    hits = ["a.py:4:            get()", "a.py:5:            get()", "a.py:8:        get()", "no place"]
    assert list(with_definitions(hits, tmp_path)) == [
        "a.py:1:class A:",
        "a.py:2:    def f(self):",
        *hits[:2],
        "a.py:7:    def g(self):",
        *hits[2:],
    ]


def test_the_tables_count_what_was_missed() -> None:
    question = asking("callers", "a.py:3")
    right, missed = Verdict((), ("b.py#k 7",), 4), Verdict(("a.py:3",), (), 0)
    first = {"grep": Got(400, 2, right), "grep, production code": Got(200, 2, right), "codemap": Got(100, 1, right)}
    second = {"grep": Got(200, 4, right), "grep, production code": Got(100, 4, missed), "codemap": Got(50, 2, missed)}
    peers = dict.fromkeys(PEERS, Got(150, 1, missed))
    scored = [Scored(question, first | peers), Scored(question, second | peers)]
    items = [PerItem(question, 60, 3, 400, 4), PerItem(question, 40, 2, 100, 1)]
    text = report(scored, items)
    assert "| grep | 2 of 2 | 300 | 3.00 | 0.25 × |" in text
    assert "| codemap | 1 of 2 | 75 | 1.50 |  |" in text
    assert f"| {PEERS[0]} | 0 of 2 | 150 | 1.00 | 0.50 × |" in text
    assert "| the median question | | | | 0.20 × |" in text
    assert "Of 4 rows that codemap gave where the whole answer is known, 1 are no part of it." in text
    assert "grep 0.25 (bar 0.5), calls a question 1.50 (bar 1.5), right 50% (bar 95%)" in short(scored, items)
    assert "against rg -n -w 0.20 (bar 0.6)" in short(scored, items)


LISTED = """
Callers of "save" (2):

method Store::save (python) — app/store.py:1
function    keep
  app/api.py:2

file        cli.py [imports]
  app/cli.py:1
"""
EXPLORED = """**Exploration: how is it saved**

- `keep` (app/api.py:1) — no tests found

**`app/store.py`** — save(method)

```python
3\t    def save(self):
4\t        write()
```
"""


def test_lists_and_code_of_a_peer_are_read() -> None:
    listed = shown(LISTED)
    assert Row("app/api.py", "keep", frozenset({2})) in listed
    assert Row("app/cli.py", "cli.py", frozenset({1})) in listed
    explored = shown(EXPLORED)
    assert Row("app/store.py", "        write()", frozenset({4})) in explored
    assert any(row.path == "app/api.py" and "keep" in row.name for row in explored)


def test_a_peer_is_right_that_names_the_definition_around_a_line(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/api.py").write_text("def far():\n    pass\n\ndef keep():\n    save()\n")
    text = LISTED.replace("app/api.py:2", "app/api.py:4")
    assert judged(asking("callers", "app/api.py:5"), tmp_path, text).is_right
    assert judged(asking("callers", "app/api.py:2"), tmp_path, text).missing == ("app/api.py:2",)


def test_a_peer_may_name_what_is_nested_in_a_test(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/api.py").write_text("def test_it():\n    def keep():\n        save()\n")
    wanted = asking("tests", "app/api.py#test_it")
    assert judged(wanted, tmp_path, LISTED).is_right
    assert not judged(wanted, tmp_path, LISTED.replace("app/api.py:2", "app/api.py:1")).is_right


def test_the_command_of_a_peer_follows_from_the_kind() -> None:
    assert command_of(asking("callers", "a.py:1", subject="a.py#Store.save"))[:4] == (
        "callers",
        "Store.save",
        "--file",
        "a.py",
    )
    assert command_of(asking("importers", "a.py", subject="app/store.py"))[0] == "node"
    assert command_of(asking("path", "a.py", subject="a")) == ()
