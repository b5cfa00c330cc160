"""Finds the answer to a call: asks the tool on one snapshot, and again as long as waiting may bring a better answer.

Rules of the file:
- An answer is of one snapshot. A call that finds no map, or nothing in a partial one, is asked again for a while as the
  map grows; one that needs edges, which a partial map lacks, once the map is complete.
- A tool that has changed files is not asked again: it would find its edits done.
- Indexed files that differ from the map although no event named them are reported to the watcher, once a call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Set
from functools import partial
from hashlib import blake2b
from typing import Any

import msgspec
import trio

from actors.front.fact_gathering import Gathering
from actors.front.freshness import freshen, freshness_warnings, look, look_at_changing
from actors.front.status import status_of
from actors.front.tool_call import ToolCall
from actors.indexing.latest_snapshot import Published
from actors.indexing.unparsable_files import why_lost
from actors.service.joined_maps import ALONE, Joined
from actors.service.places import Places
from actors.service.service import Service
from codemap.envelope.answer import Answer, CutList, Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import BuildProgress, Disk, Replied, World, mentioned_files

FIRST_MAP_WAIT_S = 5.0
"""How long a call waits for the very first map before it says that there is none: nearly all repositories are built by
then, and an answer that says "come back later" costs an agent more."""


class Asked(msgspec.Struct, frozen=True):
    """A tool's answer, about files as they are on disk now."""

    answer: Replied
    version: str | Callable[[], str]
    """Identifies what a cursor continues; empty where there is nothing to continue. Called only where there is one."""
    published: Published[Snapshot] | None
    """The map that was asked."""
    places: Places | None = None
    differing: frozenset[str] = frozenset()
    """Indexed files that differ from the map although no event named them."""
    has_written: bool = False
    """Whether files were changed for it: there is no asking again."""
    mentioned: Set[str] | None = None
    """Paths of the files that the answer speaks of, where they were looked for."""


Wait = Callable[[Asked], Awaitable[bool]]
"""Waits for what an answer lacks; True if the tool should be asked again."""


async def answered(call: ToolCall, rebuilt: Mapping[str, Any]) -> Asked:
    """Asks the tool until its answer is as good as it gets; `rebuilt` is what was rebuilt before, see
    `World.rebuilt`."""
    return await _Answering(call, rebuilt).answer()


