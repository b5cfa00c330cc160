"""An overload overrides the one with its parameters, not each of its name."""

from __future__ import annotations

import numpy as np
import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.index.overload_matching import Spelling, read_parameters
from codemap.graph.index.overrides import keep_overrides, overrides

JAVA = {
    "Source.java": b"""abstract class Source<T> {
    abstract void read(byte[] data);
    abstract void read(java.io.File file);
    abstract void read(String text, int from);
    abstract void take(T one);
    abstract void take(T one, int count);
}
""",
    "Store.java": b"""class Store extends Source<Item> {
    void read(final byte[] bytes) {}
    void read(File file) {}
    void read(String text, int from) {}
    void take(Item one) {}
}
""",
}
CPP = {
    "source.hpp": b"""struct Source {
    virtual void read(const char* text);
    virtual void read(int number);
    virtual int size();
    virtual int size() const;
};
""",
    "store.hpp": b"""#include "source.hpp"
struct Store : Source {
    void read(const char* text) override {}
    int size() const override { return 0; }
};
""",
}


def pairs(files: dict[str, bytes], heir: str) -> set[tuple[str, str]]:
    """The methods of a class and what each overrides, found in both directions and among all that are kept."""
    found = []
    for is_kept in (False, True):
        snapshot = build_snapshot(files)
        nodes = np.arange(snapshot.first_external, dtype=np.int32)
        if is_kept:
            keep_overrides(snapshot)
        for downwards in (False, True):
            own, others = overrides(snapshot, nodes, downwards=downwards)
            below, above = (others, own) if downwards else (own, others)
            found.append(
                {
                    tuple(snapshot.id_of(one).partition("#")[2] for one in pair)
                    for pair in zip(below.tolist(), above.tolist(), strict=True)
                }
            )
    assert all(one == found[0] for one in found)
    return {(below, above) for below, above in found[0] if below.startswith(f"{heir}.")}


def test_overloads_override_those_of_the_same_types_or_else_the_same_count() -> None:
    assert pairs(JAVA, "Store") == {
        ("Store.read", "Source.read"),
        ("Store.read~2", "Source.read~2"),
        ("Store.read~3", "Source.read~3"),
        ("Store.take", "Source.take"),
    }


def test_methods_for_constant_objects_override_such() -> None:
    assert pairs(CPP, "Store") == {("Store.read", "Source.read"), ("Store.size", "Source.size~2")}


@pytest.mark.parametrize(
    ("signature", "name", "spelling"),
    [
        ("void run()", "run", ((), False)),
        ("int run(void) const", "run", ((), True)),
        ("<T> T run(final Map<String, List<T>> map, int... rest)", "run", (("Map", "int..."), False)),
        ("fun run(name: kotlin.String, at: Int = f(1, 2)): Unit", "run", (("String", "Int"), False)),
        ("void run(const std::string& a, char **b)", "run", (("string&", "char**"), False)),
        ("public int Run([FromBody] ref Item item)", "Run", (("Item",), False)),
        ("int count", "count", None),
        ("void run(", "run", None),
    ],
)
def test_types_are_read_without_names_and_qualifiers(signature: str, name: str, spelling: Spelling | None) -> None:
    assert read_parameters(signature, name) == spelling
