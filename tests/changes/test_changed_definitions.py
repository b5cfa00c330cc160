"""What changed between two versions, definition by definition."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import pytest

from codemap.changes.changed_definitions import Compared, Pair, Place, compare
from codemap.changes.version import Version
from codemap.extract.fingerprints import version_of

Sources = Mapping[str, str | None]


def compared(before: Sources, after: Sources) -> tuple[Compared, dict[str, Pair]]:
    def version(path: str, text: str | None) -> Version | None:
        return None if text is None else version_of(path, dedent(text).encode())

    paths = sorted({*before, *after})
    pairs = {path: Pair(path, version(path, before.get(path)), version(path, after.get(path))) for path in paths}
    return compare(list(pairs.values())), pairs


def changes(before: Sources | str, after: Sources | str) -> list[str]:
    """`what before -> after`, a side left out where there is none; the file only where it is not `m.py`."""
    before = {"m.py": before} if isinstance(before, str) else before
    after = {"m.py": after} if isinstance(after, str) else after
    found, pairs = compared(before, after)

    def shown(place: Place | None, *, is_before: bool) -> str:
        if place is None:
            return ""
        version = pairs[place.file].before if is_before else pairs[place.file].after
        assert version is not None
        name = version.qualified_names[place.row] or "file"
        return name if place.file == "m.py" else f"{place.file}#{name}"

    return [
        f"{one.what} {shown(one.before, is_before=True)} -> {shown(one.after, is_before=False)}"
        for one in found.changes
    ]


def test_nothing_changes_where_nothing_does() -> None:
    source = "import os\nX = 1\ndef f(): return X\n"
    found, _ = compared({"m.py": source}, {"m.py": source})
    assert (found.changes, found.unchanged) == ((), ("m.py",))


def test_bodies_and_signatures() -> None:
    before = "def f(a): return a\ndef g(a): return a\ndef h(a) -> int: return a\n"
    after = "def f(a): return a + 1\ndef g(a, b): return a\ndef h(a) -> str: return a\n"
    assert changes(before, after) == ["body f -> f", "signature g -> g", "signature h -> h"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", "export const f = (a: number) => a;\n", "export const f = (a: number) => a + 1;\n"),
        ("A.kt", "fun f(a: Int) = a\n", "fun f(a: Int) = a + 1\n"),
    ],
)
def test_a_body_may_be_a_single_word(path: str, before: str, after: str) -> None:
    assert changes({path: before}, {path: after}) == [f"body {path}#f -> {path}#f"]


def test_a_method_that_is_an_attribute_now_has_another_head() -> None:
    before = "class C:\n    def f(self): return 1\n"
    after = "class C:\n    def __init__(self): self.f = 1\n"
    assert "signature C.f -> C.f" in changes(before, after)


def test_a_decorator_is_no_part_of_the_signature() -> None:
    assert changes("@one\ndef f(): ...\n", "@two\ndef f(): ...\n") == ["body f -> f"]


def test_what_is_inside_a_definition_changes_by_itself() -> None:
    before = """
        class C(B):
            limit = 1
            def m(self):
                def inner(): return 1
                return inner()
            def n(self): return 2
        """
    after = """
        class C(B):
            limit = 2
            def m(self):
                def inner(): return 3
                return inner()
            def o(self): return 2
        """
    assert changes(before, after) == [
        "body C.limit -> C.limit",
        "body C.m.inner -> C.m.inner",
        "added  -> C.o",
        "removed C.n -> ",
    ]


def test_a_base_is_of_the_class_itself() -> None:
    assert changes("class C(A):\n    def m(self): ...\n", "class C(B):\n    def m(self): ...\n") == ["signature C -> C"]


def test_all_of_what_came_or_went_is_one_change() -> None:
    assert changes("", "class C:\n    x = 1\n    def m(self): ...\n") == ["added  -> C"]
    assert changes("class C:\n    x = 1\n    def m(self): ...\n", "") == ["removed C -> "]


LOAD = "def {}(path, mode):\n    with open(path, mode) as file:\n        return file.read()\n"


def test_equal_code_under_another_name_was_renamed() -> None:
    assert changes(LOAD.format("load"), LOAD.format("read")) == ["renamed load -> read"]


def test_equal_code_elsewhere_was_moved() -> None:
    before = {"m.py": LOAD.format("load"), "n.py": "x = 1\n"}
    after = {"m.py": "", "n.py": "x = 1\n" + LOAD.format("load")}
    assert changes(before, after) == ["moved load -> n.py#load"]


def test_a_file_that_was_moved() -> None:
    found = changes({"m.py": LOAD.format("load")}, {"n.py": LOAD.format("load")})
    assert found == ["removed file -> ", "added  -> n.py#file", "moved load -> n.py#load"]


def test_what_moved_with_its_class_moved_with_its_class() -> None:
    source = "class C:\n    limit = 10\n    def get(self, key):\n        return self.items[key][self.limit]\n"
    assert changes({"m.py": source, "n.py": ""}, {"m.py": "", "n.py": source}) == ["moved C -> n.py#C"]


def test_two_of_equal_code_are_not_distinguished() -> None:
    before = LOAD.format("one") + LOAD.format("two")
    after = LOAD.format("three") + LOAD.format("four")
    assert changes(before, after) == ["added  -> three", "removed one -> ", "added  -> four", "removed two -> "]


def test_short_code_is_alike_by_chance() -> None:
    assert changes("def f(): pass\n", "def g(): pass\n") == ["added  -> g", "removed f -> "]


def test_of_several_of_one_name_equal_ones_are_the_same() -> None:
    before = "def f(): return 1\ndef f(): return 2\n"
    after = "def f(): return 3\ndef f(): return 1\ndef f(): return 2\n"
    assert changes(before, after) == ["added  -> f"]


def test_code_outside_of_definitions_is_that_of_the_file() -> None:
    assert changes("import os\nrun(1)\n", "import os\nrun(2)\n") == ["body file -> file"]


def test_a_prototype_that_is_left_is_not_its_definition() -> None:
    code = "void {}(int a)\n{{\n    if (a > 1)\n        run(a, a + 1, a + 2);\n}}\n"
    prototype = "static void f(int a);\n"
    before, after = {"m.c": prototype + code.format("f")}, {"m.c": prototype + code.format("g")}
    assert "renamed m.c#f -> m.c#g" in changes(before, after)
    assert not [one for one in changes(before, after) if one.startswith(("signature", "added"))]


def test_imports_are_a_change_of_their_own() -> None:
    assert changes("import os\nrun(1)\n", "import os, sys\nrun(1)\n") == ["imports file -> file"]
    assert changes("import os\nimport sys\n", "import os, sys\n") == []


def test_what_a_file_passes_on_is_a_change_of_its_exports() -> None:
    before = {"m.ts": "export { a } from './a'\nconst b = 1\nexport { b }\n"}
    after = {"m.ts": "export { a as c } from './a'\nconst b = 1\nexport { b }\n"}
    assert "exports m.ts#file -> m.ts#file" in changes(before, after)


def test_what_a_file_defines_and_exports_is_no_change_of_its_exports() -> None:
    before = {"m.ts": "export function a() { return 1 }\n"}
    after = {"m.ts": "export function b() { return [2, 3] }\nexport const c = 1\n"}
    assert not [one for one in changes(before, after) if one.startswith("exports")]


def test_a_definition_that_is_not_exported_any_more() -> None:
    before, after = {"m.ts": "export function a() { return 1 }\n"}, {"m.ts": "function a() { return 1 }\n"}
    assert "exports m.ts#file -> m.ts#file" in changes(before, after)


def test_a_new_file_and_one_that_went() -> None:
    assert changes({"n.py": None}, {"n.py": "def f(): ...\n"}) == ["added  -> n.py#file", "added  -> n.py#f"]
    assert changes({"n.py": "x = 1\n"}, {"n.py": None}) == ["removed n.py#file -> ", "removed n.py#x -> "]
