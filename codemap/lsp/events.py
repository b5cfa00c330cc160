"""The events of a session: what a server sent, decoded."""

from __future__ import annotations

import msgspec

from codemap.lsp.errors import ServerError
from codemap.lsp.results import Unplaced


class Initialized(msgspec.Struct, frozen=True, tag=True):
    """It accepted `initialize`; questions may be asked from now on."""


class InitializeFailed(msgspec.Struct, frozen=True, tag=True):
    """It refused `initialize`; the session is closed."""

    error: ServerError


class BecameReady(msgspec.Struct, frozen=True, tag=True):
    """It has seen all files, for the first time or again."""


class BecameUnready(msgspec.Struct, frozen=True, tag=True):
    """By itself it began to look at files again."""


class Progressed(msgspec.Struct, frozen=True, tag=True):
    """What it says of its work changed."""

    text: str
    """`indexing 40 %`; empty when the work is done."""


class Answered(msgspec.Struct, frozen=True, tag=True):
    """The answer to a question."""

    number: int
    result: Unplaced | ServerError


class Buried(msgspec.Struct, frozen=True, tag=True):
    """A cancelled request ended; whatever was answered is dropped."""

    number: int


class Alive(msgspec.Struct, frozen=True, tag=True):
    """The answer to a probe."""

    number: int


class ShutDown(msgspec.Struct, frozen=True, tag=True):
    """It answered `shutdown`."""


class Stray(msgspec.Struct, frozen=True, tag=True):
    """An answer that nobody waits for: its number is unknown, or was answered before."""

    number: str
    """As sent."""


class Logged(msgspec.Struct, frozen=True, tag=True):
    """A message for a person."""

    level: str
    """`error`, `warning`, `info`, `log` or `debug`."""
    text: str


class ConfigurationComplained(msgspec.Struct, frozen=True, tag=True):
    """It finds errors in a configuration file of the project."""

    file: str
    """Relative to the repository; absolute outside."""
    message: str
    """The errors, one a line; empty: none any more."""


Event = (
    Initialized
    | InitializeFailed
    | BecameReady
    | BecameUnready
    | Progressed
    | Answered
    | Buried
    | Alive
    | ShutDown
    | Stray
    | Logged
    | ConfigurationComplained
)
