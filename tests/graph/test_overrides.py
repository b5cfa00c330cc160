"""Overrides are the same whether those of all methods are kept or they are looked for, after any edit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.graph.index.overrides import keep_overrides, overrides
from codemap.graph.model.snapshot import Snapshot
from tests.graph.test_incremental import run

PATHS = ("a.py", "b.py")
CLASSES = ("A", "B", "C", "D")
BASES = ("A", "B", "C", "a.A", "b.B", "Outside")

classes = st.tuples(
    st.sampled_from(CLASSES),
    st.lists(st.sampled_from(BASES), max_size=2, unique=True),
    st.lists(st.sampled_from(("run", "stop")), min_size=1, max_size=2, unique=True),
)
sources = st.lists(classes, max_size=4, unique_by=lambda one: one[0]).map(
    lambda made: (
        "import a, b\n"
        + "".join(
            f"class {name}({', '.join(bases)}):\n" + "".join(f"    def {method}(self): ...\n" for method in methods)
            for name, bases, methods in made
        )
    )
)


def built(previous: Snapshot | None, texts: Mapping[str, str]) -> Snapshot:
    return run(previous, {path: text.encode() for path, text in texts.items()}, set(), {})


def pairs(snapshot: Snapshot, nodes: list[int], *, downwards: bool) -> list[tuple[int, int]]:
    own, others = overrides(snapshot, np.array(nodes, dtype=np.int32), downwards=downwards)
    return list(zip(own.tolist(), others.tolist(), strict=True))


@settings(max_examples=25)
@given(st.fixed_dictionaries(dict.fromkeys(PATHS, sources)), st.lists(st.dictionaries(st.sampled_from(PATHS), sources)))
def test_kept_overrides_are_those_that_would_be_found(start: dict[str, str], edits: list[dict[str, str]]) -> None:
    snapshot = built(None, start)
    now = dict(start)
    for edit in ({}, *edits):
        now |= edit
        if edit:
            snapshot = built(snapshot, now)
        keep_overrides(snapshot)
        fresh = built(None, now)
        every = list(range(fresh.first_external))
        for downwards in (False, True):
            found = [pair for node in every for pair in pairs(fresh, [node], downwards=downwards)]
            assert pairs(snapshot, every, downwards=downwards) == found
            assert pairs(fresh, every, downwards=downwards) == found
