"""Whether a program came with the repository: then it is the repository's code, and is not run unasked.

What a user installed into a project (`.venv`, `node_modules`) is not tracked by git; what a clone brought is. A program
is trusted when it lies outside the root, or when git tracks nothing in the folder around its own (`.venv` of
`.venv/bin/ty`) and none of the links that lead to it. Where git cannot tell, it is not.

Source: git-ls-files(1).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import trio

from actors.git import Refusal, is_tracked


async def came_with_repository(git: str | None, root: str, paths: Iterable[str]) -> str:
    """Why one of these files may be the repository's own, as a clause; empty: none is. All paths are absolute."""
    places = await trio.to_thread.run_sync(_places, root, tuple(paths), abandon_on_cancel=True)
    for folder, name in places:
        tracked = await is_tracked(git, os.fsencode(folder), os.fsencode(name))
        if isinstance(tracked, Refusal):
            return "is inside the repository, and git cannot tell whether it came with it"
        if tracked:
            return "came with the repository"
    return ""


def _places(root: str, paths: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """What may not be tracked, as folder and name in it."""
    places: dict[tuple[str, str], None] = {}
    for path in paths:
        if _is_under(root, path):
            places.update(dict.fromkeys(_links(root, path)))
        for around in (os.path.realpath(_around(path)), _around(os.path.realpath(path))):
            if _is_under(root, around):
                places[around, "."] = None
    return tuple(places)


def _links(root: str, path: str) -> list[tuple[str, str]]:
    """The links on the way from the root to a file, as far as they lie under the root."""
    found = []
    at = root
    for name in os.path.relpath(path, root).split(os.sep):
        if not _is_under(root, at):
            break
        if os.path.islink(os.path.join(at, name)):
            found.append((at, name))
        at = os.path.realpath(os.path.join(at, name))
    return found


def _around(path: str) -> str:
    """The folder around the file's folder."""
    return os.path.dirname(os.path.dirname(path))


def _is_under(root: str, path: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
