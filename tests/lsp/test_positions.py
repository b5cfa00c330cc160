"""Positions: every encoding both ways, against a model that counts characters one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.lsp.positions import Encoding, Lines, from_server, name_at, to_server

LINE = "\té😀 = 'x'"  # tab, two bytes, four bytes and two units


@pytest.mark.parametrize(
    ("col", "utf_8", "utf_16", "utf_32"),
    [
        (1, 0, 0, 0),
        (2, 1, 1, 1),
        (3, 3, 2, 2),
        (5, 7, 4, 3),
        (6, 8, 5, 4),
        (11, 13, 10, 9),
    ],
)
def test_columns_between_characters(col: int, utf_8: int, utf_16: int, utf_32: int) -> None:
    for encoding, character in zip(Encoding, (utf_8, utf_16, utf_32), strict=True):
        assert to_server(LINE, col, encoding) == character
        assert from_server(LINE, character, encoding) == col


@pytest.mark.parametrize(
    ("col", "characters"),
    [(0, (0, 0, 0)), (-5, (0, 0, 0)), (12, (13, 10, 9)), (10**9, (13, 10, 9)), (4, (3, 2, 2))],
    ids=["zero", "negative", "behind the end", "far behind", "inside a pair"],
)
def test_other_columns_are_moved(col: int, characters: tuple[int, int, int]) -> None:
    assert tuple(to_server(LINE, col, encoding) for encoding in Encoding) == characters


@pytest.mark.parametrize(
    ("encoding", "character", "col"),
    [
        (Encoding.UTF_8, 2, 2),  # inside é
        (Encoding.UTF_8, 4, 3),  # inside 😀
        (Encoding.UTF_8, 6, 3),
        (Encoding.UTF_16, 3, 3),
        (Encoding.UTF_8, 99, 11),
        (Encoding.UTF_16, 99, 11),
        (Encoding.UTF_32, 99, 11),
        (Encoding.UTF_16, -1, 1),
    ],
)
def test_other_characters_are_moved(encoding: Encoding, character: int, col: int) -> None:
    assert from_server(LINE, character, encoding) == col


@pytest.mark.parametrize("encoding", Encoding)
def test_an_empty_line_has_one_column(encoding: Encoding) -> None:
    assert [to_server("", col, encoding) for col in (0, 1, 9)] == [0, 0, 0]
    assert [from_server("", character, encoding) for character in (0, 9)] == [1, 1]


def units(character: str, encoding: Encoding) -> int:
    code = ord(character)
    match encoding:
        case Encoding.UTF_8:
            return 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)
        case Encoding.UTF_16:
            return 1 + (code > 0xFFFF)
        case Encoding.UTF_32:
            return 1


def model(line: str, offset: int, before: Encoding, after: Encoding) -> int:
    """The offset, in other units, of the last beginning of a character that is not behind it."""
    old = new = 0
    for character in line:
        old += units(character, before)
        if old > offset:
            break
        new += units(character, after)
    return new


lines = st.text(st.sampled_from("ab\té÷ 中\uffff😀𐀀\u0301"), max_size=12) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=12
)
lines_with_escapes = lines | st.text(st.sampled_from("a😀\udc80\udcff"), max_size=8)


@given(lines_with_escapes, st.integers(-2, 60), st.sampled_from(Encoding))
def test_it_counts_as_the_model_does(line: str, offset: int, encoding: Encoding) -> None:
    assert to_server(line, offset + 1, encoding) == model(line, offset, Encoding.UTF_16, encoding)
    assert from_server(line, offset, encoding) == model(line, offset, encoding, Encoding.UTF_16) + 1


@given(lines, st.sampled_from(Encoding), st.data())
def test_there_and_back(line: str, encoding: Encoding, data: st.DataObject) -> None:
    prefix = line[: data.draw(st.integers(0, len(line)))]
    col = sum(units(character, Encoding.UTF_16) for character in prefix) + 1
    assert from_server(line, to_server(line, col, encoding), encoding) == col


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("\r\r\n\n", ["", "", "", ""]),
        ("a\x0cb\x0bc\x1cd\x85e\u2028f", ["a\x0cb\x0bc\x1cd\x85e\u2028f"]),
    ],
)
def test_lines(text: str, expected: list[str]) -> None:
    found = Lines(text)
    assert [found.line(number) for number in range(1, len(found) + 1)] == expected
    assert [found.line(number) for number in (-1, 0, len(found) + 1)] == ["", "", ""]


@given(st.lists(st.tuples(st.text(st.sampled_from("ab \x0c"), max_size=4), st.sampled_from(["\n", "\r\n", "\r"]))))
def test_every_ending_ends_one_line(parts: list[tuple[str, str]]) -> None:
    text = "".join(line + ending for line, ending in parts)
    # A carriage return and a line feed that come together are one ending, wherever they come from.
    assert len(Lines(text)) == text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


@pytest.mark.parametrize(
    ("col", "name"),
    [
        (1, "größe"),
        (3, "größe"),
        (6, "größe"),
        (7, ""),
        (8, "$x1"),
        (11, "$x1"),
        (12, ""),
        (15, "end"),
        (18, "end"),
        (99, "end"),
    ],
)
def test_the_name_at_a_column_is_the_one_around_or_before_it(col: int, name: str) -> None:
    assert name_at("größe  $x1 🦊end", col) == name
