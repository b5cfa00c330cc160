"""Facts become a snapshot, in steps.

`build` is a generator: it yields after each slice of work, so that whoever drives it can let others run, and returns
the snapshot. The same files give the same snapshot, whatever the previous one was.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Generator, Mapping, Set
from hashlib import blake2b

import msgspec

from codemap.extract.extract import extract
from codemap.facts import FileFacts
from codemap.graph.assemble import Assembly
from codemap.graph.bind import Bound, bind
from codemap.graph.cluster import cluster
from codemap.graph.evaluate import Evaluator
from codemap.graph.files import GraphFile
from codemap.graph.guess import guess
from codemap.graph.indexed import FileStamp, IndexedFile
from codemap.graph.rank import rank
from codemap.graph.snapshot import Snapshot
from codemap.languages import by_name, language_of
from codemap.languages.language import Project

_DEPTH_MAX = 50_000
"""Recursion of evaluation: an expression as deep as extraction takes, over a chain of modules and types."""


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
    if sys.getrecursionlimit() < _DEPTH_MAX:
        sys.setrecursionlimit(_DEPTH_MAX)
    files = _index_files(previous, changed, removed)
    graph_files = [GraphFile(f.path, f.facts, by_name()[f.lang], f.base) for f in files]
    bases = [file.base for file in files]

    def file_of_node(node: int) -> GraphFile:
        return graph_files[bisect_right(bases, node) - 1]

    project = Project(files=frozenset(file.path for file in files), configs=configs)
    used = {file.lang for file in files}
    resolvers = {name: by_name()[name].modules(project) for name in sorted(used)}
    evaluator = Evaluator({file.path: file for file in graph_files}, file_of_node, resolvers)
    bounds: list[Bound] = []
    for done, graph_file in enumerate(graph_files):
        bounds.append(bind(evaluator, graph_file))
        yield Progress(done, len(graph_files))
    whole = Progress(len(graph_files), len(graph_files))
    for _ in guess(graph_files, bounds):
        yield whole
    first_external = files[-1].base + files[-1].symbol_count if files else 0
    assembly = Assembly(first_external)
    for bound in bounds:
        assembly.add(bound)
        yield whole
    del evaluator, bounds
    graph_files.clear()
    yield whole
    edges, unresolved = assembly.edges(), assembly.unresolved()
    node_count = first_external + len(assembly.externals)
    yield whole
    scores = rank(edges.source, edges.target, node_count, first_external)
    yield whole
    groups = cluster(files, edges)
    return Snapshot(
        version=1 if previous is None else previous.version + 1,
        token=_token(files, configs),
        built_at=built_at,
        files=files,
        externals=assembly.externals,
        edges=edges,
        unresolved=unresolved,
        names=assembly.names,
        scores=scores,
        clusters=groups.of_file,
        cluster_ids=groups.ids,
        cluster_labels=groups.labels,
        missing_imports=assembly.missing_imports,
        configs=configs,
        is_partial=is_partial,
    )


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
    kept = {} if previous is None else {f.path: Extracted(f.facts, f.stamp) for f in previous.files}
    merged = {path: kept_or_new for path, kept_or_new in {**kept, **changed}.items() if path not in removed}
    files = []
    base = 0
    for number, path in enumerate(sorted(merged)):
        facts, stamp = merged[path].facts, merged[path].stamp
        family = by_name()[facts.lang].family
        file = IndexedFile(path, facts.lang, family, facts, stamp, base, number)
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
