"""The result of reading a configuration file: a value, or why there is none; and how to look into a value.

A value is what JSON has: text, numbers, lists and tables. Strangers wrote it, so every look says what it expects and
gives nothing where it finds something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

import msgspec

DEPTH_MAX = 64
"""Lists and tables within one another. Real files have a dozen; whoever walks a value may recurse."""


class Unreadable(msgspec.Struct, frozen=True):
    """Why a file cannot be read."""

    why: str
    """A clause that continues "the file": `is not valid TOML: ...`."""


Reader = Callable[[bytes], object]
"""Gives the value of a file's contents, or `Unreadable`. Raises nothing."""

TOO_DEEP = Unreadable(f"is nested more than {DEPTH_MAX} levels deep")


def is_shallow(value: object) -> bool:
    """Whether lists and tables are nested no deeper than `DEPTH_MAX`."""
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return True
    return False


def is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def find(value: object, *keys: str) -> object:
    """The value under some keys, one within the other; None where there is none."""
    for key in keys:
        if not is_table(value):
            return None
        value = value.get(key)
    return value


def find_table(value: object, *keys: str) -> dict[str, object]:
    """The table under some keys; an empty one where there is none."""
    found = find(value, *keys)
    return found if is_table(found) else {}


def find_list(value: object, *keys: str) -> list[object]:
    """The list under some keys; an empty one where there is none."""
    found = find(value, *keys)
    return found if isinstance(found, list) else []


def find_text(value: object, *keys: str) -> str | None:
    """The text under some keys; None where there is none, or an empty one."""
    found = find(value, *keys)
    return found if isinstance(found, str) and found else None


def texts_of(value: object) -> list[str]:
    """The texts of a list, or a text on its own."""
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
