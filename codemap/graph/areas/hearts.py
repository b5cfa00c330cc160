"""Ranks the definitions that most of the rest depends on, and that a person would explain first: the hearts.

What is inside a type counts for the type: a class is used by whoever calls its methods. So only types, and what
is in no type, are ranked, by what people who document a repository name:

- How many files use it. Files, not uses: a loop over one class is no evidence. Product code decides; what tests and
  examples use is a weak sign of what the product is for.
- How many files it uses itself: what brings the parts together is documented, though little calls it.
- What it is: types before functions, functions before variables; small things, exceptions, constants and what is
  private or inside another type after the rest.
- Whether its file or folder is named after it.

The rules were made on the repositories that `bench/relevance/overview.toml` marks so, and are measured on others.
"""

from __future__ import annotations

import re
from collections.abc import Generator

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import Columns, columns_of
from codemap.graph.index.node_roles import FILE_ROLES, IN_TESTS
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.model.edges import EdgeTable, Ints, Mask
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.model.values import CLASS_KINDS, Confidence

Floats = NDArray[np.float32]

ASIDE = 0.15
"""What a file of tests or examples counts that uses product code, where one of the product counts 1."""
GUESSED = 0.3
"""What a use counts that is a guess by name."""
OWN_FILE = 0.5
"""What uses within the file count."""
USING = 0.5
"""What the files count that a definition uses, beside those that use it."""
UNUSED = 0.05
"""What a definition counts that no other file uses: where there is nothing else, it is the heart."""
NAMESAKE = 1.0
"""What a definition gains whose file is named after it; of the folder, `NAMESAKE_FOLDER`."""
NAMESAKE_FOLDER = 0.8
SIZE_BASE, SIZE_LINES = 0.4, 100
"""Lines count by their logarithm: a definition of so many lines has `1 + SIZE_BASE`."""
FAULT, PRIVATE, CONSTANT, NESTED = 0.3, 0.5, 0.5, 0.6
"""What is left of the worth of exceptions, private names, names in capitals, types in types."""
KIND_WORTH = {
    SymbolKind.CLASS: 1.0,
    SymbolKind.INTERFACE: 1.0,
    SymbolKind.ENUM: 0.7,
    SymbolKind.FUNCTION: 0.6,
    SymbolKind.METHOD: 0.6,
    SymbolKind.TYPE_ALIAS: 0.5,
    SymbolKind.VARIABLE: 0.3,
}
"""Files, namespaces and properties are none."""
_SPACES = (SymbolKind.FILE, SymbolKind.MODULE)
_FAULT = re.compile(r"(?:Error|Exception|Warning|Err|Errno|Fault)\d*\Z")
_NOT_LETTER = re.compile(r"[^a-z0-9]+")
FILES_OF_STEP = 256
NAMES_OF_STEP = 256
NAMED_MAX = 300_000
"""Definitions whose names are weighed, the worthiest: all but in a repository of some millions, of which the names
would take half a minute."""
NESTING_MAX = 16
"""Depth to which types and namespaces inside one another count as different; what is deeper counts for the last."""


class Hearts(msgspec.Struct, frozen=True):
    """The definitions of all files that can be hearts."""

    nodes: Ints
    """The worthiest first; among equals the earlier node."""
    worth: Floats
    """Above 0."""


def hearts_of(snapshot: Snapshot) -> Hearts:
    """The hearts of a snapshot, the same ones at every call."""
    return HEARTS.of(snapshot)


