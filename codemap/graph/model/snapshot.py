"""One immutable state of the map, with lookups of nodes and edges.

A node is an int: the symbols of the files in path order, row 0 of each being the file, then the external packages. Node
numbers mean nothing outside their snapshot; node IDs do.

The file is long because what is derived from the fields is beside them.

Rules of the file:
- Nothing here changes after `Snapshot` is made; every call works on one snapshot to its end.
- `contains` edges are not stored: they are the parents in the symbol tables.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np

from codemap.facts import ADDITION, Symbol, SymbolKind
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.edges import (
    BARE,
    Edge,
    EdgeKind,
    EdgeTable,
    Ints,
    Unresolved,
    UnresolvedTable,
)
from codemap.graph.model.indexed_file import IndexedFile, W, content_of
from codemap.graph.model.indexes import Indexes
from codemap.graph.model.node_names import NodeNames, node_names
from codemap.graph.model.records import Records
from codemap.graph.model.reference_index import ReferenceIndex
from codemap.graph.model.steps import finish
from codemap.graph.model.values import Confidence
from codemap.ids import NodeId, external_id, parse_id
from codemap.mangled_names import demangle, is_held
from codemap.persistent import PersistentList, PersistentMap
from codemap.project import ModuleResolver
from codemap.root_paths import Roots

ALL_KINDS = frozenset(EdgeKind)
KINDS = tuple(EdgeKind)
"""By number."""
CONFIDENCES = tuple(Confidence)
"""By number."""
_SYMBOL_KINDS = tuple(SymbolKind)
"""By number."""


class Families(msgspec.Struct, frozen=True):
    """Language families: only definitions of its own family can be meant by a use."""

    names: tuple[str, ...]
    of_file: Ints
    """By file number: an index into `names`."""


class Snapshot(msgspec.Struct, frozen=True, dict=True, weakref=True):
    version: int
    """Counts up with every change of content, from 1."""
    token: str
    """Identifies this content, across restarts: cursors carry it."""
    built_at: str
    """ISO 8601, UTC."""
    files: PersistentList[IndexedFile]
    """In path order."""
    externals: tuple[tuple[str, str], ...]
    """(language, package) of the external nodes, which come after all symbols, in this order."""
    edges: EdgeTable
    unresolved: UnresolvedTable
    names: Sequence[str]
    """Names that `unresolved` refers to."""
    scores: np.ndarray[tuple[int], np.dtype[np.float32]]
    """Hub score of each node, 0 to 1."""
    clusters: Ints
    """Cluster of each file, by file number: an index into `cluster_ids`."""
    cluster_ids: tuple[str, ...]
    cluster_labels: tuple[str, ...]
    missing_by_file: Ints
    """Of each file, the import statements whose relative target does not exist."""
    configs: Mapping[str, bytes]
    resolvers: Mapping[str, ModuleResolver]
    """Module resolvers by language, for the next build; they only remember what they were asked."""
    definitions: Definitions | None = None
    """Which definitions a name could mean, for the next build; None where it has to look itself."""
    references: ReferenceIndex | None = None
    """Which files mention a name, for language servers; it only ever grows, and may say too much."""
    records: Records | None = None
    """What each file depended on when it was bound, for the next build; None where that is not known."""
    is_partial: bool = False
    """Whether files are still missing: a first build that has not ended."""
    is_ranked: bool = True
    """Whether scores and clusters are of these edges, not carried over from before the last edits."""
    roots: Roots | None = None
    """Of a map of several roots."""

    # -- what is derived from the fields, when first asked for -------------------------------------------------------

    @cached_property
    def indexes(self) -> Indexes:
        """See `codemap.graph.model.index_slots`."""
        return Indexes()

    def install(
        self,
        *,
        by_path: PersistentMap[str, IndexedFile] | None = None,
        bases: tuple[int, ...] | None = None,
        content: int | None = None,
        node_names: NodeNames | None = None,
    ) -> None:
        """Gives the snapshot derived values that whoever made it has computed already."""
        known = {"by_path": by_path, "bases": bases, "content": content, "node_names": node_names}
        vars(self).update({name: value for name, value in known.items() if value is not None})

    def share_derived(self, previous: Snapshot) -> None:
        """Takes over what another snapshot derived from fields that both have in common."""
        if self.files is previous.files:
            self._take_over(previous, ("by_path", "bases", "content", "node_names", "families"))
        if self.names is previous.names:
            self._take_over(previous, ("unresolved_names",))
        if self.externals is previous.externals and self.first_external == previous.first_external:
            self._take_over(previous, ("external_nodes",))

    def share_outlines(self, previous: Snapshot) -> None:
        """Takes over what another snapshot derived from paths, and from definitions that both have in common."""
        self._take_over(previous, ("node_names", "families"))

    def _take_over(self, previous: Snapshot, names: tuple[str, ...]) -> None:
        derived = vars(previous)
        vars(self).update({name: derived[name] for name in names if name in derived})

    @property
    def has_node_names(self) -> bool:
        """Whether `node_names` is made."""
        return "node_names" in vars(self)

    # -- counts -----------------------------------------------------------------------------------------------------

    @cached_property
    def first_external(self) -> int:
        return self.bases[-1]

    @property
    def node_count(self) -> int:
        return self.first_external + len(self.externals)

    @property
    def symbol_count(self) -> int:
        """Definitions: nodes that are neither files nor external packages."""
        return self.first_external - len(self.files)

    @property
    def missing_imports(self) -> int:
        return int(self.missing_by_file.sum())

    # -- nodes ------------------------------------------------------------------------------------------------------

    @cached_property
    def bases(self) -> tuple[int, ...]:
        """The node of each file, and the first external node."""
        last = self.files[-1].base + self.files[-1].symbol_count if self.files else 0
        return (*(file.base for file in self.files), last)

    @cached_property
    def content(self) -> int:
        """Stands for the paths and contents of all files; see `content_of`."""
        return content_of(self.files)

    @cached_property
    def by_path(self) -> PersistentMap[str, IndexedFile]:
        return PersistentMap.keyed((file.path for file in self.files), self.files)

    def file_of(self, node: int) -> IndexedFile | None:
        """The file that holds a node; None for an external package."""
        if node >= self.first_external:
            return None
        return self.files.at(bisect_right(self.bases, node) - 1)

    def row_of(self, node: int) -> tuple[IndexedFile, int]:
        """(file, symbol row) of a node that is not external."""
        file = self.files.at(bisect_right(self.bases, node) - 1)
        return file, node - file.base

    def is_external(self, node: int) -> bool:
        return node >= self.first_external

    def is_file(self, node: int) -> bool:
        return not self.is_external(node) and self.row_of(node)[1] == 0

    def cell(self, node: int, column: int) -> int:
        """A cell of the symbol table; the node must not be external."""
        file, row = self.row_of(node)
        return file.cell(row, column)

    def kind_of(self, node: int) -> SymbolKind:
        return SymbolKind.MODULE if self.is_external(node) else _SYMBOL_KINDS[self.cell(node, Symbol.KIND)]

    def name_of(self, node: int) -> str:
        """The bare name; the base name of a file; the package of an external node."""
        if self.is_external(node):
            return self.externals[node - self.first_external][1]
        file, row = self.row_of(node)
        return file.name_of(row) if row else file.path.rpartition("/")[2]

    def qualified_name_of(self, node: int) -> str:
        """The dotted qualified name; "" for a file."""
        if self.is_external(node):
            return self.externals[node - self.first_external][1]
        file, row = self.row_of(node)
        return file.qualified_name(row)

    def id_of(self, node: int) -> str:
        if self.is_external(node):
            return external_id(*self.externals[node - self.first_external])
        file, row = self.row_of(node)
        return file.id_of(row)

    def find(self, node_id: str) -> int | None:
        """The node of an ID, or None. Raises codemap.ids.BadNodeId."""
        return self.node_of(parse_id(node_id))

    def node_of(self, wanted: NodeId) -> int | None:
        """The node of a parsed ID, or None."""
        if wanted.is_external:
            return self.external_node(wanted.lang, wanted.name)
        file = self.by_path.get(wanted.path)
        if file is None or file.lang != wanted.lang:
            return None
        if not wanted.name:
            return file.base
        row = file.rows_by_name.get((wanted.name, wanted.ordinal))
        return None if row is None else file.base + row

    def external_node(self, lang: str, package: str) -> int | None:
        """The node of an external package, or None."""
        return self.external_nodes.get((lang, package))

    @cached_property
    def external_nodes(self) -> dict[tuple[str, str], int]:
        """(language, package) -> its node."""
        return {external: self.first_external + place for place, external in enumerate(self.externals)}

    def text_of(self, node: int, column: int) -> str:
        """`Symbol.SIGNATURE` or `Symbol.DOC` of a node; "" where there is none."""
        if self.is_external(node):
            return ""
        file, row = self.row_of(node)
        return file.text_of(row, column)

    def cluster_of(self, file: IndexedFile) -> str:
        """The ID of the cluster of a file."""
        return self.cluster_ids[int(self.clusters[file.number])]

    def parent_of(self, node: int) -> int | None:
        if self.is_external(node):
            return None
        file, row = self.row_of(node)
        parent = file.symbols[row * W + Symbol.PARENT]
        return None if parent < 0 else file.base + parent

    def children_of(self, node: int) -> list[int]:
        """The definitions directly inside a node, in source order. Cost: the symbols of its file."""
        if self.is_external(node):
            return []
        file, row = self.row_of(node)
        parents = np.frombuffer(file.symbols, dtype="<i4")[Symbol.PARENT :: W]
        found: list[int] = (np.flatnonzero(parents == row) + file.base).tolist()
        return found

    # -- edges ------------------------------------------------------------------------------------------------------

    def edges_out(self, node: int, kinds: Collection[EdgeKind] = ALL_KINDS) -> Iterator[Edge]:
        """Resolved edges of some kinds that leave a node, `contains` first."""
        if EdgeKind.CONTAINS in kinds:
            for child in self.children_of(node):
                yield Edge(-1, node, child, EdgeKind.CONTAINS, Confidence.EXACT)
        table = self.edges
        begin, end = table.out_start[node : node + 2].tolist()
        if begin < end:
            columns = table.target[begin:end], table.kind[begin:end], table.confidence[begin:end]
            rows = zip(range(begin, end), *(column.tolist() for column in columns), strict=True)
            for row, target, kind, confidence in rows:
                if kind in kinds:
                    yield Edge(row, node, target, KINDS[kind], CONFIDENCES[confidence])

    def edges_in(self, node: int, kinds: Collection[EdgeKind] = ALL_KINDS) -> Iterator[Edge]:
        """Resolved edges of some kinds that arrive at a node, `contains` first."""
        parent = self.parent_of(node) if EdgeKind.CONTAINS in kinds else None
        if parent is not None:
            yield Edge(-1, parent, node, EdgeKind.CONTAINS, Confidence.EXACT)
        table, rows = self.edges, self.edges.arriving(node)
        if len(rows):
            columns = rows, table.source.take(rows), table.kind.take(rows), table.confidence.take(rows)
            for row, source, kind, confidence in zip(*(column.tolist() for column in columns), strict=True):
                if kind in kinds:
                    yield Edge(row, source, node, KINDS[kind], CONFIDENCES[confidence])

    def site_count(self, edge: Edge) -> int:
        """The number of its `sites`."""
        return 1 if edge.row < 0 else int(self.edges.count[edge.row])

    def sites(self, edge: Edge | Unresolved) -> list[tuple[int, int]]:
        """(line, col) of every site of an edge, in source order, in the file of its source."""
        if isinstance(edge, Edge) and edge.row < 0:
            return [(self.cell(edge.target, Symbol.LINE), self.cell(edge.target, Symbol.COL))]
        table = self.unresolved if isinstance(edge, Unresolved) else self.edges
        first = int(table.first[edge.row])
        found = table.sites[first : first + int(table.count[edge.row])].tolist()
        return [(line, col) for line, col in found]

    def unresolved_out(self, node: int) -> list[Unresolved]:
        """Uses by a node that could not be decided."""
        return [self.unresolved_use(row) for row in self.unresolved.out_rows(node)]

    def unresolved_use(self, row: int) -> Unresolved:
        """A row of `unresolved`, read."""
        table = self.unresolved
        kind = int(table.kind[row])
        name = self.names[int(table.name[row])]
        source, edge_kind = int(table.source[row]), EdgeKind(kind & ~BARE)
        if is_held(name):
            return Unresolved(row, source, demangle(name), edge_kind, is_member=False, is_held=True)
        return Unresolved(row, source, name, edge_kind, not kind & BARE)

    @cached_property
    def unresolved_names(self) -> dict[str, int]:
        """Name -> its number in `names`."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def families(self) -> Families:
        """The language families of the files."""
        names = sorted({file.family for file in self.files})
        numbers = [names.index(file.family) for file in self.files]
        return Families(tuple(names), np.array(numbers, dtype=np.int32))

    def named(self, name: str) -> list[int]:
        """Nodes of that exact bare name, in node order; without files, and without what only holds additions to a type
        of that name."""
        nodes = self.node_names.named(name).tolist()
        places = zip(nodes, map(self.row_of, nodes), strict=True)
        return [node for node, (file, row) in places if row and file.cell(row, Symbol.FLAGS) & ADDITION != ADDITION]

    def find_by_suffix(self, chain: str) -> list[int]:
        """Definitions whose qualified name is a dotted chain of names, or ends with it, in node order."""
        found = self.named(chain.rpartition(".")[2])
        if "." not in chain:
            return found
        return [node for node in found if f".{self.qualified_name_of(node)}".endswith(f".{chain}")]

    @cached_property
    def node_names(self) -> NodeNames:
        return finish(node_names(self.files))
