"""Builds step by step, of sources whose files share names: namespaces, copies of code, declarations, includes."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.examples import examples
from tests.graph.test_incremental import Edits

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
