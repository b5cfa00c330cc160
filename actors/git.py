"""Asks git which files it tracks or would track.

Nothing that a repository configures is run, no lock is taken, and nothing is written.

Source: git-ls-files(1), git-config(1).
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from subprocess import DEVNULL

import msgspec
import trio

TIMEOUT_S = 30.0
"""`git ls-files` takes a second in the largest repositories; a dead network drive takes for ever."""


class Names(msgspec.Struct, frozen=True):
    """What git tracks or would track under a folder. All paths are relative to that folder."""

    names: list[bytes]
    """Files and links; a nested repository is one name, with or without a slash at its end."""
    unlisted: list[bytes]
    """Folders that git could not open."""


class Refusal(msgspec.Struct, frozen=True):
    """git cannot say."""

    sentence: str


async def tracked(git: str | None, folder: bytes, only: Sequence[bytes] = ()) -> Names | Refusal:
    """What git, found at `git`, says about a folder, or about `only` some paths in it, relative to it.

    Takes at most `TIMEOUT_S`; when cancelled, git is killed.
    """
    return await _list(git, folder, ["-co", "--exclude-standard", "--", *(b":(literal)" + path for path in only)])


async def tracked_though_ignored(git: str | None, folder: bytes) -> Names | Refusal:
    """The files in a folder that are tracked although ignore files name them, as `tracked` tells them."""
    return await _list(git, folder, ["-ci", "--exclude-standard"])


async def is_tracked(git: str | None, folder: bytes, path: bytes) -> bool | Refusal:
    """Whether git tracks anything at or under a path in a folder, as the repository around that folder says."""
    names = await _list(git, folder, ["-c", "--", b":(literal)" + path])
    return names if isinstance(names, Refusal) else bool(names.names)


async def _list(git: str | None, folder: bytes, arguments: Sequence[str | bytes]) -> Names | Refusal:
    where = folder.decode("utf-8", "backslashreplace")
    if git is None:
        return Refusal("git is not installed: ignore files are honoured without it, the user's global ones are not.")
    try:
        with trio.move_on_after(TIMEOUT_S):
            done = await trio.run_process(
                [git, *_OPTIONS, "ls-files", "-z", *arguments],
                cwd=folder,
                env=git_environment(os.environ),
                stdin=DEVNULL,
                capture_stdout=True,
                capture_stderr=True,
                check=False,
            )
            if done.returncode == 0:
                return Names(done.stdout.split(b"\0")[:-1], unlisted_folders(done.stderr))
            said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            return Refusal(f"git cannot list {where} ({said}): its files were found by a walk instead.")
    except OSError as error:
        return Refusal(f"git cannot be run ({error.strerror}): the files of {where} were found by a walk instead.")
    return Refusal(f"git took more than {TIMEOUT_S:g} s to list {where}: its files were found by a walk instead.")


_OPTIONS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
"""A repository's configuration may name programs to run."""


def git_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which git sees only the folder's repository, takes no lock, asks nothing, speaks English."""
    kept = {name: value for name, value in environment.items() if not name.startswith("GIT_") and name != "LANGUAGE"}
    return kept | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}


def unlisted_folders(stderr: bytes) -> list[bytes]:
    """The folders that `git ls-files` complained it could not open."""
    return re.findall(rb"(?m)^warning: could not open directory '(.+)/': ", stderr)


def find_git(path: str) -> str | None:
    """Where git is, by a search path. Relative parts of it are left out: they could name the repository itself."""
    return shutil.which("git", path=os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part)))
