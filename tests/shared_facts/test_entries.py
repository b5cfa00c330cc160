"""Entries of a shared store: what is accepted, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.shared_facts.entries import HEAD_BYTES, Content, Refusal, entry_name, seal, unseal

KEY = b"a key that only the team has"
NAME = entry_name(Content.FACTS, b"some source")
BODIES = st.binary(max_size=64)


@given(BODIES, st.sampled_from(Content), st.sampled_from((KEY, None)))
def test_what_was_sealed_is_unsealed(body: bytes, content: Content, key: bytes | None) -> None:
    assert unseal(NAME, content, seal(NAME, content, body, key), key) == body


@given(BODIES, st.data())
def test_no_altered_byte_is_accepted(body: bytes, data: st.DataObject) -> None:
    sealed = bytearray(seal(NAME, Content.FACTS, body, KEY))
    at = data.draw(st.integers(0, len(sealed) - 1))
    sealed[at] ^= data.draw(st.integers(1, 255))
    assert isinstance(unseal(NAME, Content.FACTS, bytes(sealed), KEY), Refusal)


@given(BODIES, st.data())
def test_no_altered_body_is_accepted_without_a_key_either(body: bytes, data: st.DataObject) -> None:
    sealed = bytearray(seal(NAME, Content.FACTS, body + b"!", None))
    at = data.draw(st.integers(HEAD_BYTES, len(sealed) - 1))
    sealed[at] ^= data.draw(st.integers(1, 255))
    assert unseal(NAME, Content.FACTS, bytes(sealed), None) is Refusal.DAMAGED


@given(BODIES, st.integers(1, 200), st.booleans())
def test_nothing_longer_or_shorter_is_accepted(body: bytes, count: int, is_longer: bool) -> None:
    sealed = seal(NAME, Content.FACTS, body, KEY)
    altered = sealed + bytes(count) if is_longer else sealed[:-count]
    assert unseal(NAME, Content.FACTS, altered, KEY) in (Refusal.DAMAGED, Refusal.FOREIGN)


@pytest.mark.parametrize(
    ("sealed", "refusal"),
    [
        (seal(NAME, Content.FACTS, b"x", b"the key of another team"), Refusal.FORGED),
        (seal(entry_name(Content.FACTS, b"another source"), Content.FACTS, b"x", KEY), Refusal.FORGED),
        (seal(NAME, Content.FACTS, b"x", None), Refusal.UNSIGNED),
        (seal(NAME, Content.NAMES, b"x", KEY), Refusal.FOREIGN),
        (b"codemap\x02" + seal(NAME, Content.FACTS, b"x", KEY)[8:], Refusal.FOREIGN),
        (b"<html>no such entry</html>", Refusal.FOREIGN),
        (b"", Refusal.FOREIGN),
    ],
)
def test_why_it_is_not_accepted(sealed: bytes, refusal: Refusal) -> None:
    assert unseal(NAME, Content.FACTS, sealed, KEY) is refusal


def test_a_signed_entry_is_accepted_where_no_signature_is_asked_for() -> None:
    assert unseal(NAME, Content.FACTS, seal(NAME, Content.FACTS, b"x", KEY), None) == b"x"


def test_names_say_what_is_shared_and_of_which_source() -> None:
    names = {entry_name(content, key) for content in Content for key in (b"a", b"b")}
    assert len(names) == 2 * len(Content)
    assert all(len(name) == 64 and set(name) <= set("0123456789abcdef") for name in names)
