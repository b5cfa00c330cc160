"""Facts become a snapshot, in steps.

`build` is a generator: it yields after each slice of work, so that whoever drives it can let others run, and returns
the snapshot. The same files give the same snapshot, whatever the previous one was; with a previous one, only the files
that an edit affects are bound again (`affected`), and the edges of the others are kept.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Set
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.depth import deep_recursion
from codemap.extract.extract import extract
from codemap.facts import FileFacts, Symbol
from codemap.graph.affected import affected
from codemap.graph.assemble import Assembly, Dangling
from codemap.graph.bind import Bound, bind
from codemap.graph.cluster import cluster
from codemap.graph.definitions import Definitions
from codemap.graph.edges import EdgeKind, EdgeTable, Ints
from codemap.graph.evaluate import Evaluator
from codemap.graph.files import GraphFiles
from codemap.graph.guess import Visibility, guess, imported_before, imported_paths
from codemap.graph.indexed import FileStamp, IndexedFile
from codemap.graph.rank import rank
from codemap.graph.snapshot import Snapshot
from codemap.graph.warm import carry, warm
from codemap.languages import by_name, language_of
from codemap.languages.language import ModuleResolver, Project

UNRANKED = "+"
"""Ends the token of a snapshot with carried scores: the same content in another order."""


class Progress(msgspec.Struct, frozen=True):
    """How far a build is, in files bound."""

    done: int
    total: int


class Extracted(msgspec.Struct, frozen=True):
    """A file as it was read."""

    facts: FileFacts
    stamp: FileStamp


def build(
    previous: Snapshot | None,
    changed: Mapping[str, Extracted],
    removed: Set[str],
    configs: Mapping[str, bytes],
    *,
    built_at: str,
    is_partial: bool = False,
) -> Generator[Progress, None, Snapshot]:
    """The snapshot after `changed` files (path -> what was extracted) and `removed` ones.

    `configs` are the contents of all configuration files, by path. Yields after each file.
    """
    files = _index_files(previous, changed, removed)
    resolvers = _resolvers(previous, files, configs)
    with deep_recursion():
        dirty = _dirty(previous, files, changed.keys(), removed, configs, resolvers)
    yield Progress(0, len(files))
    linked = yield from _link(None if dirty is None else previous, files, dirty, resolvers)
    if linked is None:
        linked = yield from _link(None, files, None, resolvers)
    assert linked is not None, "a full build keeps nothing"
    whole = Progress(len(files), len(files))
    yield whole
    unresolved = linked.assembly.unresolved()
    yield whole
    carried = _carried(previous, files, linked)
    snapshot = Snapshot(
        version=1 if previous is None else previous.version + 1,
        token=_token(files, configs) + UNRANKED,
        built_at=built_at,
        files=files,
        externals=linked.externals,
        edges=linked.edges,
        unresolved=unresolved,
        names=linked.assembly.names,
        scores=carried.scores,
        clusters=carried.clusters,
        cluster_ids=carried.ids,
        cluster_labels=carried.labels,
        missing_by_file=linked.assembly.missing_imports,
        configs=configs,
        resolvers=resolvers,
        definitions=linked.definitions,
        is_partial=is_partial,
        is_ranked=False,
    )
    yield whole
    if not carried.is_close or previous is None:
        return (yield from ranked(snapshot))
    carry(previous, snapshot)
    return snapshot


def ranked(snapshot: Snapshot) -> Generator[Progress, None, Snapshot]:
    """The same snapshot with the hub scores and clusters of its own edges, ready for queries. Cost: all edges."""
    files, edges = snapshot.files, snapshot.edges
    whole = Progress(len(files), len(files))
    scores = rank(edges.source, edges.target, snapshot.node_count, snapshot.first_external)
    yield whole
    groups = cluster(files, edges)
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
    for _ in warm(found):
        yield whole
    return found


class _Carried(NamedTuple):
    """Scores and clusters from before an edit."""

    scores: NDArray[np.float32]
    clusters: Ints
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    is_close: bool
    """Whether they will do until there is time for new ones."""


def _carried(previous: Snapshot | None, files: tuple[IndexedFile, ...], linked: _Linked) -> _Carried:
    nodes = (files[-1].base + files[-1].symbol_count if files else 0) + len(linked.externals)
    scores = np.zeros(nodes, dtype=np.float32)
    clusters = np.zeros(len(files), dtype=np.int32)
    if previous is None or linked.renumber is None:
        return _Carried(scores, clusters, ("",), ("",), is_close=False)
    inside = linked.renumber[: previous.first_external]
    scores[inside[inside >= 0]] = previous.scores[: previous.first_external][inside >= 0]
    if len(files) == len(previous.files):
        clusters = previous.clusters
    else:
        number_of = {file.path: file.number for file in previous.files}
        beside = 0
        for file in files:
            number = number_of.get(file.path)
            beside = beside if number is None else int(previous.clusters[number])
            clusters[file.number] = beside
    return _Carried(scores, clusters, previous.cluster_ids, previous.cluster_labels, is_close=True)


class _Linked(NamedTuple):
    edges: EdgeTable
    externals: tuple[tuple[str, str], ...]
    assembly: Assembly
    definitions: Definitions
    renumber: Ints | None
    """The node of each previous one, where edges were kept."""


def _link(
    previous: Snapshot | None,
    files: tuple[IndexedFile, ...],
    dirty: Set[str] | None,
    resolvers: Mapping[str, ModuleResolver],
) -> Generator[Progress, None, _Linked | None]:
    """Binds the dirty files (None: all) and keeps the edges of the others; None where that leaves one dangling."""
    graph_files = GraphFiles(files)
    evaluator = Evaluator(graph_files, resolvers)
    bounds: dict[int, Bound] = {}
    todo = [file for file in files if dirty is None or file.path in dirty]
    for done, file in enumerate(todo):
        with deep_recursion():
            bounds[file.number] = bind(evaluator, graph_files[file.path])
        yield Progress(done, len(todo))
    if previous is not None:
        for file in _importers(previous, files, bounds):
            with deep_recursion():
                bounds[file.number] = bind(evaluator, graph_files[file.path])
            yield Progress(len(todo), len(todo))
    definitions = _definitions(previous, files)
    visible = Visibility(files, bounds, previous)
    for number, bound in bounds.items():
        guess(definitions, visible.from_file(number), files[number], bound)
        yield Progress(len(todo), len(todo))
    first_external = files[-1].base + files[-1].symbol_count if files else 0
    assembly = Assembly(first_external, previous.names if previous is not None else ())
    renumber = _renumber(previous, files, assembly) if previous is not None else None
    try:
        for _ in _assemble(assembly, previous, files, bounds, renumber):
            yield Progress(len(todo), len(todo))
    except Dangling:
        return None
    return _Linked(*assembly.edges(), assembly, definitions, renumber)


def _definitions(previous: Snapshot | None, files: tuple[IndexedFile, ...]) -> Definitions:
    """Which definitions a name could mean; only changed files are read where the paths are the previous ones."""
    if previous is None or len(previous.files) != len(files):
        return Definitions(files, None, ())
    if previous.definitions is None or any(
        old.path != new.path for old, new in zip(previous.files, files, strict=True)
    ):
        return Definitions(files, None, ())
    changed = [new.number for old, new in zip(previous.files, files, strict=True) if old.held is not new.held]
    return Definitions(files, previous.definitions, changed)


def _assemble(
    assembly: Assembly,
    previous: Snapshot | None,
    files: tuple[IndexedFile, ...],
    bounds: Mapping[int, Bound],
    renumber: Ints | None,
) -> Iterator[None]:
    """Adds every file's rows in order: what was bound now, and runs of what is kept. Raises Dangling."""
    number = 0
    while number < len(files):
        bound = bounds.get(number)
        if bound is not None:
            assembly.add(bound)
            number += 1
            yield
            continue
        assert previous is not None, "only what was bound before is kept"
        assert renumber is not None, "made with the previous snapshot"
        first = previous.by_path[files[number].path].number
        last = first
        while number < len(files) and number not in bounds and _is_at(previous, last, files[number].path):
            last += 1
            number += 1
        assembly.keep(previous, first, last, renumber)
        yield


