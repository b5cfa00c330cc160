"""Importers: through re-exports, barrels and star imports, each file once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.importers import importers

PYTHON = {
    "pkg/__init__.py": "from .core import *\nfrom .one import Thing as Renamed, helper\n__all__ = ['Renamed']\n",
    "pkg/core.py": "class Core: ...\nclass _Hidden: ...\n",
    "pkg/one.py": "class Thing: ...\ndef helper(): ...\n",
    "pkg/sub/__init__.py": "from pkg import Core\n",
    "use1.py": "from pkg import Core, Renamed\n",
    "use2.py": "import pkg\n",
    "use3.py": "from pkg.core import Core, Core as Again\n",
    "use4.py": "from pkg import *\n",
    "use5.py": "from pkg.sub import Core\nimport pkg.one\n",
    "use6.py": "import json\n",
}
SCRIPTS = {
    "a.ts": "export class A {}\n",
    "b.ts": "export class B {}\n",
    "index.ts": "export * from './a';\nexport { B as BB } from './b';\n",
    "other.ts": "export { A } from './index';\n",
    "c.ts": "import { A, BB } from './index';\n",
    "d.ts": "import * as all from './index';\n",
    "e.ts": "import { A } from './other';\nimport './b';\nconst x = await import('./a');\n",
}


def told(files: dict[str, str], node_id: str, depth: int) -> list[str]:
    """`file line,line` of the importers, with what lies between, by depth."""
    snapshot = build_snapshot({path: text.encode() for path, text in files.items()})
    node = snapshot.find(node_id)
    assert node is not None
    lines = []
    for one in importers(snapshot, node, depth):
        places = ",".join(dict.fromkeys(str(line) for line, _ in one.sites))
        between = [f"through {path(snapshot, one.through)}"] if one.through >= 0 else []
        between += [f"depth {one.depth} via {path(snapshot, one.via)}"] if one.depth > 1 else []
        lines.append(" ".join((f"{path(snapshot, one.node)} {places}", *between)))
    return sorted(lines)


def path(snapshot: Snapshot, node: int) -> str:
    file = snapshot.file_of(node)
    assert file is not None
    return file.path


CORE = [
    "pkg/__init__.py 1",
    "pkg/sub/__init__.py 1 through pkg/__init__.py",
    "use1.py 1 through pkg/__init__.py",
    "use3.py 1",
    "use4.py 1 through pkg/__init__.py",
    "use5.py 1 through pkg/sub/__init__.py",
]


@pytest.mark.parametrize(
    ("files", "node_id", "depth", "expected"),
    [
        (PYTHON, "py:pkg/core.py", 1, CORE),
        (PYTHON, "py:pkg/core.py#Core", 1, CORE),
        (PYTHON, "py:pkg/core.py#_Hidden", 1, []),
        (PYTHON, "py:pkg/core.py", 5, sorted([*CORE, "use2.py 1 depth 2 via pkg/__init__.py"])),
        (PYTHON, "py:pkg/one.py#Thing", 1, ["pkg/__init__.py 2", "use1.py 1 through pkg/__init__.py"]),
        (PYTHON, "py:ext:json", 1, ["use6.py 1"]),
        (SCRIPTS, "ts:a.ts", 1, ["c.ts 1 through index.ts", "e.ts 1,3", "index.ts 1", "other.ts 1 through index.ts"]),
        (
            SCRIPTS,
            "ts:a.ts#A",
            2,
            [
                "c.ts 1 through index.ts",
                "d.ts 1 depth 2 via index.ts",
                "e.ts 1 through other.ts",
                "index.ts 1",
                "other.ts 1 through index.ts",
            ],
        ),
        (SCRIPTS, "ts:b.ts#B", 1, ["c.ts 1 through index.ts", "index.ts 2"]),
    ],
)
def test_importers_are_found_through_what_passes_it_on(
    files: dict[str, str], node_id: str, depth: int, expected: list[str]
) -> None:
    assert told(files, node_id, depth) == expected


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14), st.integers(1, 7))
def test_each_file_comes_once_at_its_least_depth(pairs: set[tuple[int, int]], depth: int) -> None:
    """Plain imports of whole modules: the importers of a file are those from which it is reached."""
    imported = {number: {other for by, other in pairs if by == number and other != number} for number in range(7)}
    texts = {f"m{one}.py": "".join(f"import m{other}\n" for other in sorted(some)) for one, some in imported.items()}
    snapshot = build_snapshot({name: text.encode() for name, text in texts.items()})
    start = snapshot.find("py:m0.py")
    assert start is not None
    expected = {0: 0}
    for level in range(1, depth + 1):
        new = {one for one, some in imported.items() if one not in expected and some & expected.keys()}
        expected |= dict.fromkeys(new, level)
    found = importers(snapshot, start, depth)
    assert sorted((path(snapshot, one.node), one.depth) for one in found) == sorted(
        (f"m{one}.py", level) for one, level in expected.items() if level
    )
    for one in found:
        via = int(path(snapshot, one.via)[1])
        assert expected[via] == one.depth - 1
        assert via in imported[int(path(snapshot, one.node)[1])]
