"""Words are found as ripgrep finds them; `tests/system/test_ripgrep.py` holds the counter against ripgrep itself."""

from __future__ import annotations

import pytest

from codemap.facts import rows
from codemap.occurrences.words import Nature, count, find_places, glance, look, offsets

CASES = [
    ("foo", "foo foo_ _foo foobar barfoo foo.foo(foo)", 4),
    ("foo", "", 0),
    ("foo", "foo", 1),
    ("foo", "fóo foó éfoo fooé", 0),
    ("foo", "“foo” foo…foo 中foo foo中", 3),
    ("größe", "größe größer Größe x.größe", 2),
    ("foo", "foo\u0301 foo\u200d foo\u00b2 foo\u2160", 1),  # a mark, a joiner and a Roman numeral are of words
    ("save!", "save! save!! save!x x.save! save", 3),
    ("a", "a$a a-a", 4),
    ("$x", "$x $$x a$x $xy", 2),
    ("==", "a == b === c ===== d", 4),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES)
def test_words_in_a_text(name: str, text: str, expected: int) -> None:
    assert count(text.encode(), name) == expected


def test_there_are_no_words_beside_bytes_that_are_no_text() -> None:
    assert count(b"\xfffoo foo\xff foo\xc3 \x80foo foo \xff", "foo") == 1


def test_places_have_lines_and_columns_in_utf16() -> None:
    source = "é😀 foo\n\n  foo\r\nfoo".encode()
    found = rows(look(source, dict.fromkeys(offsets(source, "foo"), Nature.STRING))).tolist()
    assert found == [1, 5, Nature.STRING, 3, 3, Nature.STRING, 4, 1, Nature.STRING]


@pytest.mark.parametrize(
    ("line", "nature"),
    [
        ("x = foo", Nature.UNREAD),
        ('x = "a" + foo', Nature.UNREAD),
        ('x = "a foo', Nature.PERHAPS_TEXT),
        ("1;" * 2000 + "foo", Nature.PERHAPS_TEXT),  # nobody looks so far back, for each of many words
    ],
)
def test_what_a_line_tells_of_a_word(line: str, nature: Nature) -> None:
    for before in ("", "y\n"):
        assert rows(glance((before + line).encode(), "foo")).tolist()[2] == nature


def test_who_asks_only_where_words_are_gets_the_same_places() -> None:
    source = b"\xef\xbb\xbffoo = 'foo'\n# foo, foobar\n"
    places, glanced = rows(find_places(source, "foo")).tolist(), rows(glance(source, "foo")).tolist()
    assert [places[0::3], places[1::3]] == [glanced[0::3], glanced[1::3]] == [[1, 1, 2], [4, 11, 3]]
    assert set(places[2::3]) == {Nature.UNREAD}
