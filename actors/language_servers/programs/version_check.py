"""Asks a program for its version, which shows that it runs at all: a name on PATH may be a shim of nothing.

A port: the tests bring programs in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import inf
from subprocess import DEVNULL, STDOUT

import msgspec
import trio

from actors.processes.child_process import Reins
from actors.processes.subreaper import CANNOT_RUN, END_S

TIMEOUT_S = 5.0
"""Time limit: a cold Node under load takes two seconds; a shim that hangs costs this once."""

REST_SHARE = 60
"""Pause until a useless program is asked again, as a multiple of what it took: five minutes after five seconds."""

TOLD_S = 30.0
"""A pause of this length or more is mentioned."""

_SAID_MAX = 200


class Printed(msgspec.Struct, frozen=True):
    """The program ended well and printed this."""

    text: str


class Useless(msgspec.Struct, frozen=True):
    """The program does not run; the reason is a clause without its subject."""

    why: str


Ask = Callable[[Sequence[str], Mapping[str, str]], Awaitable[Printed | Useless]]
"""Command line and environment -> the result. When cancelled, the program is killed."""


async def ask_version(command: Sequence[str], environment: Mapping[str, str]) -> Printed | Useless:
    """Runs a program to print its version, in its own folder, for at most `TIMEOUT_S`; when it ends, or this is
    cancelled, all its descendants are killed."""
    reins = Reins()

    async def end(process: trio.Process) -> None:
        reins.release()
        with trio.move_on_after(END_S, shield=True):
            await process.wait()
        process.kill()

    try:
        with trio.move_on_after(TIMEOUT_S):
            done = await trio.run_process(
                reins.command(command),
                cwd=os.path.dirname(command[0]),
                env=dict(environment),
                stdin=DEVNULL,
                capture_stdout=True,
                stderr=STDOUT,
                check=False,
                pass_fds=(reins.descriptor,),
                deliver_cancel=end,
            )
            said = done.stdout.decode("utf-8", "replace")
            if done.returncode == 0:
                return Printed(said)
            first = said.strip().partition("\n")[0][:_SAID_MAX]
            if done.returncode == CANNOT_RUN and first.startswith(f"{command[0]}: "):
                return Useless(f"cannot be started ({first.removeprefix(f'{command[0]}: ')})")
            return Useless(f"ends with {done.returncode} when asked for its version" + (f" ({first})" if first else ""))
    except OSError as error:
        return Useless(f"cannot be started ({error.strerror})")
    finally:
        reins.release()
    return Useless(f"took more than {TIMEOUT_S:g} s to report its version")


class _Known(msgspec.Struct, frozen=True):
    said: Printed | Useless
    until: float


def remembering(ask: Ask) -> Ask:
    """Caches results: asks again only once the program's files changed, or, for one that did not run, after
    `REST_SHARE` times what it took."""
    known: dict[tuple[object, ...], _Known] = {}

    async def asked(command: Sequence[str], environment: Mapping[str, str]) -> Printed | Useless:
        key = (tuple(command), stamps_of(command))
        found = known.get(key)
        began = trio.current_time()
        if found is not None and began < found.until:
            return found.said if isinstance(found.said, Printed) else _resting(found.said, found.until - began)
        said = await ask(command, environment)
        now = trio.current_time()
        rest_s = inf if isinstance(said, Printed) else REST_SHARE * (now - began)
        known[key] = _Known(said, now + rest_s)
        return said if isinstance(said, Printed) else _resting(said, rest_s)

    return asked


def _resting(said: Useless, rest_s: float) -> Useless:
    if rest_s < TOLD_S:
        return said
    return Useless(f"{said.why}; it is asked again in {rest_s:.0f} s, or when it changes")


def stamps_of(command: Sequence[str]) -> tuple[object, ...]:
    """Stamps the files that are started; stamps change when the files are replaced."""
    return tuple(_stamp(word) for word in command if os.path.isabs(word))


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def version_in(text: str, pattern: str) -> str:
    """Finds the version in what a program printed; empty where there is none."""
    found = re.search(pattern, text)
    return "" if found is None else found.group(1)


def is_within(version: str, low: tuple[int, ...], below: tuple[int, ...]) -> bool:
    """Whether a version is at least `low` and, unless `below` is empty, older than `below`."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version))
    return numbers >= low and (not below or numbers < below)
