"""The log: stderr, one event a line, `key=value`, never file contents.

Values that hold spaces, quotes, line ends or what is not printable are written as JSON strings, so that a line stays a
line. A closed stderr loses the event and nothing else.
"""

from __future__ import annotations

import json
import re
import time
import traceback
from contextvars import ContextVar
from enum import IntEnum

from actors.messaging.output import remark

_PLAIN = re.compile(r"[^\s\"=]+\Z")


class Severity(IntEnum):
    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


LEAST: ContextVar[Severity] = ContextVar("LEAST", default=Severity.INFO)
"""Events below this severity are not written. Inherited by tasks."""


def log(event: str, severity: Severity = Severity.INFO, **fields: object) -> None:
    """Writes one line: the UTC time, the event's name, and the fields in the order given; None is left out."""
    if severity < LEAST.get():
        return
    remark(line(event, time.time(), level=severity.name.lower(), **fields) + "\n")


def line(event: str, at_s: float, **fields: object) -> str:
    """Formats an event as a line without line feed; `at_s` is seconds since the epoch."""
    parts = [f"at={time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(at_s))}", f"event={_value(event)}"]
    parts += [f"{key}={_value(value)}" for key, value in fields.items() if value is not None]
    return " ".join(parts)


def trace(error: BaseException) -> str:
    """Formats the whole traceback as one text, for a field of the log."""
    return "".join(traceback.format_exception(error)).rstrip()


def leaf(error: BaseException) -> BaseException:
    """Finds the first error in a group of errors, or the error itself: for logs of one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _value(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return text if _PLAIN.match(text) and text.isprintable() else json.dumps(text)
