r"""Writes characters that are invisible, or that a terminal obeys, as literal escapes such as `\u202e`, and reads them
back.

What comes out of a repository is somebody else's text. An override makes it look like another one, an escape sequence
moves a cursor, tag characters and variation selectors carry sentences that only a model reads.

Escaped are controls but the line end and the tab (Cc), format characters (Cf), line and paragraph separators (Zl, Zp),
what Unicode calls default ignorable, and lone surrogates, which stand for bytes of a path that are not UTF-8. Not
escaped, where they belong:
- U+200C and U+200D between letters of scripts that join them, U+200D between pictographs;
- one of U+FE0E and U+FE0F after a pictograph or the key of a keycap, of U+FE00 to U+FE02 after an ideograph, a Myanmar
  letter or a mathematical sign, of U+180B to U+180F after a Mongolian letter;
- signs that Unicode counts among format characters but that are seen, as U+06DD.

Flags of regions (tags) and ideographic variants (U+E0100 and up) are escaped too: any text can be hidden in them.

Source: Unicode 15.1, categories and Default_Ignorable_Code_Point; UAX #31, section 2.3; UTS #55; CVE-2021-42574.
"""

from __future__ import annotations

import re
from unicodedata import category

UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Ranges of a character class: what is escaped somewhere, without surrogates."""

_FOUND = re.compile(rf"(?!\r\n)[{UNSEEN}\ud800-\udfff]")
_IN_ASCII_JSON = re.compile(rb"\\(?:u00|[bfr]|\\[uU])")
_IN_JSON = re.compile(
    _IN_ASCII_JSON.pattern
    + rb"|\x7f|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])"
    rb"|\xe2(?:\x80[\x8b-\x8f\xa8-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4"
    rb"|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb0-\xbb])"
    rb"|\xf0(?:\x93\x90[\xb0-\xbf]|\x9b\xb2[\xa0-\xa3]|\x9d\x85[\xb3-\xba])|\xf3\xa0"
)
"""What stands for these in JSON, as octets, which are looked through in a third of the time that characters take; and
what, with a backslash before it, looks like an escape."""
_BYTE = "\udc80-\udcff"
"""Bytes that are not UTF-8; see PEP 383."""
ESCAPE = r"\\(?:u([0-9a-fA-F]{4})|U000([0-9a-fA-F]{5}))"
"""What may be one."""
_ESCAPE = re.compile(ESCAPE)
_ESCAPED = re.compile(rf"[{UNSEEN}{_BYTE}\\]")

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_TEXT_STYLE, _EMOJI_STYLE, _KEYCAP = "\ufe0e", "\ufe0f", "\u20e3"
_KEYS = "0123456789#*"
_MARKS = "\u203c\u2049\u2139\u3030"
"""Of what has both styles, neither symbols nor keys."""
_JOINED = re.compile(
    rf"(?![{UNSEEN}])"  # what is escaped itself is no letter afterwards
    "[\u0600-\u109f\u1780-\u18af\ua840-\ua87f\ua8e0-\ua8ff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff]"
)
"""Scripts whose letters join: Arabic to Myanmar, Khmer, Mongolian, and others."""
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
_PICTOGRAPHS = range(0x1F000, 0x1FC00)


def is_plain(json: bytes) -> bool:
    """Whether JSON surely has nothing to escape, in texts and in paths; it has no lone surrogates."""
    if not json.isascii():
        return _IN_JSON.search(json) is None
    return b"\x7f" not in json and (b"\\" not in json or _IN_ASCII_JSON.search(json) is None)


def escaped(text: str) -> str:
    """The text with each such character as its escape; what looks like one stays as it is."""
    return text if text.isascii() and text.isprintable() else _FOUND.sub(_spell, text)


def escaped_path(path: str) -> str:
    """The same, so that `unescaped` gives the path back: what looks like an escape loses its backslash to one."""
    if "\\" in path:
        path = _ESCAPE.sub(_double_backslash, path)
    return escaped(path)


def unescaped(text: str) -> str:
    """The text that was escaped, as a client gives it back."""
    return _ESCAPE.sub(_read_escape, text) if "\\" in text else text


def _spell(found: re.Match[str]) -> str:
    char, at, text = found[0], found.start(), found.string
    return char if _is_at_home(char, text[max(at - 1, 0) : at], text[at + 1 : at + 2]) else _escape_of(char)


def _escape_of(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _read_escape(escape: re.Match[str]) -> str:
    char = chr(int(escape[1] or escape[2], 16))
    return char if _ESCAPED.match(char) else escape[0]


def _double_backslash(escape: re.Match[str]) -> str:
    return escape[0] if _read_escape(escape) == escape[0] else _escape_of("\\") + escape[0][1:]


def _is_at_home(char: str, before: str, after: str) -> bool:
    """Whether a character is where its script or its sign needs it."""
    if not before:
        return False
    if char in (_JOINER, _NON_JOINER):
        is_letters = _joins(before) and _joins(after)
        is_sign = _is_pictograph(before) or before == _EMOJI_STYLE
        return is_letters or (char == _JOINER and is_sign and _is_pictograph(after))
    if char in (_TEXT_STYLE, _EMOJI_STYLE):
        return _is_pictograph(before) or before in _MARKS or (before in _KEYS and after == _KEYCAP)
    if "\ufe00" <= char <= "\ufe02":
        return category(before) == "Sm" or (category(before) == "Lo" and before >= "\u1000")
    return "\u180b" <= char <= "\u180f" and _MONGOLIAN.match(before) is not None


def _joins(char: str) -> bool:
    return _JOINED.match(char) is not None and category(char) in ("Lo", "Mn", "Mc")


def _is_pictograph(char: str) -> bool:
    """Also of a later version of Unicode than Python's."""
    return bool(char) and (category(char) in ("So", "Sm") or ord(char) in _PICTOGRAPHS)
