"""Methods and prototypes that were left with other parameters than what they implement or declare, by language."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codemap.changes.changed_definitions import Pair
from codemap.extract.fingerprints import version_of
from codemap.graph.build.build import build_snapshot
from codemap.impact.breakage.changed_signatures import resigned
from codemap.impact.breakage.unlike import files_of, find_alike, unlike


def rows_of(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """`file:line name why` of each; the files that differ changed."""
    versions = {path: version_of(path, text.encode()) for path, text in after.items()}
    old, new = (build_snapshot({path: text.encode() for path, text in files.items()}) for files in (before, after))
    pairs = {
        path: Pair(path, version_of(path, before[path].encode()), versions[path])
        for path in after
        if before[path] != after[path]
    }
    alike = find_alike(resigned(tuple(pairs.values()), new, old), old, new)
    assert set(files_of(alike, new)) <= after.keys()
    found = unlike(alike, pairs, new, lambda path: versions[path].lists)
    return [f"{one.file}:{one.line} {one.name} {one.why}" for one in found]


GO = (
    "package a\n\ntype Pool interface {\n\tGet() int\n\tPut(%s)\n}\n\n"
    "type Own struct{}\n\nfunc (o Own) Get() int { return 1 }\n"
)
JAVA = "interface Pool {\n  void put(%s);\n}\nclass Own implements Pool {\n  public void put(int a) {}\n}\n"
PY = "class Pool:\n    def put(self, %s): ...\n\nclass Own(Pool):\n    def put(self, a): ...\n"
TS = "interface Pool {\n  put(%s): void\n}\nclass Own implements Pool {\n  put(a: number) {}\n}\n"
PHP = "<?php\ninterface Pool {\n  function put(%s);\n}\nclass Own implements Pool {\n  function put($a) {}\n}\n"
CASES = [
    # file, its text with a gap for the parameters, the parameters before and after, what is said
    ("a.go", GO + "func (o Own) Put(a int) {}\n", "a int", "a, b int", ["a.go:11 Own.Put has 1 parameter(s), not 2"]),
    ("a.go", GO + "func (o Own) Put(a int) {}\n", "a int", "b int", []),
    ("a.go", GO + "func (o Own) Put(a, b int) {}\n", "a int", "", []),  # it did not implement it before
    ("A.java", JAVA, "int a", "int a, int b", ["A.java:5 Own.put has 1 parameter(s), not 2"]),
    ("a.py", PY, "a", "a, b", ["a.py:5 Own.put has 1 parameter(s), not 2"]),
    ("a.py", PY, "a", "b", []),
    ("a.py", PY, "a", "*a", ["a.py:5 Own.put has 1 parameter(s), not any number"]),
    ("a.py", PY, "a", "*a, **b", []),
    ("a.py", PY, "a", "a, *b, **c", ["a.py:5 Own.put has 1 parameter(s), not any number"]),
    ("a.ts", TS, "a: number", "a: number, b: number", []),  # who takes fewer arguments does, too
    ("a.ts", TS, "a: number", "", ["a.ts:5 Own.put has 1 parameter(s), not 0"]),
    ("a.php", PHP, "$a", "$a, $b", ["a.php:6 Own.put has 1 parameter(s), not 2"]),
]


@pytest.mark.parametrize(("path", "text", "old", "new", "wanted"), CASES)
def test_methods_that_implement_another(path: str, text: str, old: str, new: str, wanted: list[str]) -> None:
    assert rows_of({path: text % old}, {path: text % new}) == wanted


PROTOTYPE, DEFINITION = "int add(int a);\n", '#include "a.h"\nint add(int a)\n{\n    return a;\n}\n'
LONGER = "int a, int b"


def test_a_prototype_that_was_left() -> None:
    before = {"a.h": PROTOTYPE, "a.c": DEFINITION}
    after = {"a.h": PROTOTYPE, "a.c": DEFINITION.replace("(int a)", f"({LONGER})")}
    assert rows_of(before, after) == ["a.h:1 add has 1 parameter(s), not 2"]


def test_a_definition_that_was_left() -> None:
    before = {"a.h": PROTOTYPE, "a.c": DEFINITION}
    after = {"a.h": PROTOTYPE.replace("(int a)", f"({LONGER})"), "a.c": DEFINITION}
    assert rows_of(before, after) == ["a.c:2 add has 1 parameter(s), not 2"]


def test_what_was_adapted() -> None:
    before = {"a.h": PROTOTYPE, "a.c": DEFINITION}
    after = {path: text.replace("(int a)", f"({LONGER})") for path, text in before.items()}
    assert rows_of(before, after) == []
    both = JAVA.replace("put(int a)", "put(%s)")
    assert rows_of({"A.java": both % ("int a", "int a")}, {"A.java": both % (LONGER, LONGER)}) == []
