"""Packed texts are the sequence that they were packed from."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.index.trigram_index import Lines
from codemap.packed.parts import Parts
from codemap.packed.texts import PackedTexts, first_from, pack_texts

TEXTS = st.lists(
    st.text(st.characters(), max_size=6) | st.sampled_from(["\udcff", "a\nb", "", "\0", "name"]), max_size=9
)


@given(texts=TEXTS, place=st.integers(-12, 12), other=TEXTS)
def test_they_are_the_same_sequence(texts: list[str], place: int, other: list[str]) -> None:
    text, bounds = pack_texts(texts)
    found = PackedTexts(memoryview(text), bounds)
    assert (len(found), [*found], found[1:3], found[::-1]) == (len(texts), texts, texts[1:3], texts[::-1])
    assert (found == texts, found == other) == (True, texts == other)
    assert found != 7
    try:
        assert found[place] == texts[place]
    except IndexError:
        assert not -len(texts) <= place < len(texts)


@given(texts=TEXTS, part=st.text("abnme", min_size=1, max_size=3) | st.sampled_from(["\udcff", "nam", "\0"]))
def test_lines_that_were_packed_find_the_same(texts: list[str], part: str) -> None:
    whole = Lines(texts)
    back = Lines.unpack(Parts([*map(memoryview, whole.pack())]))
    assert [*back.lines] == texts
    assert back.containing(part) == whole.containing(part) == [n for n, text in enumerate(texts) if part in text]
    assert back.perhaps_containing([part, "name"]) == whole.perhaps_containing([part, "name"])
    assert (part in back, back.containing_at_most(part)) == (part in whole, whole.containing_at_most(part))
    now = np.arange(len(texts), dtype=np.int32)[::-1].copy()
    assert back.any_contains(part, now) == whole.any_contains(part, now)


@given(
    texts=st.lists(st.text("ab\udcff\U0001f600", max_size=4), max_size=80).map(sorted),
    wanted=st.text("ab\udcff\U0001f600", max_size=4),
)
def test_the_first_from_a_text_is_that_of_a_plain_list(texts: list[str], wanted: str) -> None:
    text, bounds = pack_texts(texts)
    assert first_from(PackedTexts(text, bounds), wanted) == first_from(texts, wanted) == bisect_left(texts, wanted)


def test_many_are_the_same_sequence() -> None:
    texts = [f"name{number}" if number % 5000 else "d\u00e9f\udcff" for number in range(9000)]
    text, bounds = pack_texts(texts)
    assert [*PackedTexts(text, bounds)] == texts
    assert [*Lines.unpack(Parts(Lines(texts).pack())).lines] == texts
