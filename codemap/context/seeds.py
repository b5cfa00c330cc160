"""Finds the definitions that a task is about, best first: by its stack frames, the names in it, and its words.

Each kind of evidence gives points; what several kinds point at, and what is connected with the rest, comes first. The
weights are ordered by how seldom that evidence misleads: a frame, a qualified name, a name, words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

import msgspec

from codemap.context.failing_tests import failing_tests
from codemap.context.frames import Frame, files_meant, message_in, traces_in
from codemap.context.pasted_diffs import split_diff
from codemap.context.request_words import leave_out_request
from codemap.context.suspects import Origin, weigh_suspects
from codemap.facts import Symbol
from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_node, role_of_row
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.search import search, why
from codemap.graph.query.search_hits import NOTHING, Found
from codemap.root_paths import OWN, split_path

SEEDS_MAX = 200
FRAME, OUTER_FRAME = 4.0, 2.0
"""Of the innermost frame in the product, and of the next; each further one counts half of the one before."""
SUSPECT = 0.5
"""Of what leads to a definition that runs before a failure."""
QUALIFIED, NAME = 2.5, 2.0
ALIKE_MAX = 4
"""Definitions of one name that are all taken for meant; they share its points."""
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
_USES = frozenset((EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS))


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
    points: dict[int, float] = {}
    reasons: dict[int, dict[str, None]] = {}

    def add(node: int, score: float, reason: str = "") -> None:
        share = TEST_SHARE if role_of_node(snapshot, node) is Role.TEST else 1.0
        points[node] = points.get(node, 0.0) + score * share
        if reason:
            reasons.setdefault(node, {})[reason] = None

    for node in given:
        add(node, FRAME, "given")
    text, changes = split_diff(text)
    traces = traces_in(text)
    frames = list(dict.fromkeys(frame for trace in traces for frame in trace))
    prefixes = snapshot.roots.others if snapshot.roots is not None else ()
    places = [*frames, *changes]
    meant = files_meant(places, [file.path for file in snapshot.files], prefixes) if places else {}
    changed = _find_changed(snapshot, changes, meant)
    for node, line in changed.items():
        add(node, FRAME, f"changed, line {line}")
    ran = _weigh_frames(snapshot, traces, meant)
    ran += _find_failing(snapshot, text, {origin.node for origin, _ in ran})
    for origin, reason in ran:
        add(origin.node, origin.weight, reason)
    has_test = any(role_of_node(snapshot, origin.node) is Role.TEST for origin, _ in ran)
    if has_test:
        for node, score in weigh_suspects(snapshot, [origin for origin, _ in ran]).items():
            add(node, SUSPECT * score, "reached by calls")
    prose = message_in(text) if frames else text
    names = _read_as_names(snapshot, prose) or list(dict.fromkeys(_find_names(prose)))
    unknown = []
    for name in names:
        nodes, score = _find_named(snapshot, name)
        for node in nodes:
            add(node, score, "named")
        if not nodes and f"`{name}" in text:
            unknown.append(name)
    words = WORDS_OF_MESSAGE if meant else WORDS
    found = _search_words(snapshot, leave_out_request(prose)[:QUESTION_MAX_CHARS], own)
    ranks = {
        node: rank for rank, node in enumerate(found.nodes) if not ran or role_of_node(snapshot, node) is not Role.TEST
    }
    for node, rank in ranks.items():
        add(node, words / (1 + rank / 3))
    for node, more in _weigh_connected(snapshot, points):
        points[node] += more
    best = sorted(points, key=lambda node: (-points[node], node))[:SEEDS_MAX]
    lines = changed | {origin.node: origin.line for origin, _ in ran}
    seeds = tuple(Seed(node, points[node], tuple(reasons.get(node, ())), lines.get(node, 0)) for node in best)
    outside = sum(frame.path not in meant for frame in frames)
    return Task(seeds, outside, tuple(unknown), has_test, found, ranks, bool(prose.strip()))


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


def _weigh_frames(
    snapshot: Snapshot, traces: Sequence[Sequence[Frame]], meant: Mapping[str, str]
) -> list[tuple[Origin, str]]:
    """The definitions that frames lie in, each with its best place: that of its weight in all traces that have it."""
    places: dict[int, tuple[float, int, str]] = {}
    counts = Counter[int]()
    for trace in traces:
        score, number, seen = FRAME, 0, set[int]()
        for frame in trace:
            path = meant.get(frame.path)
            if path is None:
                continue
            file = snapshot.by_path[path]
            row, is_there = _find_row(file, frame)
            node, weight = file.base + row, score
            if frame.line:
                number += 1
                reason = f"frame {number}, line {frame.line}" if is_there else f"frame {number}, by name"
                if role_of_row(file, row) is Role.PRODUCT:
                    score = OUTER_FRAME if score == FRAME else score / 2
            else:
                reason = "failing test"
            seen.add(node)
            if node not in places or weight > places[node][0]:
                line = frame.line or places.get(node, (0.0, 0, ""))[1]
                places[node] = (weight, line, reason)
            elif frame.line and not places[node][1]:
                places[node] = (places[node][0], frame.line, f"{places[node][2]}, line {frame.line}")
        counts.update(seen)
    most = max(1, len(traces))
    ran = []
    for node, (weight, line, reason) in places.items():
        share = (1 + counts[node] / most) / 2
        ran.append((Origin(node, line, weight * share), reason))
    return sorted(ran, key=lambda one: -one[0].weight)


def _find_changed(snapshot: Snapshot, changes: Sequence[Frame], meant: Mapping[str, str]) -> dict[int, int]:
    """The definitions that a diff changes, each with the first line; none around another one, such as its file."""
    lines: dict[int, int] = {}
    around: set[int] = set()
    for change in changes:
        path = meant.get(change.path)
        if path is not None:
            file = snapshot.by_path[path]
            row = file.innermost_row(change.line)
            lines.setdefault(file.base + row, change.line)
            while row > 0:
                row = max(file.cell(row, Symbol.PARENT), 0)
                around.add(file.base + row)
    return {node: line for node, line in lines.items() if node not in around}


def _find_failing(snapshot: Snapshot, text: str, known: Set[int]) -> list[tuple[Origin, str]]:
    """The failing tests that a runner names without a place."""
    found = [snapshot.find_by_suffix(name) for name in failing_tests(text)]
    tests = [node for some in found for node in some[:ALIKE_MAX] if role_of_node(snapshot, node) is Role.TEST]
    return [(Origin(node, 0, FRAME), "failing test") for node in dict.fromkeys(tests) if node not in known]


def _find_row(file: IndexedFile, frame: Frame) -> tuple[int, bool]:
    """The definition that a frame means, and whether its line is in it: the one at that line, but where the function
    that it names is another one, the nearest of that name, as the trace is of another version of the file."""
    if frame.name:
        return file.rows_by_name.get((frame.name, 1), 0), True
    row = around = file.innermost_row(frame.line)
    while around > 0:
        if file.name_of(around) == frame.function:
            return row, True
        around = file.cell(around, Symbol.PARENT)
    same = [one for one in range(1, file.symbol_count) if frame.function and file.name_of(one) == frame.function]
    found = min(same, key=lambda one: abs(file.cell(one, Symbol.LINE) - frame.line), default=row)
    return found, found == row


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
    table = snapshot.edges
    for node, score in points.items():
        rows = table.leaving(node)
        for kind, target in zip(table.kind[rows].tolist(), table.target[rows].tolist(), strict=True):
            if target in points and target != node and kind in _USES:
                given[target] = max(given.get(target, 0.0), CONNECTED * score)
                given[node] = max(given.get(node, 0.0), CONNECTED * points[target])
    return list(given.items())
