"""Whether a language server names what the map says of a call: a sample of calls, judged as confirmations are.

The server is asked through the live ports that tools ask through, over a copy of the code base. Each call on which they
differ is told on stderr, to be read: the server is not always right.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

import msgspec
import trio

from actors.messaging.messages import Lane
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.likelihood.candidates import Candidates
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.verified.confirmations import Confirmation, Inside, pack_confirmations
from codemap.graph.verified.reconciliation import Verdict, reconcile
from codemap.graph.verified.target_mapping import TargetMap
from codemap.graph.verified.unverified_sites import Site, SiteSelection, find_sites
from codemap.languages import by_name
from codemap.live_queries import Definition, Fact, Found
from tests.system.eclipse import eclipse_project
from tests.system.live import AGAIN_S, Asker, live

SAMPLE = 1000
SEED = 20_261_122
AT_ONCE = 4
PATIENCE_S = 180.0
"""For one answer: the first waits until the server has read everything."""

PROJECTS = MappingProxyType({"jdtls": eclipse_project("")})
"""Files that tell a server how the sources belong together, as what is measured is not what is built."""


class Level(StrEnum):
    """What the map says of a call."""

    SURE = "sure"
    NAME = "name"
    UNDECIDED = "undecided"
    OUTSIDE = "outside"


class Said(StrEnum):
    """What the server says of it, beside the map."""

    SAME = "same"
    DECLARED = "declared"
    """The definition of what the map has by its declaration, or the other way round."""
    LISTED = "listed"
    """One of the candidates."""
    OTHER = "other"
    OUTSIDE = "outside"
    NOTHING = "nothing"
    """No answer, or one that is no definition of the map, or a namespace, which no call means: what it names where it
    does not understand the code."""


KNOWN = (Said.SAME, Said.DECLARED, Said.LISTED)


class Agreement(msgspec.Struct, frozen=True):
    server: str
    """Name and version."""
    counts: Mapping[tuple[Level, Said], int]

    def count(self, level: Level, said: Said) -> int:
        return self.counts.get((level, said), 0)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def precision(self, level: Level) -> float | None:
        """Of what the server answered; None where that is nothing."""
        same = self.count(level, Said.SAME) + self.count(level, Said.DECLARED)
        answered = same + self.count(level, Said.OTHER) + self.count(level, Said.OUTSIDE)
        return same / answered if answered else None

    @property
    def silent(self) -> float | None:
        """Share of the calls into the repository, as the server has them, that the map knows nothing of."""
        other = sum(self.count(level, Said.OTHER) for level in Level)
        known = sum(self.count(level, said) for level in Level for said in KNOWN)
        known -= self.count(Level.OUTSIDE, Said.SAME)
        return other / (other + known) if other + known else None


def agreement(root: Path, server: str) -> Agreement:
    """Raises RuntimeError where the server cannot be had, or does not answer once."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "repository"
        shutil.copytree(root, copy)
        for name, text in PROJECTS.get(server, {}).items():
            (copy / name).write_text(text)
        return trio.run(_agreement, copy, server)


async def _agreement(root: Path, server: str) -> Agreement:
    async with live(
        root, server, trust="on"
    ) as asker:  # what is sampled holds no build scripts that a server would run
        published = asker.service.latest.get()
        assert published is not None, "it was built"
        snapshot: Snapshot = published.snapshot
        sites = _sample(snapshot, server)
        facts = await _ask(asker, sites)
    answered = [fact for fact in facts.values() if isinstance(fact, Found)]
    if not answered:
        raise RuntimeError(f"{server} answered nothing: {next(iter(facts.values()), 'there are no calls')}")
    meanings = TargetMap(snapshot)
    counts: Counter[tuple[Level, Said]] = Counter()
    for site in sites:
        fact = facts[site]
        one = meanings.confirmation(site, fact.value if isinstance(fact, Found) else ())
        level, said = level_of(snapshot, site), said_of(snapshot, site, one)
        counts[level, said] += 1
        if said is Said.OTHER or (said is Said.OUTSIDE and level in (Level.SURE, Level.NAME)):
            sys.stderr.write(_told(root, snapshot, site, one, level, said))
    return Agreement(answered[0].server, dict(counts))


