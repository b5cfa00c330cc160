"""Reads compile_commands.json: in which folders of the repository compilers look for what is included.

Source: Clang, "JSON Compilation Database Format Specification".
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Set

import msgspec

from codemap.config.document import TOO_DEEP, Unreadable

PATH_MAX = 4096
"""Bytes; no compiler can open a longer path, and each of its folders is looked at."""

_FLAGS = ("-I", "-isystem", "-iquote", "-idirafter")
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")


class Command(msgspec.Struct, frozen=True):
    """How one file is compiled."""

    directory: str
    file: str
    arguments: list[str] = []
    command: str = ""


_DECODER = msgspec.json.Decoder(list[Command])


def read(text: bytes) -> list[Command] | Unreadable:
    """The commands of a database."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        return TOO_DEEP
    except ValueError as error:
        return Unreadable(f"is no compilation database: {error}")


def include_folders(text: bytes, files: Set[str], folders: Set[str]) -> list[str]:
    """Those of `folders`, of the repository, that are named, in that order; empty where the text is not such a
    database, or names none of `files`."""
    commands = read(text)
    if isinstance(commands, Unreadable):
        return []
    commands = [command for command in commands if len(command.directory) + len(command.file) < PATH_MAX]
    root = next(filter(None, (_root(command, files) for command in commands)), None)
    if root is None:
        return []
    found: dict[str, None] = {}
    seen: set[str] = set()
    for command in commands:
        key = f"{command.directory}\0{command.command}\0{' '.join(command.arguments)}".replace(command.file, "")
        if key in seen:
            continue
        seen.add(key)
        for folder in _named(command):
            absolute = posixpath.normpath(posixpath.join(command.directory, folder))
            if absolute == root:
                found[""] = None
            elif absolute.startswith(f"{root}/") and absolute[len(root) + 1 :] in folders:
                found[absolute[len(root) + 1 :]] = None
    return list(found)


def _root(command: Command, files: Set[str]) -> str | None:
    """The absolute path of the repository's root where the commands were made."""
    path = posixpath.normpath(posixpath.join(command.directory, command.file))
    at = path.find("/")
    while at >= 0:
        if path[at + 1 :] in files:
            return path[:at]
        at = path.find("/", at + 1)
    return None


def _named(command: Command) -> Iterator[str]:
    words = command.arguments
    if not words:
        words = [word.replace('"', "").replace("'", "") for word in _WORD.findall(command.command)]
    for word, following in zip(words, [*words, ""][1:], strict=True):
        if word in _FLAGS:
            yield following
        elif word.startswith("-I"):
            yield word[2:]
