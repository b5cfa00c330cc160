"""A finished map as entries of a shared store: pieces, and the list of them, which is found by commit.

Pieces are named by their digests, and the list is signed and names the pieces: none can be put in another's place.

Rules of the file:
- What does not fit together raises `BadMap`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import msgspec

from codemap.packed.packed_facts import BadFacts, compressed, expanded
from codemap.packed.unpacking import unpack
from codemap.shared_facts.entries import Content, Refusal, entry_name, seal, unseal

PIECE_BYTES = 8_000_000
"""Size of a piece before it is compressed: large enough that a round trip does not count, small enough to be read again
in a moment."""

PIECES_MAX = 10_000


class BadMap(ValueError):
    """What was read is not the map that was written; the message says why, as a clause."""


class TravellingMap(msgspec.Struct, frozen=True, array_like=True):
    """A map as the store of a machine has it, and of which contents it is."""

    commit: str
    head: bytes
    parts: tuple[bytes, ...]
    keys: tuple[bytes, ...]
    """Keys of the facts of its files, in their order."""
    facts: tuple[bytes, ...]
    objects: tuple[str, ...]
    """git's object ID of each recorded file's content; empty where the file was not as the commit has it."""


class _Pieces(msgspec.Struct, frozen=True, array_like=True):
    names: tuple[str, ...]
    size: int
    """Bytes of the map, whole."""


_encode = msgspec.msgpack.Encoder().encode
_map = msgspec.msgpack.Decoder(TravellingMap)
_pieces = msgspec.msgpack.Decoder(_Pieces)


def map_name(maker: bytes, settings_key: bytes, tree: str, above: str) -> str:
    """Makes the name of the list of a map. `maker` identifies the code that made it, `above` is the root's path in the
    tree."""
    return entry_name(Content.MAP, b"\0".join((maker, settings_key, tree.encode(), above.encode("utf-8", "replace"))))


def split_map(name: str, travelling: TravellingMap, key: bytes | None) -> tuple[dict[str, bytes], bytes]:
    """Makes the sealed pieces of a map, by name, and the sealed list of them, which is called `name`."""
    whole = _encode(travelling)
    pieces: dict[str, bytes] = {}
    names: list[str] = []
    for at in range(0, len(whole), PIECE_BYTES):
        piece = compressed(whole[at : at + PIECE_BYTES])
        names.append(entry_name(Content.PART, sha256(piece).digest()))
        pieces[names[-1]] = seal(names[-1], Content.PART, piece, key)
    return pieces, seal(name, Content.MAP, _encode(_Pieces(tuple(names), len(whole))), key)


def piece_names(name: str, sealed: bytes, key: bytes | None) -> tuple[str, ...]:
    """Reads the names of the pieces from a sealed list. Raises BadMap."""
    return _read_list(name, sealed, key).names


def join_map(name: str, sealed: bytes, pieces: Mapping[str, bytes], key: bytes | None) -> TravellingMap:
    """Puts a map together from its sealed list and its sealed pieces. Raises BadMap."""
    listed = _read_list(name, sealed, key)
    whole = bytearray()
    for one in listed.names:
        body = _opened(one, Content.PART, pieces.get(one, b""), key)
        if entry_name(Content.PART, sha256(body).digest()) != one:
            raise BadMap("a piece of it is another one")
        try:
            whole += expanded(body)
        except BadFacts as error:
            raise BadMap(str(error)) from error
    if len(whole) != listed.size:
        raise BadMap("it is not as long as it should be")
    try:
        found = unpack(_map, bytes(whole))
    except ValueError as error:
        raise BadMap(str(error)) from error
    if len(found.keys) != len(found.facts):
        raise BadMap("it lacks facts")
    return found


def _read_list(name: str, sealed: bytes, key: bytes | None) -> _Pieces:
    try:
        listed = unpack(_pieces, _opened(name, Content.MAP, sealed, key))
    except ValueError as error:
        raise BadMap(str(error)) from error
    if len(listed.names) > PIECES_MAX:
        raise BadMap("it has too many pieces")
    return listed


def _opened(name: str, content: Content, sealed: bytes, key: bytes | None) -> bytes:
    body = unseal(name, content, sealed, key)
    if isinstance(body, Refusal):
        raise BadMap(f"an entry of it is {body.value}")
    return body