def _is_at(previous: Snapshot, number: int, path: str) -> bool:
    return number < len(previous.files) and previous.files[number].path == path


def _renumber(previous: Snapshot, files: tuple[IndexedFile, ...], assembly: Assembly) -> Ints:
    """The new node of each previous one, -1 where its definition is gone."""
    new = {file.path: file for file in files}
    result = np.arange(previous.node_count, dtype=np.int32)
    for old in previous.files:
        file = new.get(old.path)
        nodes = slice(old.base, old.base + old.symbol_count)
        if file is None:
            result[nodes] = -1
        elif file.held is old.held:
            if file.base != old.base:
                result[nodes] += file.base - old.base
        else:
            result[nodes] = [file.base, *(_same(file, old, row) for row in range(1, old.symbol_count))]
    for number, package in enumerate(previous.externals):
        result[previous.first_external + number] = assembly.external(package)
    return result


def _same(file: IndexedFile, old: IndexedFile, row: int) -> int:
    """The node in `file` of a definition of its previous version."""
    ordinal = old.symbols[row * Symbol.WIDTH + Symbol.ORDINAL]
    found = file.rows_by_name.get((old.qualified_name(row), ordinal))
    return -1 if found is None else file.base + found


def _importers(previous: Snapshot, files: tuple[IndexedFile, ...], bounds: Mapping[int, Bound]) -> list[IndexedFile]:
    """Files not bound yet that import one whose own imports changed: what they may guess changed with it."""
    new = {file.path: file for file in files}
    found: dict[int, IndexedFile] = {}
    for number, bound in bounds.items():
        old = previous.by_path.get(files[number].path)
        if old is None or imported_paths(files, bound) == imported_before(previous, old.base):
            continue
        for edge in previous.edges_in(old.base):
            source = previous.file_of(edge.source)
            if edge.kind == EdgeKind.IMPORTS and source is not None and source.path in new:
                importer = new[source.path]
                if importer.number not in bounds:
                    found[importer.number] = importer
    return list(found.values())


