"""Contents of configuration files that would kill, hang or blow up a careless reader."""

from __future__ import annotations

from collections.abc import Mapping

LARGE = 1 << 20
"""Bytes: the largest file that is read where nobody says otherwise."""

_SMALL = 256 * 1024
_LAUGHS = b"".join(b'<!ENTITY %c "%s">' % (98 + level, b"&%c;" % (97 + level) * 10) for level in range(20))

TOML: Mapping[str, bytes] = {
    "nested lists": b"x=" + b"[" * 2000 + b"]" * 2000,
    "nested tables": b"x=" + b"{a=" * 2000 + b"1" + b"}" * 2000,
    "nested lists not closed": b"x=" + b"[" * (_SMALL - 2),
    "dotted key": b"a." * 100_000 + b"a=1",
    "dotted key of quotes": b'"\\"".' * 40_000 + b"a=1",
    "dotted header": b"[" + b"a." * 100_000 + b"a]",
    "long number": b"x=" + b"1" * 200_000,
    "text not closed": b'x="' + b'\\"' * 100_000,
    "quotes": b"'" * _SMALL,
    "large": b"#" * LARGE,
    "not UTF-8": b"x='\xff'",
    "NUL": b"\0",
}
JSON: Mapping[str, bytes] = {
    "nested lists": b"[" * LARGE,
    "nested tables": b'{"a":' * 900 + b"1" + b"}" * 900,
    "long number": b"1" * LARGE,
    "text not closed": b'// \n"' + b'\\"' * (LARGE // 2),
    "comments not closed": b"/*" * (LARGE // 2),
    "commas": b"// \n[" + b"," * LARGE,
    "half a character": b'"\\ud800"',
    "no table": b"[]",
}
XML: Mapping[str, bytes] = {
    "a billion laughs": b'<!DOCTYPE l [<!ENTITY a "ha">' + _LAUGHS + b"]><x>&u;</x>",
    "another file": b'<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
    "elements not closed": b"<a>" * (LARGE // 3),
    "tags not closed": b"<Using " * (LARGE // 7),
    "comments not closed": b"<!--" * (LARGE // 4),
    "encoding": b"<?xml version='1.0' encoding='nonsense'?><a/>",
    "not XML": b"\0",
}


def of_file(name: str) -> Mapping[str, bytes]:
    """The bombs in the format of a file, by its name."""
    if name.endswith((".json", ".lock")):
        return JSON
    return XML if name.endswith(("proj", ".props")) else TOML
