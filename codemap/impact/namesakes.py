"""Finds which tests are there for what changed by their names and places, among those that reach it.

A test is named after a definition, its class or its file where their names have most of their words in common, whatever
is around them: `TestMethodNotAllowed` and `MethodNotAllowedUtil`. It may be where few other tests share a word of the
definition's name, or where few are named after the folder of its file. Words are compared by their stems, without those
that all tests have and plain ones beside others (`get`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.terms import stem, subwords
from codemap.graph.model.edges import Ints
from codemap.graph.model.snapshot import Snapshot
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
_OF_TESTS = frozenset(map(stem, ("test", "tests", "tester", "spec", "specs", "suite", "unit", "integration", "case")))
_OF_FILES = frozenset(map(stem, ("index", "main", "mod", "init", "lib", "test")))
_OF_ALL = frozenset(map(stem, ("util", "utils", "helper", "base", "common", "default", "impl")))
"""What says nothing alone."""
_PLAIN = frozenset(
    map(
        stem,
        (
            *("get", "set", "is", "has", "can", "do", "make", "create", "new", "add", "to", "on", "of", "with", "from"),
            *("for", "by", "in", "as", "at", "and", "or", "not", "no", "the", "handle", "use", "run"),
        ),
    )
)
"""What names begin with, or have between words: it says nothing beside others."""
_NO_FOLDERS = frozenset(
    ("src", "lib", "main", "java", "kotlin", "js", "ts", "app", "pkg", "test", "tests", "spec", "specs", "__tests__")
)
_PARTS = re.compile(r"::|[#.$]")


def find_namesakes(snapshot: Snapshot, changed: Iterable[int], places: Sequence[tuple[str, str]]) -> Ints:
    """How each test, a file and what selects it there, is there for what changed."""
    nodes = list(changed)[:CHANGED_MAX]
    names = [_name_words(snapshot, node) for node in nodes]
    targets = {*filter(None, (each for node in nodes for each in _words_around(snapshot, node))), *filter(None, names)}
    own = frozenset().union(*names)
    folders = {_folders_of(_path_of(snapshot, node)) for node in nodes}
    of_file = {file: _words_of_file(file) for file, _ in places}
    rare = _find_rare(own, of_file.values())
    at_file = {file: _best(targets, words) for file, words in of_file.items()}
    subjects = {subject for node in nodes if (subject := _words_of_folder(_path_of(snapshot, node)))}
    alike = {file for file, words in of_file.items() if _best(subjects, words) >= _ALIKE_MIN}
    alike = alike if len(alike) <= max(1, len(of_file) * _SOME) else set()
    beside = {file for file in of_file if any(_mirrors(_folders_of(file), one) for one in folders)}
    found = np.zeros(len(places), dtype=np.int32)
    for place, (file, selector) in enumerate(places):
        best = at_file[file]
        *classes, last = _PARTS.split(selector)
        for cls in classes:
            best = max(best, _best(targets, _words(cls)))
        if best >= _NAMED_MIN:
            found[place] = NAMED
            continue
        common = (own - _OF_ALL) & (of_file[file] | _words(last))
        if best >= _ALIKE_MIN or len(common) > 1 or common & rare or file in alike:
            found[place] = ALIKE
        elif file in beside:
            found[place] = NEAR
    return found


def _name_words(snapshot: Snapshot, node: int) -> frozenset[str]:
    """Of a definition whose name is its own: not of a file or a constructor."""
    file = snapshot.file_of(node)
    if file is None or snapshot.is_file(node) or snapshot.name_of(node) in by_name()[file.lang].constructors:
        return frozenset()
    return _words(snapshot.name_of(node))


def _words_around(snapshot: Snapshot, node: int) -> Iterator[frozenset[str]]:
    """Of its class and its file."""
    parent = snapshot.parent_of(node)
    if parent is not None and not snapshot.is_file(parent) and ARE_TYPES[snapshot.kind_of(parent)]:
        yield _words(snapshot.name_of(parent))
    yield _words_of_file(_path_of(snapshot, node)) - _OF_FILES


def _path_of(snapshot: Snapshot, node: int) -> str:
    return snapshot.row_of(node)[0].path


def _words_of_file(path: str) -> frozenset[str]:
    return _words(path.rpartition("/")[2].partition(".")[0])


def _words_of_folder(path: str) -> frozenset[str]:
    """Of the folder that a file is in."""
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return frozenset() if folder in _NO_FOLDERS else _words(folder) - _OF_ALL


@lru_cache(maxsize=10_000)
def _words(name: str) -> frozenset[str]:
    found = frozenset(map(stem, subwords(name))) - _OF_TESTS
    return found - _PLAIN or found


def _best(targets: Iterable[frozenset[str]], words: frozenset[str]) -> float:
    """The largest part of the words of both that one of some names has in common with another."""
    return max((len(words & one) / len(words | one) for one in targets), default=0.0)


def _find_rare(own: frozenset[str], files: Iterable[frozenset[str]]) -> frozenset[str]:
    """The words of a name that few files of tests have in theirs, and some have."""
    listed = list(files)
    counts = Counter(word for words in listed for word in words & own)
    return frozenset(word for word, count in counts.items() if count <= max(1, len(listed) * _FEW))


@lru_cache(maxsize=10_000)
def _folders_of(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.lower().split("/")[:-1] if part not in _NO_FOLDERS)


def _mirrors(tests: tuple[str, ...], source: tuple[str, ...]) -> bool:
    """Whether a folder of tests has the path of one of the product, or the end of it."""
    return bool(tests) and bool(source) and (source[-len(tests) :] == tests or tests[-len(source) :] == source)
