"""What nothing uses in some files, as the tool finds it, without a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.live_queries import NamesRead, NamesSought
from codemap.mentions.seeking import Sought
from codemap.tools.impact.params import TIER_NAMES
from codemap.tools.overview.entries import packages_of
from codemap.tools.unused.params import WHY_NAMES
from codemap.unused.evidence import Finding
from codemap.unused.findings import Findings, Search
from tests.tools.live import sought


def everything(_path: str) -> bool:
    return True


def search(files: Mapping[str, bytes], is_asked: Callable[[str], bool] = everything) -> tuple[Snapshot, Findings]:
    snapshot = build_snapshot(files)
    found = Search(snapshot, packages_of(snapshot), is_asked)
    texts = finish(found.begin())
    words: Sought = sought(files, NamesSought(texts.names))
    unsettled = finish(texts.unsettled(words))
    return snapshot, finish(found.findings(words, sought(files, NamesRead(unsettled))))


def table(files: Mapping[str, bytes]) -> list[list[str]]:
    """`<tier, or list> <id> <reasons and users>` of all that is found, in its order."""
    snapshot, found = search(files)

    def row(word: str, one: Finding) -> list[str]:
        reasons = [WHY_NAMES[reason.why] for reason in one.reasons]
        users = [f"only by {snapshot.qualified_name_of(user) or snapshot.name_of(user)}" for user in one.users]
        return [word, snapshot.id_of(one.node), ", ".join([*users, *dict.fromkeys(reasons)])]

    explain = found.evidence.explain
    rows = [row(TIER_NAMES[one.tier], one) for one in map(explain, found.definitions)]
    rows += [row(f"file {TIER_NAMES[one.tier]}", one) for one in map(explain, found.files)]
    rows += [row("export", one) for one in found.exports]
    return rows + [row("tests", one) for one in map(explain, found.only_tests)]
