"""Asks git for what only git knows: which files its index names, and where the user's own ignore file is.

What else it would track is found by a walk (`actors.listing.walk`): git reads ignore files itself, and a pipe in the
place of one, or a pattern that backtracks, keeps it for ever.

Nothing that a repository configures is run, no lock is taken, and nothing is written.

Rules of the file:
- git is asked in the top folder of a repository that we found ourselves, whose `.git` it meets first: what looks like
  a repository anywhere else (a folder with `HEAD`, `objects` and `refs` is a bare one to git) is never taken for one.
- It still finds `.git` by itself, as only then it asks whose it is (`safe.directory`).
- The user's own configuration holds (`core.excludesFile`), that of a repository only as far as it starts nothing.
- It is not asked where a file that it would open first is no file. Whoever asks sets the deadline; git is killed then.

Source: git-ls-files(1), git-config(1), git(1) "Environment Variables".
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryFile
from types import MappingProxyType

import msgspec
import trio

from actors.files.paths import passes_through
from actors.files.repository import Repository
from actors.listing.git_stream import STREAMED, Stream
from actors.processes.environment import outside

PATIENCE_S = 5.0
"""How much longer than a walk over the same files git may take: it reads one file, so only a hanging git does."""


class Git(msgspec.Struct, frozen=True):
    """git's program and environment for one root."""

    path: str
    environment: Mapping[str, str]


class Refusal(msgspec.Struct, frozen=True):
    """git could not answer; the reason is a clause."""

    sentence: str


async def tracked(
    git: Git | None, repository: Repository, folder: bytes, only: Sequence[bytes] = ()
) -> list[bytes] | Refusal:
    """Lists the files of git's index in a folder of a repository, or among `only` some paths in it, relative to it.

    A submodule is one name. What leads elsewhere, or into git's own folder, is left out: git checks what it adds to an
    index, not what it reads from one that somebody brought. Both folders are real paths. When cancelled, git is killed.
    """
    where = folder.decode("utf-8", "backslashreplace")
    before = b"" if folder == repository.top else folder[len(repository.top.rstrip(b"/")) + 1 :] + b"/"
    wanted = [b":(literal)" + before + path for path in only] or ([b":(literal)" + before] if before else [])
    said = await ask(git, repository, ["ls-files", "-z", "-c", "--", *wanted])
    if isinstance(said, Refusal):
        return Refusal(f"git cannot tell what it tracks in {where} ({said.sentence}){_UNKNOWN}")
    return [name for name in _within(before, said.split(b"\0")[:-1]) if _ODD_NAME.search(name) is None]


def late(folder: bytes) -> Refusal:
    """Makes the refusal for a git that did not answer by its deadline."""
    where = folder.decode("utf-8", "backslashreplace")
    return Refusal(f"git did not say within {PATIENCE_S:g} s what it tracks in {where}{_UNKNOWN}")


async def excludes_file(git: Git | None, repository: Repository, environment: Mapping[str, str]) -> bytes:
    """Asks git for the path of the user's global ignore file, which need not exist. When cancelled, git is killed."""
    said = await ask(git, repository, ["config", "--type=path", "--get", "core.excludesFile"])
    if not isinstance(said, Refusal) and said.strip() and b"\0" not in said:
        return os.path.join(repository.top, said.removesuffix(b"\n"))
    home = environment.get("XDG_CONFIG_HOME") or os.path.join(environment.get("HOME", "/"), ".config")
    return os.fsencode(os.path.join(home, "git", "ignore"))