def _dirty(
    previous: Snapshot | None,
    files: tuple[IndexedFile, ...],
    changed: Set[str],
    removed: Set[str],
    configs: Mapping[str, bytes],
    resolvers: Mapping[str, ModuleResolver],
) -> Set[str] | None:
    """Paths to bind again; None for all."""
    if previous is None or previous.is_partial or previous.configs != configs or not previous.files:
        return None
    return affected(previous.by_path, files, set(changed), set(removed), previous.resolvers, resolvers)


def _resolvers(
    previous: Snapshot | None, files: tuple[IndexedFile, ...], configs: Mapping[str, bytes]
) -> Mapping[str, ModuleResolver]:
    """Module resolvers by language; the previous ones where no file came or went."""
    is_same = previous is not None and previous.configs == configs
    if previous is not None and is_same and [f.path for f in previous.files] == [f.path for f in files]:
        return previous.resolvers
    project = Project(files=frozenset(file.path for file in files), configs=configs)
    used = {file.lang for file in files}
    return {name: by_name()[name].modules(project) for name in sorted(used)}


def build_snapshot(sources: Mapping[str, bytes]) -> Snapshot:
    """A snapshot of sources held in memory: path -> contents. Files of no known language serve as configuration."""
    changed = {}
    for path, source in sources.items():
        if language_of(path) is not None:
            stamp = FileStamp(len(source), 0, blake2b(source, digest_size=16).digest())
            changed[path] = Extracted(extract(path, source), stamp)
    configs = {path: source for path, source in sources.items() if path not in changed}
    steps = build(None, changed, frozenset(), configs, built_at="2000-01-01T00:00:00Z")
    while True:
        try:
            next(steps)
        except StopIteration as end:
            snapshot: Snapshot = end.value
            return snapshot


def _index_files(
    previous: Snapshot | None, changed: Mapping[str, Extracted], removed: Set[str]
) -> tuple[IndexedFile, ...]:
    """All files in path order; those that neither changed nor moved are the previous objects."""
    kept = previous.by_path if previous is not None else {}
    paths = sorted((kept.keys() | changed.keys()) - removed)
    files = []
    base = 0
    for number, path in enumerate(paths):
        new = changed.get(path)
        file = kept.get(path)
        if new is not None:
            family = by_name()[new.facts.lang].family
            file = IndexedFile(path, new.facts.lang, family, new.facts, new.stamp, base, number)
        assert file is not None, "every path is kept or changed"
        if file.base != base or file.number != number:
            file = msgspec.structs.replace(file, base=base, number=number)
        files.append(file)
        base += file.symbol_count
    return tuple(files)


def _token(files: tuple[IndexedFile, ...], configs: Mapping[str, bytes]) -> str:
    """Twelve hex digits of a hash over all contents."""
    state = blake2b(digest_size=6)
    for file in files:
        state.update(file.path.encode("utf-8", "surrogateescape"))
        state.update(file.stamp.digest)
    for path in sorted(configs):
        state.update(path.encode("utf-8", "surrogateescape"))
        state.update(configs[path])
    return state.hexdigest()
