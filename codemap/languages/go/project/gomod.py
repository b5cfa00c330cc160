"""What go.mod and go.work files say: the path of a module, what replaces others, what it requires.

Source: the Go modules reference, "go.mod files" and "Workspaces".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_COMMENT = re.compile(r"//[^\n]*")
_LOCAL = ("./", "../")


class GoMod(msgspec.Struct, frozen=True):
    """One go.mod."""

    path: str
    """Empty where it states none."""
    local: tuple[tuple[str, str], ...]
    """(module path, folder relative to this file) of modules that a folder replaces."""
    required: tuple[str, ...]
    """Paths of the modules that it requires."""


def read(source: bytes) -> GoMod:
    path = ""
    local: list[tuple[str, str]] = []
    required: list[str] = []
    for words in _directives(source.decode("utf-8", "replace")):
        match words:
            case ["module", name, *_]:
                path = name
            case ["require", name, *_]:
                required.append(name)
            case ["replace", name, *rest] if "=>" in rest:
                target = rest[rest.index("=>") + 1 :]
                if target and (target[0].startswith(_LOCAL) or target[0] in (".", "..")):
                    local.append((name, target[0]))
            case _:
                pass
    return GoMod(path, tuple(local), tuple(required))


def _directives(text: str) -> Iterator[list[str]]:
    """The words of each directive; those of a block begin with the block's."""
    block = ""
    for line in _COMMENT.sub("", text).split("\n"):
        words = [word.strip('"`') for word in line.split()]
        if not words:
            continue
        if words[0] == ")":
            block = ""
        elif words[-1] == "(" and len(words) == 2:
            block = words[0]
        else:
            yield [block, *words] if block else words
