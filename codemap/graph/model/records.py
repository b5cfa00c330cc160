"""What the files of a snapshot depend on: the questions that each asked, with the fingerprints of their answers.

Questions are rows of a few columns, each question once, however many files ask it (28 bytes); a file has the numbers of
those that it asked (4 bytes each). Names are only ever added, and are shared
with the records before; what a file asks of its own members alone is not recorded.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import plain_name
from codemap.graph.model.edges import Ints, Mask

OFFERS = ("offered", "public", "module value", "star")
"""Questions of what a module offers."""
LISTS = ("tops", "parts", "members", "interfaces", "extensions")
"""Questions of all definitions of a name in a family of languages."""
OF_FIELDS = ("fields", "own fields")
"""Questions of all fields of a class."""
OWNERS = ("first", "added", "anywhere")
"""Questions of no single file that ask others."""
_OF_NODES = (
    "held alias result order bases metaclass stated admitted meant star given methods space seen packages public"
    " offered bound wanted member made arguments fields"
)
_OF_SEVERAL_WORDS = ("bases of part", "own fields", "module value", "stands for", "type parameters")
KINDS = (*_OF_NODES.split(), *_OF_SEVERAL_WORDS, "child", *LISTS, *OWNERS)
NUMBER = {kind: number for number, kind in enumerate(KINDS)}

Owner = str | tuple[object, ...]
"""Path of a file, or the key of what is in no single file."""


class Question(NamedTuple):
    """A question that means the same in every state in which its file has the same definitions."""

    kind: str
    owner: Owner | None
    row: int
    """Of the definition that it is about; -1 where it is about none, or one that is gone."""
    name: str
    """That it looks for; empty where it looks for none."""
    how: object
    """What else it says: plain strings and numbers, and tuples of such."""


KIND, OWNER, ROW, NAME, HOW = range(5)


class Words:
    """Numbers of names, paths, and what else questions are made of. Only ever added to."""

    def __init__(self, words: Iterable[Hashable] = ()) -> None:
        self.of = list(words)

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {word: number for number, word in enumerate(self.of)}

    @cached_property
    def _spelled(self) -> dict[str, list[int]]:
        """Name as it is written -> names as calls spell it, where these are others."""
        found: dict[str, list[int]] = {}
        for number, word in enumerate(self.of):
            if isinstance(word, str) and (plain := plain_name(word)) != word:
                found.setdefault(plain, []).append(number)
        return found

    def add(self, word: Hashable) -> int:
        found = self._number.get(word)
        if found is None:
            found = self._number[word] = len(self.of)
            self.of.append(word)
            if isinstance(word, str) and (plain := plain_name(word)) != word:
                self._spelled.setdefault(plain, []).append(found)
        return found

    def number(self, word: Hashable) -> int:
        """-2 where it is none of them."""
        return self._number.get(word, -2)

    def numbers(self, names: Iterable[str]) -> list[int]:
        """Of some names, as they are written and as calls spell them."""
        found: list[int] = []
        for name in names:
            plain = plain_name(name)
            found += [self.number(name), self.number(plain), *self._spelled.get(plain, ())]
        return found


class Records(msgspec.Struct, frozen=True):
    words: Words
    cells: Ints
    """Of each question: KIND, OWNER, ROW, NAME, HOW; words by number, -1 where there is none."""
    answers: NDArray[np.int64]
    """Of each, the fingerprint of its answer."""
    asked: Mapping[Owner, bytes]
    """Who asks -> the numbers of the questions, as int32."""
    guessed: Mapping[str, bytes]
    """File -> names of its undecided uses, which are guessed by name, as int32."""
    returns: Mapping[str, frozenset[str]]
    """File -> names of its own definitions that others' answers to it hold: what depends on these need not mention
    them."""

    def numbers_of(self, owner: Owner) -> set[int]:
        """The questions that somebody asks."""
        return set(np.frombuffer(self.asked.get(owner, b""), np.int32).tolist())

    def __len__(self) -> int:
        return len(self.cells)

    def question(self, number: int) -> Question:
        kind, owner, row, name, how = self.cells[number].tolist()
        words: list[Any] = self.words.of
        return Question(KINDS[kind], words[owner] if owner >= 0 else None, row, words[name], words[how])

    def guessing(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Name -> the files that guess by it, of some names."""
        wanted = {self.words.number(name): name for name in names}
        listed = _Listed(self.guessed)
        found: dict[str, set[str]] = {}
        for place in np.flatnonzero(np.isin(listed.numbers, np.array(list(wanted), np.int32))).tolist():
            found.setdefault(wanted[int(listed.numbers[place])], set()).add(listed.keys[listed.of[place]])
        return found

    def owned_by(self, owner: Owner) -> Ints:
        """The questions of an owner."""
        return np.flatnonzero(self.cells[:, OWNER] == self.words.number(owner)).astype(np.int32)

    def of_kinds(self, kinds: Iterable[str]) -> Mask:
        found: Mask = np.isin(self.cells[:, KIND], [NUMBER[kind] for kind in kinds])
        return found

    def looked_up(self, names: Iterable[str]) -> Mask:
        """Which questions look for one of some names."""
        found: Mask = np.isin(self.cells[:, NAME], self.words.numbers(names))
        return found

    def askers(self) -> Askers:
        return Askers(self.asked)

    def moved(self, rows: Mapping[str, Sequence[int]]) -> Records:
        """The same where definitions of some files have other rows: -1 where one is gone; none for a file that is."""
        cells = self.cells.copy() if rows else self.cells
        for path, now in rows.items():
            owned = self.owned_by(path)
            before = cells[owned, ROW]
            is_there = (before >= 0) & (before < len(now))
            cells[owned, ROW] = np.array([*now, -1], np.int32)[np.where(is_there, before, -1)]
        return msgspec.structs.replace(self, cells=cells)


def empty() -> Records:
    """Of a state without files."""
    return Records(Words(), np.empty((0, 5), np.int32), np.empty(0, np.int64), {}, {}, {})


K = TypeVar("K")


class _Listed(Generic[K]):
    """Lists of numbers by key, as one: each number, and the place of its key among the keys."""

    def __init__(self, lists: Mapping[K, bytes]) -> None:
        self.keys = list(lists)
        counts = np.fromiter((len(numbers) // 4 for numbers in lists.values()), np.int32, count=len(lists))
        self.numbers = np.frombuffer(b"".join(lists.values()), np.int32)
        self.of = np.repeat(np.arange(len(counts), dtype=np.int32), counts)


class Askers:
    """Who asks each question."""

    def __init__(self, asked: Mapping[Owner, bytes]) -> None:
        listed = _Listed(asked)
        order = np.argsort(listed.numbers, kind="stable")
        self._owners = listed.keys
        self._who, self._what = listed.of[order], listed.numbers[order]

    def of(self, number: int) -> list[Owner]:
        first, last = np.searchsorted(self._what, (number, number + 1)).tolist()
        return [self._owners[who] for who in self._who[first:last].tolist()]
