"""Finds the definitions that a task is about, best first: by its stack frames, the names in it, and its words.

Each kind of evidence gives points; what several kinds point at, and what is connected with the rest, comes first. The
weights are ordered by how seldom that evidence misleads: a frame, a qualified name, a name, words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

import msgspec
import numpy as np

from codemap.context.frames import message_in, traces_in
from codemap.context.pasted_diffs import split_diff
from codemap.context.request_words import leave_out_request
from codemap.context.suspects import Origin, weigh_suspects
from codemap.context.what_ran import ALIKE_MAX, FRAME, find_changed, find_failing, find_files, weigh_frames
from codemap.file_roles import Role
from codemap.graph.index.columns import places
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.edges import USES, EdgeKind, are_among
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.search import search, why
from codemap.graph.query.search_hits import NOTHING, Found
from codemap.root_paths import OWN, split_path

SEEDS_MAX = 200
SUSPECT = 0.5
"""Of what leads to a definition that runs before a failure."""
QUALIFIED, NAME = 2.5, 2.0
WORDS, WORDS_OF_MESSAGE = 1.5, 0.4
"""Beside frames, the words are those of an error's message."""
QUESTION_MAX_CHARS = 4_096
"""Of the prose that is searched for, as of any question: the names in all of it count."""
NAMES_MAX = 20
"""Words of a task that may be nothing but names."""
WORDS_MAX = 80
"""Results of a search in words that count."""
CONNECTED = 0.3
"""The share of its points that a definition gives to those that it calls or is called by."""
TEST_SHARE = 0.4
"""Tests show what is wrong and are seldom where it is."""

_NAME = re.compile(
    r"`(?P<quoted>[\w.:#>-]+?)(?:\(\))?`|'(?P<single>\w+)'|(?P<bare>\b[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)*\b)(?P<call>\()?"
)
_WRITTEN = re.compile(r"[a-z0-9][A-Z]|[A-Z][a-z]+[A-Z]|_|[.#]|::|->")
"""What names of code have and words of prose have not."""
_ARE_USES = np.array([kind in USES for kind in EdgeKind])
"""By EdgeKind."""


class Seed(msgspec.Struct, frozen=True):
    node: int
    score: float
    reasons: tuple[str, ...]
    """But for its words; see `reasons_of`."""
    line: int = 0
    """Where a frame is in it; 0 where none is."""


class Task(msgspec.Struct, frozen=True):
    """A text, read against a map."""

    seeds: tuple[Seed, ...]
    outside: int
    """Frames in files that the repository has not."""
    unknown: tuple[str, ...]
    """What is in backticks and is no definition here."""
    has_suspects: bool = False
    """Whether some are there because calls of a failing test lead to them."""
    found: Found = NOTHING
    """By its words."""
    places: Mapping[int, int] = MappingProxyType({})
    """Of seeds in it."""
    is_of_words: bool = False
    """Whether it has any beside frames."""


def read_task(snapshot: Snapshot, text: str, given: Iterable[int] = (), own: Snapshot | None = None) -> Task:
    """The definitions that a text is about; `given` are some that are known to be meant. Words are looked for in `own`,
    where the snapshot joins that with other roots: frames and names say which root they mean, words do not."""
    points = _Points(snapshot)
    for node in given:
        points.add(node, FRAME, "given")
    text, changes = split_diff(text)
    traces = traces_in(text)
    frames = list(dict.fromkeys(frame for trace in traces for frame in trace))
    meant = find_files(snapshot, [*frames, *changes])
    changed = find_changed(snapshot, changes, meant)
    for node, line in changed.items():
        points.add(node, FRAME, f"changed, line {line}")
    ran = weigh_frames(snapshot, traces, meant)
    ran += find_failing(snapshot, text, {origin.node for origin, _ in ran})
    has_test = _add_what_ran(points, ran)
    prose = message_in(text) if frames else text
    unknown = _add_names(points, prose, text)
    found = _search_words(snapshot, leave_out_request(prose)[:QUESTION_MAX_CHARS], own)
    ranks = {node: rank for rank, node in enumerate(found.nodes) if not ran or not points.is_test(node)}
    for node, rank in ranks.items():
        points.add(node, (WORDS_OF_MESSAGE if meant else WORDS) / (1 + rank / 3))
    points.add_connected()
    lines = changed | {origin.node: origin.line for origin, _ in ran}
    outside = sum(frame.path not in meant for frame in frames)
    return Task(points.best(lines), outside, tuple(unknown), has_test, found, ranks, bool(prose.strip()))


