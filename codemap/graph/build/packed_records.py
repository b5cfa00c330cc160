"""Records as bytes that can be kept, and back; without the questions that nobody asks any more."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec
import numpy as np

from codemap.graph.model.edges import Ints
from codemap.graph.model.records import HOW, NAME, OWNER, Records, Words
from codemap.unpacking import unpack

_encoder = msgspec.msgpack.Encoder()
_words = msgspec.msgpack.Decoder(tuple[list[bytes | list[object]], dict[int, list[int]], dict[int, list[int]]])
ARRAYS = 7
"""Arrays of integers, beside two texts."""


def pack_records(records: Records | None) -> tuple[bytes, bytes, list[Ints]]:
    """Words, fingerprints, and the arrays."""
    if records is None:
        return _encoder.encode([[], {}, {}]), b"", [np.empty(0, np.int32)] * ARRAYS
    asked = np.frombuffer(b"".join(records.asked.values()), np.int32)
    used, places = np.unique(asked, return_inverse=True)
    words = Words()
    numbers = [words.add(records.words.of[number]) for number in _words_in(records, used)]
    of_word = np.full(len(records.words.of) + 1, -1, np.int32)
    of_word[_words_in(records, used)] = numbers
    cells = records.cells[used].copy()
    for column in (OWNER, NAME, HOW):
        cells[:, column] = of_word[cells[:, column]]
    owners = np.array([words.add(owner) for owner in records.asked], np.int32)
    guessed = {
        words.add(path): [words.add(records.words.of[number]) for number in np.frombuffer(names, np.int32).tolist()]
        for path, names in records.guessed.items()
    }
    returns = {words.add(path): sorted(map(words.add, names)) for path, names in records.returns.items()}
    counts = np.fromiter((len(each) // 4 for each in records.asked.values()), np.int32, count=len(owners))
    return (
        _encoder.encode([[_plain(word) for word in words.of], guessed, returns]),
        records.answers[used].astype("<i8").tobytes(),
        [*cells.T, np.stack([owners, counts], 1).ravel().astype(np.int32), places.astype(np.int32)],
    )


def _words_in(records: Records, used: Ints) -> list[int]:
    found = np.unique(records.cells[used][:, (OWNER, NAME, HOW)])
    return list(found[found >= 0].tolist())


def unpack_records(words: bytes, answers: bytes, arrays: Sequence[Ints]) -> Records | None:
    """The records that were packed. Raises ValueError, msgspec.MsgspecError."""
    *columns, owners, asked = arrays
    listed_words, guessing, returned = unpack(_words, words)
    known = Words(map(_word, listed_words))
    if not len(owners):
        return None
    cells = np.stack(columns, axis=1)
    found = np.frombuffer(answers, "<i8")
    numbers, counts = owners.reshape(-1, 2).T
    ends = np.cumsum(counts)
    if (
        len(found) != len(cells)
        or int(counts.sum()) != len(asked)
        or (len(asked) and int(asked.max()) >= len(cells))
        or max((number for pair in guessing.items() for number in (pair[0], *pair[1])), default=0) >= len(known.of)
        or max((number for pair in returned.items() for number in (pair[0], *pair[1])), default=0) >= len(known.of)
        or max(int(cells[:, (OWNER, NAME, HOW)].max(initial=-1)), int(numbers.max())) >= len(known.of)
    ):
        raise ValueError("records of another snapshot")
    listed = asked.astype(np.int32)
    of = {
        known.of[number]: listed[end - count : end].tobytes()
        for number, count, end in zip(numbers.tolist(), counts.tolist(), ends.tolist(), strict=True)
    }
    returns = {
        str(known.of[path]): frozenset(str(known.of[name]) for name in names) for path, names in returned.items()
    }
    guessed = {str(known.of[path]): np.array(names, np.int32).tobytes() for path, names in guessing.items()}
    return Records(known, cells, found, of, guessed, returns)


def _plain(word: object) -> object:
    """Paths may hold bytes that are no UTF-8."""
    if isinstance(word, str):
        return word.encode("utf-8", "surrogatepass")
    return [_plain(part) for part in word] if isinstance(word, tuple) else word


def _word(plain: object) -> Hashable:
    if isinstance(plain, bytes):
        return plain.decode("utf-8", "surrogatepass")
    if isinstance(plain, list):
        return tuple(map(_word, plain))
    assert isinstance(plain, Hashable)
    return plain
