"""Overrides are the same whether those of all methods are kept or they are looked for, after any edit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codemap.graph.index.overrides import keep_overrides, overrides
from codemap.graph.model.snapshot import Snapshot
from tests.graph.test_incremental import run

PATHS = ("a.py", "b.py")
METHODS = {"A": ("run",), "B": ("run", "stop"), "C": ("stop",), "D": ("run", "stop"), "F": ()}
BASES = ("A", "B", "C", "a.A", "b.B", "Outside")

bases = st.lists(st.sampled_from(BASES), max_size=2, unique=True)
sources = st.fixed_dictionaries(dict.fromkeys(METHODS, bases), optional={"E": bases}).map(
    lambda made: (
        "import a, b\nfrom abc import abstractmethod\n"
        + "".join(
            f"class {name}({', '.join(of)}):\n    x = 1\n"
            + ("    @abstractmethod\n" if name == "A" else "")
            + "".join(f"    def {one}(self): ...\n" for one in METHODS.get(name, ("run",)))
            for name, of in made.items()
        )
    )
)


def built(previous: Snapshot | None, texts: Mapping[str, str]) -> Snapshot:
    return run(previous, {path: text.encode() for path, text in texts.items()}, set(), {})


def pairs(snapshot: Snapshot, nodes: list[int], *, downwards: bool) -> list[tuple[int, int]]:
    own, others = overrides(snapshot, np.array(nodes, dtype=np.int32), downwards=downwards)
    return list(zip(own.tolist(), others.tolist(), strict=True))


ALONE = dict.fromkeys(PATHS, "class A:\n    def run(self): ...\nclass B:\n    def run(self): ...\n")
INHERITED = {"b.py": ALONE["b.py"].replace("B:", "B(A):")}
ABSTRACT = dict.fromkeys(PATHS, ALONE["a.py"].replace("    def", "    @abstractmethod\n    def", 1) + "class F: ...\n")
JOINED = {"b.py": ABSTRACT["b.py"].replace("F:", "F(B, A):")}


@example(ABSTRACT, [JOINED, {"a.py": ALONE["a.py"]}, {"b.py": ABSTRACT["b.py"]}])
@example(ALONE, [INHERITED, {"a.py": ALONE["a.py"].replace("...", "return 1")}])
@settings(max_examples=10)
@given(
    st.fixed_dictionaries(dict.fromkeys(PATHS, sources)),
    st.lists(st.dictionaries(st.sampled_from(PATHS), sources), max_size=2),
)
def test_kept_overrides_are_those_that_would_be_found(start: dict[str, str], edits: list[dict[str, str]]) -> None:
    snapshot = built(None, start)
    now = dict(start)
    for edit in (start, *edits):
        now |= edit
        snapshot = built(snapshot, now)
        keep_overrides(snapshot)
        fresh = built(None, now)
        every = list(range(fresh.first_external))
        for downwards in (False, True):
            found = [pair for node in every for pair in pairs(fresh, [node], downwards=downwards)]
            assert pairs(snapshot, every, downwards=downwards) == found
            assert pairs(fresh, every, downwards=downwards) == found
