"""Checks files as callers name them: relative paths inside the root, or why a text is none.

Links are not followed here: whoever reads the file refuses one that leads out of the root.
"""

from __future__ import annotations

import posixpath

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import near
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.tool import World


def file_named(world: World, text: str) -> str | Failure:
    """The path relative to the root; absolute ones under the root are accepted."""
    path = text
    if world.root and path.startswith(f"{world.root.rstrip('/')}/"):
        path = path[len(world.root.rstrip("/")) + 1 :]
    if "\0" in path or path.startswith("/") or ".." in path.split("/"):
        under = f" {world.root}" if world.root else ""
        return _refuse(f"file: expected a path inside the root{under}, relative to it, without `..`, got {text!r}.")
    path = posixpath.normpath(path) if path else ""
    if path in ("", "."):
        return _refuse("file: names no file; expected a path relative to the root, such as src/app.py.")
    return path


def no_such_file(world: World, path: str) -> Failure:
    """FILE_DELETED for a file that the map knows, BAD_ARGS for any other, with the files that may be meant."""
    snapshot = world.snapshot
    matches = near_paths(snapshot, path) if snapshot is not None else ()
    if snapshot is not None and path in snapshot.by_path:
        code, message = ErrorCode.FILE_DELETED, f"{path} has vanished from disk."
    else:
        code, message = ErrorCode.BAD_ARGS, f"file: there is no {path}; expected a path relative to the root."
    return Failure(
        code,
        message,
        hint=None if code is ErrorCode.FILE_DELETED else "map_search with a part of the path finds files.",
        suggestion=f"Did you mean {matches[0]}?" if matches else None,
        recovery_options=matches,
        is_miss=True,
    )


def near_paths(snapshot: Snapshot, path: str) -> tuple[str, ...]:
    """Files of the map that a wrong path may mean: of the same base name first, then of the same folder."""
    folder, _, base = path.rpartition("/")
    others = [file.path for file in snapshot.files if file.path != path]
    others.sort(key=lambda other: (other.rpartition("/")[2] != base, other.rpartition("/")[0] != folder))
    return near(path, others).matches


def _refuse(message: str) -> Failure:
    return Failure(ErrorCode.BAD_ARGS, message)