async def ask(
    git: Git | None, repository: Repository, words: Sequence[str | bytes], stdin: bytes | None = None
) -> bytes | Refusal:
    """Runs a git command with a text on stdin: its output, or why there is none, as a clause. When cancelled, git is
    killed."""
    if git is None:
        return Refusal("it is not installed")
    odd = await trio.to_thread.run_sync(_odd_file, repository)
    if odd is not None:
        return Refusal(f"{odd} is no file")
    try:
        done = await trio.run_process(
            [git.path, *_DISARMING, *words],
            cwd=repository.top,
            env=_environment(git, repository),
            stdin=DEVNULL if stdin is None else stdin,
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    except OSError as error:
        return Refusal(f"it cannot be run: {error.strerror}")
    if done.returncode == 0:
        return done.stdout
    return Refusal(done.stderr.decode("utf-8", "replace").strip().partition("\n")[0])


@asynccontextmanager
async def open_stream(git: Git | None, repository: Repository, words: Sequence[str]) -> AsyncIterator[Stream | Refusal]:
    """Runs a git command and streams its output. git is killed when the context ends."""
    if git is None:
        yield Refusal("it is not installed")
        return
    odd = await trio.to_thread.run_sync(_odd_file, repository)
    if odd is not None:
        yield Refusal(f"{odd} is no file")
        return
    with TemporaryFile() as errors:
        try:
            process = await trio.lowlevel.open_process(
                [git.path, *_DISARMING, *words],
                cwd=repository.top,
                env={**_environment(git, repository), **STREAMED},
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=errors,
            )
        except OSError as error:
            yield Refusal(f"it cannot be run: {error.strerror}")
            return
        try:
            yield Stream(process, errors)
        finally:
            with trio.CancelScope(shield=True):
                if process.poll() is None:
                    process.kill()
                await process.wait()
                if process.stdout is not None:
                    await process.stdout.aclose()


def _environment(git: Git, repository: Repository) -> dict[str, str]:
    return {**git.environment, "GIT_CEILING_DIRECTORIES": os.fsdecode(os.path.dirname(repository.top))}


def _odd_file(repository: Repository) -> str | None:
    """Finds a file that git would open first and that would block it, a pipe or a device."""
    own = [os.path.join(repository.own, name) for name in (b"HEAD", b"index", b"config.worktree", b"commondir")]
    shared = [
        os.path.join(repository.store, name)
        for name in (
            *(b"config", b"packed-refs", b"shallow", b"info/grafts", b"info/attributes"),
            *(b"objects/info/alternates", b"objects/info/commit-graph"),
        )
    ]
    for path in (*own, *shared):
        with suppress(OSError):
            mode = os.stat(path).st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                return path.decode("utf-8", "backslashreplace")
    return None


_ODD_NAME = re.compile(rb"(?:\A|/)(?:\.{0,2}|\.git)(?:/|\Z)")
_UNKNOWN = ": files that are tracked although ignore files name them are left out."


def _within(before: bytes, paths: Iterable[bytes]) -> Iterable[bytes]:
    """Selects the paths under a prefix, and removes it."""
    return (path.removeprefix(before) for path in paths if path.startswith(before) and path != before)


_DISARMED: Mapping[str, str] = MappingProxyType(
    {
        "safe.bareRepository": "explicit",
        "core.fsmonitor": "false",
        "core.hooksPath": os.devnull,
        "core.pager": "cat",
        "core.editor": "false",
        "core.askPass": "",
        "core.sshCommand": "false",
        "core.gitProxy": "",
        "core.alternateRefsCommand": "false",
        "credential.helper": "",
        "diff.external": "",
        "diff.trustExitCode": "false",
        "gpg.program": "false",
        "gpg.ssh.program": "false",
        "gpg.x509.program": "false",
        "interactive.diffFilter": "",
        "log.showSignature": "false",
        "sequence.editor": "false",
        "uploadpack.packObjectsHook": "",
        "protocol.allow": "never",
        "submodule.recurse": "false",
        "core.untrackedCache": "false",
        "gc.auto": "0",
        "maintenance.auto": "false",
    }
)
"""Keys by which a repository's configuration can have a program started, or something written. Those with a name in
their middle (`filter.*.clean`, `diff.*.textconv`, `merge.*.driver`) cannot be listed: whoever asks git for more than
names sees to it that none is looked at (`--no-textconv`, `--no-ext-diff`)."""

_DISARMING = tuple(word for key, value in _DISARMED.items() for word in ("-c", f"{key}={value}"))
"""Options before git's command."""


def without_leads(environment: Mapping[str, str], root: str) -> dict[str, str]:
    """Makes the environment of a program that may start git (2.31 or later), without what leads into a root (a real
    path)."""
    kept = {name: value for name, value in outside(root, environment).items() if not name.startswith("GIT_")}
    own = {name: environment[name] for name in _OF_THE_USER if name in kept}
    pairs = {f"GIT_CONFIG_KEY_{at}": key for at, key in enumerate(_DISARMED)}
    values = {f"GIT_CONFIG_VALUE_{at}": value for at, value in enumerate(_DISARMED.values())}
    return {**kept, **own, "GIT_CONFIG_COUNT": str(len(_DISARMED)), **pairs, **values, **_RESTRAINT}


_RESTRAINT: Mapping[str, str] = MappingProxyType(
    {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",  # from 2.45 on
        "GIT_ALLOW_PROTOCOL": "",  # no transport is allowed, so that a missing object is fetched from nowhere
    }
)

_OF_THE_USER = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"})
"""Variables that locate the user's own git configuration, which is allowed even inside the root."""


def git_environment(environment: Mapping[str, str], root: str) -> dict[str, str]:
    """Makes the environment in which git sees only the repository that it runs in, takes no lock, never prompts, and
    prints English."""
    kept = {
        name: value
        for name, value in outside(root, environment).items()
        if not name.startswith("GIT_") and name != "LANGUAGE"
    }
    own = {name: environment[name] for name in _OF_THE_USER if name in environment}
    return {**kept, **own, **_RESTRAINT, "LC_ALL": "C"}


def find_git(environment: Mapping[str, str], root: str) -> Git | None:
    """Finds git by the search path; never in the root (a real path), and never by a relative part of the search
    path."""
    clean = git_environment(environment, root)
    for folder in clean.get("PATH", "" if "PATH" in environment else os.defpath).split(os.pathsep):
        found = shutil.which("git", path=folder) if folder else None
        if found is not None and not passes_through(root, found):
            return Git(found, clean)
    return None
