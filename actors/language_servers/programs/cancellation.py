"""Cancels requests by files in a folder, for servers that take `--cancellationReceive=file:NAME`.

A file with the number of a request cancels it, also while the server is too busy to read messages.

Source: pyright's and vscode-languageserver's file based cancellation.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress

import msgspec


class CancellationFolder(msgspec.Struct, frozen=True):
    """The folder of one life of a server. Failures to write are ignored: the answer is then dropped."""

    path: str

    def make(self) -> None:
        with suppress(OSError):
            os.makedirs(self.path, mode=0o700, exist_ok=True)

    def mark(self, number: int) -> None:
        """Cancels a request."""
        with suppress(OSError):
            os.close(os.open(self._file(number), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))

    def unmark(self, number: int) -> None:
        """Removes the file of a request that has ended: it would cancel a later request of this number."""
        with suppress(OSError):
            os.unlink(self._file(number))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _file(self, number: int) -> str:
        return os.path.join(self.path, f"cancellation-{number}.tmp")


def cancellation_folder(name: str, variables: Mapping[str, str]) -> CancellationFolder | None:
    """Finds the folder where a server with these environment variables looks; None for an empty name."""
    if not name:
        return None
    temporary = next((variables[key] for key in ("TMPDIR", "TMP", "TEMP") if variables.get(key)), "/tmp")
    return CancellationFolder(os.path.join(temporary, "python-languageserver-cancellation", name))
