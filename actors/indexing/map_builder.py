"""The interface by which the resolver makes and improves snapshots.

Rules of the protocol:
- A method that returns steps does its work in them: others run between them, and the generator returns the snapshot.
- Nothing that it is given is changed, but for what `build` takes; a snapshot that would be the same is the same object.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Set
from typing import Protocol, TypeVar

from actors.messaging.messages import Parsed
from codemap.graph.verified.confirmations import Confirmed

S = TypeVar("S")


class MapBuilder(Protocol[S]):
    def build(
        self,
        previous: S | None,
        changed: dict[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[object, None, S]:
        """Builds the next snapshot from the previous one and what changed, which it takes out of `changed` in its
        steps; `built_ns` is nanoseconds since the epoch."""
        ...

    def sketch(
        self, parsed: Mapping[str, Parsed], configs: Mapping[str, bytes], *, built_ns: int
    ) -> Generator[object, None, S] | None:
        """Builds a partial snapshot of what was parsed so far; None where none is made."""
        ...

    def polish(self, snapshot: S, /) -> Generator[object, None, S] | None:
        """Completes a snapshot after a quick build: scores, clusters, and what the next build or question needs. None
        where nothing is left to do."""
        ...

    def apply_confirmations(self, snapshot: S, found: Mapping[str, Confirmed], /) -> S:
        """Applies more confirmations, by path, to a snapshot."""
        ...
