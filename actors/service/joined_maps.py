"""Maps of several roots, for questions to one of them that lead into others.

Nothing of one root is kept in another. When a question comes, the latest maps of all roots are compared by the names
of packages; those that belong together are joined, from the last joined map by what differs. So an edit in one root is
in the next answer of another.

Rules of the file:
- A question waits for other roots until its deadline; what is not there by then is missing, and is named.
- Joining goes on when nobody waits for it any more. One map is joined at a time.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec
import outcome
import trio

from actors.indexing.latest_snapshot import Published
from actors.indexing.step_runner import run_steps
from actors.service.service import Service
from codemap.graph.joined.join import join, with_confirmed
from codemap.graph.joined.links import Names, linked_roots, names_of, published_twice
from codemap.graph.model.snapshot import Snapshot
from codemap.root_paths import prefix_of

SLOW_S = 0.05
"""How long a question waits for a root that another one has waited for in vain."""
KEPT_MAX = 4
"""Joined maps that are kept, each of one root that was asked and others."""


class Member(msgspec.Struct, frozen=True):
    """Another root in a joined map."""

    service: Service[Snapshot]
    published: Published[Snapshot]


class Joined(msgspec.Struct, frozen=True):
    """What a question sees of all roots."""

    snapshot: Snapshot | None
    """None where only the root that is asked has anything to say."""
    members: Mapping[str, Member] = {}
    """The other roots in it, by the prefix of their paths."""
    warnings: tuple[str, ...] = ()
    """Sentences that say what is missing."""


ALONE = Joined(None)


class Root(Protocol):
    """A root of the process, as others see it."""

    @property
    def service(self) -> Service[Snapshot] | None:
        """None while it is not loaded."""
        ...

    async def load(self) -> Service[Snapshot]:
        """Loads it, and keeps it for a while; returns the service once it runs."""
        ...

    def keep(self) -> None:
        """Notes that it was asked for, so that it stays loaded for a while."""
        ...


class _Kept(msgspec.Struct, frozen=True):
    tokens: tuple[str, ...]
    """Of the maps that it is made of."""
    whole: frozenset[str]
    """Roots of which all files are in it, named by who asked."""
    plain: Snapshot


class JoinedMaps:
    """The joined maps of a process."""

    def __init__(self, roots: Mapping[str, Root]) -> None:
        self._roots = roots
        self._kept: OrderedDict[tuple[str, ...], _Kept] = OrderedDict()
        self._names: dict[str, tuple[str, Names]] = {}
        """By root: the token of a map, and its names."""
        self._slow: set[str] = set()
        """Roots that a question has waited for in vain."""
        self._turn = trio.Lock()
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Joins maps that are asked for until cancelled."""
        async with trio.open_nursery() as self._nursery:
            await trio.sleep_forever()

    def forget(self, root: str = "") -> bool:
        """Drops the joined maps that hold a root; without one, that which was asked for least lately. Returns whether
        there was any."""
        gone = [place for place in self._kept if root in place] if root else list(self._kept)[:1]
        for place in gone:
            del self._kept[place]
        return bool(gone)

    @property
    def names(self) -> Sequence[str]:
        """The names of all roots."""
        return tuple(self._roots)

    def running(self, asked: str) -> list[Service[Snapshot]]:
        """The services of the other roots that are loaded."""
        return [one.service for name, one in self._roots.items() if one.service is not None and name != asked]

    def beside(self, asked: str, own: Snapshot) -> list[str]:
        """The other roots that may have to do with one: of those that were never loaded nobody knows."""
        known = {name: names for name, (_, names) in self._names.items() if name in self._roots}
        linked = linked_roots(asked, known | {asked: self._names_of(asked, own)})
        return [name for name in self._roots if name != asked and (name in linked or name not in known)]

    async def find(self, asked: str, own: Published[Snapshot], also: Collection[str], by: float) -> Joined:
        """The map of a root with those that belong to it, and with those named in `also`, until a deadline by Trio's
        clock. When cancelled, joining goes on."""
        passed = self._passed_over(asked, own.snapshot, also)
        members, late = await self._members([name for name in self._roots if name not in (asked, *passed)], by)
        maps = {asked: own, **{name: member.published for name, member in members.items()}}
        names = {name: self._names_of(name, one.snapshot) for name, one in maps.items()}
        chosen = {asked, *linked_roots(asked, names), *(name for name in also if name in maps)}
        warnings = [*_say_missing(late, passed)]
        if len(chosen) == 1:
            return Joined(None, warnings=tuple(warnings))
        for name in chosen:
            self._roots[name].keep()
        snapshots = {name: maps[name].snapshot for name in sorted(chosen)}
        names = {name: names[name] for name in snapshots}
        for package, listed in published_twice(names).items():
            warnings.append(f"The roots {', '.join(listed)} publish {package}: uses in others may mean that of either.")
        behind = {name: members[name].service.behind() for name in snapshots if name != asked}
        warnings += [f"The map of the root {name} may lack changes: {why}." for name, why in behind.items() if why]
        with trio.move_on_at(by):
            plain = await self._joined(asked, snapshots, names, frozenset(also) & chosen)
            chosen_members = {prefix_of(name): member for name, member in members.items() if name in chosen}
            return Joined(with_confirmed(plain, own.snapshot), chosen_members, tuple(warnings))
        named = ", ".join(name for name in snapshots if name != asked)
        warnings.append(
            f"The map that joins {named} is still being made: what leads there is missing. Repeat the call."
        )
        return Joined(None, warnings=tuple(warnings))

    def _passed_over(self, asked: str, own: Snapshot, also: Collection[str]) -> list[str]:
        """Roots that are not loaded, and that had nothing to do with this one when they were."""
        known = {name: names for name, (_, names) in self._names.items()} | {asked: self._names_of(asked, own)}
        linked = linked_roots(asked, known)
        return [
            name
            for name, root in self._roots.items()
            if root.service is None and name in known and name not in (asked, *also, *linked)
        ]

    async def _members(self, wanted: Sequence[str], by: float) -> tuple[dict[str, Member], list[str]]:
        """The complete maps of some roots, and the names of those that have none by the deadline."""
        found: dict[str, Member] = {}

        async def wait(name: str) -> None:
            soon = trio.current_time() + (SLOW_S if name in self._slow else math.inf)
            with trio.move_on_at(min(by, soon)):
                service = self._roots[name].service or await self._roots[name].load()
                await service.wait_built()
                published = service.latest.get()
                if published is not None and not published.is_partial:
                    found[name] = Member(service, published)

        async with trio.open_nursery() as nursery:
            for name in wanted:
                nursery.start_soon(wait, name)
        late = [name for name in wanted if name not in found]
        self._slow = (self._slow - found.keys()) | set(late)
        return found, late

    def _names_of(self, root: str, snapshot: Snapshot) -> Names:
        known = self._names.get(root)
        if known is None or known[0] != snapshot.token:
            known = self._names[root] = snapshot.token, names_of(snapshot)
        return known[1]

    async def _joined(
        self, asked: str, snapshots: Mapping[str, Snapshot], names: Mapping[str, Names], whole: frozenset[str]
    ) -> Snapshot:
        place = (asked, *snapshots)
        tokens = tuple(snapshot.token for snapshot in snapshots.values())
        known = self._kept.get(place)
        if known is not None and known.tokens == tokens and whole <= known.whole:
            self._kept.move_to_end(place)
            return known.plain
        assert self._nursery is not None, "asked only while it runs"
        send, receive = trio.open_memory_channel[outcome.Outcome[Snapshot]](1)

        async def make() -> None:
            """Joins the maps, and sends the result or the failure to the question that began it."""
            async with self._turn:
                known = self._kept.get(place)
                previous = None if known is None else known.plain
                parts = whole if known is None else whole | known.whole
                found = await outcome.acapture(run_steps, join(asked, snapshots, names, previous, parts))
                await trio.lowlevel.checkpoint_if_cancelled()
                self._kept.pop(place, None)
                if isinstance(found, outcome.Value):
                    self._kept[place] = _Kept(tokens, parts, found.value)
                    while len(self._kept) > KEPT_MAX:
                        self.forget()
            send.send_nowait(found)

        self._nursery.start_soon(make)
        return (await receive.receive()).unwrap()


def _say_missing(late: Sequence[str], passed: Sequence[str]) -> Iterator[str]:
    if late:
        yield f"Not indexed yet, and missing here: the root(s) {', '.join(late)}. Repeat the call."
    if passed:
        yield f"Not loaded, as they had no package in common with this one: the root(s) {', '.join(passed)}."
