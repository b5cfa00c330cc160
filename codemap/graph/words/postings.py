"""Postings: for each term, the definitions that it occurs in, and with what weight.

A definition is written in its name, its signature, the first sentence of its documentation, the rest of that, and its
body. A posting holds the weight of all of these in which the term occurs, so that a question reads one number.

Rules of the file:
- What a file contributes depends on that file alone: so an edit changes the postings of the files that it changed, and
  no others.
- A term counts once in each field. The shorter a field, the more each of its terms says: a class whose documentation
  is a chapter is no answer to each question that uses its words.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import FileFacts, Symbol, Wording
from codemap.graph.index.columns import gathered
from codemap.graph.index.terms import Terms
from codemap.graph.model.edges import Ints, distinct
from codemap.graph.model.indexed_file import IndexedFile, read_facts

FILES_A_STEP = 48
"""Files that are read in one step: some ten milliseconds."""

NAME, SIGNATURE, SENTENCE, DOC, BODY = range(5)
_FIELDS = 5
WEIGHTS = np.array((6.0, 2.0, 2.5, 1.6, 1.2), dtype=np.float32)
"""Of a term in each field."""
_LENGTHS = ((NAME, 2.5, 0.9), (SENTENCE, 8.0, 0.5), (DOC, 15.0, 0.7), (BODY, 30.0, 0.5))
"""Fields, how many terms of each leave the weight as it is, and how much of it depends on them: `b` of BM25F."""

LINES_FULL, LINES_POWER, SHORT_LEAST = 12, 0.5, 0.6
"""A shorter definition is an option, a getter or a declaration more often than what does the work: its terms count by
its share of so many lines, to a power, and at least so much."""

UNITS = 4
"""Weights are kept in so many parts of one."""
WEIGHT_MAX = 127
IN_NAME = 128
"""Set where the term occurs in the name."""

_BLANKS = bytes(byte if byte >= 128 or chr(byte).isalpha() or byte in b"_\n" else ord(" ") for byte in range(256))

Bytes = NDArray[np.uint8]


class Postings(msgspec.Struct, frozen=True):
    terms: Sequence[str]
    """In order."""
    start: Ints
    """Element t: where the postings of term t begin; one longer than there are terms."""
    nodes: Ints
    """Ascending for each term."""
    weights: Bytes
    """In 1 / UNITS, and IN_NAME."""


class Rows(NamedTuple):
    """Postings of some files, in order of term number, then node."""

    terms: Ints
    nodes: Ints
    weights: Bytes


def postings_of(files: Sequence[IndexedFile]) -> Generator[None, None, Postings]:
    """The postings of files, in steps. About a microsecond a word."""
    terms = Terms()
    blocks: list[Rows] = []
    for first in range(0, len(files), FILES_A_STEP):
        blocks.append(_rows(files[first : first + FILES_A_STEP], terms))
        yield
    return (yield from assembled(blocks, list(terms.numbers)))


def assembled(blocks: Sequence[Rows], terms: Sequence[str]) -> Generator[None, None, Postings]:
    """One table of blocks whose nodes ascend from each to the next; `terms` are by number, which may have none."""
    order = sorted(range(len(terms)), key=terms.__getitem__)
    place = np.empty(len(terms), dtype=np.int32)
    place[order] = np.arange(len(terms), dtype=np.int32)
    counts = np.zeros(len(terms) + 1, dtype=np.int64)
    for block in blocks:
        np.add.at(counts, place[block.terms] + 1, 1)
    yield
    begins = np.cumsum(counts)
    free = begins[:-1].copy()
    nodes, weights = np.empty(int(begins[-1]), dtype=np.int32), np.empty(int(begins[-1]), dtype=np.uint8)
    for block in blocks:
        numbers = place[block.terms]
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        run = np.diff(first, append=len(numbers))
        at = np.repeat(free[numbers[first]] - first, run) + np.arange(len(numbers))
        nodes[at], weights[at] = block.nodes, block.weights
        free[numbers[first]] += run
        yield
    return Postings([terms[number] for number in order], begins.astype(np.int32), nodes, weights)


def rows_by_file(files: Sequence[IndexedFile], terms: Terms) -> list[Rows]:
    """The postings of each of some files, whose nodes are rows of its symbols."""
    bases = np.cumsum([0, *(file.symbol_count for file in files)])
    found = _rows(
        [msgspec.structs.replace(file, base=base) for file, base in zip(files, bases.tolist(), strict=False)], terms
    )
    owner = np.searchsorted(bases, found.nodes, side="right") - 1
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(len(bases))).tolist()
    own = [order[begin:end] for begin, end in pairwise(ends)]
    return [
        Rows(found.terms[rows], found.nodes[rows] - np.int32(base), found.weights[rows])
        for rows, base in zip(own, bases, strict=False)
    ]


def joined_rows(blocks: Sequence[Rows]) -> Rows:
    """All of them, one after the other."""
    return Rows(*(np.concatenate(column) for column in zip(*blocks, strict=True)))


def in_order(blocks: Sequence[Rows]) -> Rows:
    """All of them, in order of term number, then node."""
    if not blocks:
        return Rows(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8))
    rows = joined_rows(blocks)
    order = np.lexsort((rows.nodes, rows.terms))
    return Rows(rows.terms[order], rows.nodes[order], rows.weights[order])


def _rows(files: Sequence[IndexedFile], terms: Terms) -> Rows:
    """The postings of neighbouring files."""
    base = files[0].base
    count = files[-1].base + files[-1].symbol_count - base
    facts = [read_facts(file.held) for file in files]
    fields = [_names(files, terms), *_texts(files, facts, terms), *_wordings(files, facts, terms)]
    keys = [numbers.astype(np.int64) << 32 | (nodes - base) << 3 | field for field, numbers, nodes in fields]
    key = distinct(np.concatenate(keys))
    fields_, nodes = key & 7, (key >> 3 & 0x1FFFFFFF).astype(np.int32)
    weight = WEIGHTS[fields_]
    for field, usual, share in _LENGTHS:
        of_field = fields_ == field
        lengths = np.bincount(nodes[of_field], minlength=count).astype(np.float32)
        weight[of_field] /= 1 - share + share * lengths[nodes[of_field]] / usual
    first = np.flatnonzero(np.diff(key >> 3, prepend=-1))
    sums = (np.add.reduceat(weight, first) if len(first) else weight) * _shares_kept(files)[nodes[first]]
    weights = np.clip(np.rint(sums * UNITS), 1, WEIGHT_MAX).astype(np.uint8)
    weights[fields_[first] == NAME] |= IN_NAME
    return Rows((key[first] >> 32).astype(np.int32), nodes[first] + np.int32(base), weights)


def _shares_kept(files: Sequence[IndexedFile]) -> NDArray[np.float32]:
    """How much of a weight each definition of neighbouring files keeps, by its lines; a file keeps all."""
    table = np.concatenate([np.frombuffer(file.symbols, "<i4") for file in files])
    lines = table[Symbol.END_LINE :: Symbol.WIDTH] - table[Symbol.START_LINE :: Symbol.WIDTH] + 1
    share = np.maximum(lines, 1).astype(np.float32) / LINES_FULL
    kept: NDArray[np.float32] = np.clip(share**LINES_POWER, SHORT_LEAST, 1).astype(np.float32)
    kept[[file.base - files[0].base for file in files]] = 1
    return kept


_LAYOUT = re.compile(r"(?:^|(?<=/))(?:src|lib|main|java|kotlin|include|packages)/")
"""Folders by which projects are laid out."""
_Field = tuple[int, Ints, Ints]
"""A field, the numbers of the terms that occur in it, and their definitions."""


def _names(files: Sequence[IndexedFile], terms: Terms) -> _Field:
    """A file is called by its path without the ending, everything else by its name. Folders that every project has
    (`src/`) say nothing."""
    names = [name for file in files for name in (_name_file(file.path), *file.symbol_names)]
    numbers, counts = terms.of(names)
    return NAME, numbers, np.repeat(np.arange(len(names), dtype=np.int32) + np.int32(files[0].base), counts)


def _name_file(path: str) -> str:
    return _LAYOUT.sub("", path.rpartition(".")[0] or path)


def _texts(files: Sequence[IndexedFile], facts: Sequence[FileFacts], terms: Terms) -> Iterator[_Field]:
    """Signatures and first sentences."""
    joined = "\n".join(chain.from_iterable(one.texts for one in facts))
    lines = [line.split() for line in joined.encode(errors="replace").translate(_BLANKS).decode().split("\n")]
    numbers, counts = terms.of([*chain.from_iterable(lines)])
    ends = np.concatenate(([0], np.cumsum(counts)))
    begins = ends[np.concatenate(([0], np.cumsum([len(line) for line in lines])))].astype(np.int32)
    offsets = np.cumsum([0, *(len(one.texts) for one in facts)])
    for field, column in ((SIGNATURE, Symbol.SIGNATURE), (SENTENCE, Symbol.DOC)):
        texts = [np.frombuffer(file.symbols, "<i4")[column :: Symbol.WIDTH] for file in files]
        text = np.concatenate(
            [np.where(own < 0, -1, own + offset) for own, offset in zip(texts, offsets, strict=False)]
        )
        nodes = np.flatnonzero(text >= 0).astype(np.int32)
        found, owner = gathered(numbers, begins, text[nodes])
        yield field, found, nodes[owner] + np.int32(files[0].base)


def _wordings(files: Sequence[IndexedFile], facts: Sequence[FileFacts], terms: Terms) -> Iterator[_Field]:
    """The rest of the documentation, and bodies."""
    worded = [(file, one) for file, one in zip(files, facts, strict=True) if one.words]
    if not worded:
        return
    numbers, counts = terms.of(" ".join(one.words for _, one in worded).split(" "))
    tables = [np.frombuffer(one.wording, "<i4").reshape(-1, Wording.WIDTH) for _, one in worded]
    table = np.concatenate(tables)
    bases = np.repeat([file.base for file, _ in worded], [len(own) for own in tables])
    of_doc, of_body = table[:, Wording.DOC], table[:, Wording.BODY]
    node = np.repeat(np.repeat(table[:, Wording.SYMBOL] + bases, of_doc + of_body), counts)
    is_body = np.repeat(np.repeat(np.tile([False, True], len(table)), table[:, Wording.DOC :].ravel()), counts)
    yield DOC, numbers[~is_body], node[~is_body]
    yield BODY, numbers[is_body], node[is_body]
