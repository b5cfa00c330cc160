"""The index of lines against a look at every line."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.index.trigram_index import RUNS_AN_EDIT, SMALL, Lines, _hashed

alphabet = "abt_é0"
words = st.text(alphabet, min_size=1, max_size=5)
texts = st.lists(st.text(alphabet + "\n", max_size=12), max_size=30)


@given(texts, st.lists(words, min_size=1, max_size=3))
def test_a_look_finds_all_lines_with_a_part(lines: list[str], parts: list[str]) -> None:
    index = Lines(lines)
    for part in parts:
        wanted = [number for number, line in enumerate(lines) if part in line]
        assert index.containing(part) == wanted
        assert (part in index) is bool(wanted)
        assert index.containing_at_most(part) >= len(wanted)
    all_of_them = {number for number, line in enumerate(lines) if all(part in line for part in parts)}
    perhaps = index.perhaps_containing(parts)
    assert all_of_them <= set(perhaps)
    assert perhaps == sorted(set(perhaps))


@given(texts, st.text("abcdef", min_size=5, max_size=12), st.data())
def test_a_line_is_found_by_what_it_turns_into_by_an_edit(lines: list[str], line: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line) - 2))
    other = data.draw(st.sampled_from("abcxyz"))
    kinds = (line[:at] + line[at + 1 :], f"{line[:at]}{other}{line[at:]}", f"{line[:at]}{other}{line[at + 1 :]}")
    text = data.draw(st.sampled_from((*kinds, line[:at] + line[at + 1] + line[at] + line[at + 2 :])))
    index = Lines([*lines, line, f"in_{line}_side"])
    found = index.resembling(text, 1)
    assert found == sorted(set(found))
    runs = {text_[place : place + 3] for text_ in [f"\n{text}\n"] for place in range(len(text))}
    if len(runs) > RUNS_AN_EDIT:
        assert len(lines) in found
    if len({run for run in runs if "\n" not in run}) > RUNS_AN_EDIT + 1:
        assert len(lines) + 1 in found


def test_parts_in_the_same_bucket_are_distinguished() -> None:
    parts = ["aap", "ac0"]
    assert len(set(_hashed(np.frombuffer("".join(parts).encode(), np.uint8))[::3].tolist())) == 1
    assert [Lines(parts).containing(part) for part in parts] == [[0], [1]]


def test_a_part_that_is_everywhere_is_found_by_its_rarest_octets() -> None:
    lines = [f"test_{number}" for number in range(SMALL * 3)] + ["test_zebra"]
    index = Lines(lines)
    assert index.containing("test_") == list(range(len(lines)))
    assert index.perhaps_containing(["test", "zebra"]) == [len(lines) - 1]


@given(st.lists(st.text(alphabet, max_size=12), min_size=1, max_size=30), st.data(), words)
def test_after_edits_a_part_is_there_when_a_line_that_is_left_or_came_has_it(
    lines: list[str], data: st.DataObject, part: str
) -> None:
    are_kept = data.draw(st.lists(st.booleans(), min_size=len(lines), max_size=len(lines)))
    came = data.draw(st.lists(st.text(alphabet, max_size=12), max_size=3))
    kept = [number for number, is_kept in enumerate(are_kept) if is_kept]
    now = np.full(len(lines), -1, dtype=np.int32)
    now[kept] = np.arange(len(kept), dtype=np.int32)
    amended = Lines(lines).amended(now, [(len(kept) + place, line) for place, line in enumerate(came)])
    assert amended is not None
    assert (part in amended) is any(part in line for line in (*(lines[number] for number in kept), *came))
    assert (part in amended) is bool(amended.containing(part))
