"""Code in colors: without the escapes it is what it was, and each line ends without an open color."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.command_line.display.highlighting import highlight, highlight_diff
from actors.command_line.display.terminal import Style, When
from actors.command_line.subcommands import WHEN
from actors.command_line.text_rendering import readable
from codemap.languages import languages

COLORED, PLAIN = Style(has_color=True), Style()
ESCAPE = re.compile(r"\x1b\[\d+m")
SUFFIXES = sorted({suffix for language in languages() for suffix in language.suffixes})
SOURCE = 'def take(n):\n    """Two\n\n    lines."""\n    return f"{n}"  # 1\n'


def test_words_of_the_language_have_colors() -> None:
    assert highlight("def take():\n    return 1", "app/a.py", COLORED) == (
        "\x1b[35mdef\x1b[0m \x1b[34mtake\x1b[0m():\n    \x1b[35mreturn\x1b[0m \x1b[36m1\x1b[0m"
    )


def test_no_color_is_open_at_the_end_of_a_line() -> None:
    for line in highlight(SOURCE, "a.py", COLORED).split("\n"):
        escapes = ESCAPE.findall(line)
        assert [one == "\x1b[0m" for one in escapes] == [bool(place % 2) for place in range(len(escapes))]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_language_is_highlighted(suffix: str) -> None:
    colored = highlight('"text" 12 // not\nclass if return\n', f"a{suffix}", COLORED)
    assert ESCAPE.search(colored), suffix


@given(
    st.text(st.sampled_from("ab1_ \t\n\"'`#/*{}()<>=+-\\\u202e\x0c\ré<?php"), max_size=80), st.sampled_from(SUFFIXES)
)
def test_the_code_stays_what_it_is(code: str, suffix: str) -> None:
    assert ESCAPE.sub("", highlight(code, f"a{suffix}", COLORED)) == code
    assert highlight(code, f"a{suffix}", PLAIN) == code


def test_an_unknown_file_is_plain() -> None:
    assert highlight(SOURCE, "a.unknown_suffix", COLORED) == SOURCE


def test_a_diff_shows_what_comes_and_what_goes() -> None:
    assert highlight_diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c", COLORED) == (
        "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n"
        "\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n c"
    )


def shown(code: str, style: Style) -> str:
    data = {"code": {"app/a.py#take": [f"7-8\n{code}"]}}
    return readable({"ok": True, "data": data, "warnings": []}, style)


def test_lines_are_numbered_and_stay_whole() -> None:
    code = "def take(): \n\n    return 1\t"
    plain = "app/a.py#take\n7  def take(): \n8\n9      return 1\t\n"
    assert shown(code, PLAIN) == plain
    assert ESCAPE.sub("", shown(code, COLORED)) == plain


def test_pieces_show_their_code_too() -> None:
    piece = {"id": "py:a.py#f", "file": "a.py", "line": 7, "endLine": 8, "code": "def f():\n    ...", "digest": "0"}
    data = {"pieces": [piece, {**piece, "line": 12, "code": "g()"}]}
    printed = readable({"ok": True, "data": data, "warnings": []}, PLAIN)
    assert printed == "pieces\n  py:a.py#f\n   7  def f():\n   8      ...\n   …\n  12  g()\n"


def test_what_is_not_shown_of_a_definition_is_marked() -> None:
    data = {"code": {"a.py#f": ["9-10 of 7-14\nx = 1\n", "12\ny = 2"], "a.py#g": ["20 of 20-22\ndef g():"]}}
    printed = readable({"ok": True, "data": data, "warnings": []}, PLAIN)
    lines = ["a.py#f", " …", " 9  x = 1", "10", " …", "12  y = 2", " …  to 14"]
    assert printed.split("\n") == [*lines, "", "a.py#g", "20  def g():", " …  to 22", ""]


def test_escapes_in_the_code_stay_visible_text() -> None:
    colored = shown('x = "\x1b[2J\x07"', COLORED)
    assert ESCAPE.sub("", colored) == 'app/a.py#take\n7  x = "\\u001b[2J\\u0007"\n'


def test_each_choice_of_the_command_line_is_known() -> None:
    assert get_args(When) == WHEN
