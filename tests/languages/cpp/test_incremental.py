"""Builds step by step, of sources whose files share names: namespaces, copies of code, declarations, includes."""

# ruff: noqa: E501 - a source a line reads best
from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.examples import examples
from tests.graph.test_incremental import Edits, built_from_scratch, edge_lines, run

VARIANTS = {
    "lib/item.hpp": [
        "namespace lib { struct Item { void go() {} }; void put(Item& item); }\n",
        "namespace lib { class Item; void put(Item& item); void put(int n); }\n",
        '#include "deep.hpp"\nnamespace lib { void put(Item& item); }\n',
        "namespace other { struct Item { void go() {} }; }\n",
        "#ifdef OLD\nnamespace lib { struct Item { void go() {} }; inline void put(Item& item) {} }\n#endif\n",
    ],
    "lib/deep.hpp": [
        "namespace lib { struct Item { void go() {} void deep() {} }; }\n",
        "namespace lib { template <typename T> struct Box { T* operator->(); }; struct Item { void go(); }; }\n",
        "struct Item { void go() {} };\n",
    ],
    "lib/item.cpp": [
        '#include "item.hpp"\nnamespace lib { void put(Item& item) { item.go(); } void put(int n) {} }\n',
        '#include "item.hpp"\n#include "deep.hpp"\nnamespace lib { void Item::go() {} }\n',
        "namespace lib { void put(Item& item) { item.go(); } }\n",
    ],
    "all/lib_amalgamated.cpp": [
        "namespace lib { struct Item { void go() {} }; void put(Item& item) { item.go(); } void put(int n) {} }\n",
        "namespace lib { template <typename T> struct Box { T* operator->(); }; void put(int n) {} }\n",
        '#include "../lib/item.hpp"\nnamespace lib { void put(Item& item) {} }\n',
        "int nothing;\n",
    ],
    "lib/all.hpp": [
        '#include "item.hpp"\n',
        '#include "deep.hpp"\n',
        '#include "item.hpp"\n#include "deep.hpp"\n',
        "#include <vector>\n",
    ],
    "lib/more.cpp": [
        '#include "all.hpp"\nnamespace lib { void put(Item& item) { item.go(); } }\n',
        '#include "all.hpp"\nnamespace lib { void put(int n) {} }\n',
    ],
    "lib/names.hpp": [
        "namespace lib { inline namespace v1 { struct Item { void go() {} }; } namespace inner { struct Item { void deep() {} }; } }\n",
        '#include "all.hpp"\nnamespace far { using lib::Item; using lib::put; }\nnamespace wide { namespace lib = ::lib; }\n',
        '#include "all.hpp"\nnamespace far { inline namespace v1 { using lib::put; } }\nnamespace wide { namespace lib = far; }\n',
    ],
    "app/far.cpp": [
        '#include "../lib/names.hpp"\nvoid one(far::Item& item) { item.go(); far::put(item); far::put(1); }\n',
        '#include "../lib/names.hpp"\nusing namespace wide::lib;\nvoid two(Item& item) { item.deep(); put(item); }\n',
        '#include "../lib/names.hpp"\nvoid three(wide::lib::Item& item) { item.go(); lib::v1::Item().go(); }\n',
    ],
    "app/main.cpp": [
        '#include "../lib/all.hpp"\nvoid run(lib::Item& item) { item.go(); lib::put(item); lib::put(1); }\n',
        '#include "../lib/item.hpp"\nvoid run(lib::Item& item) { item.go(); lib::put(item); lib::put(1); }\n',
        '#include "../lib/item.hpp"\nnamespace lib { void run(Item& item, Box<Item> box) { put(item); box->go(); } }\n',
        '#include "../lib/deep.hpp"\nusing namespace lib;\nvoid run(Item& item, Box<Item> box) { box->go(); }\n',
        "namespace lib { void run(Item& item) { item.deep(); put(item); } }\n",
    ],
}


class CppEdits(Edits):
    """Edits of what other files see through the files that they include."""

    variants = VARIANTS


CppEdits.TestCase.settings = settings(
    max_examples=examples(30), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestCppEdits = CppEdits.TestCase


def test_an_included_file_that_leaves_a_namespace_is_no_part_of_it_any_more() -> None:
    sources = {
        "app/far.cpp": b'#include "../lib/deep.hpp"\nusing namespace lib;\n',
        "lib/deep.hpp": b"namespace lib { void put(int item); }\n",
        "lib/more.cpp": b"namespace lib { void put(int item) { } }\n",
    }
    before = built_from_scratch(sources)
    edited = {"lib/deep.hpp": b"int other;\n"}
    assert edge_lines(run(before, edited, set(), {})) == edge_lines(built_from_scratch({**sources, **edited}))
    joined = run(before, {"lib/more.cpp": b"int other;\n"}, set(), {})
    back = run(joined, {"lib/more.cpp": sources["lib/more.cpp"]}, set(), {})
    assert edge_lines(back) == edge_lines(before)