def make_hearts(snapshot: Snapshot) -> Generator[None, None, Hearts]:
    """Makes what `hearts_of` gives, in steps. Cost: passes over all edges and definitions."""
    held = HEARTS.held_by(snapshot)
    if held is not None:
        return held
    columns = columns_of(snapshot)
    roles = FILE_ROLES.of(snapshot)
    yield
    units = _units(snapshot, columns)
    yield
    used, using = _uses(snapshot, columns, units, roles)
    yield
    own = np.flatnonzero(units == np.arange(len(units), dtype=np.int32)).astype(np.int32)
    kinds = np.zeros(len(SymbolKind), dtype=np.float32)
    kinds[[int(kind) for kind in KIND_WORTH]] = list(KIND_WORTH.values())
    worth = kinds[columns.kind[own]]
    worth[columns.flags[own] & int(SymbolFlag.DECLARATION) != 0] = 0
    worth[IN_TESTS.of(snapshot)[own]] = 0
    own, worth = own[worth > 0], worth[worth > 0]
    worth *= (UNUSED + np.log1p(used[own]) + USING * np.log1p(using[own])).astype(np.float32)
    yield
    lines = yield from _lines(snapshot, units)
    worth *= SIZE_BASE + np.log1p(lines[own]) / np.float32(np.log(SIZE_LINES))
    worth[np.isin(columns.kind[columns.parent[own]], CLASS_KINDS)] *= NESTED
    yield
    best = np.argsort(-worth, kind="stable")[:NAMED_MAX] if len(own) > NAMED_MAX else slice(None)
    worth[best] *= yield from _names_worth(snapshot, columns, own[best])
    own, worth = own[worth > 0], worth[worth > 0]
    order = np.argsort(-worth, kind="stable")
    nodes = own[order].astype(np.int32)
    return snapshot.indexes.add(HEARTS, Hearts(nodes, worth[order]))


HEARTS = Slot[Hearts](lambda snapshot: finish(make_hearts(snapshot)))
"""Depends on edges: an edit, and new scores, make it anew."""


def _units(snapshot: Snapshot, columns: Columns) -> Ints:
    """The node that uses of each node count for: the type that it is or is in, else the outermost definition; the
    whole that a part belongs to; files and namespaces are their own."""
    kind, parent = columns.kind, columns.parent
    nodes = np.arange(len(kind), dtype=np.int32)
    above = np.maximum(parent, 0)
    is_space, is_type = np.isin(kind, _SPACES), np.isin(kind, CLASS_KINDS)
    is_open = parent < 0
    """Whether a node and all around it are files, namespaces and types."""
    for _ in range(NESTING_MAX):
        wider = (parent < 0) | (is_open[above] & (is_space | is_type))
        if np.array_equal(wider, is_open):
            break
        is_open = wider
    is_unit = is_open | (is_space & is_open)[above]
    found = np.where(is_unit, nodes, parent)
    while True:
        further = found[found]
        if np.array_equal(further, found):
            break
        found = further
    result: Ints = found[PARTS.of(snapshot).wholes_of(found)]
    return result


def _are_inside(edges: EdgeTable, first_external: int) -> Mask:
    return (edges.source < first_external) & (edges.target < first_external)


