"""`codemap view`: the page of a repository's map, in the browser of who asks for it.

The URL of the first visit has a key that is good once. It is printed, and handed to the browser in a file that only
this user can read: command lines can be read by everybody on the machine.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import trio

from actors.messaging.output import answer, complain
from actors.processes.environment import outside
from actors.processes.rendezvous import NotPrivate, meeting_place
from actors.view.serve import serve_page
from codemap.settings import Settings

_OK, _NOT_OK = 0, 1
_OPENERS = {"darwin": ("open",)}
_OPENERS_ELSEWHERE = ("xdg-open", "wslview")
_FORWARD = (
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={url}"><title>codemap</title>\n'
)


Join = Callable[[str, str, dict[str, str]], socket.socket]
"""Gives a connection to the service at a meeting place, of a root with some settings. Raises OSError."""


def view(root: str, flags: Mapping[str, str], settings: Settings, join: Join, *, port: int, is_opened: bool) -> int:
    """Serves the page until it is interrupted; returns the exit code. `port` 0: any that is free."""
    if settings.share == "off":
        complain("the page shows the map of the repository's shared service: leave --share off away.")
        return _NOT_OK
    given = dict(flags) | ({"envelope": "native"} if settings.envelope != "native" else {})
    try:
        place = meeting_place(root, given, os.environ)
    except (NotPrivate, OSError) as error:
        complain(f"no service can be shared: {error}.")
        return _NOT_OK
    forward = f"{place}.html"

    def began(url: str) -> None:
        answer(f"The map of {root} is at\n{url}\nwhich is good for one visit. Ctrl-C ends this.\n")
        if is_opened:
            _open(root, url, forward)

    try:
        trio.run(partial(serve_page, port, partial(join, place, root, given), began))
    except OSError as error:
        complain(f"the page cannot be served: {error.strerror or error}.")
        return _NOT_OK
    finally:
        with suppress(OSError):
            os.unlink(forward)
    return _OK


def _open(root: str, url: str, forward: str) -> None:
    """Has the browser of the user show the URL; where there is none, he has read where it is."""
    environment = outside(root, os.environ)
    names = _OPENERS.get(sys.platform, _OPENERS_ELSEWHERE)
    found = (shutil.which(name, path=environment.get("PATH", "")) for name in names)
    program = next(filter(None, found), None)
    if program is None or not _has_screen():
        return
    with suppress(OSError):
        os.unlink(forward)
    with suppress(OSError), open(os.open(forward, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(_FORWARD.format(url=url))
    with suppress(OSError):
        subprocess.Popen(
            [program, f"file://{forward}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environment,
            cwd="/",
        )


def _has_screen() -> bool:
    """Whether a window can be shown: not in a terminal over the network."""
    if sys.platform == "darwin":
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("WSL_DISTRO_NAME"))
