"""Decides which file makes a language server crash, and withholds that file for a while.

A file is suspected when it was named to the server (in a question, as a document, as changed on disk), the server died,
and had not answered anything that it was asked after that. The next life is shown a suspect alone; when it dies of that
too, the file is charged: it is not named again for a while, and the deaths do not count against the server.

Rules of the file:
- Time is an argument.
- Only so many deaths are forgiven: a server that dies of every file is itself to blame.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set

CHARGED_S = 600.0
"""How long a file is withheld after the server crashed twice on it."""

SUSPECTED_S = 600.0
"""A suspicion is forgotten after this."""

FORGIVEN_MAX = 4
FORGIVEN_PERIOD_S = 120.0
"""Period in which only so many files are charged with deaths."""


class Blame:
    """The crash statistics of one server, over all its lives."""

    def __init__(self) -> None:
        self._suspected: dict[str, tuple[float, ...]] = {}
        """When the server died with it."""
        self._charged: dict[str, float] = {}
        """Until when."""
        self._unsure: set[str] = set()
        """Those of them that were charged before the server had ever answered: it may be to blame itself."""
        self._forgiven: tuple[float, ...] = ()

    def is_charged(self, file: str, now: float) -> bool:
        """Whether a file is withheld from the server."""
        return bool(self._charged) and self._charged.get(file, 0.0) > now

    def suspects(self) -> frozenset[str]:
        """Files that must be sent alone."""
        return frozenset(self._suspected)

    def clear(self, files: Iterable[str]) -> None:
        """Clears files: the server answered after they were sent."""
        for file in self._unsure:
            self._charged.pop(file, None)
        self._unsure.clear()
        for file in files:
            self._suspected.pop(file, None)

    def died(self, named: Collection[str], now: float) -> None:
        """Notes a crash without any answer since these files were sent."""
        recent = {file: tuple(at for at in times if at > now - SUSPECTED_S) for file, times in self._suspected.items()}
        self._suspected = {file: times for file, times in recent.items() if times}
        for file in named:
            self._suspected[file] = (*self._suspected.get(file, ()), now)

    def guilty(self, named: Collection[str]) -> str:
        """Finds the one file among those sent before a crash that it had crashed on before; empty where none is, or
        several are."""
        again = [file for file in named if len(self._suspected.get(file, ())) > 1]
        return again[0] if len(again) == 1 else ""

    def charge(self, file: str, now: float, answers: int) -> None:
        """Withholds a file for a while; where the server has never answered, only until it does."""
        self._charged = {each: until for each, until in self._charged.items() if until > now}
        self._charged[file] = now + CHARGED_S
        if not answers:
            self._unsure.add(file)

    def deaths(self, files: Set[str]) -> frozenset[float]:
        """Takes the times of the crashes on such files; they are suspected no more."""
        return frozenset(at for file in files for at in self._suspected.pop(file, ()))

    def forgives(self, now: float) -> bool:
        """Whether another file may be charged with crashes instead of the server."""
        self._forgiven = tuple(at for at in self._forgiven if at > now - FORGIVEN_PERIOD_S)
        if len(self._forgiven) >= FORGIVEN_MAX:
            return False
        self._forgiven = (*self._forgiven, now)
        return True