def _uses(
    snapshot: Snapshot, columns: Columns, units: Ints, roles: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By unit: the files that use it, weighed; and the other files of the product that it uses."""
    edges, file_of, count = snapshot.edges, columns.file, len(units)
    rows = np.flatnonzero(_are_inside(edges, snapshot.first_external))
    rows = rows[units[edges.source[rows]] != units[edges.target[rows]]]
    source, target = edges.source[rows], units[edges.target[rows]]
    at, to = file_of[source], file_of[target]
    is_product = roles == int(Role.PRODUCT)
    weight = np.where(is_product[at] | ~is_product[to], np.float32(1), np.float32(ASIDE))
    weight[edges.confidence[rows] >= int(Confidence.NAME)] *= GUESSED
    weight[at == to] *= OWN_FILE
    used = _by_pair(target, at, weight, count, len(snapshot.files))
    out = np.flatnonzero(is_product[at] & (at != to))
    using = _by_pair(units[source[out]], to[out], np.ones(len(out), dtype=np.float32), count, len(snapshot.files))
    return used, using


def _by_pair(unit: Ints, file: Ints, weight: Floats, units: int, files: int) -> NDArray[np.float64]:
    """The sum over the files of each unit of the greatest weight of their pairs."""
    key = unit.astype(np.int64) * files + file
    order = np.lexsort((weight, key))
    key, weight = key[order], weight[order]
    is_last = np.ones(len(key), dtype=np.bool_)
    np.not_equal(key[1:], key[:-1], out=is_last[:-1])
    return np.bincount(key[is_last] // max(files, 1), weights=weight[is_last], minlength=units).astype(np.float64)


def _lines(snapshot: Snapshot, units: Ints) -> Generator[None, None, NDArray[np.float64]]:
    """The lines of each unit with those of its parts; in steps."""
    lines = np.empty(len(units), dtype=np.int32)
    for file in snapshot.files:
        if file.number % FILES_OF_STEP == FILES_OF_STEP - 1:
            yield
        table = np.frombuffer(file.symbols, dtype="<i4").reshape(-1, Symbol.WIDTH)
        lines[file.base : file.base + file.symbol_count] = table[:, Symbol.END_LINE] - table[:, Symbol.START_LINE] + 1
    outer = np.flatnonzero((units == np.arange(len(units))) | (columns_of(snapshot).flags & int(SymbolFlag.PART) != 0))
    return np.bincount(units[outer], weights=lines[outer], minlength=len(units)).astype(np.float64)


def _names_worth(snapshot: Snapshot, columns: Columns, nodes: Ints) -> Generator[None, None, Floats]:
    """The factors by which the names of some nodes change their worth; in steps."""
    names, name_of = snapshot.node_names.names, snapshot.node_names.of_node[nodes]
    distinct, place = np.unique(name_of, return_inverse=True)
    yield
    texts = [names[number] for number in distinct.tolist()]
    plain: list[str] = []
    factors: list[float] = []
    for at in range(0, len(texts), NAMES_OF_STEP):
        some = texts[at : at + NAMES_OF_STEP]
        plain += map(_plain, some)
        factors += map(_name_worth, some)
        yield
    number = {text: at for at, text in enumerate(dict.fromkeys(plain))}
    """Of each name without case and separators; -1 stands for those that no node has."""
    of_name = np.array([number[text] for text in plain], dtype=np.int32)
    yield
    stems, folders = yield from _file_names(snapshot, number)
    file, own = columns.file[nodes], of_name[place]
    worth = np.ones(len(nodes), dtype=np.float32)
    worth[own == folders[file]] = 1 + NAMESAKE_FOLDER
    worth[own == stems[file]] = 1 + NAMESAKE
    return worth * np.array(factors, dtype=np.float32)[place]


def _file_names(snapshot: Snapshot, number: dict[str, int]) -> Generator[None, None, tuple[Ints, Ints]]:
    """By file: the number of the name that the file has, and that its folder has, in one of its numbers; else -1. In
    steps."""
    stems, folders = [], []
    for file in snapshot.files:
        if file.number % FILES_OF_STEP == FILES_OF_STEP - 1:
            yield
        *above, base = file.path.rsplit("/", 2)
        stems.append(_numbered(base.partition(".")[0], number))
        folders.append(_numbered(above[-1], number) if above else -1)
    return np.array(stems, dtype=np.int32), np.array(folders, dtype=np.int32)


def _numbered(name: str, number: dict[str, int]) -> int:
    plain = _plain(name)
    singular = plain.removesuffix("s")
    return number.get(plain, number.get(singular, number.get(f"{plain}s", -1))) if plain else -1


def _plain(name: str) -> str:
    return _NOT_LETTER.sub("", name.lower())


def _name_worth(name: str) -> float:
    """The factor by which a definition's own name reduces its worth."""
    if name.startswith("__"):
        return 0
    worth = PRIVATE if name.startswith("_") else 1.0
    if name.isupper() and len(name) > 1:
        worth *= CONSTANT
    return worth * FAULT if _FAULT.search(name) else worth
