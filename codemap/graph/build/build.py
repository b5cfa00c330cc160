"""Facts become a snapshot, in steps.

`build` is a generator: it yields after each slice of work, so that whoever drives it can let others run, and returns
the snapshot. The same files give the same snapshot, whatever the previous one was; with a previous one, only the files
that an edit invalidates are bound again (`invalidation`), and the edges of the others are kept.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Set
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.extract.extract import extract
from codemap.graph.areas.clusters import cluster
from codemap.graph.build.fact_packing import PACKED_MIN_NODES, pack_held_facts
from codemap.graph.build.first_binding import bind_all
from codemap.graph.build.inventory import Inventory, bases_after, bases_of, has_same_packages, inventory, project_of
from codemap.graph.build.patches import keep_patches
from codemap.graph.build.rebinding import Event, Linked, Progress, definitions_after, definitions_before, link
from codemap.graph.incremental.dependency_graph import Owner
from codemap.graph.incremental.invalidation import Invalidated, invalidate
from codemap.graph.incremental.noted_questions import Noted
from codemap.graph.incremental.recording import record
from codemap.graph.incremental.state import State
from codemap.graph.index.rank import rank
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.edges import Ints
from codemap.graph.model.index_slots import carry_indexes, rescore_indexes
from codemap.graph.model.indexed_file import MARK_BYTES, MARKS, Extracted, FileStamp, content_of
from codemap.graph.model.records import Records
from codemap.graph.model.reference_index import ReferenceIndex
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish, with_progress
from codemap.languages import bears_on_imports, by_name, is_config_file, language_of
from codemap.project import ModuleResolver
from codemap.root_paths import Roots

UNRANKED = "+"
"""Ends the token of a snapshot with carried scores: the same content in another order."""


def build(
    previous: Snapshot | None,
    changed: Mapping[str, Extracted],
    removed: Set[str],
    configs: Mapping[str, bytes],
    *,
    built_at: str,
    is_partial: bool = False,
    events: list[Event] | None = None,
    resolvers: Mapping[str, ModuleResolver] | None = None,
    roots: Roots | None = None,
) -> Generator[Progress, None, Snapshot]:
    """The snapshot after `changed` files (path -> what was extracted) and `removed` ones.

    `configs` are the contents of all configuration files, by path. Yields after each file. `events` is
    given a line for each file that was bound. `resolvers`, by language, and `roots` where the files are not of one.
    """
    files = inventory(previous, changed, removed)
    paths = frozenset(changed)
    del changed  # what it has is to be let go together with the files
    resolvers = _resolvers(previous, files, configs) if resolvers is None else resolvers
    bases = bases_of(files.files) if previous is None else bases_after(previous, files)
    begun = Progress(0, len(files.files))
    yield begun
    defined = yield from with_progress(begun, definitions_before(previous))
    definitions = yield from with_progress(begun, definitions_after(defined, files))
    after = State(files.by_path, bases, definitions, resolvers)
    references = previous.references if previous is not None and previous.references is not None else ReferenceIndex()
    dirty = yield from _dirty(previous, defined, after, paths, removed, configs)
    whole = Progress(len(files.files), len(files.files))
    yield whole
    linked = None
    if previous is not None and dirty is not None:
        linked = yield from link(previous, after, dirty, is_aligned=files.is_aligned)
    if linked is None:
        dirty = None
        linked = yield from bind_all(after)
    if events is not None:
        events += linked.events
    yield whole
    records = None if is_partial else (yield from with_progress(whole, _recorded(after, dirty, linked)))
    carried = _carried(previous, files, linked)
    is_close = carried.is_close
    content = _content(previous, files)
    snapshot = Snapshot(
        version=1 if previous is None else previous.version + 1,
        token=token_of(content, configs) + UNRANKED,
        built_at=built_at,
        files=files.files,
        externals=linked.externals,
        edges=linked.edges,
        unresolved=linked.unresolved,
        names=linked.names,
        scores=carried.scores,
        clusters=carried.clusters,
        cluster_ids=carried.ids,
        cluster_labels=carried.labels,
        missing_by_file=linked.missing_by_file,
        configs=configs,
        resolvers=resolvers,
        definitions=definitions,
        references=references,
        records=records,
        is_partial=is_partial,
        is_ranked=False,
        roots=roots,
    )
    snapshot.install(by_path=files.by_path, bases=bases, content=content)
    keep_patches(snapshot, linked.patches)
    yield whole
    is_anew = dirty is None
    reach, numbers = files.reach, files.changed
    del defined, definitions, after, linked, carried, dirty, records, files, resolvers
    if is_anew and not is_partial and snapshot.first_external >= PACKED_MIN_NODES:
        yield msgspec.structs.replace(whole, is_free=True)
        snapshot = yield from with_progress(whole, pack_held_facts(snapshot))
    yield msgspec.structs.replace(whole, is_free=True)
    if is_anew and snapshot.records is not None:
        # Among what is let go, each object would keep a megabyte from the system.
        before = snapshot
        snapshot = msgspec.structs.replace(before, records=snapshot.records.copy())
        snapshot.share_derived(before)
        del before
    if not is_close or previous is None:
        return (yield from ranked(snapshot))
    for _ in carry_indexes(previous, snapshot, reach, paths | removed, numbers):
        yield whole
    return snapshot


def ranked(snapshot: Snapshot) -> Generator[Progress, None, Snapshot]:
    """The same snapshot with the hub scores and clusters of its own edges, ready for queries. Cost: all edges."""
    files, edges = snapshot.files, snapshot.edges
    whole = Progress(len(files), len(files))
    by_target = edges.by_target
    steps = rank(edges.source[by_target], edges.target[by_target], snapshot.node_count, snapshot.first_external)
    scores = yield from with_progress(whole, steps)
    yield whole
    groups = yield from with_progress(whole, cluster(files, edges))
    yield whole
    found = msgspec.structs.replace(
        snapshot,
        token=snapshot.token.removesuffix(UNRANKED),
        scores=scores,
        clusters=groups.of_file,
        cluster_ids=groups.ids,
        cluster_labels=groups.labels,
        is_ranked=True,
    )
    rescore_indexes(snapshot, found)
    return found


class _Carried(NamedTuple):
    """Scores and clusters from before an edit."""

    scores: NDArray[np.float32]
    clusters: Ints
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    is_close: bool
    """Whether they will do until there is time for new ones."""


def _carried(previous: Snapshot | None, inventory: Inventory, linked: Linked) -> _Carried:
    files = inventory.files
    if previous is not None and inventory.is_aligned and linked.externals == previous.externals:
        return _Carried(
            previous.scores, previous.clusters, previous.cluster_ids, previous.cluster_labels, is_close=True
        )
    nodes = (files[-1].base + files[-1].symbol_count if files else 0) + len(linked.externals)
    scores = np.zeros(nodes, dtype=np.float32)
    clusters = np.zeros(len(files), dtype=np.int32)
    if previous is None or linked.renumber is None:
        return _Carried(scores, clusters, ("",), ("",), is_close=False)
    inside = linked.renumber[: previous.first_external]
    scores[inside[inside >= 0]] = previous.scores[: previous.first_external][inside >= 0]
    if inventory.has_same_paths:
        clusters = previous.clusters
    else:
        beside = 0
        for file in files:
            known = previous.by_path.get(file.path)
            beside = beside if known is None else int(previous.clusters[known.number])
            clusters[file.number] = beside
    return _Carried(scores, clusters, previous.cluster_ids, previous.cluster_labels, is_close=True)


def _dirty(
    previous: Snapshot | None,
    before: Definitions | None,
    after: State,
    changed: Set[str],
    removed: Set[str],
    configs: Mapping[str, bytes],
) -> Generator[Progress, None, Invalidated | None]:
    """What to bind again; None for everything."""
    if previous is None or before is None or previous.is_partial or not previous.files:
        return None
    if previous.records is None or not _are_same(previous.configs, configs):
        return None
    steps = invalidate(previous, before, after, set(changed), set(removed) & previous.by_path.keys())
    return (yield from with_progress(Progress(0, len(after.files)), steps))


def _recorded(after: State, dirty: Invalidated | None, linked: Linked) -> Generator[None, None, Records]:
    """What the files depend on now."""
    before, red = (None, frozenset[Owner]()) if dirty is None else (dirty.records, dirty.red)
    return (yield from record(after.evaluator, linked.guessed, linked.noted or Noted(), before, red))


def _resolvers(
    previous: Snapshot | None, inventory: Inventory, configs: Mapping[str, bytes]
) -> Mapping[str, ModuleResolver]:
    """Module resolvers by language; the previous ones where no file came, went or moved to another package."""
    if (
        previous is not None
        and inventory.has_same_paths
        and _are_same(previous.configs, configs)
        and has_same_packages(previous, inventory)
    ):
        return previous.resolvers
    project = project_of(inventory.files, configs)
    used = {file.lang for file in inventory.files}
    return {name: by_name()[name].modules(project) for name in sorted(used)}


def _are_same(left: Mapping[str, bytes], right: Mapping[str, bytes]) -> bool:
    """Whether two states of the configuration bind alike."""
    if left is right or left == right:
        return True
    differing = (path for path in left.keys() | right.keys() if left.get(path) != right.get(path))
    return not any(bears_on_imports(path) for path in differing)


def build_snapshot(sources: Mapping[str, bytes]) -> Snapshot:
    """A snapshot of sources held in memory: path -> contents. Files of no known language serve as configuration, and
    those of one that are configuration, too."""
    changed = {path: extracted(path, source) for path, source in sources.items() if language_of(path) is not None}
    configs = {path: source for path, source in sources.items() if path not in changed or is_config_file(path)}
    return finish(build(None, changed, frozenset(), configs, built_at="2000-01-01T00:00:00Z"))


def extracted(path: str, source: bytes) -> Extracted:
    """What `build` takes of a file that is held in memory. Raises LookupError when no language has its suffix."""
    return Extracted(extract(path, source), FileStamp(len(source), 0, blake2b(source, digest_size=16).digest()))


def token_of(content: int, configs: Mapping[str, bytes]) -> str:
    """Twelve hex digits that identify the contents of all files."""
    state = blake2b(content.to_bytes(MARK_BYTES, "little"), digest_size=6)
    for path in sorted(configs):
        state.update(path.encode("utf-8", "surrogateescape"))
        state.update(configs[path])
    return state.hexdigest()


def _content(previous: Snapshot | None, inventory: Inventory) -> int:
    """See `Snapshot.content`; of an edit that moved no file, from what it was."""
    if previous is None or not inventory.has_same_paths:
        return content_of(inventory.files)
    gone = content_of(previous.files[number] for number in inventory.changed)
    came = content_of(inventory.files[number] for number in inventory.changed)
    return (previous.content - gone + came) % MARKS
