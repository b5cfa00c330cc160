"""Chooses files to open so that a server loads all projects that a question about uses concerns.

Some servers load a project when one of its files is asked about, and know files without a project only while they are
open. Asked for the uses of a name before that, they answer with those that they happen to know, and do not say so. The
map knows which files mention the name: one of each project, and all that belong to none, are opened first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from codemap.lsp.server import Server


class Shown(msgspec.Struct, frozen=True):
    files: tuple[str, ...] = ()
    """Files to have open when the server is asked."""
    left_out: int = 0
    """Files that should be open, and for which there is no room."""


def shown_for_uses(server: Server, asked: str, mentioning: Iterable[str], configs: Collection[str]) -> Shown:
    """Chooses the files to open before a question for the uses of a name in the file `asked`.

    `mentioning` are the files that may mention the name, `configs` the paths of all configuration files; all paths are
    relative to the root. As long as there is room among its open documents, every file is shown: what a configuration
    leaves out belongs to no project.
    """
    needed, rest = _divided(server, asked, mentioning, configs)
    room = max(0, server.open_max - 1)
    return Shown((asked, *[*needed, *rest][:room]), len(needed[room:]))


def outside(server: Server, folder: str, mentioning: Iterable[str]) -> int:
    """Counts the files outside the folder that a server serves; both relative to the root."""
    return sum(not path.startswith(folder + "/") for path in of_server(server, mentioning))


def of_server(server: Server, files: Iterable[str]) -> set[str]:
    """Selects the files that a server can read."""
    suffixes = tuple(server.language_ids)
    return {path for path in files if path.lower().endswith(suffixes)}


def shown_for_search(server: Server, files: Iterable[str], configs: Collection[str]) -> Shown:
    """Chooses the files to open, of all files of the map, before a search for names."""
    needed, rest = _divided(server, "", files, configs)
    return Shown(tuple([*needed, *rest][: server.open_max]), len(needed[server.open_max :]))


def _divided(server: Server, asked: str, files: Iterable[str], configs: Collection[str]) -> tuple[list[str], list[str]]:
    """Splits files: first one of each project (but that of `asked`) and those without a project; then the others.

    Files of the endings that the server's record has first stand for their project: a project may leave the others
    out.
    """
    folders = {path.rpartition("/")[0] for path in configs if path.rpartition("/")[2] in server.projects}
    suffixes = tuple(server.language_ids)

    def rank(path: str) -> tuple[int, str]:
        return next(at for at, suffix in enumerate(suffixes) if path.lower().endswith(suffix)), path

    known = {_project(asked, folders)}
    needed: list[str] = []
    rest: list[str] = []
    for path in sorted({path for path in files if path != asked and path.lower().endswith(suffixes)}, key=rank):
        project = _project(path, folders)
        (rest if project is not None and project in known else needed).append(path)
        known.add(project)
    return needed, rest


def _project(path: str, folders: Collection[str]) -> str | None:
    """Finds the folder of the project that a file lies in; None where there is none."""
    while path:
        path = path.rpartition("/")[0]
        if path in folders:
            return path
    return None
