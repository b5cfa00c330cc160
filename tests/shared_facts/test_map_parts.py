"""A map in pieces: it comes back as it was, or not at all."""

from __future__ import annotations

import random

import pytest

from codemap.shared_facts import map_parts
from codemap.shared_facts.entries import Content, seal
from codemap.shared_facts.map_parts import BadMap, TravellingMap, join_map, map_name, piece_names, split_map

KEY = b"a key that only the team has"
NAME = map_name(b"maker", b"settings", "tree", "")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_parts, "PIECE_BYTES", 1_000)


def travelling(seed: int = 0) -> TravellingMap:
    noise = random.Random(seed).randbytes
    return TravellingMap(
        "commit", b"head", (noise(2_500), b"", b"x" * 3_000), (b"k" * 16, b"l" * 16), (noise(100), b"f"), ("id", "")
    )


def test_it_comes_back_as_it_was() -> None:
    for key in (KEY, None):
        pieces, listed = split_map(NAME, travelling(), key)
        assert set(piece_names(NAME, listed, key)) == pieces.keys()
        assert len(pieces) > 3
        assert join_map(NAME, listed, pieces, key) == travelling()


def test_a_piece_that_is_missing_altered_or_of_another_map_spoils_it() -> None:
    pieces, listed = split_map(NAME, travelling(), KEY)
    others, other_list = split_map(NAME, travelling(1), KEY)
    names = piece_names(NAME, listed, KEY)
    for name in names:
        flipped = pieces[name][:-1] + bytes((pieces[name][-1] ^ 1,))
        swapped = pieces[names[names.index(name) - 1]]
        resealed = seal(name, Content.PART, b"\0another body", KEY)
        for wrong in (b"", flipped, swapped, resealed):
            with pytest.raises(BadMap):
                join_map(NAME, listed, {**pieces, name: wrong}, KEY)
    with pytest.raises(BadMap):
        join_map(NAME, other_list, pieces, KEY)
    assert join_map(NAME, other_list, others, KEY) == travelling(1)


@pytest.mark.parametrize(
    "body", [b"", b"no list", b"\x92\x90\x01", b"\x92\x91\xa1\xff\x01"], ids=["empty", "text", "no pieces", "no UTF-8"]
)
def test_a_list_that_is_none_is_refused_although_signed(body: bytes) -> None:
    with pytest.raises(BadMap):
        join_map(NAME, seal(NAME, Content.MAP, body, KEY), {}, KEY)


def test_the_list_of_another_commit_or_team_is_refused() -> None:
    pieces, listed = split_map(NAME, travelling(), KEY)
    with pytest.raises(BadMap, match="forged"):
        join_map(map_name(b"maker", b"settings", "another tree", ""), listed, pieces, KEY)
    with pytest.raises(BadMap, match="forged"):
        join_map(NAME, listed, pieces, b"the key of another team")


def test_a_map_is_found_by_all_that_it_depends_on() -> None:
    makings = [(b"m", b"s", "t", "a"), (b"n", b"s", "t", "a"), (b"m", b"x", "t", "a"), (b"m", b"s", "u", "a")]
    names = {map_name(*making) for making in [*makings, (b"m", b"s", "t", "")]}
    assert len(names) == 5
