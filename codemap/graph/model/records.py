"""What the files of a snapshot depend on: the questions that each asked of other files while it was bound.

A question is a row of four numbers, however many files ask it: what is asked (`forms`), of which node, for which name,
and of which other node. Its answer is not kept: after an edit the state before can be asked for it. What a file asks of
its own definitions alone is not recorded.

Nodes and files are numbered as in the snapshot that has the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import Ints, Mask, distinct
from codemap.mangled_names import demangle
from codemap.packed.texts import Octets

OFFERS = ("offered", "public", "module value", "star")
"""Questions of what a module offers."""
LISTS = ("tops", "parts", "members", "interfaces", "extensions", "ambients")
"""Questions of all definitions of a name in a family of languages."""
OF_FIELDS = ("fields", "own fields")
"""Questions of all fields of a class."""
OWNERS = ("first", "added", "anywhere", "ambient")
"""Questions of no single file that ask others."""

Form = tuple[object, ...]
"""What kind of question it is, and what else it says besides nodes and a name: strings, numbers and None."""
Key = tuple[object, ...]
"""A question as the evaluator notes it."""
FORM, NODE, NAME, OTHER = range(4)
NO_NODE, GONE = -1, -2
"""In place of a node: the question is about none; it was about one that is gone."""
ASKER, ASKED = 0, 1
COMPACTED_MIN = 256  # questions; of fewer, those that nobody asks may stay


class Names:
    """Strings by number, as one text."""

    def __init__(self, text: Octets, ends: Ints, marks: NDArray[np.uint32] | None = None) -> None:
        self.text = text
        """UTF-8, which may hold surrogates."""
        self.ends = ends
        """Where in it each ends."""
        self._known_marks = marks

    @property
    def marks(self) -> NDArray[np.uint32]:
        """The checksum of each as it is written in definitions; made when first asked for."""
        marks = self._known_marks
        if marks is None:
            each = (_mark(self[number]) for number in range(len(self.ends)))
            marks = self._known_marks = np.fromiter(each, np.uint32, count=len(self.ends))
        return marks

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> str:
        first = int(self.ends[number - 1]) if number > 0 else 0
        return str(self.text[first : int(self.ends[number])], "utf-8", "surrogatepass")

    def find(self, names: Iterable[str]) -> dict[str, int]:
        """The numbers of those names that are among them."""
        wanted = dict.fromkeys(names)
        return {name: number for number in self._marked(wanted) if (name := self[number]) in wanted}

    def find_spelled(self, names: Iterable[str]) -> list[int]:
        """The numbers of some names, as they are written and as calls spell them."""
        plain = set(map(demangle, names))
        return [number for number in self._marked(plain) if demangle(self[number]) in plain]

    def _marked(self, names: Iterable[str]) -> list[int]:
        wanted = np.array([_mark(name) for name in names], np.uint32)
        found: list[int] = np.flatnonzero(np.isin(self.marks, wanted)).tolist()
        return found

    def and_also(self, names: Iterable[str]) -> Names:
        """These and, numbered after them, some others."""
        listed = [*names]
        if not listed:
            return self
        encoded = [name.encode("utf-8", "surrogatepass") for name in listed]
        ends = np.cumsum(np.fromiter(map(len, encoded), np.int32, count=len(encoded))) + len(self.text)
        marks = np.fromiter(map(_mark, listed), np.uint32, count=len(listed))
        return Names(
            b"".join((self.text, *encoded)),
            np.concatenate((self.ends, ends.astype(np.int32))),
            np.concatenate((self.marks, marks)),
        )

    def copy(self) -> Names:
        return Names(bytes(bytearray(self.text)), self.ends.copy(), self.marks.copy())


def _mark(name: str) -> int:
    return crc32(demangle(name).encode("utf-8", "surrogatepass"))


NO_NAMES = Names(b"", np.empty(0, np.int32), np.empty(0, np.uint32))


class Pairs(msgspec.Struct, frozen=True):
    """Pairs of numbers by the first of each."""

    firsts: Ints
    """Ascending."""
    counts: Ints
    """How many pairs have each of them."""
    seconds: Ints

    @classmethod
    def of_rows(cls, rows: Ints) -> Pairs:
        """Of pairs in any order."""
        firsts, counts = np.unique(rows[:, 0], return_counts=True)
        return cls(firsts, counts.astype(np.int32), rows[np.argsort(rows[:, 0], kind="stable"), 1])

    def rows(self) -> Ints:
        return np.stack((np.repeat(self.firsts, self.counts), self.seconds), 1)

    def of_firsts(self, firsts: Ints) -> Ints:
        """The pairs, as rows, that have one of some numbers first."""
        is_wanted = np.isin(self.firsts, firsts)
        seconds = self.seconds[np.repeat(is_wanted, self.counts)]
        return np.stack((np.repeat(self.firsts[is_wanted], self.counts[is_wanted]), seconds), 1)

    def select(self, is_kept: Mask) -> Pairs:
        """Some of the pairs."""
        if is_kept.all():
            return self
        group = np.repeat(np.arange(len(self.firsts)), self.counts)[is_kept]
        counts = np.bincount(group, minlength=len(self.firsts))
        has_any = counts > 0
        return Pairs(self.firsts[has_any], counts[has_any].astype(np.int32), self.seconds[is_kept])

    def renumber_firsts(self, numbers: Ints) -> Pairs:
        """The same with other numbers in place of those from 0, in the same order, without those that are GONE."""
        firsts = self.firsts.copy()
        firsts[firsts >= 0] = numbers[firsts[firsts >= 0]]
        is_gone = (self.firsts >= 0) & (firsts == GONE)
        selected = self.select(~np.repeat(is_gone, self.counts))
        return Pairs(firsts[~is_gone], selected.counts, selected.seconds)

    def copy(self) -> Pairs:
        """The same in memory of its own."""
        return Pairs(self.firsts.copy(), self.counts.copy(), self.seconds.copy())


NO_PAIRS = Pairs.of_rows(np.empty((0, 2), np.int32))


class Records(msgspec.Struct, frozen=True):
    forms: tuple[Form, ...]
    names: Names
    cells: Ints
    """Of each question: FORM, NODE, NAME, OTHER; NO_NODE where there is none."""
    asks: Pairs
    """ASKER and ASKED: the number of a file, or the complement of that of a question which is of no single file; and
    the question that it asks."""
    guesses: Pairs
    """The number of a file, and a name of its undecided uses, which are guessed by name."""
    asked_least: int = 0
    """A lower bound of how many of the questions are asked: to count them takes a pass over all pairs."""

    def __len__(self) -> int:
        return len(self.cells)

    def forms_of(self, kinds: Iterable[str]) -> list[int]:
        """The numbers of the forms of some kinds."""
        wanted = set(kinds)
        return [number for number, form in enumerate(self.forms) if form[0] in wanted]

    def of_kinds(self, kinds: Iterable[str]) -> Mask:
        """Of each question, whether it is of some kinds."""
        found: Mask = np.isin(self.cells[:, FORM], self.forms_of(kinds))
        return found

    def looked_up(self, names: Iterable[str]) -> Mask:
        """Of each question, whether it looks for one of some names, however it is spelled."""
        is_wanted = np.zeros(len(self.names) + 1, np.bool_)
        is_wanted[self.names.find_spelled(names)] = True
        found: Mask = is_wanted[self.cells[:, NAME]]
        return found

    def are_about(self, questions: Ints, nodes: Sequence[int], names: Iterable[str]) -> Mask:
        """Of some questions, whether they are about one of some nodes, or look for a name, however it is spelled."""
        cells, plain = self.cells[questions], set(map(demangle, names))
        looked_up = [at for at in set(cells[:, NAME].tolist()) if at >= 0 and demangle(self.names[at]) in plain]
        found: Mask = np.isin(cells[:, NODE], nodes) | np.isin(cells[:, NAME], looked_up)
        return found

    def guessing(self, names: Iterable[str]) -> dict[str, set[int]]:
        """Name -> the numbers of the files that guess by it, of some names."""
        rows = self.guesses.rows()
        return {name: set(rows[rows[:, 1] == number, 0].tolist()) for name, number in self.names.find(names).items()}

    def moved(self, nodes: Ints | None, files: Ints | None) -> Records:
        """The same, numbered anew: of each node and file its number now, GONE where it is gone; None where all have
        those that they had."""
        if nodes is None and files is None:
            return self
        cells, asks, guesses = self.cells, self.asks, self.guesses
        if nodes is not None:
            now = np.append(nodes, (GONE, NO_NODE)).astype(np.int32)
            cells = cells.copy()
            cells[:, NODE], cells[:, OTHER] = now[cells[:, NODE]], now[cells[:, OTHER]]
            cells[cells[:, OTHER] == GONE, NODE] = GONE
            asks = asks.select(cells[asks.seconds, NODE] != GONE)
        if files is not None:
            asks, guesses = asks.renumber_firsts(files), guesses.renumber_firsts(files)
        lost = len(self.asks.seconds) - len(asks.seconds)
        return Records(self.forms, self.names, cells, asks, guesses, max(self.asked_least - lost, 0))

    def asked_least_without(self, firsts: Sequence[int]) -> int:
        """What is left of `asked_least` when some files and questions ask nothing any more."""
        is_lost = np.isin(self.asks.firsts, np.array(firsts, np.int32))
        return max(self.asked_least - int(self.asks.counts[is_lost].sum()) - int(is_lost.sum()), 0)

    def thinned(self) -> Records:
        """The same, compacted where much of it is questions that nobody asks any more."""
        if len(self) <= COMPACTED_MIN or self.asked_least >= 0.75 * len(self):
            return self
        count = int(np.count_nonzero(self._are_asked()))
        return self.compacted() if count < 0.75 * len(self) else msgspec.structs.replace(self, asked_least=count)

    def _are_asked(self) -> Mask:
        found = np.zeros(len(self), np.bool_)
        found[self.asks.seconds] = True
        found[~self.asks.firsts[self.asks.firsts < 0]] = True
        return found

    def compacted(self) -> Records:
        """Without questions that nobody asks, and the names that only those look for."""
        places = np.flatnonzero(self._are_asked())
        number = np.full(len(self), -1, np.int32)
        number[places] = np.arange(len(places))
        cells, asks, guesses = self.cells[places], self.asks.rows(), self.guesses.rows()
        is_question = asks[:, ASKER] < 0
        asks[is_question, ASKER] = ~number[~asks[is_question, ASKER]]
        asks[:, ASKED] = number[asks[:, ASKED]]
        used = distinct(np.concatenate((cells[:, NAME], guesses[:, 1])))
        name = np.full(len(self.names), -1, np.int32)
        name[used] = np.arange(len(used))
        cells[:, NAME], guesses[:, 1] = name[cells[:, NAME]], name[guesses[:, 1]]
        names = NO_NAMES.and_also(map(self.names.__getitem__, used.tolist()))
        return Records(self.forms, names, cells, Pairs.of_rows(asks), Pairs.of_rows(guesses), len(cells))

    def copy(self) -> Records:
        """The same in memory of its own."""
        asks, guesses = self.asks.copy(), self.guesses.copy()
        return Records(self.forms, self.names.copy(), self.cells.copy(), asks, guesses, self.asked_least)


NO_RECORDS = Records((), NO_NAMES, np.empty((0, 4), np.int32), NO_PAIRS, NO_PAIRS)


def split(key: Key) -> tuple[Form, int, str, int]:
    """The form, node, name and other node of a question that the evaluator noted; see `records`."""
    kind = key[0]
    if kind.__class__ is int:  # a member: see `class_members.find_member`
        node, through, is_symbol, name = key
        if through.__class__ is int:
            return ("member", None, is_symbol), node, name, through  # type: ignore[return-value]
        return ("member", through, is_symbol), node, name, NO_NODE  # type: ignore[return-value]
    found = _SPLIT.get(kind)
    return (key[:1], key[1], "", NO_NODE) if found is None else found(key)  # type: ignore[return-value]


def _split_named(key: Key) -> tuple[Form, int, str, int]:
    """A kind, a node, a name and what else there is."""
    return (key[0], *key[3:]), key[1], key[2], NO_NODE  # type: ignore[return-value]


def _split_numbered(key: Key) -> tuple[Form, int, str, int]:
    """A kind, a node and a number that is no node."""
    return (key[0], key[2]), key[1], "", NO_NODE  # type: ignore[return-value]


def _split_related(key: Key) -> tuple[Form, int, str, int]:
    """A kind and two nodes."""
    return key[:1], key[1], "", key[2]  # type: ignore[return-value]


def _split_without_node(key: Key) -> tuple[Form, int, str, int]:
    """A kind, whatever else there is, and a name."""
    return key[:-1], NO_NODE, key[-1], NO_NODE  # type: ignore[return-value]


_SPLIT: dict[object, Callable[[Key], tuple[Form, int, str, int]]] = {
    **dict.fromkeys(("star", "public", "bound", "seen", "offered", "operators"), _split_named),
    **dict.fromkeys(("wanted", "pointed", "stands for"), _split_numbered),
    "arguments": _split_related,
    **dict.fromkeys(("child", *LISTS, *OWNERS), _split_without_node),
}
