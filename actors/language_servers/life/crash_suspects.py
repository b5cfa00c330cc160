"""Tracks the files sent to a language server since its last answer: if it crashes, one of them may be the cause.

An answer shows that the server lives after all that was named before the request; what it still works on may yet end
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from actors.language_servers.life.crash_blame import Blame


class NamedFiles:
    """The suspects of one life."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._named: dict[str, int] = {}
        """File -> the number of the last request before it was named."""
        self._last = 0
        """Number of the last request."""

    @property
    def files(self) -> frozenset[str]:
        return frozenset(self._named)

    def add(self, files: Iterable[str]) -> None:
        """Notes files that the server was sent or notified of."""
        self._named.update(dict.fromkeys(files, self._last))

    def asked(self, file: str, number: int) -> None:
        """Notes a request about a file, or about none."""
        if file:
            self._named[file] = number - 1
        self._last = number

    def answered(self, number: int, under_way: Set[str]) -> None:
        """Clears files of suspicion after an answer; `under_way` are the files of requests without an answer."""
        harmless = [file for file, last in self._named.items() if last < number and file not in under_way]
        for file in harmless:
            del self._named[file]
        self._blame.clear(harmless)
