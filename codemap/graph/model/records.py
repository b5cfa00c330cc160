"""What the files of a snapshot depend on: the questions that each asked, with the fingerprints of their answers.

Questions are rows of a few columns, each question once, however many files ask it (28 bytes); a file has the numbers of
those that it asked (4 bytes each). Names are only ever added, and are shared
with the records before; what a file asks of its own members alone is not recorded.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import plain_name
from codemap.graph.model.edges import Ints, Mask

OFFERS = ("offered", "public", "module value", "star")
"""Questions of what a module offers."""
LISTS = ("tops", "parts", "members", "interfaces", "extensions", "guess")
"""Questions of all definitions of a name in a family of languages."""
OWNERS = ("first", "added")
"""Questions of no single file that ask others."""
_OF_NODES = (
    "held alias result order bases metaclass stated admitted meant star given methods space seen packages public"
    " offered bound wanted member made arguments"
)
KINDS = (*_OF_NODES.split(), "bases of part", "module value", "stands for", "type parameters", "child", *LISTS, *OWNERS)
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

    def __len__(self) -> int:
        return len(self.cells)

    def question(self, number: int) -> Question:
        kind, owner, row, name, how = self.cells[number].tolist()
        words: list[Any] = self.words.of
        return Question(KINDS[kind], words[owner] if owner >= 0 else None, row, words[name], words[how])

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
    return Records(Words(), np.empty((0, 5), np.int32), np.empty(0, np.int64), {})


class Askers:
    """Who asks each question."""

    def __init__(self, asked: Mapping[Owner, bytes]) -> None:
        self._owners = list(asked)
        counts = np.fromiter((len(numbers) // 4 for numbers in asked.values()), np.int32, count=len(asked))
        numbers = np.frombuffer(b"".join(asked.values()), np.int32)
        order = np.argsort(numbers, kind="stable")
        self._who = np.repeat(np.arange(len(counts), dtype=np.int32), counts)[order]
        self._what = numbers[order]

    def of(self, number: int) -> list[Owner]:
        first, last = np.searchsorted(self._what, (number, number + 1)).tolist()
        return [self._owners[who] for who in self._who[first:last].tolist()]