class _Points:
    """What evidence gives to definitions, and why."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._of: dict[int, float] = {}
        self._reasons: dict[int, dict[str, None]] = {}
        self.is_test = cache(lambda node: role_of_node(snapshot, node) is Role.TEST)

    def add(self, node: int, score: float, reason: str = "") -> None:
        share = TEST_SHARE if self.is_test(node) else 1.0
        self._of[node] = self._of.get(node, 0.0) + score * share
        if reason:
            self._reasons.setdefault(node, {})[reason] = None

    def add_connected(self) -> None:
        """Gives each definition a share of the best of those that it uses or is used by."""
        for node, more in _weigh_connected(self.snapshot, self._of):
            self._of[node] += more

    def best(self, lines: Mapping[int, int]) -> tuple[Seed, ...]:
        """Those with most, with the lines at which some are meant."""
        best = sorted(self._of, key=lambda node: (-self._of[node], node))[:SEEDS_MAX]
        return tuple(
            Seed(node, self._of[node], tuple(self._reasons.get(node, ())), lines.get(node, 0)) for node in best
        )


def _add_what_ran(points: _Points, ran: Sequence[tuple[Origin, str]]) -> bool:
    """Gives points to what ran, and where a test did, to what it leads to by calls; whether one did."""
    for origin, reason in ran:
        points.add(origin.node, origin.weight, reason)
    has_test = any(points.is_test(origin.node) for origin, _ in ran)
    if has_test:
        for node, score in weigh_suspects(points.snapshot, [origin for origin, _ in ran]).items():
            points.add(node, SUSPECT * score, "reached by calls")
    return has_test


def _add_names(points: _Points, prose: str, text: str) -> list[str]:
    """Gives points to what is named; returns the words in backticks that name no definition."""
    unknown = []
    for name in _read_as_names(points.snapshot, prose) or list(dict.fromkeys(_find_names(prose))):
        nodes, score = _find_named(points.snapshot, name)
        for node in nodes:
            points.add(node, score, "named")
        if not nodes and f"`{name}" in text:
            unknown.append(name)
    return unknown


def _search_words(snapshot: Snapshot, prose: str, own: Snapshot | None) -> Found:
    if own is None:
        return search(snapshot, prose, frozenset(), WORDS_MAX)
    found = search(own, prose, frozenset(), WORDS_MAX)
    node_of = {
        node: snapshot.by_path[file.path].base + row for node in found.nodes for file, row in (own.row_of(node),)
    }
    return msgspec.structs.replace(
        found,
        nodes=tuple(map(node_of.__getitem__, found.nodes)),
        about={node_of[node]: about for node, about in found.about.items() if node in node_of},
    )


def reasons_of(snapshot: Snapshot, task: Task, seed: Seed) -> tuple[str, ...]:
    """Why a definition is there, in a few letters each."""
    place = task.places.get(seed.node)
    return seed.reasons if place is None else (*seed.reasons, why(snapshot, task.found, place) or "name")


def _read_as_names(snapshot: Snapshot, text: str) -> list[str]:
    """The words of a text that has nothing but names of definitions; none where any word is another one."""
    words = list(dict.fromkeys(text.replace(",", " ").split()))
    return words if len(words) <= NAMES_MAX and all(map(snapshot.find_by_suffix, words)) else []


def _find_names(text: str) -> Iterator[str]:
    for match in _NAME.finditer(text):
        name = match["quoted"] or match["single"] or match["bare"]
        if match["bare"] and not match["call"] and not _WRITTEN.search(name):
            continue
        yield re.sub(r"::|#|->", ".", name).strip(".")


def _find_named(snapshot: Snapshot, name: str) -> tuple[list[int], float]:
    """The definitions that a name means, with the points of each."""
    nodes = snapshot.find_by_suffix(name)
    nodes = [node for node in nodes if role_of_node(snapshot, node) is Role.PRODUCT] or nodes
    if snapshot.roots is not None:
        others = snapshot.roots.others
        nodes = [node for node in nodes if split_path(snapshot.row_of(node)[0].path, others)[0] == OWN] or nodes
    if not nodes or len(nodes) > ALIKE_MAX:
        return ([], 0.0) if not nodes else (nodes[:ALIKE_MAX], NAME / len(nodes))
    return nodes, (QUALIFIED if "." in name else NAME) / len(nodes)


def _weigh_connected(snapshot: Snapshot, points: dict[int, float]) -> list[tuple[int, float]]:
    """The points that each definition gets from the best of those that it uses or is used by."""
    given: dict[int, float] = {}
    table, nodes = snapshot.edges, np.array(list(points), dtype=np.int32)
    rows = places(table.out_start, nodes)[0]
    rows = rows.compress(_ARE_USES.take(table.kind.take(rows)))
    rows = rows.compress(are_among(table.target.take(rows), np.sort(nodes)))
    for node, target in zip(table.source[rows].tolist(), table.target[rows].tolist(), strict=True):
        if target != node:
            given[target] = max(given.get(target, 0.0), CONNECTED * points[node])
            given[node] = max(given.get(node, 0.0), CONNECTED * points[target])
    return list(given.items())
