"""What an edit invalidates: the files and definitions that are bound again, as the build's event list says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.build.rebinding import Event
from codemap.graph.incremental.dependency_graph import LEVELS_MAX
from tests.costs import instructions
from tests.graph.test_incremental import run, tables

Bound = dict[str, frozenset[str] | None]
"""File -> the definitions that were bound again, None for all."""


def bound_again(sources: Mapping[str, str], changed: Mapping[str, str]) -> Bound:
    """What an edit bound again; the result is held against a build from scratch."""
    before = build_snapshot({path: source.encode() for path, source in sources.items()})
    events: list[Event] = []
    after = run(before, {path: source.encode() for path, source in changed.items()}, set(), {}, events)
    now = {path: source.encode() for path, source in {**sources, **changed}.items()}
    assert tables(after) == tables(build_snapshot(now))
    return {event.path: event.definitions for event in events}


BARREL = {
    "kit/__init__.py": "from .store import Store\nfrom .other import Other\n",
    "kit/store.py": "class Store:\n    def save(self): ...\n",
    "kit/other.py": "class Other:\n    def save(self): ...\n",
    "use.py": "from kit import Store, Other\n"
    "def one(): Store().save()\n"
    "def two(): Other().save()\n"
    "def three(x: Store): x.save()\n",
    "alias.py": "from kit import Store as S\ndef one(): S().save()\ndef two(): one()\n",
    "star.py": "from kit import *\ndef one(): Store().save()\ndef two(): Other().save()\n",
    "module.py": "import kit\ndef one(): kit.Store().save()\ndef two(): kit.Other().save()\n",
    "far.py": "def far(): print(1)\n",
}


def test_another_meaning_of_a_name_in_a_barrel_binds_what_uses_the_name() -> None:
    changed = {"kit/__init__.py": "from .other import Other as Store\nfrom .other import Other\n"}
    assert bound_again(BARREL, changed) == {
        "kit/__init__.py": None,
        "use.py": {"one", "three"},
        "alias.py": {"one"},
        "star.py": {"one"},
        "module.py": {"one"},
    }


def test_a_name_that_goes_from_a_barrel_binds_what_uses_it() -> None:
    changed = {"kit/__init__.py": "from .other import Other\n"}
    found = bound_again(BARREL, changed)
    assert {path: found[path] for path in ("use.py", "alias.py", "star.py", "module.py")} == {
        "use.py": {"one", "three"},
        "alias.py": {"one"},
        "star.py": {"one"},
        "module.py": {"one"},
    }


def test_another_text_of_a_discriminant_binds_what_it_narrows() -> None:
    sources = {
        "shapes.ts": "export interface Round { kind: 'round'; go(): void }\n"
        "export interface Flat { kind: 'flat'; go(): void }\n",
        "use.ts": "import { Flat, Round } from './shapes';\n"
        "export function one(x: Flat | Round) { if (x.kind === 'flat') x.go(); }\n"
        "export function two() { one(undefined); }\n",
    }
    changed = {"shapes.ts": sources["shapes.ts"].replace("'round'", "'flat'")}
    assert bound_again(sources, changed)["use.ts"] in (None, {"one"})


def test_what_a_class_inherits_by_a_barrel_is_bound_again() -> None:
    sources = {
        **BARREL,
        "heir.py": "from kit import Store\nclass Heir(Store):\n    def go(self): self.save()\n",
        "more.py": "from heir import Heir\ndef one(): Heir().save()\ndef two(): print(1)\n",
    }
    changed = {"kit/__init__.py": "from .other import Other as Store\nfrom .other import Other\n"}
    found = bound_again(sources, changed)
    assert found["heir.py"] is None
    assert found["more.py"] == {"one"} or found["more.py"] is None


@pytest.mark.parametrize("others", [1, 3, LEVELS_MAX, LEVELS_MAX + 40])
def test_a_definition_that_comes_back_by_other_files(others: int) -> None:
    """`hook` is `make`, which nothing says in the file that calls it."""
    sources = {
        "lib.py": "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n",
        "own.py": "import lib\nimport far1\ndef make(): return lib.A()\ndef use(): far1.hook().go()\n",
        **{f"far{n}.py": f"import far{n + 1}\nhook = far{n + 1}.hook\n" for n in range(1, others)},
        f"far{others}.py": "import own\nhook = own.make\n",
    }
    changed = {"own.py": sources["own.py"].replace("lib.A()", "lib.B()")}
    assert bound_again(sources, changed)["own.py"] is None


def test_an_edit_in_a_long_ring_of_imports_costs_no_search_step_a_file() -> None:
    def cost_of_edit(files: int) -> float:
        sources = {f"m{n}.py": f"from m{n + 1} import f as g\ndef f(): g()\n".encode() for n in range(files)}
        before = build_snapshot(sources | {f"m{files}.py": b"from m0 import f\n"})
        return instructions(lambda: run(before, {"m0.py": sources["m0.py"] + b"def h(): ...\n"}, set(), {}, []))

    long, longer = (cost_of_edit(LEVELS_MAX * times) for times in (2, 6))
    assert longer < 1.5 * long


def test_a_definition_that_comes_back_by_another_file_means_what_a_barrel_says() -> None:
    sources = {
        "kit.py": "from lib import A\n",
        "lib.py": "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n",
        "own.py": "import kit\nimport far\ndef make(): return kit.A()\ndef use(): far.hook().go()\n",
        "far.py": "import own\nhook = own.make\n",
    }
    assert bound_again(sources, {"kit.py": "from lib import B as A\n"})["own.py"] is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    def visit_a(self): ...\n", "    def visit_a(self): ...\n    def visit_b(self): ...\n"),
        ("    def visit_a(self): ...\n", "    def visit_c(self): ...\n"),
    ],
)
def test_members_that_are_found_by_how_their_names_begin(old: str, new: str) -> None:
    text = "class V:\n    def visit_a(self): ...\n    def go(self, n): return getattr(self, 'visit_' + n)()\n"
    assert "v.py" in bound_again({"v.py": text}, {"v.py": text.replace(old, new)})


FIELDS = {
    "lib.py": "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n",
    "kit.py": "from lib import A\n",
    "pair.py": "from typing import NamedTuple\nfrom kit import A\n"
    "class Pair(NamedTuple):\n    left: A\n    right: int\n"
    "def own(p: Pair): p[0].go()\ndef two(p: Pair):\n    a, b = p\n    a.go()\n",
    "heir.py": "from pair import Pair\nclass Heir(Pair): ...\ndef own(p: Heir): p[0].go()\n",
    "use.py": "from heir import Heir\ndef far(p: Heir):\n    a, b = p\n    a.go()\n",
}


@pytest.mark.parametrize(
    "changed",
    [
        {"pair.py": FIELDS["pair.py"].replace("from kit import A", "from lib import B as A")},
        {"pair.py": FIELDS["pair.py"].replace("    right: int\n", "").replace("left: A", "right: int\n    left: A")},
        {"kit.py": "from lib import B as A\n"},
    ],
)
def test_fields_that_are_read_by_their_place(changed: Mapping[str, str]) -> None:
    assert bound_again(FIELDS, changed).keys() >= {"pair.py", "heir.py", "use.py"} - changed.keys()


@pytest.mark.parametrize("at", ["get.py", "kit.py"])
def test_what_reading_a_descriptor_gives(at: str) -> None:
    sources = {
        "lib.py": "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n",
        "kit.py": "from lib import A\n",
        "get.py": "import kit\nfrom lib import B\nclass D:\n    def __get__(self, i, o): return kit.A()\n",
        "own.py": "from get import D\nclass C:\n    d = D()\n    def go(self): self.d.go()\n",
        "use.py": "from own import C\ndef far(c: C): c.d.go()\n",
    }
    changed = {"get.py": sources["get.py"].replace("kit.A()", "B()"), "kit.py": "from lib import B as A\n"}
    assert bound_again(sources, {at: changed[at]}).keys() >= {"own.py", "use.py"}


def test_what_a_type_parameter_stands_for() -> None:
    sources = {
        "lib.py": "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n",
        "kit.py": "from lib import A\n",
        "box.py": "from kit import A\nclass Box[T: A]:\n    item: T\n    def own(self): self.item.go()\n",
        "use.py": "from box import Box\ndef far(b: Box): b.item.go()\n",
    }
    assert bound_again(sources, {"kit.py": "from lib import B as A\n"}).keys() >= {"box.py", "use.py"}


def test_guesses_by_name() -> None:
    sources = {
        "lib.py": "class A:\n    def only(self): ...\n",
        "use.py": "import lib\ndef one(x): x.only()\ndef two(): one(1)\n",
        "far.py": "def far(): far()\n",
    }
    changed = {"far.py": "def far(): far()\nclass B:\n    def only(self): ...\n"}
    assert bound_again(sources, changed) == {"far.py": {"B", "B.only"}, "use.py": {"one"}}


def test_members_of_unknown_receivers_that_no_definition_answers_to_any_more() -> None:
    sources = {
        "lib.py": "class A:\n    def only(self): ...\n",
        "use.py": "def one(): (1, 2).only()\ndef two(): one()\n",
    }
    assert bound_again(sources, {"lib.py": "class A: ...\n"})["use.py"] == {"one"}


def test_guesses_by_the_name_of_what_a_file_imports_no_more() -> None:
    sources = {
        "lib.py": "class A:\n    def only(self): ...\n",
        "kit.py": "import lib\n",
        "use.py": "import kit\ndef one(x): x.only()\n",
        "more.py": "import kit\ndef one(x): x.other()\n",
    }
    assert bound_again(sources, {"kit.py": "print(1)\n"}) == {"kit.py": None, "use.py": None}


def test_guesses_by_the_name_of_what_a_script_has() -> None:
    sources = {
        "lib.js": "class A { only() {} }\n",
        "use.js": "function one(x) { x.only(); }\nfunction two(x) { print(x); }\n",
    }
    assert bound_again(sources, {"lib.js": "export class A { only() {} }\n"})["use.js"] == {"one"}


def test_a_file_that_was_bound_whole_for_its_guesses_answers_as_before() -> None:
    """What it asks to answer others stays recorded, though its own uses do not ask it."""
    sources = {
        "lib.py": "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n",
        "kit.py": "import lib\ndef make(): return lib.A()\n",
        "mid.py": "import kit\ndef give(): return kit.make()\n",
        "use.py": "import mid\ndef far(): mid.give().go()\n",
    }
    first = {path: source.encode() for path, source in sources.items()}
    snapshot = build_snapshot(first)
    edits = [
        {"mid.py": "import kit\nimport lib\ndef give(): return kit.make()\ndef more(x): x.go()\n"},
        {"kit.py": "import lib\ndef make(): return lib.B()\n"},
    ]
    for edit in edits:
        changed = {path: source.encode() for path, source in edit.items()}
        first |= changed
        snapshot = run(snapshot, changed, set(), {})
        assert tables(snapshot) == tables(build_snapshot(first))


def test_questions_of_a_language_whose_last_file_went() -> None:
    sources = {"lib.js": "exports.go = function () {};\n", "use.ts": "import { go } from './lib';\ngo();\n"}
    before = build_snapshot({path: source.encode() for path, source in sources.items()})
    after = run(before, {"lib.js": b"exports.stop = function () {};\n"}, {"use.ts"}, {})
    assert tables(after) == tables(build_snapshot({"lib.js": b"exports.stop = function () {};\n"}))


def test_an_import_of_an_edited_file_whose_module_came_in_the_same_edit() -> None:
    sources = {"pkg/__init__.py": "", "pkg/store.py": "from .base import Base\nclass Store(Base): ...\n"}
    changed = {
        "pkg/base.py": "class Base: ...\n",
        "pkg/store.py": sources["pkg/store.py"] + "def make(): return Store()\n",
    }
    assert bound_again(sources, changed) == {"pkg/base.py": None, "pkg/store.py": None}


def test_guesses_are_known_where_no_question_crosses_a_file() -> None:
    sources = {
        "lib.py": b"class A:\n    def only(self): ...\n",
        "use.py": b"def one(x): x.only()\n",
        "far.py": b"print(1)\n",
    }
    snapshot = run(build_snapshot(sources), {"far.py": b"print(2)\n"}, set(), {})
    after = run(snapshot, {"lib.py": b"class A: ...\n"}, set(), {})
    assert tables(after) == tables(build_snapshot({**sources, "far.py": b"print(2)\n", "lib.py": b"class A: ...\n"}))


FILE_CLASS = {
    "app/Tools.kt": "package app\nfun work() {}\n",
    "app/More.kt": '@file:JvmName("Tools")\npackage app\nfun rest() {}\n',
    "app/Near.java": "package app; class Near { void use() { ToolsKt.work(); Tools.work(); Tools.rest(); } }",
    "far/Far.java": "package far; import app.Tools; class Far { void use() { Tools.work(); Tools.rest(); } }",
    "far/Alone.java": "package far; class Alone { void use() { use(); } }",
}


@pytest.mark.parametrize(
    "changed",
    [
        {"app/Tools.kt": '@file:JvmName("Tools")\npackage app\nfun work() {}\n'},
        {"app/More.kt": "package app\nfun rest() {}\n"},
        {"app/More.kt": '@file:JvmName("Tools")\npackage app\nfun rest() {}\nfun work() {}\n'},
        {"app/More.kt": "package app\n"},
    ],
)
def test_what_classes_files_make_binds_what_uses_them(changed: Mapping[str, str]) -> None:
    bound = bound_again(FILE_CLASS, changed)
    assert bound.keys() >= {"app/Near.java", "far/Far.java"}
    assert "far/Alone.java" not in bound
