"""Caches versions of files by content: most calls ask for the same again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

import trio

from actors.files.reading import digest_of
from actors.messaging.inbox import ActorDied
from actors.messaging.messages import ReadVersions, SourceText, Unavailable, VersionsRead
from codemap.changes.version import Version
from codemap.extract.extract import dialect_of

REMEMBERED_BYTES = 32_000_000
"""Source bytes whose versions are cached: facts take about as much memory as their source."""
BATCH_BYTES = 262_144
"""Source bytes that one parser process reads at a time: a tenth of a second of work."""

Ask = Callable[[ReadVersions], Awaitable[VersionsRead | Unavailable]]


class Versions:
    """A cache of versions by dialect and content."""

    def __init__(self, ask: Ask) -> None:
        """`ask` asks the parser pool, and raises ActorDied."""
        self._ask = ask
        self._known: OrderedDict[tuple[str, bytes], Version] = OrderedDict()
        self._bytes = 0

    async def read(self, sources: Sequence[SourceText]) -> list[Version | None]:
        """Reads the version of each source, in order; None for what cannot be read."""
        keys = [(dialect_of(source.path), digest_of(source.content)) for source in sources]
        fresh = {key: source for key, source in zip(keys, sources, strict=True) if key not in self._known}
        found = {key: self._known[key] for key in keys if key in self._known}
        batches: list[list[tuple[str, bytes]]] = []
        room = 0
        for key, source in fresh.items():
            if not batches or room < len(source.content):
                batches.append([])
                room = BATCH_BYTES
            batches[-1].append(key)
            room -= len(source.content)

        async def ask(batch: Sequence[tuple[str, bytes]]) -> None:
            try:
                answer = await self._ask(ReadVersions(tuple(fresh[key] for key in batch)))
            except ActorDied:
                return
            if isinstance(answer, VersionsRead):
                pairs = zip(batch, answer.versions, strict=True)
                found.update((key, version) for key, version in pairs if version is not None)

        async with trio.open_nursery() as nursery:
            for batch in batches:
                nursery.start_soon(ask, batch)
        for key in keys:
            if key in found:
                self._remember(key, found[key])
        return [found.get(key) for key in keys]

    def _remember(self, key: tuple[str, bytes], version: Version) -> None:
        if key not in self._known:
            self._bytes += version.facts.size
        self._known[key] = version
        self._known.move_to_end(key)
        while self._bytes > REMEMBERED_BYTES and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            self._bytes -= oldest.facts.size
