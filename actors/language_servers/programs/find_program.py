"""Finds the program of a language server for a folder of the repository, and its configuration.

Rules of the file:
- A program counts when it prints its version and ends well, never because a file of its name is there.
- What is started is the program itself: a wrapper's child would outlive the wrapper.
- What lies in the repository is not run, and servers that run its code are not used, unless the user trusts it; a
  program that the user named is used wherever it is, and no other then. What is installed with codemap is run
  wherever that is: its own code is run from there as well.
- Where the repository is not trusted, nothing in the environment of a program leads into it.
- What is found depends on the project alone, so that all its files share a server; only the caveat is the folder's.
- Nothing is installed, and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import partial

import msgspec
import trio

from actors.files.paths import inside
from actors.language_servers.programs.permissions import FORBIDDEN, Bounds, bounds_of
from actors.language_servers.programs.program import Absent, Program, Search
from actors.language_servers.programs.program_paths import Candidate, Hollow, Scene, candidates, companions
from actors.language_servers.programs.project_roots import project_folder
from actors.language_servers.programs.version_check import (
    Ask,
    Useless,
    ask_version,
    is_within,
    remembering,
    stamps_of,
    version_in,
)
from codemap.lsp.server import Companion, Entry, Real, Server
from codemap.lsp.serving import Configured, Serving
from codemap.project import Project
from codemap.settings import Settings, programs_of

READ_MAX_BYTES = 64 * 1024 * 1024
"""Size limit of configuration files: the compilation database of Linux has 10 MB."""

_SHOWN = 3
"""Most unsuitable programs that are named."""


class Ground(msgspec.Struct, frozen=True):
    """What all searches in one repository share."""

    root: str
    settings: Settings
    environment: Mapping[str, str]
    own: str
    installed: tuple[str, ...]
    trust_file: str
    ask: Ask


def search(
    root: str,
    settings: Settings,
    *,
    environment: Mapping[str, str],
    own: str,
    installed: Collection[str] = (),
    trust_file: str = "",
    ask: Ask = ask_version,
) -> Search:
    """Makes the search for one repository; `own` is the folder of the programs installed with codemap, empty for none,
    `installed` those of the packages."""
    real = os.path.realpath(root)
    ours = tuple(filter(None, (own, *installed)))
    return partial(_find, Ground(real, settings, environment, own, ours, trust_file, remembering(ask)))


async def _find(ground: Ground, server: Server, folder: str, known: Project | None) -> Program | Absent:
    bounds = await trio.to_thread.run_sync(
        bounds_of,
        ground.root,
        ground.settings,
        ground.environment,
        ground.installed,
        ground.trust_file,
        abandon_on_cancel=True,
    )
    if server.runs_project_code and not bounds.is_trusted:
        return Absent(f"{server.name} runs code of the repository (build scripts, plug-ins)", bounds.hint)
    path = ground.environment.get("PATH", os.defpath)
    project = await trio.to_thread.run_sync(
        project_folder, ground.root, folder, server.root_markers, abandon_on_cancel=True
    )
    scene = Scene(ground.root, project, ground.own, path, programs_of(ground.settings), bounds.forbids)
    rejected: list[str] = []
    hint = server.install
    for candidate in await trio.to_thread.run_sync(_candidates, server, scene, abandon_on_cancel=True):
        if isinstance(candidate, Hollow):
            rejected.append(f"{candidate.path} {candidate.why}")
            if FORBIDDEN in candidate.why:
                hint = ", or ".join(filter(None, (server.install, bounds.hint)))
            continue
        really = await _really(candidate, server.entry, bounds, ground.ask)
        if isinstance(really, Useless):
            rejected.append(f"{candidate.path} {really.why}")
            continue
        version = await _version(server, really, ground.ask, bounds)
        if isinstance(version, Useless):
            rejected.append(f"{candidate.path} {version.why}")
            continue
        beside = await _companions(server, candidate, scene, bounds, ground.ask)
        if isinstance(beside, Absent):
            return beside
        serving = Serving(
            root=scene.root,
            folder=os.path.join(scene.root, scene.project).rstrip("/"),
            files=known.files if known is not None else frozenset(),
            packages=known.outside if known is not None else frozenset(),
            is_trusted=bounds.is_trusted,
            companions=beside,
            read=partial(_read, scene.root),
        )
        configured = await trio.to_thread.run_sync(
            _configured, server, serving, scene, folder, known, abandon_on_cancel=True
        )
        return Program(
            argv=really.argv,
            version=version,
            path=candidate.path,
            stamps=await trio.to_thread.run_sync(stamps_of, really.argv, abandon_on_cancel=True),
            project=project,
            confined=None if bounds.is_trusted else bounds.environment,
            environment={**_path(server, scene, bounds.environment, beside), **configured.environment},
            configuration=configured.configuration,
            initialization_options=configured.initialization_options,
            files=configured.files,
            caveat=configured.caveat,
        )
    if not rejected:
        return Absent(f"{server.name} is not installed", server.install)
    reasons = "; ".join(dict.fromkeys(rejected[:_SHOWN]))
    more = f"; and {len(rejected) - _SHOWN} more" if len(rejected) > _SHOWN else ""
    return Absent(f"no {server.name} can be used: {reasons}{more}", hint, tuple(rejected))


def _candidates(server: Server, scene: Scene) -> list[Candidate | Hollow]:
    return list(candidates(server.name, server.entry, scene))


async def _really(candidate: Candidate, entry: Entry, bounds: Bounds, ask: Ask) -> Candidate | Useless:
    """Replaces the runtime of a candidate by the real program behind it."""
    if entry.real_runtime is None or bounds.is_trusted or len(candidate.argv) == 1:
        return candidate
    runtime = await _real(candidate.argv[0], entry.real_runtime, bounds, ask)
    if isinstance(runtime, Useless):
        return Useless(f"needs {entry.runtimes[-1]}, and {candidate.argv[0]} {runtime.why}")
    argv, version_argv = (runtime, *candidate.argv[1:]), (runtime, *candidate.version_argv[1:])
    return msgspec.structs.replace(candidate, argv=argv, version_argv=version_argv)


async def _real(program: str, real: Real, bounds: Bounds, ask: Ask) -> str | Useless:
    """Asks a program for its real path."""
    said = await ask((program, *real.arguments), bounds.environment)
    if isinstance(said, Useless):
        return said
    path = os.path.join(said.text.strip(), real.inner).rstrip("/")
    is_there = os.path.isabs(path) and await trio.Path(path).is_file()
    if not is_there:
        return Useless("does not say which program it stands for")
    return Useless(f"stands for {path}, which {FORBIDDEN}") if bounds.forbids(path) else path


async def _version(server: Server, candidate: Candidate, ask: Ask, bounds: Bounds) -> str | Useless:
    entry = server.entry
    said = await ask((*candidate.version_argv, *entry.version), {**bounds.environment, **server.environment})
    if isinstance(said, Useless):
        return said
    version = version_in(said.text, entry.version_pattern)
    if is_within(version, entry.version_min, entry.version_below):
        return version
    low, below = (".".join(map(str, bound)) for bound in (entry.version_min, entry.version_below))
    wanted = " and ".join([*([f"{low} or newer"] if low else []), *([f"older than {below}"] if below else [])])
    return Useless(f"is version {version or '?'}, and {wanted} is needed")


async def _companions(
    server: Server, candidate: Candidate, scene: Scene, bounds: Bounds, ask: Ask
) -> dict[str, str] | Absent:
    """Finds the other programs that a server needs, by name."""
    beside: dict[str, str] = {}
    for companion in server.companions:
        found = await trio.to_thread.run_sync(_places_of, companion, candidate.argv[-1], scene, abandon_on_cancel=True)
        refused: list[str] = []
        for path in found:
            usable = await _usable(companion, path, scene, bounds, ask)
            if isinstance(usable, str):
                beside[companion.name] = usable
                break
            refused.append(f"{path} {usable.why}")
        if companion.missing and companion.name not in beside:
            why = f" ({refused[0]})" if refused else ""
            hint = bounds.hint if any(FORBIDDEN in each for each in refused) else ""
            install = ", or ".join(filter(None, (server.install, hint)))
            return Absent(f"{server.name} is installed, but {companion.missing}{why}", install)
    return beside


def _places_of(companion: Companion, program: str, scene: Scene) -> list[str]:
    return list(companions(companion, program, scene))


async def _usable(companion: Companion, path: str, scene: Scene, bounds: Bounds, ask: Ask) -> str | Useless:
    """Checks a companion that was found: what to use for it."""
    if not companion.runs or bounds.is_trusted:
        return path
    if companion.name not in scene.named and bounds.forbids(path):
        return Useless(FORBIDDEN)
    return path if companion.real is None else await _real(path, companion.real, bounds, ask)


def _path(server: Server, scene: Scene, environment: Mapping[str, str], beside: Mapping[str, str]) -> dict[str, str]:
    """Makes the search path of a server that looks up other programs: first the folders that the user named, or where
    they were found."""
    sure = [
        beside.get(each.name, "")
        for each in server.companions
        if each.runs and each.names and (each.name in scene.named or each.real is not None)
    ]
    folders = list(dict.fromkeys(os.path.dirname(program) for program in sure if os.path.isabs(program)))
    return {"PATH": os.pathsep.join([*folders, environment.get("PATH", os.defpath)])} if folders else {}


def _configured(server: Server, serving: Serving, scene: Scene, folder: str, known: Project | None) -> Configured:
    """Makes a server's configuration; reads files of the repository."""
    if server.source_roots is not None and known is not None:
        found = (os.path.join(scene.root, at).rstrip("/") for at in server.source_roots(known, scene.project))
        serving = msgspec.structs.replace(serving, source_roots=tuple(at for at in found if os.path.isdir(at)))
    configured = server.configure(serving) if server.configure is not None else Configured()
    unfit = server.unfit(serving.read, os.path.join(scene.root, folder).rstrip("/")) if server.unfit is not None else ""
    caveat = "; ".join(filter(None, (configured.caveat, unfit.replace(scene.root.rstrip("/") + "/", ""))))
    return msgspec.structs.replace(configured, caveat=caveat)


def _read(root: str, path: str) -> bytes | None:
    """Reads a file under the root; None where it lies elsewhere, is too large, or cannot be read."""
    real = inside(root, path)
    if real is None or not os.path.isfile(real):
        return None
    try:
        with open(real, "rb") as file:
            content = file.read(READ_MAX_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= READ_MAX_BYTES else None
