"""The word index of a snapshot as bytes that can be kept beside it, and back, so that a second start need not read all
words again.

The postings are kept as they are, with the files whose words they do not have: those are read when a question comes, as
they would have been without a stop between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.postings import Postings
from codemap.graph.words.word_index import WORD_INDEX, WordIndex
from codemap.packed.parts import Parts, packed, packed_texts
from codemap.packed.texts import Octets
from codemap.packed.unpacking import unpack

WORD_PARTS = 6
"""How many parts there are."""


class _Head(msgspec.Struct, frozen=True, array_like=True):
    is_there: bool
    changed: tuple[bytes, ...]
    """Paths of files that have other words by now."""
    paths: tuple[bytes, ...]
    """Of the files that the postings were made from; none where they are those of the snapshot."""
    bases: tuple[int, ...]


_encoder = msgspec.msgpack.Encoder()
_head = msgspec.msgpack.Decoder(_Head)


def pack_words(snapshot: Snapshot) -> Iterator[bytes]:
    """The parts, in a fixed order, of the index as far as it was made. About 5 bytes a posting."""
    held = WORD_INDEX.held_by(snapshot)
    if held is None:
        yield _encoder.encode(_Head(False, (), (), ()))
        yield from [b""] * (WORD_PARTS - 1)
        return
    changed = tuple(map(_encoded, sorted(held.changed)))
    paths, bases = (tuple(map(_encoded, held.paths)), held.bases) if changed else ((), ())
    head = _Head(True, changed, paths, bases)
    postings = held.postings
    yield _encoder.encode(head)
    yield from packed_texts(postings.terms)
    yield packed(postings.start, "<i4")
    yield packed(postings.nodes, "<i4")
    yield packed(postings.weights, "<u1")


def unpack_words(parts: Sequence[Octets], snapshot: Snapshot) -> None:
    """Gives a snapshot the index that was packed with it. Raises ValueError where the parts are not of one index."""
    head = unpack(_head, parts[0])
    if not head.is_there:
        return
    rest = Parts(parts[1:])
    terms, start, nodes = rest.texts(), rest.array("<i4"), rest.array("<i4")
    weights = rest.array("<u1", len(nodes))
    is_behind = bool(head.changed)
    paths = tuple(map(_decoded, head.paths)) if is_behind else tuple(snapshot.by_path)
    bases = head.bases if is_behind else snapshot.bases
    is_whole = (
        len(start) == len(terms) + 1
        and len(bases) == len(paths) + 1
        and int(start[0]) == 0
        and int(start[-1]) == len(nodes)
    )
    if not is_whole:
        raise ValueError("words of another snapshot")
    postings = Postings(terms, start, nodes, weights)
    index = WordIndex(snapshot, postings, paths, bases, frozenset(map(_decoded, head.changed)))
    snapshot.indexes.put(WORD_INDEX, index)


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")  # those that are not UTF-8 hold surrogates


def _decoded(path: bytes) -> str:
    return path.decode("utf-8", "surrogatepass")
