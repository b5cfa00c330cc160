"""Areas: where a tree of folders is cut."""

from __future__ import annotations

import numpy as np

from codemap.graph.areas.communities import Area
from codemap.graph.areas.file_graph import FileGraph
from codemap.graph.areas.folder_partition import AREAS_MAX, areas_of, needs_graph


def parted(weights: dict[str, float], graph: FileGraph | None = None) -> dict[str, list[str]]:
    """Label -> the files of each area, of files with weights."""
    paths = sorted(weights)
    areas = areas_of(paths, [weights[path] for path in paths], range(len(paths)), graph)
    return {area.label: [paths[number] for number in area.files] for area in areas}


def files(folder: str, count: int, weight: float = 10) -> dict[str, float]:
    return {f"{folder}/f{number}.x": weight for number in range(count)}


def test_folders_are_areas_the_heaviest_first() -> None:
    assert list(parted({**files("a", 2), **files("b", 3), **files("c", 4)})) == ["c", "b", "a"]


def test_a_chain_of_folders_is_named_by_the_one_that_holds_something() -> None:
    found = parted({**files("src/main/java/org/x/net", 3), **files("src/main/java/org/x/io", 2)})
    assert list(found) == ["src/main/java/org/x/net", "src/main/java/org/x/io"]


def test_what_is_left_beside_the_pieces_stays_with_their_folder() -> None:
    found = parted({**files("src", 2), **files("src/net", 4), **files("src/io", 3)})
    assert found["src"] == ["src/f0.x", "src/f1.x"]
    assert list(found) == ["src/net", "src/io", "src"]


def test_what_is_too_small_joins_the_piece_around_it() -> None:
    large = {**files("src/net", 40), **files("src/io", 40)}
    found = parted({**large, "src/io/odd/x.x": 1, "src/init.x": 1, "setup.x": 1})
    assert "src/io/odd/x.x" in found["src/io"]
    assert found["."] == ["setup.x", "src/init.x"]


def test_what_is_left_of_several_folders_is_named_by_them() -> None:
    large = {**files("core/net", 40), **files("core/io", 40)}
    assert list(parted({**large, "tools/a.x": 1, "tools/b.x": 1, "web/c.x": 1, "setup.x": 1}))[-1] == "tools, web"
    assert list(parted({**large, "tools/a.x": 1, "web/c.x": 1, "ci/d.x": 1}))[-1] == "ci, tools, …"
    modules = {f"acme-{name}/a.x": 1.0 for name in ("json", "jdbi", "http")}
    assert list(parted({**large, **modules}))[-1] == "acme-*"


def test_one_file_is_no_area_of_its_own() -> None:
    assert list(parted({**files("src", 6), "src/big/big.x": 60})) == ["src"]


def test_a_small_tree_is_not_cut_for_ever() -> None:
    deep = {path: weight for number in range(12) for path, weight in files(f"a/p{number}/q/r", 3).items()}
    found = parted(
        {**deep, **{path: weight for number in range(12) for path, weight in files(f"b/p{number}", 3).items()}}
    )
    assert len(found) <= AREAS_MAX
    assert sum(map(len, found.values())) == 72


def flat(count: int) -> tuple[dict[str, float], FileGraph]:
    """A folder of files in two groups, each around its first file."""
    weights = files("lib", count)
    paths = sorted(weights)
    edges = sorted(
        {(place, place % 2) for place in range(2, count)} | {(place % 2, place) for place in range(2, count)}
    )
    starts = np.searchsorted([left for left, _ in edges], np.arange(count + 1)).astype(np.int64)
    indices = np.array([right for _, right in edges], dtype=np.int32)
    assert len(paths) == count
    return weights, FileGraph(starts, indices, np.ones(len(edges)))


def test_a_flat_folder_of_many_files_is_cut_into_communities_named_by_their_central_files() -> None:
    weights, graph = flat(60)
    assert sorted(parted(weights, graph)) == ["lib: around f0.x", "lib: around f1.x"]
    paths = sorted(weights)
    assert needs_graph(paths, [1.0] * 60, range(60))


def test_a_flat_folder_of_few_files_stays_whole() -> None:
    weights, graph = flat(20)
    assert list(parted(weights, graph)) == ["lib"]
    assert not needs_graph(sorted(weights), [1.0] * 20, range(20))


def test_only_the_chosen_files_are_parted() -> None:
    paths = ["a/x.x", "a/y.x", "b/x.x", "b/y.x"]
    assert areas_of(paths, [1.0] * 4, [0, 1]) == [Area("a", "a", (0, 1))]
    assert areas_of(paths, [1.0] * 4, []) == []
