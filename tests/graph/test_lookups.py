"""Lookups of definitions that several tools share: by the end of a name, by line, in another version, by role."""

from __future__ import annotations

import pytest

from codemap.file_roles import Role
from codemap.graph.build.build import build_snapshot
from codemap.graph.index.node_roles import FILE_ROLES, role_of_node
from codemap.graph.model.snapshot import Snapshot

STORE = b"""\
import json


class Store:
    def get(self):
        def inner(): ...

        return json


class Cache(Store):
    def get(self): ...


def get(): ...
"""


def mapped(source: bytes = STORE) -> Snapshot:
    return build_snapshot({"app/store.py": source, "tests/test_store.py": b"def test_get(): ...\n"})


@pytest.mark.parametrize(
    ("chain", "found"),
    [
        ("get", ["Store.get", "Cache.get", "get"]),
        ("Store.get", ["Store.get"]),
        ("ore.get", []),
        ("get.inner", ["Store.get.inner"]),
        ("app.Store.get", []),
    ],
)
def test_a_chain_of_names_finds_what_ends_with_it(chain: str, found: list[str]) -> None:
    snapshot = mapped()
    assert [snapshot.qualified_name_of(node) for node in snapshot.find_by_suffix(chain)] == found


@pytest.mark.parametrize(
    ("line", "name"), [(1, ""), (4, "Store"), (5, "Store.get"), (6, "Store.get.inner"), (7, "Store.get"), (15, "get")]
)
def test_the_innermost_definition_around_a_line(line: int, name: str) -> None:
    file = mapped().by_path["app/store.py"]
    assert file.qualified_name(file.innermost_row(line)) == name


def test_of_definitions_on_the_same_lines_the_inner_one_counts() -> None:
    file = mapped(b"class A: x = 1\n").by_path["app/store.py"]
    assert file.qualified_name(file.innermost_row(1)) == "A.x"


def test_a_definition_is_found_in_another_version_of_its_file() -> None:
    before = mapped().by_path["app/store.py"]
    after = mapped(b"# moved\n" + STORE.replace(b"class Cache(Store):\n    def get(self): ...\n", b"")).by_path[
        "app/store.py"
    ]
    found = {
        before.qualified_name(row): None if (now := before.row_in(after, row)) is None else after.qualified_name(now)
        for row in range(before.symbol_count)
    }
    assert {name for name, now in found.items() if now is None} == {"Cache", "Cache.get"}
    assert all(now in (None, name) for name, now in found.items())


def test_the_role_of_a_node_is_that_of_its_file() -> None:
    snapshot = mapped()
    roles = {snapshot.id_of(node): role_of_node(snapshot, node) for node in range(snapshot.node_count)}
    assert roles["py:tests/test_store.py#test_get"] is roles["py:tests/test_store.py"] is Role.TEST
    assert roles["py:app/store.py#Store.get"] is roles["py:ext:json"] is Role.PRODUCT
    assert FILE_ROLES.of(snapshot).tolist() == [Role.PRODUCT, Role.TEST]


def test_tests_inside_a_module_have_a_role_of_their_own() -> None:
    snapshot = build_snapshot({"src/lib.rs": b"fn run() {}\n\nmod tests {\n    fn check() {}\n}\n"})
    named = {snapshot.qualified_name_of(node): role_of_node(snapshot, node) for node in range(snapshot.node_count)}
    assert (named["run"], named["tests.check"]) == (Role.PRODUCT, Role.TEST)


def test_what_marks_variables_is_known_of_all_names() -> None:
    assert mapped().node_names.marks == ("",)
    php = build_snapshot(
        {"a.php": b"<?php class A { public $name; }", "b.rb": b"class B\n  def b\n    @b = 1\n  end\nend\n"}
    )
    marks = php.node_names.marks
    names = list(php.node_names.names)
    assert marks == ("", *(mark for mark in ("$", "@", "@@") if any(name.startswith(mark) for name in names)))
    assert len(marks) > 1, names
