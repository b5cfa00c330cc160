"""The port to a store that several machines share, whatever its kind.

Entries are named by 64 hexadecimal digits and are opaque here. A store is trusted with nothing: what comes is judged by
`codemap.shared_facts.entries`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

ENTRY_MAX_BYTES = 64_000_000
"""A longer value is not read: that of the largest file is a tenth of it."""

PARALLEL = 16
"""Entries that are read or written at the same time, where a store has no way to give several at once."""

Receive = Callable[[str, bytes], None]
"""Receives the name of an entry and its value."""


class RemoteTrouble(Exception):
    """Raised when a store cannot be used as asked; the message says why, as a clause."""


class NotUsable(Exception):
    """Raised for a store that cannot be used as it is named; the message says why, as a clause."""


def optional_package(name: str) -> Any:
    """Imports a package that only some stores need. Raises NotUsable."""
    try:
        return import_module(name)
    except ImportError as error:
        raise NotUsable(f"it needs a package that is not installed: pip install 'codemap[remote]' ({error})") from error


class Remote(Protocol):
    """A shared store. Several tasks may use it at a time."""

    @property
    def place(self) -> str:
        """Its address, as people may see it: without passwords."""
        ...

    async def get_many(self, names: Sequence[str], receive: Receive) -> None:
        """Reads entries; those that are not there are left out.

        Raises RemoteTrouble, after it has received what came before. When cancelled, the rest is left out.
        """
        ...

    async def put_many(self, values: Mapping[str, bytes]) -> None:
        """Writes entries, each whole or not at all, over what is there.

        Raises RemoteTrouble. When cancelled, some are written.
        """
        ...

    async def having(self, names: Sequence[str]) -> frozenset[str]:
        """Finds which of some entries are there, without reading them. Raises RemoteTrouble."""
        ...

    async def aclose(self) -> None:
        """Closes its connections."""
        ...
