"""Writes what a command prints: its answer to stdout, everything else to stderr.

Rules of the file:
- All that a command prints goes through here, as UTF-8 whatever the locale says; only a client's protocol does not.
- An answer that does not arrive is an error; a remark that does not is none, and a reader that has enough is none.
- It imports what every interpreter has loaded when it starts, and little besides: who joins a service needs it, too.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

_AS_ESCAPES = "backslashreplace"
"""Error handler for lone surrogates, which UTF-8 cannot encode."""


class Unwritten(Exception):
    """Raised when an answer cannot be written; the message is a sentence that says why."""


def answer(text: str | bytes) -> bool:
    """Writes to stdout; false where nobody reads it any more. Raises Unwritten."""
    if sys.stdout is None:
        raise Unwritten("The answer cannot be written: stdout is closed.")
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        return False
    except OSError as error:
        raise Unwritten(f"The answer cannot be written: {error.strerror}.") from error
    return True


def remark(text: str) -> None:
    """Writes to stderr, where somebody reads it."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # it is full, or was closed
            _write(sys.stderr, text)


def complain(sentence: object) -> None:
    """Writes a line to stderr that says what is wrong."""
    remark(f"codemap: {sentence}\n")


def width() -> int | None:
    """Counts the columns of the terminal on stdout; None where stdout is no terminal."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return os.get_terminal_size(sys.stdout.fileno()).columns if is_terminal else None


def is_watched() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def _write(stream: TextIO, text: str | bytes) -> None:
    """Writes all of a text, past the stream's buffer: what fails to be written is not tried again at the end."""
    raw = getattr(stream.buffer, "raw", stream.buffer)
    pending = memoryview(text if isinstance(text, bytes) else text.encode("utf-8", _AS_ESCAPES))
    while pending:
        written = raw.write(pending)
        if written is None:  # there is no room, and somebody who shares the pipe has set it not to wait
            _wait_for_room(stream.fileno())
        else:
            pending = pending[written:]


def _wait_for_room(descriptor: int) -> None:
    from select import POLLOUT, poll

    waiting = poll()
    waiting.register(descriptor, POLLOUT)
    waiting.poll()
