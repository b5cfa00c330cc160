"""The actor between a round of indexing and a cluster: has batches parsed there, and checks what comes back.

Rules of the file:
- Nothing depends on the cluster: what does not come in time, or is not accepted, is left out and parsed here.
- It is connected to when a round asks, and left when nobody has asked for a while.
- One that fails is left alone for a while, as a shared store is: see `CircuitBreaker`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import assert_never

import trio

from actors.cluster.opening import ClusterUse
from actors.database.stored_facts import facts_key
from actors.indexing.statistics import ClusterStatistics
from actors.messaging.inbox import Delivery, Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    ClusterMessage,
    MayTravel,
    ParsedElsewhere,
    ParseElsewhere,
    Room,
    Unparsed,
)
from actors.messaging.yielding import Turns
from actors.ports import Cluster, ClusterTrouble
from codemap.cluster.jobs import BadAnswer, accept_each, read_answer, source_name
from codemap.extract.extract import dialect_of
from codemap.facts import FileFacts
from codemap.shared_facts.circuit_breaker import CircuitBreaker
from codemap.shared_facts.entries import Refusal

UNPACKED_AT_ONCE = 8
"""Facts unpacked between two checkpoints: about a millisecond."""


async def cluster_parser(
    inbox: Inbox[ClusterMessage], *, use: ClusterUse, report: Callable[[ClusterStatistics], None]
) -> None:
    """Runs until cancelled; the client of the cluster is killed then."""
    async with trio.open_nursery() as nursery:
        parser = _Parser(use, report)
        nursery.start_soon(parser.connect_when_wanted)
        while True:
            delivery = await inbox.receive()
            nursery.start_soon(parser.serve, delivery)


class _Parser:
    """One life of the actor."""

    def __init__(self, use: ClusterUse, report: Callable[[ClusterStatistics], None]) -> None:
        self._use = use
        self._report = report
        self._breaker = CircuitBreaker()
        self._cluster: Cluster | None = None
        self._tried = trio.Event()
        """Set once connecting succeeded or failed since it was first asked, or left."""
        self._wanted = trio.Event()
        """Set by who asks; replaced where it is looked at."""
        self._asked_s: float | None = None
        """When it was first asked since then."""
        self._running = 0
        self._counts: Counter[str] = Counter()
        self._refused: Counter[Refusal] = Counter()
        self._trouble: str | None = None
        self._publish()

    async def serve(self, delivery: Delivery[ClusterMessage]) -> None:
        """Answers an ask."""
        match delivery.message:
            case MayTravel():
                delivery.answer(delivery.message, Room(await self._room()))
            case ParseElsewhere(wanted):
                delivery.answer(delivery.message, ParsedElsewhere(await self._parse(wanted)))
            case _:
                assert_never(delivery.message)

    async def _room(self) -> int:
        self._wanted.set()
        if self._asked_s is None:
            self._asked_s = trio.current_time()
        with trio.move_on_at(self._asked_s + self._use.first_answer_s):
            await self._tried.wait()
        return self._batches

    @property
    def _batches(self) -> int:
        if self._cluster is None or not self._breaker.may_ask(trio.current_time()):
            return 0
        return self._cluster.batches

    # -- connecting -------------------------------------------------------------------------------------------------

    async def connect_when_wanted(self) -> None:
        """Connects when somebody asks, and again when a pause after a failure is over; runs for ever."""
        while True:
            await self._wanted.wait()
            if not self._breaker.is_answering:
                await trio.sleep_until(max(self._breaker.probe_at, trio.current_time()))
            try:
                async with self._use.open() as cluster:
                    self._breaker.note_probe()
                    self._trouble = None
                    self._cluster = cluster
                    self._tried.set()
                    self._publish()
                    lost = await self._stay(cluster)
                    self._cluster = None
            except ClusterTrouble as trouble:
                lost = str(trouble)
            if lost:
                self._note_trouble(lost)
                self._tried.set()
            elif self._breaker.is_answering:
                self._tried, self._asked_s = trio.Event(), None
            self._wanted = trio.Event()
            self._publish()

    async def _stay(self, cluster: Cluster) -> str:
        """Waits until nobody has asked for a while, or the cluster failed too often; or until it is lost, and says why
        as a clause."""
        lost = ""
        async with trio.open_nursery() as nursery:

            async def wait_lost() -> None:
                nonlocal lost
                lost = await cluster.wait_lost()
                nursery.cancel_scope.cancel()

            nursery.start_soon(wait_lost)
            is_wanted = True
            while is_wanted and self._breaker.is_answering:
                self._wanted = trio.Event()
                with trio.move_on_after(self._use.idle_s):
                    await self._wanted.wait()
                is_wanted = self._wanted.is_set() or self._running > 0
            nursery.cancel_scope.cancel()
        return lost

    # -- parsing ----------------------------------------------------------------------------------------------------

    async def _parse(self, wanted: Mapping[str, Unparsed]) -> dict[str, FileFacts]:
        """Has files parsed, by path."""
        cluster = self._cluster
        if cluster is None:
            return {}
        packed = None
        self._running += 1
        with trio.move_on_after(self._use.batch_s) as scope:
            try:
                packed = await cluster.parse([(path, one.digest) for path, one in wanted.items()])
            except ClusterTrouble as trouble:
                if cluster is self._cluster:  # one that is lost is reported once, not for each of its batches
                    self._note_trouble(str(trouble))
        self._running -= 1
        self._wanted.set()
        if scope.cancelled_caught:
            self._counts["late"] += len(wanted)
            self._note_trouble(f"it did not answer in {self._use.batch_s:g} s")
        found = {} if packed is None else await self._accepted(wanted, packed)
        self._counts["asked"] += len(wanted)
        self._counts["parsed"] += len(found)
        self._publish()
        return found

    async def _accepted(self, wanted: Mapping[str, Unparsed], packed: bytes) -> dict[str, FileFacts]:
        """Unpacks the facts in an answer, and leaves out what is not what was asked for."""
        found: dict[str, FileFacts] = {}
        try:
            answer = read_answer(packed, len(wanted), self._use.maker)
        except BadAnswer as error:
            self._note_trouble(str(error))
            return found
        self._counts["absent"] += answer.absent
        maker = self._use.maker
        names = [source_name(facts_key(maker, dialect_of(path), one.digest)) for path, one in wanted.items()]
        turns = Turns()
        for count, (path, one) in enumerate(zip(wanted, accept_each(names, answer, self._use.key), strict=True)):
            if count % UNPACKED_AT_ONCE == UNPACKED_AT_ONCE - 1:
                await turns.step()
            if isinstance(one, Refusal):
                self._refused[one] += 1
            elif one is not None:
                found[path] = one
        if answer.why:
            self._note_failure(answer.why)
        self._breaker.note_answer(len(found), trio.current_time())
        return found

    # -- accounts ---------------------------------------------------------------------------------------------------

    def _note_failure(self, why: str) -> None:
        if why != self._trouble:
            log("cluster-trouble", Severity.WARNING, place=self._use.place, detail=why)
        self._trouble = why
        self._counts["failures"] += 1

    def _note_trouble(self, why: str) -> None:
        self._note_failure(why)
        self._breaker.note_failure(trio.current_time())
        self._wanted.set()
        self._publish()

    def _publish(self) -> None:
        counts = self._counts
        self._report(
            ClusterStatistics(
                self._use.place,
                self._batches,
                counts["asked"],
                counts["parsed"],
                counts["late"],
                counts["absent"],
                {refusal.value: number for refusal, number in sorted(self._refused.items(), key=lambda x: x[0].value)},
                counts["failures"],
                self._trouble,
            )
        )
