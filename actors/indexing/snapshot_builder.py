"""The real `MapBuilder`, made of the pure functions of `codemap.graph`."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Set
from datetime import UTC, datetime
from itertools import count

from actors.indexing.map_builder import MapBuilder
from actors.indexing.shared_names import SharedNames
from actors.messaging.messages import Parsed
from codemap.graph.build.build import build as build_steps
from codemap.graph.build.build import ranked
from codemap.graph.build.partial_snapshot import sketch as sketch_steps
from codemap.graph.build.rebinding import Progress
from codemap.graph.model.indexed_file import Extracted, FileStamp
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.index_warming import warm
from codemap.graph.verified.confirmations import Confirmed
from codemap.graph.verified.overlay import carry_overlay, confirm, without_overlay
from codemap.graph.words.word_files import has_word_files, is_large, make_word_files
from codemap.graph.words.word_index import has_words, make_words
from codemap.tools.overview.digest import warm_digest

_FILES_A_STEP = 48
"""Files whose facts are unpacked in one step: a few milliseconds."""
_JOINED_STEPS = 32
"""Steps of a build that become one: a hundredth of a second of work, and a report of progress."""


class SnapshotBuilder(MapBuilder[Snapshot]):
    """Builds snapshots, and prepares what many questions and edits share."""

    def build(
        self,
        previous: Snapshot | None,
        changed: dict[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[Progress, None, Snapshot]:
        return _with_confirmed(previous, _warmed(_build(previous, changed, removed, configs, built_ns)))

    def sketch(
        self, parsed: Mapping[str, Parsed], configs: Mapping[str, bytes], *, built_ns: int
    ) -> Generator[Progress, None, Snapshot]:
        """Builds a partial snapshot with definitions only."""
        names = SharedNames()
        read = {path: Extracted(names.shared_in(one.facts), _stamp_of(one)) for path, one in parsed.items()}
        return sketch_steps(read, configs, built_at=_built_at(built_ns))

    def polish(self, snapshot: Snapshot, /) -> Generator[Progress, None, Snapshot] | None:
        """Scores and clusters of the snapshot's own edges, where an edit left it with those from before; or what the
        first question in words, or to a language server, needs of all files, which would make it wait."""
        if not snapshot.is_ranked:
            return _with_confirmed(snapshot, _warmed(ranked(without_overlay(snapshot))))
        references = snapshot.references
        is_read = references is None or references.is_begun or is_large(snapshot)
        is_ready = is_read and has_words(snapshot) and has_word_files(snapshot)
        return None if is_ready or not snapshot.files else _read_ahead(snapshot)

    def apply_confirmations(self, snapshot: Snapshot, found: Mapping[str, Confirmed], /) -> Snapshot:
        return confirm(snapshot, found)


class SingleUseBuilder(SnapshotBuilder):
    """For one command: nothing is made for later questions, nothing is confirmed, and no call waits meanwhile, so that
    steps are long: letting others run after each would cost a tenth of the build."""

    def build(
        self,
        previous: Snapshot | None,
        changed: dict[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[Progress, None, Snapshot]:
        return _joined(_with_confirmed(previous, _build(previous, changed, removed, configs, built_ns)))

    def polish(self, _snapshot: Snapshot, /) -> None:
        return None

    def apply_confirmations(self, snapshot: Snapshot, _found: Mapping[str, Confirmed], /) -> Snapshot:
        return snapshot


def _build(
    previous: Snapshot | None,
    changed: dict[str, Parsed],
    removed: Set[str],
    configs: Mapping[str, bytes],
    built_ns: int,
) -> Generator[Progress, None, Snapshot]:
    """The next snapshot, without what was confirmed of the previous one."""
    before = None if previous is None else without_overlay(previous)
    read = yield from _taken(changed)
    steps = build_steps(before, read, removed, configs, built_at=_built_at(built_ns))
    del read
    return (yield from steps)


def _joined(steps: Generator[Progress, None, Snapshot]) -> Generator[Progress, None, Snapshot]:
    """The snapshot that the steps make, in a fraction of them."""
    for number in count():
        try:
            step = next(steps)
        except StopIteration as end:
            snapshot: Snapshot = end.value
            return snapshot
        if step.is_free or number % _JOINED_STEPS == 0:
            yield step
    raise AssertionError("the steps end")


def _read_ahead(snapshot: Snapshot) -> Generator[Progress, None, Snapshot]:
    done = Progress(len(snapshot.files), len(snapshot.files))
    for _ in make_words(snapshot, without_overlay(snapshot)):
        yield done
    for _ in make_word_files(snapshot, without_overlay(snapshot)):
        yield done
    if snapshot.references is not None and not snapshot.references.is_begun and not is_large(snapshot):
        for _ in snapshot.references.add(snapshot.files):
            yield done
    return snapshot


def _warmed(steps: Generator[Progress, None, Snapshot]) -> Generator[Progress, None, Snapshot]:
    """The snapshot that the steps make, with what queries share; after an edit it has most of that from before, and
    what questions in words and overviews need waits until there is time."""
    snapshot = yield from steps
    done = Progress(len(snapshot.files), len(snapshot.files))
    for _ in warm(snapshot, for_words=snapshot.is_ranked):
        yield done
    if snapshot.is_ranked:
        for _ in warm_digest(snapshot):
            yield done
    return snapshot


def _with_confirmed(
    previous: Snapshot | None, steps: Generator[Progress, None, Snapshot]
) -> Generator[Progress, None, Snapshot]:
    """The snapshot that the steps make, with what was confirmed of the previous one and still holds."""
    snapshot = yield from steps
    return carry_overlay(previous, snapshot)


def _taken(changed: dict[str, Parsed]) -> Generator[Progress, None, dict[str, Extracted]]:
    """What was parsed, unpacked in steps. It is taken out: packed and unpacked, facts would be in memory twice. What
    stays is made before: among what is let go, each object would keep a megabyte from the system."""
    names, begun = SharedNames(), Progress(0, len(changed))
    stamps = {path: _stamp_of(parsed) for path, parsed in changed.items()}
    found = {}
    for number, (path, stamp) in enumerate(stamps.items()):
        found[path] = Extracted(names.shared_in(changed.pop(path).facts), stamp)
        if number % _FILES_A_STEP == _FILES_A_STEP - 1:
            yield begun
    return found


def _stamp_of(parsed: Parsed) -> FileStamp:
    return FileStamp(parsed.stat.size, parsed.stat.mtime_ns, parsed.digest)


def _built_at(built_ns: int) -> str:
    return datetime.fromtimestamp(built_ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
