"""Answers of a cluster: what is accepted of them, and that nothing else is."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.cluster.jobs import (
    BadAnswer,
    ClusterAnswer,
    ClusterFile,
    ClusterJob,
    accept_each,
    read_answer,
    read_job,
    source_name,
)
from codemap.extract.extract import extract
from codemap.facts import FileFacts
from codemap.packed.packed_facts import pack_facts
from codemap.shared_facts.entries import Content, Refusal, seal

KEY, MAKER = b"k" * 32, b"this version"
PACK = msgspec.msgpack.Encoder().encode
FACTS = [extract(f"{name}.py", f"def {name}(): ...\n".encode()) for name in ("a", "b")]
NAMES = [source_name(name) for name in (b"source of a", b"source of b")]
SEALED = tuple(seal(name, Content.FACTS, pack_facts(facts), KEY) for name, facts in zip(NAMES, FACTS, strict=True))


def accepted(sealed: tuple[bytes, ...], key: bytes = KEY) -> list[FileFacts | Refusal | None]:
    return list(accept_each(NAMES, read_answer(PACK(ClusterAnswer(MAKER, sealed)), len(NAMES), MAKER), key))


def test_facts_are_those_of_the_file_that_was_sent() -> None:
    assert accepted(SEALED) == FACTS
    assert accepted((b"", SEALED[1])) == [None, FACTS[1]]
    assert accepted(()) == [None, None]


def test_facts_of_another_file_or_build_are_forged() -> None:
    assert accepted(SEALED[::-1]) == [Refusal.FORGED, Refusal.FORGED]
    assert accepted(SEALED, b"another key of 32 bytes or so...") == [Refusal.FORGED, Refusal.FORGED]
    unsigned = seal(NAMES[0], Content.FACTS, pack_facts(FACTS[0]), None)
    assert accepted((unsigned, SEALED[1])) == [Refusal.UNSIGNED, FACTS[1]]
    names = seal(NAMES[0], Content.NAMES, pack_facts(FACTS[0]), KEY)
    assert accepted((names, SEALED[1])) == [Refusal.FOREIGN, FACTS[1]]
    nothing = seal(NAMES[0], Content.FACTS, b"\0no facts", KEY)
    assert accepted((nothing, SEALED[1])) == [Refusal.DAMAGED, FACTS[1]]


@given(st.integers(0, len(SEALED[0]) - 1), st.integers(1, 255))
def test_no_altered_byte_is_accepted(at: int, change: int) -> None:
    altered = bytearray(SEALED[0])
    altered[at] ^= change
    assert isinstance(accepted((bytes(altered), SEALED[1]))[0], Refusal)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ClusterAnswer(b"that version", SEALED), "another version of codemap"),
        (ClusterAnswer(MAKER, SEALED[:1]), "it answered 1 files for 2"),
        (ClusterAnswer(MAKER, (*SEALED, b"")), "it answered 3 files for 2"),
        ((MAKER, ("text",)), "it answered something else"),
        (17, "it answered something else"),
    ],
)
def test_what_is_no_answer_to_the_job(answer: object, why: str) -> None:
    with pytest.raises(BadAnswer, match=why):
        read_answer(PACK(answer), 2, MAKER)


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_none(packed: bytes) -> None:
    try:
        read_answer(packed, 2, MAKER)
        read_job(packed)
    except BadAnswer:
        return


def test_a_job_comes_back_as_it_was() -> None:
    files = (ClusterFile(b"a.py", b"d", b"content"), ClusterFile(b"\xff.py", b"e"))
    job = ClusterJob(MAKER, KEY, files, b"/mnt/checkout", 1024, 10.0)
    assert read_job(PACK(job)) == job
