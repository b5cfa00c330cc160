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


def version_in(text: str, pattern: str) -> str:
    """The version in what a program printed; empty where there is none."""
    found = re.search(pattern, text)
    return "" if found is None else found.group(1)


def is_within(version: str, low: tuple[int, ...], below: tuple[int, ...]) -> bool:
    """Whether a version is at least `low`, and older than `below` where that says anything."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version))
    return numbers >= low and (not below or numbers < below)