def _sample(snapshot: Snapshot, server: str) -> list[Site]:
    """Calls in files that the server is for, drawn at random, in order."""
    files = [file for file in snapshot.files if server in {each.name for each in by_name()[file.lang].servers}]
    calls = [
        site for file in files for site in find_sites(snapshot, file, SiteSelection.ALL) if site.kind is EdgeKind.CALLS
    ]
    chosen = random.Random(SEED).sample(range(len(calls)), min(SAMPLE, len(calls)))
    return [calls[place] for place in sorted(chosen)]


async def _ask(asker: Asker, sites: list[Site]) -> dict[Site, Fact]:
    facts: dict[Site, Fact] = {}
    todo = iter(sites)

    async def ask() -> None:
        for site in todo:
            with trio.fail_after(PATIENCE_S):
                facts[site] = await asker.service.live(Definition(site.at), Lane.FOREGROUND)
                while isinstance(fact := facts[site], Found) and "still" in fact.incomplete:
                    await trio.sleep(AGAIN_S)
                    facts[site] = await asker.service.live(Definition(site.at), Lane.FOREGROUND)

    async with trio.open_nursery() as nursery:
        for _ in range(AT_ONCE):
            nursery.start_soon(ask)
    return facts


def level_of(snapshot: Snapshot, site: Site) -> Level:
    """The best that the map has there."""
    found = _targets(snapshot, site)
    inside = [confidence for target, confidence in found.items() if not snapshot.is_external(target)]
    if inside:
        return Level.NAME if min(inside) is Confidence.NAME else Level.SURE
    return Level.OUTSIDE if found else Level.UNDECIDED


def said_of(snapshot: Snapshot, site: Site, one: Confirmation) -> Said:
    """What became of the answer."""
    file = snapshot.by_path[site.path]
    counts = reconcile(snapshot, [(file, pack_confirmations(file.stamp.digest, "", [one]))]).counts[0]
    match Verdict(int(counts.argmax())):
        case Verdict.VERIFIED:
            return Said.SAME
        case Verdict.MOVED:
            meant = _meant(snapshot, one)
            if all(snapshot.cell(node, Symbol.KIND) == SymbolKind.MODULE for node in meant):
                return Said.NOTHING
            if _is_declared(snapshot, site, meant):
                return Said.DECLARED
            return Said.LISTED if _candidates(snapshot, site) & meant else Said.OTHER
        case Verdict.OUTSIDE:
            return Said.OUTSIDE
        case _:
            return Said.NOTHING


def _targets(snapshot: Snapshot, site: Site) -> dict[int, Confidence]:
    owner = snapshot.by_path[site.path].base + site.owner
    return {
        edge.target: edge.confidence
        for edge in snapshot.edges_out(owner)
        if edge.kind is EdgeKind.CALLS and (site.line, site.col) in snapshot.sites(edge)
    }


def _is_declared(snapshot: Snapshot, site: Site, meant: set[int]) -> bool:
    """Whether one of the two names a definition, and the other a declaration of it."""
    have = {node for node in _targets(snapshot, site) if not snapshot.is_external(node)}
    return any(
        snapshot.qualified_name_of(one) == snapshot.qualified_name_of(other)
        and (snapshot.cell(one, Symbol.FLAGS) ^ snapshot.cell(other, Symbol.FLAGS)) & SymbolFlag.DECLARATION
        for one in have
        for other in meant
    )


def _candidates(snapshot: Snapshot, site: Site) -> set[int]:
    owner = snapshot.by_path[site.path].base + site.owner
    uses = [use for use in snapshot.unresolved_out(owner) if (site.line, site.col) in snapshot.sites(use)]
    candidates = Candidates(snapshot)
    return {node for use in uses for node in candidates.possible(use).tolist()}


def _meant(snapshot: Snapshot, one: Confirmation) -> set[int]:
    return {snapshot.by_path[meant.path].base + meant.row for meant in one.meant if isinstance(meant, Inside)}


def _told(root: Path, snapshot: Snapshot, site: Site, one: Confirmation, level: Level, said: Said) -> str:
    line = (root / site.path).read_text(encoding="utf-8", errors="replace").splitlines()[site.line - 1].strip()
    have = [f"{snapshot.id_of(node)} {level.name.lower()}" for node, level in _targets(snapshot, site).items()]
    means = [snapshot.id_of(node) for node in _meant(snapshot, one)] or [str(meant) for meant in one.meant]
    return (
        f"  {level}, {said}: {site.path}:{site.line}:{site.col} {line[:160]}\n"
        f"    map: {', '.join(have) or 'undecided'}\n    server: {', '.join(means)}\n"
    )
