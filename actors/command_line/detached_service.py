"""Starts a service in the background: a process in its own session, reached through its private socket only.

The parent makes the meeting place and leaves it to the child, so that clients wait in the socket's queue from the first
moment. The child's log is a file beside the socket.

Rules of the file:
- Nothing heavy is imported at the top: a front that joins pays for it.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence

from actors.processes.frame_stack import call_with_room
from actors.processes.rendezvous import Offer, inherited, join


def start(offer: Offer, words: Sequence[str]) -> socket.socket:
    """Starts a service that takes over an offer, and connects to it. `words` are its settings. Raises OSError."""
    import subprocess

    from actors.processes.isolation import ELSEWHERE, python_function

    connection = join(offer.place)
    assert connection is not None, "we listen there"
    log = os.open(offer.place + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    descriptors = (offer.lock, offer.listener.fileno())
    try:
        subprocess.Popen(
            python_function("actors.command_line.detached_service:main", offer.place, *map(str, descriptors), *words),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=descriptors,
            start_new_session=True,
            cwd=ELSEWHERE,
        )
    finally:
        os.close(log)
        offer.leave()
    return connection


def main() -> int:
    """The main function of the child: serves until its last client has been gone for a while; returns the exit code."""
    return call_with_room(_serve)


def _serve() -> int:
    place, lock, listener, *words = sys.argv[1:]
    from actors.command_line.main import main as run

    return run(["serve", "--stdio", "off", *words], inherited(place, int(lock), int(listener)))
