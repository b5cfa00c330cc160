"""Where the facts of a batch of files come from: this machine's store, a shared one, a cluster, or a parser here.

Each is asked for what the ones before it do not have. The last can do all, so that no other one has to answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from actors.messaging.inbox import ActorDied, Address
from actors.messaging.messages import (
    ClusterMessage,
    Extract,
    FileJob,
    FindShared,
    KeepFacts,
    LookUp,
    MayAsk,
    MayTravel,
    Outcome,
    Parsed,
    ParsedElsewhere,
    ParseElsewhere,
    PoolMessage,
    Room,
    Shared,
    ShareFacts,
    SharerMessage,
    StoreMessage,
    Unavailable,
    Unparsed,
    Willing,
)
from codemap.facts import FileFacts
from codemap.packed.packed_facts import pack_facts


class ClusterOffer(msgspec.Struct, frozen=True):
    """A cluster that parses files of large rounds."""

    address: Address[ClusterMessage]
    round_min_bytes: int
    """Source bytes of a round from which it is asked."""


class FactSources(msgspec.Struct, frozen=True):
    """What is asked in one round."""

    pool: Address[PoolMessage]
    store: Address[StoreMessage] | None
    sharer: Address[SharerMessage] | None
    """Shares facts with other machines; None: nobody does."""
    cluster: Address[ClusterMessage] | None
    """Has files parsed by other machines; None: nobody does."""

    async def room(self) -> int:
        """How many batches the cluster works on at the same time; 0: it is not asked."""
        if self.cluster is not None:
            with suppress(ActorDied):
                answer = await self.cluster.ask(MayTravel())
                return answer.batches if isinstance(answer, Room) else 0
        return 0

    async def read(self, batch: Sequence[FileJob], room: int) -> dict[str, Outcome]:
        """Reads a batch, and offers what others lack to them; `room` is what the cluster has. Raises ActorDied when
        the pool fails."""
        willing = await self._ask_whether_willing()
        if willing is None and not room:
            outcomes = await self._extract(batch)
            self._share(outcomes)
            return outcomes
        answer = await self.pool.ask(LookUp(tuple(batch), willing is not None and willing.has_marks))
        if isinstance(answer, Unavailable):
            raise ActorDied("parser pool", answer.reason)
        read = {job.path: one for job, one in zip(batch, answer.outcomes, strict=True)}
        outcomes = {path: one for path, one in read.items() if one is not None and not isinstance(one, Unparsed)}
        wanted = {path: one for path, one in read.items() if isinstance(one, Unparsed)}
        shared = await self._find_shared(wanted) if wanted and willing is not None else {}
        self._offer(shared)
        wanted = {path: one for path, one in wanted.items() if path not in shared}
        travelled = await self._parse_elsewhere(wanted) if wanted and room else {}
        self._offer(travelled)
        outcomes |= travelled
        rest = [job for job in batch if job.path not in outcomes and job.path not in shared]
        parsed = await self._extract(rest) if rest else {}
        self._share(outcomes | parsed)
        return outcomes | shared | parsed

    async def _extract(self, batch: Sequence[FileJob]) -> dict[str, Outcome]:
        """Has a batch extracted, and offers what was parsed to the store. Raises ActorDied when the pool fails."""
        answer = await self.pool.ask(Extract(tuple(batch)))
        if isinstance(answer, Unavailable):
            raise ActorDied("parser pool", answer.reason)
        outcomes = {job.path: one for job, one in zip(batch, answer.outcomes, strict=True)}
        self._offer(outcomes)
        return outcomes

    async def _ask_whether_willing(self) -> Willing | None:
        """Asks whether the shared store is asked now; None: it is not."""
        if self.sharer is None:
            return None
        with suppress(ActorDied):
            answer = await self.sharer.ask(MayAsk())
            return answer if isinstance(answer, Willing) and answer.is_willing else None
        return None

    async def _find_shared(self, wanted: Mapping[str, Unparsed]) -> dict[str, Outcome]:
        assert self.sharer is not None
        with suppress(ActorDied):
            answer = await self.sharer.ask(FindShared(wanted))
            if isinstance(answer, Shared):
                return _outcomes(wanted, answer.found)
        return {}

    async def _parse_elsewhere(self, wanted: Mapping[str, Unparsed]) -> dict[str, Outcome]:
        assert self.cluster is not None
        with suppress(ActorDied):
            answer = await self.cluster.ask(ParseElsewhere(wanted))
            if isinstance(answer, ParsedElsewhere):
                return _outcomes(wanted, answer.found)
        return {}

    def _offer(self, outcomes: Mapping[str, Outcome]) -> None:
        """Offers facts to the store; what it has no room for it finds in the next snapshot."""
        if self.store is not None:
            pairs = outcomes.items()
            parsed = tuple((path, one) for path, one in pairs if isinstance(one, Parsed) and not one.is_stored)
            if parsed:
                self.store.offer(KeepFacts(parsed))

    def _share(self, outcomes: Mapping[str, Outcome]) -> None:
        """Offers facts of this machine, and of its cluster, to the others."""
        if self.sharer is not None:
            parsed = tuple((path, one) for path, one in outcomes.items() if isinstance(one, Parsed))
            if parsed:
                self.sharer.offer(ShareFacts(parsed))


def _outcomes(wanted: Mapping[str, Unparsed], found: Mapping[str, FileFacts]) -> dict[str, Outcome]:
    return {
        path: Parsed(wanted[path].stat, wanted[path].digest, wanted[path].is_settled, pack_facts(facts))
        for path, facts in found.items()
    }
