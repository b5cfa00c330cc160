"""Joins a running service before anything heavy is imported, or else runs the full command line.

`serve` joins the service of its repository, or becomes it; `connect` joins it, or starts it apart from itself, where it
outlives its clients by a while. Everything else, and every unusual way to say it, is left to the full command line.

Rules of the file:
- The standard library only, and of that little; see `actors.command_line.connect`.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence

from actors.files.paths import RefusedRoot, check_root, find_root
from actors.messaging.output import complain
from actors.processes.frame_stack import call_with_room
from actors.processes.rendezvous import NotPrivate, Offer, join, meeting_place, own

USAGE = 2
"""Exit code of a command that cannot be carried out as written."""
START_S = 10.0
"""How long another process may take from locking the place to listening there, or from unlinking to unlocking."""
RETRY_S = 0.005
_COLLECTED_AFTER = 300_000
"""New objects after which the garbage collector runs in a command. Imports make a third as many, which stay; with
Python's own number, a tenth of their time goes into looking at them."""
_LISTENING = ("websocket", "http", "stdio")
"""Settings by which a process serves more than one client."""


class Asked:
    """A command that may join a service."""

    __slots__ = ("command", "flags", "root")

    def __init__(self, command: str, root: str, flags: dict[str, str]) -> None:
        self.command = command
        self.root = root
        self.flags = flags
        """Settings on the command line, by name."""

    def says(self, name: str, environment: Mapping[str, str]) -> str:
        """The value given for a setting; empty: none."""
        return self.flags.get(name) or environment.get("CODEMAP_" + name.upper(), "")


def run() -> int:
    """Runs the command of this process, and returns its exit code."""
    return call_with_room(_run_command)


def _run_command() -> int:
    words = sys.argv[1:]
    try:
        found = asked(words, os.environ)
    except RefusedRoot:
        found = None  # the full command line says why
    if found is None or found.says("share", os.environ) == "off":
        return _run(words, None)
    is_listening = any(found.says(name, os.environ) for name in _LISTENING)
    if not is_listening and not _has_client():
        return 0
    try:
        place = meeting_place(found.root, found.flags, os.environ)
        if is_listening:
            return _run(words, own(place))
        if found.command == "serve":
            met = _join_or_own(place)
            if isinstance(met, Offer):
                return _run(words, met)
        else:
            met = _join_or_start(place, found)
    except (NotPrivate, TimeoutError, OSError) as error:
        complain(f"no service is shared: {error}.")
        return _run(["serve", *words[1:]], None)
    from actors.command_line.connect import hand_on

    return hand_on(met, lambda: _join_or_start(place, found))


def asked(words: Sequence[str], environment: Mapping[str, str]) -> Asked | None:
    """Recognizes `serve` or `connect` with settings as `--name value` or `--name=value`, and nothing else.

    Raises RefusedRoot.
    """
    if not words or words[0] not in ("serve", "connect"):
        return None
    flags: dict[str, str] = {}
    rest = list(words[1:])
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("--") or name in ("--", "--help", "--version"):
            return None
        if not equals:
            if not rest or rest[0].startswith("--"):
                return None
            value = rest.pop(0)
        name = name[2:].replace("-", "_")
        if name in flags:
            return None
        flags[name] = value
    named = flags.pop("root", "") or environment.get("CODEMAP_ROOT", "")
    return Asked(words[0], check_root(named or find_root(os.getcwd())), flags)


def _run(words: Sequence[str], offer: Offer | None) -> int:
    gc.set_threshold(_COLLECTED_AFTER)
    from actors.command_line.main import main as run

    try:
        return run(words, offer, _join_as)
    finally:
        gc.freeze()  # else the interpreter looks at all objects again before it ends


def _has_client() -> bool:
    """Whether stdin and stdout are open."""
    try:
        os.fstat(0)
        os.fstat(1)
    except OSError:
        return False
    return True


def _join_or_own(place: str) -> socket.socket | Offer:
    """Connects to the process that serves, or becomes it. Raises TimeoutError, OSError."""
    deadline = time.monotonic() + START_S
    while True:
        met = join(place) or own(place)
        if met is not None:
            return met
        if time.monotonic() > deadline:
            raise TimeoutError(f"who holds {place}.lock does not listen")
        time.sleep(RETRY_S)


def _join_as(place: str, root: str, flags: dict[str, str]) -> socket.socket:
    """Connects to the service of a root with some settings. Raises TimeoutError, OSError."""
    return _join_or_start(place, Asked("connect", root, flags))


def _join_or_start(place: str, found: Asked) -> socket.socket:
    """Connects to the service, and starts it if needed. Raises TimeoutError, OSError."""
    met = _join_or_own(place)
    if not isinstance(met, Offer):
        return met
    from actors.command_line.detached_service import start

    words = [word for name, value in found.flags.items() for word in (f"--{name.replace('_', '-')}", value)]
    connection = start(met, ["--root", found.root, *words])
    _check(found, words)  # while the service starts, which refuses the same in a log that nobody reads
    complain(f"started a service, whose log is {place}.log")
    return connection


def _check(found: Asked, words: Sequence[str]) -> None:
    """Exits, as the full command line does, where options or settings are mistaken."""
    from actors.command_line.configuration import read_settings
    from actors.command_line.flags import settings_of
    from actors.command_line.subcommands import parse
    from codemap.settings import BadSetting

    given = parse([found.command, *words])
    try:
        read_settings(found.root, environment=os.environ, flags=settings_of(given))
    except BadSetting as error:
        complain(error)
        sys.exit(USAGE)
