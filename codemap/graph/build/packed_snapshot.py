"""A snapshot as bytes that can be kept, and back.

The parts are a head, and arrays and texts as they lie in memory: what is kept is opened, not read, and what nobody asks
for is never touched. Columns of edges that are narrow, or follow from others, are made when they are asked for. Facts
are not among the parts: whoever keeps a snapshot keeps the facts of its files beside it, by content. What searches ask
of every file (symbols, names and what is indexed of them, words) comes with the parts.

Rules of the file:
- Contents of configuration files are not packed; `unpack_snapshot` is given them.
- Bytes come back as they were packed or not at all: whoever keeps them checks that. What does not fit together is
  `BadParts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from codemap.facts import Symbol
from codemap.graph.build.inventory import project_of
from codemap.graph.build.later_resolvers import LaterResolvers
from codemap.graph.build.packed_records import pack_records, unpack_records
from codemap.graph.index.packed_names import install_names, pack_names, unpack_names
from codemap.graph.model.edges import EdgeTable, Ints, UnresolvedTable
from codemap.graph.model.indexed_file import FileStamp, IndexedFile, PackedFile, PackedFiles
from codemap.graph.model.reference_index import ReferenceIndex
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.packed_words import WORD_PARTS, pack_words, unpack_words
from codemap.graph.words.word_files import FILE_PARTS, pack_word_files, unpack_word_files
from codemap.languages import by_name
from codemap.packed.parts import NARROW_BYTES, BadParts, Parts, narrow, opened, packed, packed_texts, widened
from codemap.packed.texts import Octets
from codemap.persistent import PersistentList


class Head(msgspec.Struct, frozen=True, array_like=True):
    """All of a snapshot that is neither an array nor one of its many strings."""

    version: int
    token: str
    built_at: str
    externals: tuple[tuple[str, str], ...]
    cluster_ids: tuple[str, ...]
    is_ranked: bool
    langs: tuple[str, ...]
    """Distinct; the files have indices into it."""
    stamps: tuple[FileStamp, ...]
    packages: dict[int, tuple[str, ...]]
    """Number of a file -> what it declares to belong to, of those that do."""


_encoder = msgspec.msgpack.Encoder()
_head = msgspec.msgpack.Decoder(Head)

_EDGE_COLUMNS = ("target", "by_target", "out_start", "in_start", "sites")
_NARROW_EDGE_COLUMNS = ("kind", "confidence", "count")
_OPEN_COLUMNS = ("name", "by_name", "out_start", "name_start", "sites")
_NARROW_OPEN_COLUMNS = ("kind", "count")


def pack_snapshot(snapshot: Snapshot) -> list[bytes]:
    """The parts, in a fixed order. About 20 bytes an edge and 110 a symbol."""
    return [*snapshot_parts(snapshot)]


def snapshot_parts(snapshot: Snapshot) -> Iterator[bytes]:
    """The same parts one by one: together they take as much memory as the snapshot."""
    files = snapshot.files
    langs = sorted({file.lang for file in files})
    head = Head(
        version=snapshot.version,
        token=snapshot.token,
        built_at=snapshot.built_at,
        externals=snapshot.externals,
        cluster_ids=snapshot.cluster_ids,
        is_ranked=snapshot.is_ranked,
        langs=tuple(langs),
        stamps=tuple(file.stamp for file in files),
        packages={file.number: file.packages for file in files if file.packages},
    )
    edges, unresolved = snapshot.edges, snapshot.unresolved
    of_files = (
        snapshot.bases,
        [langs.index(file.lang) for file in files],
        [file.size for file in files],
        [file.error_bytes for file in files],
        [file.is_script for file in files],
        snapshot.clusters,
        snapshot.missing_by_file,
    )
    yield _encoder.encode(head)
    yield from packed_texts(file.path for file in files)
    yield from packed_texts(snapshot.cluster_labels)
    yield from packed_texts(snapshot.names)
    yield from (packed(np.asarray(column, np.int32), "<i4") for column in of_files)
    yield from map(narrow, np.frombuffer(b"".join(file.symbols for file in files), "<i4").reshape(-1, Symbol.WIDTH).T)
    yield packed(snapshot.scores, "<f4")
    yield from (packed(getattr(edges, name), "<i4") for name in _EDGE_COLUMNS)
    yield from (narrow(getattr(edges, name)) for name in _NARROW_EDGE_COLUMNS)
    yield from (packed(getattr(unresolved, name), "<i4") for name in _OPEN_COLUMNS)
    yield from (narrow(getattr(unresolved, name)) for name in _NARROW_OPEN_COLUMNS)
    yield from pack_records(snapshot.records)
    yield from pack_names(snapshot)
    yield from pack_word_files(snapshot)
    yield from pack_words(snapshot)


def unpack_snapshot(parts: Sequence[Octets], facts: Sequence[bytes], configs: Mapping[str, bytes]) -> Snapshot:
    """The snapshot that was packed. Its arrays and texts are the parts themselves, which must not change.

    `facts` are those of its files, in their order, as `pack_facts` gave them, and read when something asks for them;
    `configs` its configuration files. Cost: the files, whatever is in them. Raises BadParts.
    """
    try:
        return _unpacked(Parts(parts), facts, configs)
    except (msgspec.MsgspecError, ValueError, IndexError, KeyError, TypeError) as error:
        raise BadParts(f"{type(error).__name__}: {error}") from error


def _unpacked(parts: Parts, facts: Sequence[bytes], configs: Mapping[str, bytes]) -> Snapshot:
    head = parts.value(_head)
    paths, labels, names = (parts.texts() for _ in range(3))
    count = len(paths)
    bases = parts.array("<i4", count + 1)
    first_external = int(bases[-1])
    node_count = first_external + len(head.externals)
    lang, sizes, errors, scripts, clusters, missing = (parts.array("<i4", count) for _ in range(6))
    symbols = [opened(parts.octets()) for _ in range(Symbol.WIDTH)]
    scores = parts.array("<f4", node_count)
    edges = _edges(parts, node_count)
    unresolved = _unresolved(parts, node_count, len(names))
    records = unpack_records(parts)
    indexed_names = unpack_names(parts, bases, node_count)
    if any(len(column) != first_external for column in symbols) or len(facts) != count:
        raise BadParts("symbols or facts of other files")
    held = PackedFiles(
        facts,
        symbols,
        bases,
        sizes,
        errors,
        scripts,
        head.packages,
        indexed_names.node_names.of_node,
        indexed_names.node_names.names,
    )
    files = _files(head, paths, lang.tolist(), held)
    snapshot = Snapshot(
        version=head.version,
        token=head.token,
        built_at=head.built_at,
        files=files,
        externals=head.externals,
        edges=edges,
        unresolved=unresolved,
        names=names,
        scores=scores,
        clusters=clusters,
        cluster_ids=head.cluster_ids,
        cluster_labels=tuple(labels),
        missing_by_file=missing,
        configs=configs,
        resolvers=LaterResolvers(head.langs, partial(project_of, files, configs)),
        references=ReferenceIndex(),
        records=records,
        is_ranked=head.is_ranked,
    )
    snapshot.install(bases=tuple(bases.tolist()), node_names=indexed_names.node_names)
    install_names(snapshot, indexed_names)
    unpack_word_files(parts.some(FILE_PARTS), snapshot)
    unpack_words(parts.some(WORD_PARTS), snapshot)
    return snapshot


def _files(head: Head, paths: Iterable[str], langs: Iterable[int], held: PackedFiles) -> PersistentList[IndexedFile]:
    families = [by_name()[name].family for name in head.langs]
    rows = zip(paths, langs, head.stamps, range(len(held.facts)), strict=True)
    return PersistentList(
        IndexedFile(path, head.langs[lang], families[lang], PackedFile(held, number), stamp, held.first[number], number)
        for path, lang, stamp, number in rows
    )


def _edges(parts: Parts, node_count: int) -> EdgeTable:
    target, by_target = parts.array("<i4"), parts.array("<i4")
    out_start, in_start = (parts.array("<i4", node_count + 1) for _ in range(2))
    sites = parts.array("<i4").reshape(-1, 2)
    kind, confidence, count = parts.some(len(_NARROW_EDGE_COLUMNS))
    _check_rows(len(target), out_start, in_start, by_target, kind, confidence, count)
    return EdgeTable(
        source=partial(_sources, out_start),
        target=target,
        kind=partial(widened, kind),
        confidence=partial(widened, confidence),
        first=partial(_firsts, count),
        count=partial(widened, count),
        sites=sites,
        out_start=out_start,
        by_target=by_target,
        in_start=in_start,
    )


def _unresolved(parts: Parts, node_count: int, name_count: int) -> UnresolvedTable:
    name, by_name_ = parts.array("<i4"), parts.array("<i4")
    out_start, name_start = parts.array("<i4", node_count + 1), parts.array("<i4", name_count + 1)
    sites = parts.array("<i4").reshape(-1, 2)
    kind, count = parts.some(len(_NARROW_OPEN_COLUMNS))
    _check_rows(len(name), out_start, name_start, by_name_, kind, count)
    return UnresolvedTable(
        source=partial(_sources, out_start),
        name=name,
        kind=partial(widened, kind),
        first=partial(_firsts, count),
        count=partial(widened, count),
        sites=sites,
        out_start=out_start,
        by_name=by_name_,
        name_start=name_start,
    )


def _check_rows(rows: int, out_start: Ints, in_start: Ints, order: Ints, *narrow_columns: Octets) -> None:
    """Raises BadParts where the columns of a table are not of so many rows."""
    are_whole = all(len(part) == 1 + rows * NARROW_BYTES[part[0]] for part in narrow_columns)
    if not are_whole or len(order) != rows or int(out_start[-1]) != rows or int(in_start[-1]) != rows:
        raise BadParts("edges of another snapshot")


def _sources(out_start: Ints) -> Ints:
    return np.repeat(np.arange(len(out_start) - 1, dtype=np.int32), np.diff(out_start))


def _firsts(count: Octets) -> Ints:
    counts = widened(count)
    return np.cumsum(counts, dtype=np.int32) - counts
