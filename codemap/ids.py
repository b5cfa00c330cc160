"""Node IDs: `<lang>:<path>[#<qualifiedName>[~<n>]]`.

An ID says where a symbol is defined, never its position: an edit above a symbol leaves its ID alone. A file node has no
`#`; an external package is `<lang>:ext:<package>`. In paths, `%`, `#`, `~`, control characters and what nobody sees
(`codemap.escapes`) are percent-encoded (UTF-8 octets), and so are bytes of a file name that are not UTF-8 (surrogate
escapes); in names the same but `#`, and `~` before a letter, as destructors have one. Paths are relative to the root,
with `/`. An ID that has them as they are means the same.

Source: CONTRACT, section 2.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

import msgspec

from codemap.escapes import ESCAPE, UNSEEN

GRAMMAR = "<lang>:<path>[#<qualifiedName>[~<n>]], for example py:app/store.py#SessionStore.refresh"

_LANG = re.compile(r"[a-z][a-z0-9+]*\Z")
_NUMBER = re.compile(r"~(?![A-Za-z_])(?P<ordinal>.*)\Z", re.DOTALL)
_ORDINAL = re.compile(r"[1-9][0-9]*\Z")
_UNSAFE = rf"[%\t\n{UNSEEN}\udc80-\udcff]|(?={ESCAPE})\\"
_PATH_UNSAFE = re.compile(rf"{_UNSAFE}|[#~]|\Aext(?=:)")
_NAME_UNSAFE = re.compile(rf"{_UNSAFE}|~(?![A-Za-z_])")


PARSED_MAX = 1024
"""IDs whose parts are remembered: one call reads the same ones several times."""


class BadNodeId(ValueError):
    """The text is not a node ID; the message says which part is wrong."""


class NodeId(msgspec.Struct, frozen=True):
    lang: str
    path: str
    """Relative to the root, decoded; empty for an external package."""
    name: str = ""
    """The dotted qualified name, decoded; empty for a file; the package of an external node."""
    ordinal: int = 1

    @property
    def is_external(self) -> bool:
        return not self.path

    def __str__(self) -> str:
        if self.is_external:
            return external_id(self.lang, self.name)
        if not self.name:
            return file_id(self.lang, self.path)
        return symbol_id(file_id(self.lang, self.path), self.name, self.ordinal)


def file_id(lang: str, path: str) -> str:
    return f"{lang}:{path_in_id(path)}"


def path_in_id(path: str) -> str:
    """A path, or a part of one, as it is in an ID."""
    is_safe = _is_plain(path) and "#" not in path and not path.startswith("ext:")
    return path if is_safe else _PATH_UNSAFE.sub(_encode_character, path)


def symbol_id(file: str, qualified_name: str, ordinal: int) -> str:
    """The ID of a symbol, `file` being the ID of its file; `ordinal` counts from 1 in source order."""
    return f"{file}#{name_in_id(qualified_name, ordinal)}"


def name_in_id(qualified_name: str, ordinal: int) -> str:
    """What the ID of a symbol says after `#`."""
    is_safe = _is_plain(qualified_name)
    name = qualified_name if is_safe else _NAME_UNSAFE.sub(_encode_character, qualified_name)
    return name if ordinal == 1 else f"{name}~{ordinal}"


def _is_plain(text: str) -> bool:
    """Whether a text surely has nothing that `_UNSAFE` encodes, and no `~`: a look at each character takes longer."""
    return text.isascii() and text.isprintable() and "%" not in text and "~" not in text and "\\" not in text


def external_id(lang: str, package: str) -> str:
    return f"{lang}:ext:{_PATH_UNSAFE.sub(_encode_character, package)}"


@lru_cache(maxsize=PARSED_MAX)
def parse_id(text: str) -> NodeId:
    """Raises BadNodeId when the text does not follow the grammar, or names a path outside the root."""
    lang, colon, rest = text.partition(":")
    if not colon or not _LANG.match(lang):
        raise BadNodeId(f"{text!r} does not begin with a language and a colon")
    if rest.startswith("ext:"):
        package = _decode(rest[4:])
        if not package:
            raise BadNodeId(f"{text!r} names no package")
        return NodeId(lang, "", package)
    raw_path, hash_, raw_name = rest.partition("#")
    path = _decode(raw_path)
    if not path or path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise BadNodeId(f"{text!r} has no path relative to the root")
    if not hash_:
        if "~" in raw_path:
            raise BadNodeId(f"{text!r} has an ordinal but no name")
        return NodeId(lang, path)
    number = _NUMBER.search(raw_name)
    raw_name = without_ordinal(raw_name)
    if not raw_name or (number is not None and not _ORDINAL.match(number["ordinal"])):
        raise BadNodeId(f"{text!r} has no name after #, or no number after ~")
    return NodeId(lang, path, _decode(raw_name), int(number["ordinal"]) if number is not None else 1)


def has_ordinal(text: str) -> bool:
    """Whether an ID, or what is written like the end of one, has a number."""
    return _NUMBER.search(text) is not None


def without_ordinal(text: str) -> str:
    """An ID, or what is written like the end of one, without its number: that of the first of its name."""
    return _NUMBER.sub("", text, count=1)


def _encode_character(match: re.Match[str]) -> str:
    return "".join(f"%{octet:02X}" for octet in match.group().encode("utf-8", "surrogateescape"))


def _decode(text: str) -> str:
    return unquote(text, errors="surrogateescape")
