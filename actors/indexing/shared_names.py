"""One string for each name in the facts of many files: the files of a large repository have most names in common."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from actors.messaging.messages import Outcome, Parsed


class SharedNames:
    """The names of the files of one round."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def shared_in(self, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
        """The same outcomes, with the strings that other files have already."""
        return {path: self._shared(one) if isinstance(one, Parsed) else one for path, one in outcomes.items()}

    def _shared(self, parsed: Parsed) -> Parsed:
        facts = parsed.facts
        names = tuple(map(self._known.setdefault, facts.names, facts.names))
        return msgspec.structs.replace(parsed, facts=msgspec.structs.replace(facts, names=names))
