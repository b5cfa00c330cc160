"""What of a repository's text is escaped: whole categories, but for what belongs where it stands; and the way back."""

from __future__ import annotations

import json
import re
import sys
import unicodedata

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codemap.escapes import UNSEEN, escaped, escaped_path, is_plain, unescaped

CATEGORIES = ("Cc", "Cf", "Zl", "Zp", "Cs")
SEEN = {
    *"\n\t",
    *map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)),
}
"""Of those categories: line end, tab, and what Unicode calls prepended concatenation marks."""
FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
ENGLAND = "\N{WAVING BLACK FLAG}" + "".join(chr(0xE0000 + ord(char)) for char in "gbeng") + "\U000e007f"

odd = st.one_of(
    st.characters(),
    st.sampled_from("\\uU0123456789abcdefABCDEF\r\n\t #*\u200d\u200c\ufe0f\ufe00\u202e\x1b\udce9\U000e0041"),
    st.sampled_from(
        "\N{MAN}\N{HEAVY BLACK HEART}\N{ARABIC LETTER BEH}\N{DEVANAGARI LETTER KA}\u094d\u1820\u180b\u4e00\u222a\u20e3"
    ),
)
texts = st.lists(odd | st.sampled_from(["\\u202e", "\\u005cu202e", "\\U000e0041", "\\udce9"]), max_size=12).map("".join)


def test_all_of_the_categories_are_escaped_but_what_is_seen() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char) in CATEGORIES:
            assert (escaped(f"a{char}b") == f"a{char}b") == (char in SEEN), hex(code)


def test_blanks_that_are_letters_are_escaped() -> None:
    """Fillers, selectors and the like are marks and letters to Unicode, and nothing to the eye."""
    for code in (
        0x34F,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
        0x180B,
        0x180F,
        0x3164,
        0xFE00,
        0xFE0F,
        0xFFA0,
        0xE0100,
        0xE01EF,
    ):
        assert escaped(f"a{chr(code)}b") == f"a\\u{code:04x}b" if code < 0x10000 else f"a\\U{code:08x}b"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("access\u202elevel", r"access\u202elevel"),
        ("\x1b[31mred\x07", r"\u001b[31mred\u0007"),
        ("a\rb\r\nc\n\td", "a\\u000db\r\nc\n\td"),
        ("caf\udce9.py", r"caf\udce9.py"),
        ("x\U000e0041\U000e0042", r"x\U000e0041\U000e0042"),
        (r"literal \u202e", r"literal \u202e"),
        (FAMILY, FAMILY),
        ("1\ufe0f\u20e3 \u26a0\ufe0f \u00a9\ufe0f", "1\ufe0f\u20e3 \u26a0\ufe0f \u00a9\ufe0f"),
        ("\N{WHITE FLAG}\ufe0f\u200d\N{RAINBOW}", "\N{WHITE FLAG}\ufe0f\u200d\N{RAINBOW}"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        ("\u1820\u180b", "\u1820\u180b"),
        ("\u222a\ufe00\u8fbb\ufe00", "\u222a\ufe00\u8fbb\ufe00"),
        ("ad\u200dmin", r"ad\u200dmin"),
        ("\u4e00\u200d\u4e00", "\u4e00\\u200d\u4e00"),
        ("\u26a0\ufe0f\ufe0f", "\u26a0\ufe0f\\ufe0f"),
        ("\N{MAN}\u200d\u200d\N{WOMAN}", "\N{MAN}\\u200d\\u200d\N{WOMAN}"),
        ("1\ufe0f", r"1\ufe0f"),
        (ENGLAND, "\N{WAVING BLACK FLAG}" + "".join(f"\\U{ord(char):08x}" for char in ENGLAND[1:])),
    ],
)
def test_texts(text: str, wanted: str) -> None:
    assert escaped(text) == wanted


@given(text=texts)
@example(text="\u180b\u200c\u0620")
def test_nothing_is_left_to_escape(text: str) -> None:
    shown = escaped(text)
    assert escaped(shown) == shown
    shown.encode()


@given(path=texts.map(lambda text: re.sub("[\ud800-\udc7f\udd00-\udfff]", "", text)))
def test_a_path_comes_back(path: str) -> None:
    assert unescaped(escaped_path(path)) == path
    assert escaped(escaped_path(path)) == escaped_path(path)


def test_only_what_is_escaped_is_read_as_an_escape() -> None:
    assert (
        unescaped(r"src\utils \u0041 \ud800 \U00110000 \U0001F600") == r"src\utils \u0041 \ud800 \U00110000 \U0001F600"
    )
    assert unescaped(r"\u202E \U000E0041 \u005cu202e") == "\u202e \U000e0041 \\u202e"


@given(text=texts)
def test_json_that_is_called_plain_has_nothing_to_escape(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    for said in (msgspec.json.encode({"a": [text]}), json.dumps({text: 1}, ensure_ascii=False).encode()):
        if is_plain(said):
            assert escaped_path(text) == text


def test_octets_tell_what_characters_do() -> None:
    for code in (*range(0xD800), *range(0xE000, sys.maxunicode + 1)):
        said = msgspec.json.encode(chr(code))
        is_unseen = re.match(f"[{UNSEEN}]", chr(code)) is not None
        assert is_plain(said) != is_unseen, hex(code)
