"""Asks a program for its version, which shows that it runs at all: a name on PATH may be a shim of nothing.

A port: the tests bring programs in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from subprocess import DEVNULL, STDOUT

import msgspec
import trio

TIMEOUT_S = 5.0
"""A cold Node under load takes two seconds; a shim that hangs costs this once."""

_SAID_MAX = 200


class Printed(msgspec.Struct, frozen=True):
    """It ended well, and said this."""

    text: str


class Useless(msgspec.Struct, frozen=True):
    """It does not run; why, as a clause without its subject."""

    why: str


Ask = Callable[[Sequence[str], Mapping[str, str]], Awaitable[Printed | Useless]]
"""Command line and environment -> what it said. When cancelled, it is killed."""


async def ask_version(command: Sequence[str], environment: Mapping[str, str]) -> Printed | Useless:
    """What a program prints. It runs in its own folder, for at most `TIMEOUT_S`; when cancelled, it is killed."""
    try:
        with trio.move_on_after(TIMEOUT_S):
            done = await trio.run_process(
                command,
                cwd=os.path.dirname(command[0]),
                env=dict(environment),
                stdin=DEVNULL,
                capture_stdout=True,
                stderr=STDOUT,
                check=False,
            )
            said = done.stdout.decode("utf-8", "replace")
            if done.returncode == 0:
                return Printed(said)
            first = said.strip().partition("\n")[0][:_SAID_MAX]
            return Useless(f"ends with {done.returncode} when asked for its version" + (f" ({first})" if first else ""))
    except OSError as error:
        return Useless(f"cannot be started ({error.strerror})")
    return Useless(f"took more than {TIMEOUT_S:g} s to tell its version")


def remembering(ask: Ask) -> Ask:
    """Asks only once, as long as the program's files are the same; what did not run is asked again."""
    known: dict[tuple[object, ...], Printed] = {}

    async def asked(command: Sequence[str], environment: Mapping[str, str]) -> Printed | Useless:
        key = (tuple(command), tuple(_stamp(word) for word in command if os.path.isabs(word)))
        found = known.get(key)
        if found is not None:
            return found
        said = await ask(command, environment)
        if isinstance(said, Printed):
            known[key] = said
        return said

    return asked


def _stamp(path: str) -> tuple[int, int, int] | None:
    """What changes when another file takes a file's place."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def version_in(text: str, pattern: str) -> str:
    """The version in what a program printed; empty where there is none."""
    found = re.search(pattern, text)
    return "" if found is None else found.group(1)


def is_within(version: str, low: tuple[int, ...], below: tuple[int, ...]) -> bool:
    """Whether a version is at least `low`, and older than `below` where that says anything."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version))
    return numbers >= low and (not below or numbers < below)
