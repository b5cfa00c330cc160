"""Finds which tests are there for what changed by their names and places, among those that reach it.

A test is named after a definition, its class or its file where their names have most of their words in common, whatever
is around them: `TestMethodNotAllowed` and `MethodNotAllowedUtil`. It may be where few other tests share a word of the
definition's name, or where few are named after the folder of its file. Words are compared by their stems, without those
that all tests have and plain ones beside others (`get`).

Of those that name it in their code, few say more than many. A use by a name alone counts where few files of tests have
it, and for more where the file also names the class. All that a file holds which names the class, as few do, is there
for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.index.part_nodes import united
from codemap.graph.index.terms import stem
from codemap.graph.likelihood.candidates import undecided_uses_of
from codemap.graph.model.edges import Ints, Mask, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.test_names import NamedTests, words_of, words_of_file
from codemap.impact.test_places import TEST_PLACES, mark_files
from codemap.languages import by_name

NAMED, ALIKE, NEAR = 3, 2, 1
"""How a test is there for it: it is named after it, has words of its name that few have, or is in its folder of the
tests; 0: in no way."""
CHANGED_MAX = 50
"""Definitions whose names are compared: of a larger change, every test is in some way."""
_NAMED_MIN, _ALIKE_MIN = 0.6, 0.5
"""Of the words of both names, the part that they have in common."""
_FEW = 0.05
"""The part of the files of tests that few of them are."""
_SOME = 0.1
"""The same of those that are named after the folder of a file."""
FILES_MAX = 5
"""Files of tests that are few, of those that name it."""
_OF_FILES = frozenset(map(stem, ("index", "main", "mod", "init", "lib", "test")))
_OF_ALL = frozenset(map(stem, ("util", "utils", "helper", "base", "common", "default", "impl")))
"""What says nothing alone."""
_NO_FOLDERS = frozenset(
    ("src", "lib", "main", "java", "kotlin", "js", "ts", "app", "pkg", "test", "tests", "spec", "specs", "__tests__")
)


class Mentions(msgspec.Struct, frozen=True):
    """What names some definitions in files of tests."""

    guesses: Ints
    """Definitions that may use them, by their names alone."""
    tests: Mask
    """Whether a test does; by the numbers of all files' tests, one after the other."""
    first: Ints
    """By file number: the first of its tests."""
    files: Mask
    """By file number: whether it names one of them, or the class of one."""

    def are_guesses(self, file: Ints, number: Ints) -> Mask:
        """Which tests may use them, by their files and numbers there; one that a class inherits has none."""
        found: Mask = (number >= 0) & self.tests.take(self.first.take(file) + np.maximum(number, 0))
        return found


def find_mentions(snapshot: Snapshot, changed: Sequence[int]) -> Mentions:
    columns, places = columns_of(snapshot), TEST_PLACES.of(snapshot)
    nodes = np.array(changed[:CHANGED_MAX], dtype=np.int32)
    nodes = nodes[columns.parent[nodes] >= 0]
    rows = undecided_uses_of(snapshot, nodes, snapshot.node_count)[0]
    guesses = _few_in_tests(snapshot, snapshot.unresolved.source[rows])
    owners = distinct(columns.parent[nodes])
    owners = owners[ARE_TYPES[columns.kind[owners]]].tolist()
    named = np.array([*nodes, *(one for owner in owners for one in united(snapshot, owner))], dtype=np.int32)
    rows = gathered(snapshot.edges.by_target, snapshot.edges.in_start, named)[0]
    naming = _few_in_tests(snapshot, snapshot.edges.source[rows])
    tests = np.zeros(int(places.first[-1]) + 1, dtype=np.bool_)
    own = guesses[places.of_node[guesses] >= 0]
    tests[places.first.take(columns.file.take(own)) + places.of_node.take(own)] = True
    return Mentions(guesses, tests, places.first, mark_files(snapshot, columns.file.take(naming)))


