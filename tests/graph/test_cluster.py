"""Clusters: folders that people would name, each role apart, named apart, and stable."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot


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


def test_folders_are_clusters() -> None:
    snapshot = build_snapshot(TWO)
    assert snapshot.cluster_labels == ("alpha", "beta")
    by_label = dict(zip(snapshot.cluster_labels, snapshot.cluster_ids, strict=True))
    assert {path.split("/")[0] for path in members(snapshot)[by_label["beta"]]} == {"beta"}
    assert "alpha/__init__.py" in members(snapshot)[by_label["alpha"]], "an empty file is in its folder's"


def test_tests_and_the_like_are_clusters_of_their_own_behind_the_product() -> None:
    tests = {f"tests/test_{number}.py": b"def test(): ...\n" * 50 for number in range(3)}
    snapshot = build_snapshot({**TWO, **tests, "examples/use.py": b"def use(): ...\n", "vendor/x/x.py": b"X = 1\n"})
    assert snapshot.cluster_labels == ("alpha", "beta", "tests", "examples", "vendored")


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


def test_an_empty_repository_has_no_clusters() -> None:
    assert build_snapshot({}).cluster_ids == ()


FOLDERS = st.sampled_from(["", "a/", "b/", "a/c/", "a/c/d/", "tests/", "a/tests/", "vendor/x/"])


@given(st.dictionaries(st.tuples(FOLDERS, st.integers(0, 9)), st.integers(0, 20), max_size=40))
def test_every_file_has_a_cluster_and_ids_and_labels_are_distinct(files: dict[tuple[str, int], int]) -> None:
    sources = {f"{folder}m{name}.py": b"def f(): ...\n" * count for (folder, name), count in files.items()}
    snapshot = build_snapshot(sources)
    assert len(set(snapshot.cluster_ids)) == len(set(snapshot.cluster_labels)) == len(snapshot.cluster_ids)
    assert set(snapshot.clusters.tolist()) == set(range(len(snapshot.cluster_ids)))
