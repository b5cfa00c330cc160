"""Finds the program of a language server for a folder of the repository, and what it is to be told.

Rules of the file:
- A program counts when it prints its version and ends well, never because a file of its name is there.
- What is started is the program itself: a wrapper's child would outlive the wrapper.
- What came with the repository is not run, and servers that run its code are not used, unless the user's settings say
  so; a program that the user named is used wherever it stands, and no other then.
- What is found depends on the project alone, so that all its files share a server; only the caveat is the folder's.
- Nothing is installed, and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import msgspec
import trio

from actors.git import find_git
from actors.language_lookup import Candidate, Hollow, Scene, candidates, companions
from actors.language_program import Absent, Program, Search
from actors.language_roots import project_folder
from actors.language_trust import came_with_repository
from actors.language_version import Ask, Useless, ask_version, is_within, remembering, version_in
from actors.paths import inside
from codemap.languages.language import Project
from codemap.lsp.server import Companion, Server
from codemap.lsp.serving import Serving, Told
from codemap.settings import Settings, programs_of

READ_MAX_BYTES = 64 * 1024 * 1024
"""The compilation database of Linux has 10 MB."""

TRUST_HINT = "--trust-repository on, or CODEMAP_TRUST_REPOSITORY=on"

_SHOWN = 3
"""So many programs that will not do are told of."""


Brought = Callable[[tuple[str, ...]], Awaitable[str]]
"""Absolute paths -> why one of them may have come with the repository, as a clause; empty: none did."""


class Ground(msgspec.Struct, frozen=True):
    """What every search in one repository goes by."""

    root: str
    settings: Settings
    environment: Mapping[str, str]
    own: str
    ask: Ask

    @property
    def is_trusted(self) -> bool:
        return self.settings.trust_repository == "on"


def search(
    root: str, settings: Settings, *, environment: Mapping[str, str], own: str, ask: Ask = ask_version
) -> Search:
    """A search for one repository; `own` is the folder of the programs installed with codemap, empty for none."""
    return partial(_find, Ground(root, settings, environment, own, remembering(ask)))


async def _find(ground: Ground, server: Server, folder: str, known: Project | None) -> Program | Absent:
    if server.runs_project_code and not ground.is_trusted:
        return Absent(f"{server.name} runs code of the repository (build scripts, plug-ins)", TRUST_HINT)
    path = ground.environment.get("PATH", os.defpath)
    project = await trio.to_thread.run_sync(
        project_folder, ground.root, folder, server.root_markers, abandon_on_cancel=True
    )
    scene = Scene(ground.root, project, ground.own, path, programs_of(ground.settings))
    brought = _nothing if ground.is_trusted else partial(came_with_repository, find_git(path), ground.root)
    rejected: list[str] = []
    hint = server.install
    for candidate in await trio.to_thread.run_sync(_candidates, server, scene, abandon_on_cancel=True):
        if isinstance(candidate, Hollow):
            rejected.append(f"{candidate.path} {candidate.why}")
            continue
        why = (
            await brought((candidate.path, *candidate.argv, *candidate.version_argv)) if not candidate.is_named else ""
        )
        if why:
            rejected.append(f"{candidate.path} {why}")
            hint = f"{server.install} (or {TRUST_HINT})"
            continue
        version = await _version(server, candidate, ground)
        if isinstance(version, Useless):
            rejected.append(f"{candidate.path} {version.why}")
            continue
        beside = await _companions(server, candidate, scene, brought)
        if isinstance(beside, Absent):
            return beside
        told = await trio.to_thread.run_sync(_told, server, scene, folder, known, beside, abandon_on_cancel=True)
        return Program(
            argv=candidate.argv,
            version=version,
            path=candidate.path,
            project=project,
            environment={**_path(server, scene), **told.environment},
            configuration=told.configuration,
            initialization_options=told.initialization_options,
            files=told.files,
            caveat=told.caveat,
        )
    if not rejected:
        return Absent(f"{server.name} is not installed", server.install)
    reasons = "; ".join(dict.fromkeys(rejected[:_SHOWN]))
    more = f"; and {len(rejected) - _SHOWN} more" if len(rejected) > _SHOWN else ""
    return Absent(f"no {server.name} can be used: {reasons}{more}", hint, tuple(rejected))


async def _nothing(_paths: tuple[str, ...]) -> str:
    return ""


def _candidates(server: Server, scene: Scene) -> list[Candidate | Hollow]:
    return list(candidates(server.name, server.entry, scene))


async def _version(server: Server, candidate: Candidate, ground: Ground) -> str | Useless:
    entry = server.entry
    said = await ground.ask((*candidate.version_argv, *entry.version), {**ground.environment, **server.environment})
    if isinstance(said, Useless):
        return said
    version = version_in(said.text, entry.version_pattern)
    if is_within(version, entry.version_min, entry.version_below):
        return version
    low, below = (".".join(map(str, bound)) for bound in (entry.version_min, entry.version_below))
    wanted = " and ".join([*([f"{low} or newer"] if low else []), *([f"older than {below}"] if below else [])])
    return Useless(f"is version {version or '?'}, and {wanted} is needed")


async def _companions(server: Server, candidate: Candidate, scene: Scene, brought: Brought) -> dict[str, str] | Absent:
    """Where what a server needs besides is, by name."""
    beside: dict[str, str] = {}
    for companion in server.companions:
        path = await _companion(companion, candidate, scene, brought)
        if path:
            beside[companion.name] = path
        elif companion.missing:
            return Absent(f"{server.name} is installed, but {companion.missing}", server.install)
    return beside


async def _companion(companion: Companion, candidate: Candidate, scene: Scene, brought: Brought) -> str:
    """Where a companion is, empty where none can be used."""
    for path in await trio.to_thread.run_sync(
        lambda: list(companions(companion, candidate.argv[-1], scene)), abandon_on_cancel=True
    ):
        if not companion.runs or companion.name in scene.named or not await brought((path,)):
            return path
    return ""


def _path(server: Server, scene: Scene) -> dict[str, str]:
    """The search path of a server for which the user named what it runs: those come first, as it looks there only."""
    named = [
        scene.named[each.name] for each in server.companions if each.runs and each.names and each.name in scene.named
    ]
    folders = [os.path.dirname(program) for program in named if os.path.isabs(program)]
    return {"PATH": os.pathsep.join([*folders, scene.path])} if folders else {}


def _told(server: Server, scene: Scene, folder: str, known: Project | None, beside: Mapping[str, str]) -> Told:
    """What a server is told; reads files of the repository."""
    read = partial(_read, scene.root)
    roots: tuple[str, ...] = ()
    if server.source_roots is not None and known is not None:
        found = (os.path.join(scene.root, at).rstrip("/") for at in server.source_roots(known, scene.project))
        roots = tuple(at for at in found if os.path.isdir(at))
    serving = Serving(
        root=scene.root,
        folder=os.path.join(scene.root, scene.project).rstrip("/"),
        files=known.files if known is not None else frozenset(),
        source_roots=roots,
        companions=beside,
        read=read,
    )
    told = server.tell(serving) if server.tell is not None else Told()
    unfit = server.unfit(read, os.path.join(scene.root, folder).rstrip("/")) if server.unfit is not None else ""
    caveat = "; ".join(filter(None, (told.caveat, unfit.replace(scene.root.rstrip("/") + "/", ""))))
    return msgspec.structs.replace(told, caveat=caveat)


def _read(root: str, path: str) -> bytes | None:
    """The contents of a file under the root; None where it is elsewhere, too large, or cannot be read."""
    real = inside(root, path)
    if real is None or not os.path.isfile(real):
        return None
    try:
        with open(real, "rb") as file:
            content = file.read(READ_MAX_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= READ_MAX_BYTES else None
