"""A snapshot as bytes that can be kept, and back.

The parts are a head and the arrays, narrow and without what is derived from the others in no time. Facts are not among
them: whoever keeps a snapshot keeps the facts of its files beside it, by content, and they are unpacked one by one
when something first asks for them. What searches ask of every file (symbols, names, words) comes with the parts.

Rules of the file:
- Contents of configuration files are not packed; `unpack_snapshot` is given them.
- Bytes come back as they were packed or not at all: whoever keeps them checks that. What does not fit together is
  `BadParts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol
from codemap.graph.build.inventory import project_of
from codemap.graph.build.packed_records import ARRAYS, pack_records, unpack_records
from codemap.graph.model.edges import EdgeTable, Ints, UnresolvedTable, starts
from codemap.graph.model.indexed_file import FileStamp, IndexedFile, PackedFile
from codemap.graph.model.node_names import NodeNames
from codemap.graph.model.reference_index import ReferenceIndex
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.packed_words import WORD_PARTS, pack_words, unpack_words
from codemap.graph.words.word_files import FILE_PARTS, pack_word_files, unpack_word_files
from codemap.languages import by_name
from codemap.persistent import PersistentList
from codemap.unpacking import unpack


class BadParts(ValueError):
    """The parts are not those of one snapshot."""


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
    strings: tuple[int, int, int, int]
    """How many there are: names, labels of clusters, paths, names of nodes."""
    packages: dict[int, tuple[str, ...]]
    """Number of a file -> what it declares to belong to, of those that do."""


_encoder = msgspec.msgpack.Encoder()
_head = msgspec.msgpack.Decoder(Head)

_EDGE_COLUMNS = ("source", "target", "kind", "confidence", "count", "by_target")
_OPEN_COLUMNS = ("source", "name", "kind", "count", "by_name")
_WIDTHS = ("<i1", "<i2", "<i4")


def pack_snapshot(snapshot: Snapshot) -> list[bytes]:
    """The parts, in a fixed order. About 25 bytes an edge and 25 a symbol."""
    files = snapshot.files
    langs = sorted({file.lang for file in files})
    strings = (snapshot.names, snapshot.cluster_labels, [file.path for file in files], snapshot.node_names.names)
    head = Head(
        version=snapshot.version,
        token=snapshot.token,
        built_at=snapshot.built_at,
        externals=snapshot.externals,
        cluster_ids=snapshot.cluster_ids,
        is_ranked=snapshot.is_ranked,
        langs=tuple(langs),
        stamps=tuple(file.stamp for file in files),
        strings=(len(strings[0]), len(strings[1]), len(strings[2]), len(strings[3])),
        packages={file.number: file.packages for file in files if file.packages},
    )
    texts = [text for group in strings for text in group]
    symbols = np.concatenate([np.frombuffer(file.symbols, "<i4") for file in files] or [np.empty(0, "<i4")])
    arrays = [
        np.fromiter(map(len, texts), "<i4", count=len(texts)),
        np.array([langs.index(file.lang) for file in files], "<i4"),
        np.array([file.symbol_count for file in files], "<i4"),
        np.array([file.size for file in files], "<i4"),
        np.array([file.error_bytes for file in files], "<i4"),
        np.array([file.is_script for file in files], "<i4"),
        snapshot.clusters,
        snapshot.missing_by_file,
        snapshot.node_names.of_node,
        *symbols.reshape(-1, Symbol.WIDTH).T,
        *(getattr(snapshot.edges, name) for name in _EDGE_COLUMNS),
        *snapshot.edges.sites.T,
        *(getattr(snapshot.unresolved, name) for name in _OPEN_COLUMNS),
        *snapshot.unresolved.sites.T,
    ]
    scores = np.ascontiguousarray(snapshot.scores, "<f4").tobytes()
    joined = "".join(texts).encode("utf-8", "surrogatepass")  # paths that are not UTF-8 hold surrogates
    forms, looked_up, of_records = pack_records(snapshot.records)
    return [
        _encoder.encode(head),
        joined,
        scores,
        forms,
        looked_up,
        *map(_narrow, [*arrays, *of_records]),
        *pack_word_files(snapshot),
        *pack_words(snapshot),
    ]


def unpack_snapshot(parts: Sequence[bytes], facts: Sequence[bytes], configs: Mapping[str, bytes]) -> Snapshot:
    """The snapshot that was packed.

    `facts` are those of its files, in their order, as `pack_facts` gave them, and read when something asks for them;
    `configs` its configuration files.
    Raises BadParts.
    """
    try:
        return _unpacked(parts, facts, configs)
    except (msgspec.MsgspecError, ValueError, IndexError, KeyError, TypeError) as error:
        raise BadParts(f"{type(error).__name__}: {error}") from error


def _unpacked(parts: Sequence[bytes], facts: Sequence[bytes], configs: Mapping[str, bytes]) -> Snapshot:
    head = unpack(_head, parts[0])
    arrays = _Arrays(parts[5 : -WORD_PARTS - FILE_PARTS])
    names, labels, paths, node_names = _strings(parts[1], arrays.next(), head.strings)
    lang, counts, sizes, errors, scripts, clusters, missing, of_node = (arrays.next() for _ in range(8))
    symbols = arrays.columns(Symbol.WIDTH)
    names_of_nodes = NodeNames(node_names, of_node)
    files = _files(head, paths, [lang, counts, sizes, errors, scripts], symbols, facts, names_of_nodes)
    first_external = int(counts.sum())
    node_count = first_external + len(head.externals)
    edges = _edges(arrays, node_count)
    unresolved = _unresolved(arrays, node_count, len(names))
    of_records = [arrays.next() for _ in range(ARRAYS)]
    records = unpack_records(parts[3], parts[4], of_records, first_external, len(files))
    scores = np.frombuffer(parts[2], "<f4")
    if len(scores) != node_count or len(of_node) != first_external or len(clusters) != len(files):
        raise BadParts("arrays of other lengths")
    project = project_of(files, configs)
    snapshot = Snapshot(
        version=head.version,
        token=head.token,
        built_at=head.built_at,
        files=files,
        externals=head.externals,
        edges=edges,
        unresolved=unresolved,
        names=tuple(names),
        scores=scores,
        clusters=clusters,
        cluster_ids=head.cluster_ids,
        cluster_labels=tuple(labels),
        missing_by_file=missing,
        configs=configs,
        resolvers={name: by_name()[name].modules(project) for name in head.langs},
        mentions=ReferenceIndex(),
        records=records,
        is_ranked=head.is_ranked,
    )
    snapshot.install(node_names=names_of_nodes)
    unpack_word_files(parts[-WORD_PARTS - FILE_PARTS : -WORD_PARTS], snapshot)
    unpack_words(parts[-WORD_PARTS:], snapshot)
    return snapshot


def _files(
    head: Head,
    paths: Sequence[str],
    columns: Sequence[Ints],
    symbols: Ints,
    facts: Sequence[bytes],
    names: NodeNames,
) -> PersistentList[IndexedFile]:
    cells = memoryview(symbols.tobytes()).cast("i")
    families = {name: by_name()[name].family for name in head.langs}
    found: list[IndexedFile] = []
    base = 0
    rows = zip(paths, *(column.tolist() for column in columns), head.stamps, range(len(facts)), strict=True)
    for path, lang_number, count, size, error_bytes, is_script, stamp, number in rows:
        lang = head.langs[lang_number]
        table = cells[base * Symbol.WIDTH : (base + count) * Symbol.WIDTH]
        packages = head.packages.get(number, ())
        places = (names.names, names.of_node, base)
        held = PackedFile(facts, number, table, size, error_bytes, bool(is_script), packages, places)
        found.append(IndexedFile(path, lang, families[lang], held, stamp, base, number))
        base += count
    if base * Symbol.WIDTH != len(cells):
        raise BadParts("symbols of other files")
    return PersistentList(found)


def _edges(arrays: _Arrays, node_count: int) -> EdgeTable:
    source, target, kind, confidence, count, by_target = (arrays.next() for _ in _EDGE_COLUMNS)
    return EdgeTable(
        source=source,
        target=target,
        kind=kind,
        confidence=confidence,
        first=_firsts(count),
        count=count,
        sites=arrays.columns(2),
        out_start=starts(source, node_count),
        by_target=by_target,
        in_start=starts(target[by_target], node_count),
    )


def _unresolved(arrays: _Arrays, node_count: int, name_count: int) -> UnresolvedTable:
    source, name, kind, count, by_name = (arrays.next() for _ in _OPEN_COLUMNS)
    return UnresolvedTable(
        source=source,
        name=name,
        kind=kind,
        first=_firsts(count),
        count=count,
        sites=arrays.columns(2),
        out_start=starts(source, node_count),
        by_name=by_name,
        name_start=starts(name[by_name], name_count),
    )


def _firsts(count: Ints) -> Ints:
    ends = np.cumsum(count, dtype=np.int64)
    return (ends - count).astype(np.int32)


def _narrow(array: NDArray[Any]) -> bytes:
    """An array of integers in the fewest bytes an element, and before it which."""
    low, high = (int(array.min()), int(array.max())) if len(array) else (0, 0)
    for number, width in enumerate(_WIDTHS):
        bounds = np.iinfo(width)
        if bounds.min <= low and high <= bounds.max:
            return bytes((number,)) + array.astype(width).tobytes()
    raise BadParts("integers of more than four bytes")


class _Arrays:
    """Takes the arrays one by one, in the order in which they were packed."""

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = iter(parts)

    def next(self) -> Ints:
        part = next(self._parts, None)
        if not part:
            raise BadParts("too few parts")
        return np.frombuffer(part, _WIDTHS[part[0]], offset=1).astype(np.int32)

    def columns(self, count: int) -> Ints:
        """The next few arrays as the columns of one."""
        return np.stack([self.next() for _ in range(count)], axis=1)


def _strings(joined: bytes, lengths: Ints, counts: Sequence[int]) -> list[list[str]]:
    """Groups of strings out of one text; lengths in characters."""
    text = joined.decode("utf-8", "surrogatepass")
    ends = np.cumsum(lengths)
    all_strings = [text[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]
    if sum(counts) != len(all_strings) or int(lengths.sum()) != len(text):
        raise BadParts("strings of another snapshot")
    groups, first = [], 0
    for count in counts:
        groups.append(all_strings[first : first + count])
        first += count
    return groups
