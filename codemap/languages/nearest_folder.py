"""Finds the nearest folder upward that has a property: where the project of a file begins."""

from __future__ import annotations

from collections.abc import Callable


def nearest_folder(folder: str, holds: Callable[[str], bool], known: dict[str, str | None]) -> str | None:
    """The folder itself or the first one around it for which `holds` is true; empty is the root, None: none at all.

    `known` keeps what was found. Folders may be nested as deep as a path can name.
    """
    passed: list[str] = []
    at = folder
    while at not in known:
        passed.append(at)
        if (is_found := holds(at)) or not at:
            known[at] = at if is_found else None
            break
        at = at.rpartition("/")[0]
    known.update(dict.fromkeys(passed, known[at]))
    return known[folder]
