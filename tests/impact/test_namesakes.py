"""Which tests are there for what changed by their names and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact import selection
from codemap.impact.namesakes import ALIKE, NAMED, NEAR, find_namesakes
from codemap.impact.reach import reach
from codemap.impact.selection import NAMED_MAX
from codemap.impact.test_names import NamedTests, NameTable, words_of_file

SOURCES = {
    "src/http/MethodNotAllowedUtil.java": b"class MethodNotAllowedUtil { void validateNestingDepth() {} }\n",
    "store/route_table.go": b"package store\nfunc Get() {}\n",
}
PLACES = [
    ("MethodNotAllowedUtil.java#MethodNotAllowedUtil", ("test/http/TestMethodNotAllowed.java", "A#a"), NAMED),
    ("MethodNotAllowedUtil.java#MethodNotAllowedUtil", ("test/a/Many.java", "MethodNotAllowedUtilTest#a"), NAMED),
    ("MethodNotAllowedUtil.java#MethodNotAllowedUtil", ("test/a/TestUtil.java", "TestUtil#a"), 0),
    ("MethodNotAllowedUtil.java#MethodNotAllowedUtil", ("test/http/Many.java", "Many#a"), NEAR),
    ("MethodNotAllowedUtil.java#MethodNotAllowedUtil.validateNestingDepth", ("a/DeeplyNestedTest.java", "D#a"), ALIKE),
    ("MethodNotAllowedUtil.java#MethodNotAllowedUtil.validateNestingDepth", ("a/Many.java", "M#nestingDepth"), ALIKE),
    ("MethodNotAllowedUtil.java#MethodNotAllowedUtil.validateNestingDepth", ("a/Many.java", "M#depth"), 0),
    ("route_table.go#Get", ("store/route_table_test.go", "TestOne"), NAMED),
    ("route_table.go#Get", ("store/other_test.go", "TestOne"), NEAR),
]


def kin_of(snapshot: Snapshot, node: int, places: Sequence[tuple[str, str]]) -> list[int]:
    """How each test, by the path of its file and what selects it there, is there for a definition."""
    names, paths = NameTable(), list(dict.fromkeys(path for path, _ in places))
    stems = [names.add(words_of_file(path)) for path in paths]
    files = [paths.index(path) for path, _ in places]
    selectors = [names.add_selector(selector) for _, selector in places]
    folders = [path.rpartition("/")[0] for path in paths]
    columns = (np.array(column, dtype=np.int32) for column in (range(len(folders)), stems, files, selectors))
    found: list[int] = find_namesakes(snapshot, [node], NamedTests(names, folders, *columns)).tolist()
    return found


@pytest.mark.parametrize(("changed", "place", "kin"), PLACES)
def test_a_test_is_named_after_a_definition_its_class_or_its_file(
    changed: str, place: tuple[str, str], kin: int
) -> None:
    snapshot = build_snapshot(SOURCES)
    path, _, name = changed.partition("#")
    (file,) = (file for file in snapshot.files if file.path.endswith(path))
    (node,) = (file.base + row for row in range(file.symbol_count) if file.qualified_name(row) == name)
    assert kin_of(snapshot, node, [place]) == [kin]


def test_a_word_that_many_files_of_tests_share_says_nothing() -> None:
    snapshot = build_snapshot({"a.py": b"def read_depth(): ...\n"})
    node = snapshot.find("py:a.py#read_depth") or 0
    places = [(f"tests/test_read_{name}.py", f"test_{name}") for name in ("alpha", "beta", "depth")]
    assert kin_of(snapshot, node, places) == [0, 0, NAMED]


def test_a_plain_word_beside_others_says_nothing() -> None:
    snapshot = build_snapshot({"a.py": b"def get_error_shape(): ...\n"})
    node = snapshot.find("py:a.py#get_error_shape") or 0
    places = [("tests/test_get_client.py", "test_a"), ("tests/test_errors.py", "test_b")]
    assert kin_of(snapshot, node, places) == [0, ALIKE]


def test_few_tests_are_alike_that_are_named_after_the_folder() -> None:
    snapshot = build_snapshot({"app/errors/shape.py": b"def make(): ...\n"})
    node = snapshot.find("py:app/errors/shape.py#make") or 0
    places = [(f"tests/test_{at}.py", "test_a") for at in range(9)]
    alike = ("tests/test_error_formats.py", "test_b")
    assert kin_of(snapshot, node, [*places, alike]) == [0] * 9 + [ALIKE]
    assert kin_of(snapshot, node, [*places[:8], alike, ("tests/test_errors_of_b.py", "")]) == [0] * 10


def run_of(tests: Mapping[str, bytes]) -> selection.TestRun:
    snapshot = build_snapshot({"store.py": b"def refresh(): ...\ndef through(): refresh()\n", **tests})
    changed = [snapshot.find("py:store.py#refresh") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    return run


NEAREST = {"tests/test_a.py": b"from store import refresh\ndef test_a(): refresh()\n"}
NAMED_AFTER = {"tests/test_store.py": b"from store import through\ndef test_b(): through()\n"}
FAR = {"tests/test_c.py": b"from store import through\ndef test_c(): through()\n"}


def test_what_is_named_after_the_change_is_as_near_as_what_uses_it() -> None:
    run = run_of({**NEAREST, **NAMED_AFTER, **FAR})
    assert [test.selector for test in run.tests] == ["test_b", "test_a", "test_c"]


def test_the_command_runs_what_is_named_after_the_change_beside_the_certain_ones() -> None:
    guess = b"from store import refresh\ndef test_guess(any): any.refresh()\n"
    many = b"".join(b"def test_guess_%d(any): any.meth()\n" % at for at in range(NAMED_MAX))
    snapshot = build_snapshot({
        "store.py": b"class A:\n    def meth(self): ...\n",
        "tests/test_many.py": many,
        "tests/test_sure.py": b"from store import A\ndef test_sure(): A().meth()\n",
        "tests/test_store.py": b"def test_named(any): any.meth()\n",
        "tests/test_other.py": guess,
    })  # fmt: skip
    changed = [snapshot.find("py:store.py#A.meth") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    assert run.command == "pytest tests/test_store.py::test_named tests/test_sure.py::test_sure"


BREAKER = {
    "src/breaker.py": b"class Breaker:\n    def trip(self): ...\n\n\nclass Other:\n    def trip(self): ...\n",
    "src/use.py": b"from src.breaker import Breaker\n\n\ndef through(): Breaker().trip()\n",
    **{f"src/m{at}.py": f"class M{at}:\n    def trip(self): ...\n".encode() for at in range(8)},
}
ALL = {
    "tests/test_a.py": b"from src.use import through\n\n\ndef test_far(): through()\n",
    "tests/test_b.py": b"def test_guess(any): any.trip()\n",
    "tests/test_c.py": b"from src.breaker import Breaker\n\n\ndef test_typed(any): any.fake(Breaker); any.trip()\n",
    "tests/test_d.py": b"def test_other(): ...\n",
}


def ordered(sources: Mapping[str, bytes]) -> list[tuple[str, str]]:
    snapshot = build_snapshot(sources)
    changed = [snapshot.find("py:src/breaker.py#Breaker.trip") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    return [(test.selector, test.file[-4:-3]) for test in run.tests]


def test_what_may_use_it_by_name_is_a_test_of_it_where_few_do() -> None:
    assert ordered({**BREAKER, **ALL}) == [("test_typed", "c"), ("test_far", "a"), ("test_guess", "b")]


def test_a_name_that_many_tests_have_says_nothing() -> None:
    many = {f"tests/test_x{at}.py": b"def test_guess(any): any.trip()\n" for at in range(6)}
    assert ordered({**BREAKER, **ALL, **many}) == [("test_far", "a")]


def test_what_names_the_class_is_before_what_only_reaches_it() -> None:
    shop = {
        "src/base.py": b"class Base:\n    def run(self): ...\n",
        "src/breaker.py": b"from src.base import Base\n\n\nclass Breaker(Base):\n    def run(self): self.trip()\n"
        b"    def trip(self): ...\n",
        "src/pipe.py": b"from src.base import Base\n\n\ndef drive(base: Base): base.run()\n",
        "tests/test_a.py": b"from src.pipe import drive\n\n\ndef test_any(base): drive(base)\n",
        "tests/test_z.py": b"from src.breaker import Breaker\nfrom src.pipe import drive\n\n\nMADE = Breaker\n\n\n"
        b"def test_made(made): drive(made)\n",
    }
    assert ordered(shop) == [("test_made", "z"), ("test_any", "a")]


def test_a_word_that_many_tests_have_in_their_names_says_nothing() -> None:
    snapshot = build_snapshot({"a.py": b"def schedule_task(): ...\n"})
    node = snapshot.find("py:a.py#schedule_task") or 0
    places = [("tests/test_tasks.py", "test_one"), *((f"tests/test_{at}.py", "test_task") for at in range(5))]
    assert kin_of(snapshot, node, places) == [ALIKE, 0, 0, 0, 0, 0]
