"""One string for each name in the facts of many files: the files of a large repository have most names in common."""

from __future__ import annotations

import msgspec

from codemap.facts import FileFacts


class SharedNames:
    """The names of the files of one build."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def shared_in(self, facts: FileFacts) -> FileFacts:
        """The same facts, with the strings that other files have already."""
        return msgspec.structs.replace(facts, names=tuple(map(self._known.setdefault, facts.names, facts.names)))
