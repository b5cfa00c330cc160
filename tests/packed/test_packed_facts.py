"""Facts as bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.extract.extract import extract
from codemap.packed.packed_facts import COMPRESSED, PLAIN, BadFacts, expanded, pack_facts, unpack_facts

SOURCE = b"class A:\n" + b"".join(b"    def method_%d(self): return self.other()\n" % n for n in range(40))


@pytest.mark.parametrize(("source", "form"), [(b"", PLAIN), (SOURCE, COMPRESSED)])
def test_facts_come_back_in_the_shorter_form(source: bytes, form: bytes) -> None:
    facts = extract("a.py", source)
    packed = pack_facts(facts)
    assert packed[:1] == form
    assert unpack_facts(packed) == facts
    assert len(packed) <= len(expanded(packed)) + 1


@given(st.binary(max_size=64))
def test_anything_else_is_refused(packed: bytes) -> None:
    with pytest.raises(BadFacts):
        unpack_facts(packed)


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_what_is_cut_short_is_refused(cut: int) -> None:
    with pytest.raises(BadFacts):
        unpack_facts(pack_facts(extract("a.py", SOURCE))[:-cut])


def test_text_that_is_not_utf_8_is_refused() -> None:
    packed = PLAIN + expanded(pack_facts(extract("a.py", b"def name(): pass\n"))).replace(b"name", b"na\xffe")
    with pytest.raises(BadFacts):
        unpack_facts(packed)
