"""Lists the places where the program of a language server may be, and finds the file behind a wrapper.

In this order: the project's own environment, from the project's folder upward to the root; the environment that
codemap itself runs in; PATH, of which relative parts are left out: they could name the repository.

Looks at the disk and starts nothing; all of it blocks, for milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob

import msgspec

from actors.language_servers.programs.permissions import FORBIDDEN
from actors.language_servers.programs.project_roots import upward
from codemap.lsp.server import Companion, Entry


class Scene(msgspec.Struct, frozen=True):
    """The places to search."""

    root: str
    """Absolute path of the root."""
    project: str
    """The project's folder, relative to the root."""
    own: str
    """Folder of the programs installed with codemap; empty: none."""
    path: str
    """The search path."""
    named: Mapping[str, str]
    """Programs that the user named, by name."""
    forbids: Callable[[str], bool] = lambda _path: False
    """Whether a file that the user did not name may not be run."""


class Candidate(msgspec.Struct, frozen=True):
    """A program that was found."""

    path: str
    """Path where it was found, as people see it."""
    argv: tuple[str, ...]
    """Words to start it, without arguments."""
    version_argv: tuple[str, ...]
    """Words to ask for its version, without arguments."""


class Hollow(msgspec.Struct, frozen=True):
    """A file of this name was found, and nothing behind it can be started."""

    path: str
    why: str
    """The reason, as a clause without its subject."""


def candidates(name: str, entry: Entry, scene: Scene) -> Iterator[Candidate | Hollow]:
    """Lists what may be started as the server of a name, the preferred first."""
    named = scene.named.get(name)
    if named is not None:
        yield from _behind(named, entry, scene, is_named=True)
        return
    for path in executables(entry.names, entry.environments, scene, own=scene.own):
        yield from _behind(path, entry, scene, is_named=False)


def companions(companion: Companion, program: str, scene: Scene) -> Iterator[str]:
    """Lists where a companion of a program may be, the preferred first."""
    named = scene.named.get(companion.name)
    if named is not None:
        yield named
        return
    for folder in upward(scene.project):
        for pattern in companion.files:
            yield from _matching(os.path.join(scene.root, folder), pattern)
    if companion.names:
        yield from executables(companion.names, companion.environments, scene, own="")
    for pattern in companion.beside:
        yield from _matching(os.path.dirname(program), pattern)


def executables(names: Sequence[str], environments: Sequence[str], scene: Scene, own: str) -> Iterator[str]:
    """Lists executable files of these names: in the project's environments, in `own`, on the search path."""
    folders = [os.path.join(scene.root, at, inner) for at in upward(scene.project) for inner in environments]
    folders += [own] if own else []
    folders += [part for part in scene.path.split(os.pathsep) if os.path.isabs(part)]
    for folder in dict.fromkeys(folders):
        for name in names:
            path = os.path.join(folder, name)
            if _can_run(path):
                yield path


def _behind(path: str, entry: Entry, scene: Scene, *, is_named: bool) -> Iterator[Candidate | Hollow]:
    """Finds the programs that really run when `path` is started.

    Without a wrapper, the path is started as it is, and no link is followed: some programs go by their name.
    """
    if not _can_run(path):
        yield Hollow(path, "is no program")
        return
    programs = [path]
    if entry.real_program is not None:
        real = os.path.realpath(path)
        patterns = entry.real_program(real)
        programs = list(dict.fromkeys(at for pattern in patterns for at in _matching(os.path.dirname(real), pattern)))
        if not programs:
            yield Hollow(path, "starts another program, which is not there or not known")
    for program in programs:
        asked = os.path.join(os.path.dirname(program), entry.version_program) if entry.version_program else program
        if not is_named and any(map(scene.forbids, (path, program, asked))):
            yield Hollow(path, FORBIDDEN)
        elif entry.runtimes:
            runtime = _runtime(program, entry, scene)
            if isinstance(runtime, Hollow):
                yield msgspec.structs.replace(runtime, path=path)
            else:
                yield Candidate(path, (runtime, program), (runtime, asked))
        elif _can_run(program):
            yield Candidate(path, (program,), (asked,))


def _runtime(program: str, entry: Entry, scene: Scene) -> str | Hollow:
    """Finds the runtime of a script."""
    forbidden: list[str] = []
    for runtime in entry.runtimes:
        if "/" in runtime:
            found = list(_matching(os.path.dirname(program), runtime))
        elif runtime in scene.named:
            return scene.named[runtime]
        else:
            found = list(executables((runtime,), (), scene, own=scene.own))
        for path in found:
            if not scene.forbids(path):
                return path
            forbidden.append(path)
    wanted = entry.runtimes[-1]
    why = f"needs {wanted}, and {forbidden[0]} {FORBIDDEN}" if forbidden else f"needs {wanted}, which is not on PATH"
    return Hollow(program, why)


def _matching(folder: str, pattern: str) -> Iterator[str]:
    """Lists files that match, as real paths where a pattern leads upward."""
    for path in sorted(glob(pattern, root_dir=folder)):
        found = os.path.join(folder, path)
        if os.path.isfile(found):
            yield os.path.realpath(found) if ".." in path else found


def _can_run(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
