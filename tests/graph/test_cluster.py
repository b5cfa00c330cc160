"""Clusters: what belongs together, connected, named apart, and stable."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.build import build_snapshot
from codemap.graph.cluster import file_graph
from codemap.graph.snapshot import Snapshot
from codemap.graph.steps import ended


def package(name: str, files: int) -> dict[str, bytes]:
    """Files that all import each other's class through the first one."""
    sources = {f"{name}/core.py": b"class Core:\n    def run(self): ...\n", f"{name}/__init__.py": b""}
    for number in range(files):
        text = f"from {name}.core import Core\n\n\ndef use{number}():\n    return Core().run()\n"
        sources[f"{name}/part{number}.py"] = text.encode()
    return sources


def members(snapshot: Snapshot) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for file in snapshot.files:
        found[snapshot.cluster_of(file)].add(file.path)
    return dict(found)


TWO = {**package("alpha", 6), **package("beta", 4)}


def test_packages_without_edges_between_them_are_clusters() -> None:
    snapshot = build_snapshot(TWO)
    assert snapshot.cluster_labels == ("alpha", "beta")
    by_label = dict(zip(snapshot.cluster_labels, snapshot.cluster_ids, strict=True))
    assert {path.split("/")[0] for path in members(snapshot)[by_label["beta"]]} == {"beta"}
    assert "alpha/__init__.py" in members(snapshot)[by_label["alpha"]], "a file without edges joins its folder"


def test_an_edit_leaves_ids_alone_and_history_does_not_matter() -> None:
    before = build_snapshot(TWO)
    edited = build_snapshot({**TWO, "alpha/part1.py": TWO["alpha/part1.py"] + b"\n\ndef more(): ...\n"})
    assert before.cluster_ids == edited.cluster_ids
    assert build_snapshot(dict(reversed(TWO.items()))).cluster_ids == before.cluster_ids


def test_a_removed_member_seldom_renames_its_cluster() -> None:
    before = set(build_snapshot(TWO).cluster_ids)
    removable = [path for path in TWO if "part" in path]
    survivors = [
        len(before & set(build_snapshot({p: s for p, s in TWO.items() if p != path}).cluster_ids)) for path in removable
    ]
    assert min(survivors) >= 1
    assert sum(survivors) >= 2 * len(removable) - 2, "only the file with the least hash names its cluster"


def test_files_without_edges_form_groups_by_folder_and_not_singletons() -> None:
    files = {f"locale/l{number}/formats.py": b"DATE = 'd'\n" for number in range(8)}
    snapshot = build_snapshot({**package("alpha", 3), **files})
    assert sorted(snapshot.cluster_labels) == ["alpha", "locale"]


def test_labels_are_distinct_where_folders_collide() -> None:
    files = {}
    for group in ("x", "y"):
        files[f"lib/{group}_core.py"] = b"def core(): ...\n"
        for number in range(4):
            text = f"from lib.{group}_core import core\n\n\ndef f():\n    core()\n"
            files[f"lib/{group}{number}.py"] = text.encode()
    snapshot = build_snapshot(files)
    assert snapshot.cluster_labels == ("lib: lib/x_core.py", "lib: lib/y_core.py")


def test_an_empty_repository_has_no_clusters() -> None:
    assert build_snapshot({}).cluster_ids == ()


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_what_has_edges_is_connected_within_its_cluster(imports: list[tuple[int, int]]) -> None:
    lines: dict[int, str] = defaultdict(str)
    for importer, imported in imports:
        if importer != imported:
            lines[importer] += f"import pkg.m{imported}\n"
    snapshot = build_snapshot({f"pkg/m{number}.py": lines[number].encode() for number in range(12)})
    bases = np.array([file.base for file in snapshot.files], dtype=np.int32)
    graph = ended(file_graph(bases, snapshot.first_external, snapshot.edges))
    neighbors = [set(graph.indices[graph.starts[n] : graph.starts[n + 1]].tolist()) for n in range(len(bases))]
    for cluster in range(len(snapshot.cluster_ids)):
        inside = {n for n in range(len(bases)) if snapshot.clusters[n] == cluster and neighbors[n]}
        reached = set[int]()
        waiting = sorted(inside)[:1]
        while waiting:
            node = waiting.pop()
            reached.add(node)
            waiting.extend((neighbors[node] & inside) - reached)
        assert reached == inside
    assert len(set(snapshot.cluster_ids)) == len(set(snapshot.cluster_labels)) == len(snapshot.cluster_ids)