class _Answering:
    """A call whose answer is being found."""

    def __init__(self, call: ToolCall, rebuilt: Mapping[str, Any]) -> None:
        self._call = call
        self._service = call.service
        self._rebuilt = rebuilt
        self._is_late = False
        self._is_over = False
        self._questions_by = self._whole_by = self._others_by = 0.0

    async def answer(self) -> Asked:
        call, tool = self._call, self._call.tool
        if call.fresh_by is not None and not tool.needs_rebuild:
            self._is_late = not await self._freshen(call.fresh_by)
        call.timer.end("wait")
        self._others_by = trio.current_time() + FIRST_MAP_WAIT_S
        self._questions_by = trio.current_time() + tool.questions_s
        asked = await self._ask()
        for wait in self._waits():
            is_better = await wait(asked)
            if asked.has_written:
                break
            if is_better:
                call.timer.end("wait")
                asked = await self._ask()
        return asked

    def _waits(self) -> Iterator[Wait]:
        yield self._wait_for_edits
        yield self._wait_for_a_map
        self._whole_by = trio.current_time() + FIRST_MAP_WAIT_S
        while not self._is_over:
            yield self._wait_for_more

    async def _wait_for_edits(self, asked: Asked) -> bool:
        """Waits for edits that no event has named, or not yet."""
        if not asked.differing or self._call.tool.needs_rebuild:
            return False
        if asked.places is not None:
            await asked.places.notice(asked.differing)
        if self._call.fresh_by is None or self._is_late:
            return False
        self._is_late = not await self._freshen(self._call.fresh_by)
        return True

    async def _freshen(self, by: float) -> bool:
        """Waits until earlier edits are in the map, and in those of other roots where it is asked about these."""
        call = self._call
        services = [self._service]
        if call.others is not None and not call.tool.spans_roots.is_alone:
            services += call.others.maps.running(call.others.asked)
        fresh: list[bool] = []

        async def wait(service: Service[Snapshot]) -> None:
            fresh.append(await freshen(service, by))

        async with trio.open_nursery() as nursery:
            for service in services:
                nursery.start_soon(wait, service)
        return all(fresh)

    async def _wait_for_a_map(self, asked: Asked) -> bool:
        """Waits for the first map, complete or partial."""
        answer = asked.answer
        is_missing = isinstance(answer, Failure) and answer.code is ErrorCode.MAP_NOT_BUILT
        if asked.published is not None or not is_missing:
            return False
        with trio.move_on_after(FIRST_MAP_WAIT_S):
            await self._service.wait_begun(self._call.wanted)
        return True

    async def _wait_for_more(self, asked: Asked) -> bool:
        """Waits for more of a partial map."""
        published, needs_edges = asked.published, self._call.tool.needs_edges
        if published is None or not published.is_partial:
            self._is_over = True
            return False
        self._service.latest.want_more(self._call.wanted)
        if not needs_edges and not _finds_nothing(asked.answer):
            self._is_over = True
            return False
        with trio.move_on_at(self._whole_by) as waiting:
            more = self._service.wait_built() if needs_edges else self._service.wait_above(published.version)
            self._is_over = await more is not None
        self._is_over |= waiting.cancelled_caught
        return True

    async def _ask(self) -> Asked:
        """Asks the tool once, on the latest map and the files as they are on disk now."""
        call, service = self._call, self._service
        published = service.latest.get()
        lost = why_lost(published)
        snapshot = None if published is None or lost else published.snapshot
        own = snapshot
        joined = await self._join(published, own)
        snapshot = joined.snapshot or own
        places = Places(service, joined)
        gathering = Gathering(call, snapshot, own, self._questions_by, places)
        changing = Disk() if published is None else await look_at_changing(service, published, places)
        call.timer.end("stat")
        world = World(
            snapshot=snapshot,
            own=own if joined.snapshot is not None else None,
            progress=_progress(service),
            disk=changing,
            status=status_of(service, published) if call.tool.checks_all_files else {},
            rebuilt=self._rebuilt,
            warnings=(*freshness_warnings(service.watching, self._is_late), *joined.warnings),
            behind=service.behind() or lost,
            others={} if published is None else published.others,
            root=service.ports.root,
            limits=call.limits,
            page_chars=call.page_chars,
        )
        answer = await self._said(world, gathering, published)
        if published is None:
            return Asked(answer, _version(gathering, snapshot, answer), published)
        mentioned = mentioned_files(answer)
        disk = await look(call, published, mentioned, changing, places)
        call.timer.end("stat")
        if disk is not changing and not gathering.has_written:
            answer = await self._said(msgspec.structs.replace(world, disk=disk), gathering, published)
            mentioned = mentioned_files(answer)
        news = frozenset() if disk is changing else frozenset(disk.differing) - places.pending
        version = _version(gathering, snapshot, answer)
        return Asked(answer, version, published, places, news, gathering.has_written, mentioned)

    async def _join(self, published: Published[Snapshot] | None, snapshot: Snapshot | None) -> Joined:
        """What the call sees of other roots."""
        call = self._call
        if call.others is None or published is None or snapshot is None or published.is_partial:
            return ALONE
        joined = await call.others.find(published, call.tool, self._others_by)
        call.timer.end("wait")
        return joined

    async def _said(self, world: World, gathering: Gathering, published: Published[Snapshot] | None) -> Replied:
        """What the tool answers, and which roots it did not ask."""
        call = self._call
        found = call.tool.answer(world, call.params)
        answer = found if isinstance(found, Answer | Failure) else await gathering.answered(found)
        if call.others is not None:
            answer = call.others.with_missed(answer, published, call.tool)
        call.timer.end("answer")
        return answer


def _version(gathering: Gathering, snapshot: Snapshot | None, answer: Replied) -> str | Callable[[], str]:
    """Identifies what a cursor continues: the lists of an answer from facts, else the map."""
    if gathering.has_facts:
        return partial(version_of, answer) if isinstance(answer, Answer) else ""
    return "" if snapshot is None else snapshot.token


def version_of(answer: Answer) -> str:
    """Identifies the lists of an answer: a cursor continues only the same."""
    outer = [cut.path for cut in answer.lists if isinstance(cut, CutList) and "*" not in cut.path]
    lists = [answer.identities.get(path[0]) or _at(answer.data, path) for path in outer]
    return blake2b(repr(lists).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _at(data: object, path: tuple[str, ...]) -> object:
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


def _finds_nothing(answer: Replied) -> bool:
    """Whether the answer found nothing that the complete map may have."""
    if isinstance(answer, Failure):
        return answer.code is ErrorCode.NODE_NOT_FOUND
    return isinstance(answer.data, Mapping) and answer.data.get("emptyBecause") == "building"


def _progress(service: Service[Snapshot]) -> BuildProgress | None:
    building = service.latest.building
    if building is None:
        return None
    done, total = building.files_done, building.files_total
    return BuildProgress(total, total, done) if building.stage == "graph" else BuildProgress(done, total)
