"""Divides the product's files into areas: the parts that people who know a repository would name.

They are folders: the tree of folders is cut where it parts into pieces of weight, the heaviest first, until there are
as many as one can keep in mind. What is left beside the pieces stays with the folder. A folder with many files and no
folders to part it by is cut into communities of its file graph instead (Leiden), each named by its central file.

The weight of a file is the number of its definitions, which tables of data do not swell.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from codemap.graph.areas.communities import ROOT, Area, find_communities
from codemap.graph.areas.file_graph import FileGraph

AREAS_MAX = 16
"""Pieces of one cut: a screenful, and more than a reader keeps in mind."""
FILES_MIN = 2
"""A folder with fewer files is no piece of its own."""
AREAS_FEW = 6
"""Fewer than so many are always cut further, where they can be."""
SMALL = 0.015
"""Share of all below which a folder is no piece of its own."""
LARGE = 0.1
"""Share of all from which a piece is cut further though there are more than a few."""
NAMED_MAX = 2
"""Folders in the label of files that are left of several ones."""
_BEGIN = re.compile(r"[^-_.]+[-_.]")
FLAT_FILES = 40
FLAT_SHARE = 0.3
"""A piece of at least so many files and such a share, and with no folders to part it by, is cut into communities."""


class _Tree(msgspec.Struct, frozen=True):
    """The folders over some files; the root is empty."""

    files: Mapping[str, list[int]]
    """Directly in each."""
    folders: Mapping[str, list[str]]
    own: Mapping[str, float]
    """Weight of the files directly in each."""
    whole: Mapping[str, float]
    """Weight of everything under each."""


def areas_of(
    paths: Sequence[str], weights: Sequence[float], chosen: Sequence[int], graph: FileGraph | None = None
) -> list[Area]:
    """The areas of some files (numbers of `paths`), the heaviest first; every one of them is in one area.

    Flat folders stay whole where there is no graph. Cost: the folders of the files.
    """
    tree = _make_tree(paths, weights, chosen)
    pieces = _fold_small(tree, _cut(tree))
    total = tree.whole.get("", 0.0)
    found: list[Area] = []
    for piece, members in pieces.items():
        around = folder_around([paths[number] for number in members])
        folder = piece if around in pieces else around
        weight = sum(weights[number] for number in members)
        if graph is not None and len(members) >= FLAT_FILES and weight >= FLAT_SHARE * total:
            found += find_communities(paths, folder, members, graph)
        else:
            label = folder or _name_folders([paths[number] for number in members])
            found.append(Area(folder, label, tuple(members)))
    return sorted(found, key=lambda area: (-sum(weights[number] for number in area.files), area.label))


def _name_folders(paths: Sequence[str]) -> str:
    """A label for files of several folders of the root: how the names of these begin, or those with most files."""
    counts = Counter(path.partition("/")[0] for path in paths if "/" in path)
    if len(counts) < NAMED_MAX or 2 * counts.total() < len(paths):
        return ROOT
    begins = {begin[0] if (begin := _BEGIN.match(name)) else "" for name in counts}
    if len(counts) > NAMED_MAX and len(begins) == 1 and "" not in begins:
        return f"{begins.pop()}*"
    named = [name for name, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]
    return ", ".join([*named[:NAMED_MAX], *(["…"] if len(named) > NAMED_MAX else [])])


def folder_around(paths: Sequence[str]) -> str:
    """The deepest folder that contains all of some files; empty for the root."""
    first, last = min(paths).split("/")[:-1], max(paths).split("/")[:-1]
    common = 0
    while common < min(len(first), len(last)) and first[common] == last[common]:
        common += 1
    return "/".join(first[:common])


def needs_graph(paths: Sequence[str], weights: Sequence[float], chosen: Sequence[int]) -> bool:
    """Whether an area of some files is so flat and large that their graph parts it."""
    tree = _make_tree(paths, weights, chosen)
    total = tree.whole.get("", 0.0)
    pieces = _fold_small(tree, _cut(tree)).values()
    return any(
        len(members) >= FLAT_FILES and sum(weights[number] for number in members) >= FLAT_SHARE * total
        for members in pieces
    )


def _make_tree(paths: Sequence[str], weights: Sequence[float], chosen: Sequence[int]) -> _Tree:
    files: dict[str, list[int]] = defaultdict(list)
    own: dict[str, float] = defaultdict(float)
    for number in chosen:
        folder = paths[number].rpartition("/")[0]
        files[folder].append(number)
        own[folder] += weights[number]
    folders: dict[str, set[str]] = defaultdict(set)
    whole: dict[str, float] = defaultdict(float)
    for folder, weight in own.items():
        at = folder
        whole[at] += weight
        while at:
            above = at.rpartition("/")[0]
            folders[above].add(at)
            whole[above] += weight
            at = above
    return _Tree(files, {folder: sorted(inner) for folder, inner in folders.items()}, own, whole)


def _cut(tree: _Tree) -> dict[str, str]:
    """Folders that are pieces -> the piece that each is cut out of; empty for the root, which is one."""
    cut = {"": ""}
    total = tree.whole.get("", 0.0)
    left = {"": total}
    """Weight of each piece without those cut out of it, of those that may be cut further."""
    while left and len(cut) < AREAS_MAX:
        heaviest = min(left, key=lambda folder: (-left[folder], folder))
        if len(cut) >= AREAS_FEW and left[heaviest] < LARGE * total:
            break
        left.pop(heaviest)
        inner = [_descend(tree, folder) for folder in tree.folders.get(heaviest, ())]
        heavy = [folder for folder in inner if tree.whole[folder] >= SMALL * total and _has_files(tree, folder)]
        heavy.sort(key=lambda folder: (-tree.whole[folder], folder))
        for folder in heavy[: AREAS_MAX - len(cut)]:
            cut[folder] = heaviest
            left[folder] = tree.whole[folder]
    return cut


def _has_files(tree: _Tree, folder: str) -> bool:
    """Whether there are enough files under a folder for a piece."""
    return len(tree.files.get(folder, ())) >= FILES_MIN or bool(tree.folders.get(folder))


def _descend(tree: _Tree, folder: str) -> str:
    """The folder, or the only one in it that holds anything, and so on."""
    while folder not in tree.files and len(tree.folders[folder]) == 1:
        folder = tree.folders[folder][0]
    return folder


def _fold_small(tree: _Tree, cut: Mapping[str, str]) -> dict[str, list[int]]:
    """Piece -> the numbers of its files, ascending. What is too small beside the pieces cut out of it joins the piece
    around it."""
    members: dict[str, list[int]] = {folder: [] for folder in cut}
    left = dict.fromkeys(cut, 0.0)
    for folder, numbers in tree.files.items():
        piece = folder
        while piece not in cut:
            piece = piece.rpartition("/")[0]
        members[piece] += numbers
        left[piece] += tree.own[folder]
    least = SMALL * tree.whole.get("", 0.0)
    for folder in sorted(cut, key=lambda folder: (-folder.count("/"), folder)):
        if folder and left[folder] < least:
            around = cut[folder]
            members[around] += members.pop(folder)
            left[around] += left.pop(folder)
    return {folder: sorted(numbers) for folder, numbers in members.items() if numbers}