def find_namesakes(snapshot: Snapshot, changed: Iterable[int], tests: NamedTests) -> Ints:
    """How each of some tests is there for what changed. Cost: passes over the numbers of the tests."""
    nodes, names = list(changed)[:CHANGED_MAX], tests.names
    own = [_name_words(snapshot, node) for node in nodes]
    around = (each for node in nodes for each in _words_around(snapshot, node))
    shares = names.shares({*filter(None, around), *filter(None, own)})
    best = np.maximum(shares.take(tests.stems).take(tests.file), names.shares_of_classes(shares, tests.selector))
    paths = {_path_of(snapshot, node) for node in nodes}
    are_alike = (best >= _ALIKE_MIN) | _are_in_words(tests, frozenset().union(*own))
    are_alike |= _are_of_folder(tests, paths).take(tests.file)
    found = np.where(_are_beside(tests, paths).take(tests.file), NEAR, 0).astype(np.int32)
    found[are_alike] = ALIKE
    found[best >= _NAMED_MIN] = NAMED
    return found


def _are_in_words(tests: NamedTests, own: frozenset[str]) -> Mask:
    """Which tests have, in their names or their file's, two words of a name, or one that some files have in their own
    name and few there or in those of their tests."""
    words = sorted(own)
    having = tests.names.having(words)
    common = having.take(tests.stems.take(tests.file), axis=1) | having.take(tests.last, axis=1)
    counts = np.array([len(distinct(tests.file[row])) for row in common])
    are_rare = having.take(tests.stems, axis=1).any(axis=1) & (counts <= max(1, len(tests.stems) * _FEW))
    telling = np.array([word not in _OF_ALL for word in words], dtype=np.bool_)
    are_in: Mask = (common[telling].sum(axis=0) > 1) | common[telling & are_rare].any(axis=0)
    return are_in


def _are_of_folder(tests: NamedTests, paths: Iterable[str]) -> Mask:
    """Which files of tests are named after the folder of a file, if few are."""
    shares = tests.names.shares({words for path in paths if (words := _words_of_folder(path))})
    found: Mask = shares.take(tests.stems) >= _ALIKE_MIN
    return found if found.sum() <= max(1, len(tests.stems) * _SOME) else np.zeros_like(found)


def _are_beside(tests: NamedTests, paths: Iterable[str]) -> Mask:
    """Which files of tests are in a folder with the path of that of a file."""
    folders = distinct(tests.folder)
    own = [_folders_of(tests.folders[folder]) for folder in folders.tolist()]
    beside = np.zeros(len(tests.folders), dtype=np.bool_)
    for source in {_folders_of(_folder_of(path)) for path in paths}:
        beside[folders] |= np.array([_mirrors(one, source) for one in own], dtype=np.bool_)
    return beside.take(tests.folder)


def _name_words(snapshot: Snapshot, node: int) -> frozenset[str]:
    """Of a definition whose name is its own: not of a file or a constructor."""
    file = snapshot.file_of(node)
    if file is None or snapshot.is_file(node) or snapshot.name_of(node) in by_name()[file.lang].constructors:
        return frozenset()
    return words_of(snapshot.name_of(node))


def _words_around(snapshot: Snapshot, node: int) -> Iterator[frozenset[str]]:
    """Of its class and its file."""
    parent = snapshot.parent_of(node)
    if parent is not None and not snapshot.is_file(parent) and ARE_TYPES[snapshot.kind_of(parent)]:
        yield words_of(snapshot.name_of(parent))
    yield words_of_file(_path_of(snapshot, node)) - _OF_FILES


def _path_of(snapshot: Snapshot, node: int) -> str:
    return snapshot.row_of(node)[0].path


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _words_of_folder(path: str) -> frozenset[str]:
    """Of the folder that a file is in."""
    folder = _folder_of(path).rpartition("/")[2]
    return frozenset() if folder in _NO_FOLDERS else words_of(folder) - _OF_ALL


@lru_cache(maxsize=10_000)
def _folders_of(folder: str) -> tuple[str, ...]:
    return tuple(part for part in folder.lower().split("/") if part not in _NO_FOLDERS)


def _mirrors(tests: tuple[str, ...], source: tuple[str, ...]) -> bool:
    """Whether a folder of tests has the path of one of the product, or the end of it."""
    return bool(tests) and bool(source) and (source[-len(tests) :] == tests or tests[-len(source) :] == source)


def _few_in_tests(snapshot: Snapshot, nodes: Ints) -> Ints:
    """Those of some nodes that are in files of tests; none where that are more than a few files."""
    inside = distinct(nodes[nodes < snapshot.first_external])
    inside = inside[are_in_files_of(snapshot, inside, Role.TEST)]
    return inside if len(distinct(columns_of(snapshot).file.take(inside))) <= FILES_MAX else inside[:0]
