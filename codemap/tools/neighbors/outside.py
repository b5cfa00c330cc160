"""Shows who uses something of a package outside the repository, by its name: `RequestHandlerInterface`, `http.Handler`.

Of a file outside (`openssl/ssl.h`) the imports that name it are listed. Else the map has packages alone, and where
something of one is used; the name is read off the source, as it is on disk. Where an import does not say what it brings
(a namespace, a gem, a header), the code that names it is listed, and its package is not known. Of a qualified name that
no package explains, that is the code in which the same name stands before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
from msgspec.structs import replace

from codemap.envelope.answer import Answer
from codemap.facts import Import, Symbol, rows
from codemap.graph.model.edges import INHERITANCE, Edge, EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.words.word_files import files_with
from codemap.languages import language_of
from codemap.live_queries import Found as Read
from codemap.live_queries import Mentioned, Source
from codemap.mentions.account import Account
from codemap.tools.compact import FoldedCounts, Row, group_by_file, lines_of, row_place
from codemap.tools.neighbors.asked import Params, goes_deep
from codemap.tools.neighbors.compact import lists_of
from codemap.tools.neighbors.payload import NeighborView, Payload
from codemap.tools.neighbors.sections import SECTION_ORDER
from codemap.tools.row_selection import Folded, folded_counts, place_of, sift
from codemap.tools.tool import Asking, World
from codemap.tools.view import EDGE_NAMES, map_incomplete, map_warnings

UNEXPLAINED_MAX = 60
"""Files with the name that are parsed for uses of which the map has no edge."""
_UNEXPLAINED = (Account.UNKNOWN, Account.OUTSIDE)
FILES_MAX = 200
"""Files with the name that are looked at, those with the most uses of outside packages first."""


_SEPARATOR = re.compile(r"::|->|[.\\/#]")
"""Between the names of a qualified one, in any language's spelling, and of a package."""
_ARGUMENTS = re.compile(r"<[^<>]*>")


class _Use(msgspec.Struct, frozen=True):
    source: int
    kind: EdgeKind
    package: int
    """Its node; -1 where it is not known."""
    sites: tuple[tuple[int, int], ...]
    of: int = -1
    """The heir that it inherits through; -1 where it names what is outside itself."""


def ask_outside(world: World, snapshot: Snapshot, params: Params) -> Asking[Answer | None]:
    """The uses of what is outside and has the last name of the text that was given; None where there are none."""
    names = _SEPARATOR.split(params.node_id)
    if params.direction == "out":
        return None
    if included := _find_imports(snapshot, params):
        return _show(world, snapshot, params, params.node_id, included, [])
    if not names[-1].isidentifier():
        return None
    uses, doubts = yield from _ask_uses(snapshot, params, names)
    if not uses and params.edge_kinds:
        uses, doubts = yield from _ask_uses(snapshot, replace(params, edge_kinds=()), names)
        others = ", ".join(dict.fromkeys(EDGE_NAMES[one.kind] for one in uses))
        text = f"What is outside and has the name has other edges: {others} (in). To see them, drop edgeKinds."
        return _show(world, snapshot, params, names[-1], (), [text]) if uses else None
    if params.depth > 1 and goes_deep(params):
        uses = _add_heirs(snapshot, uses, params.depth)
    elif params.depth > 1:
        doubts.append("What is outside is asked about with depth 1: ask again about those that use it.")
    return _show(world, snapshot, params, names[-1], uses, doubts) if uses else None


def _ask_uses(snapshot: Snapshot, params: Params, names: Sequence[str]) -> Asking[tuple[list[_Use], list[str]]]:
    """The uses of the last of some names, and what there is to doubt of them."""
    name, doubts = names[-1], []
    candidates = {file.path: edges for file in files_with(snapshot, name) if (edges := _leave(snapshot, file, params))}
    paths = sorted(candidates, key=lambda path: (-len(candidates[path]), path))
    if len(paths) > FILES_MAX:
        doubts.append(f"Looked at {FILES_MAX} of {len(paths)} files that have the name: pass fileFilter.")
    facts = (yield tuple(Source(path) for path in paths[:FILES_MAX])) if paths else ()
    named: list[_Use] = []
    for path, fact in zip(paths, facts, strict=False):
        if isinstance(fact, Read) and fact.value.digest == snapshot.by_path[path].stamp.digest:
            lines = fact.value.lines
            for edge in candidates[path]:
                sites = tuple(site for site in snapshot.sites(edge) if _reads(lines, *site, name))
                if sites:
                    named.append(_Use(edge.source, edge.kind, edge.target, sites))
    uses = _keep_qualified(snapshot, named, names[:-1])
    if uses and len(names) > 1:
        return uses, doubts
    found = yield from _ask_unexplained(snapshot, uses, names)
    if not found and not named and len(names) > 1:
        found = yield from _ask_unexplained(snapshot, uses, names[-1:])
        if found:
            doubts.append(f"Nothing here says {params.node_id}: what names {name} and may mean it is listed.")
    return [*uses, *(one for one in found if one.kind in _list_kinds(params))], doubts


def _list_kinds(params: Params) -> frozenset[EdgeKind]:
    """The kinds of edges that count: those outside are not always known to be classes or interfaces, so that both kinds
    of inheritance do where one is asked for."""
    kinds = frozenset(EdgeKind[name.upper()] for name in params.edge_kinds) or frozenset(EdgeKind)
    return kinds if kinds.isdisjoint(INHERITANCE) else kinds.union(INHERITANCE)


def _add_heirs(snapshot: Snapshot, uses: Sequence[_Use], depth: int) -> list[_Use]:
    """The uses, with the heirs of those that inherit, as many steps down as asked for."""
    found = list(uses)
    known = {one.source for one in uses}
    level = [one.source for one in uses if one.kind in INHERITANCE]
    for _ in range(depth - 1):
        below = []
        for base in level:
            for edge in snapshot.edges_in(base, INHERITANCE):
                if edge.source not in known:
                    known.add(edge.source)
                    below.append(edge.source)
                    found.append(_Use(edge.source, edge.kind, -1, tuple(snapshot.sites(edge)), base))
        level = below
    return found


def _find_imports(snapshot: Snapshot, params: Params) -> list[_Use]:
    """The imports of files outside that name what was given, or a path that ends with it: `openssl/ssl.h`."""
    wanted = params.node_id.strip("<>\"'")
    words = [word for word in _SEPARATOR.split(wanted) if word.isidentifier()]
    if language_of(wanted) is None or not words or (params.edge_kinds and "imports" not in params.edge_kinds):
        return []
    found = []
    for file in files_with(snapshot, max(words, key=len)):
        imports, names = rows(file.facts.imports), file.facts.names
        places = {
            (imports[at + Import.LINE], imports[at + Import.COL])
            for at in range(0, len(imports), Import.WIDTH)
            if f"/{names[imports[at + Import.SPECIFIER]].strip('<>')}".endswith(f"/{wanted}")
        }
        for edge in _leave(snapshot, file, params) if places else ():
            sites = tuple(site for site in snapshot.sites(edge) if edge.kind is EdgeKind.IMPORTS and site in places)
            if sites:
                found.append(_Use(edge.source, edge.kind, edge.target, sites))
    return found


def _ask_unexplained(snapshot: Snapshot, known: Sequence[_Use], names: Sequence[str]) -> Asking[list[_Use]]:
    """The uses of a name in code of which the map has no edge, each from the definition around it: with the name before
    it, where there is one."""
    (fact,) = yield (Mentioned("", names[-1], files_max=UNEXPLAINED_MAX),)
    if not isinstance(fact, Read):
        return []
    sites = {(snapshot.row_of(one.source)[0].path, *site) for one in known for site in one.sites}
    places: dict[str, list[tuple[int, int]]] = {}
    for mention in fact.value.mentions:
        place = mention.path, mention.line, mention.col
        if mention.account in _UNEXPLAINED and place not in sites and mention.path in snapshot.by_path:
            places.setdefault(mention.path, []).append(place[1:])
    if len(names) > 1 and places:
        places = yield from _ask_qualified(snapshot, places, names[-2])
    found: dict[tuple[int, EdgeKind], list[tuple[int, int]]] = {}
    for path, some in places.items():
        file = snapshot.by_path[path]
        around = file.innermost_rows([line for line, _ in some])
        for line, col in some:
            row = max(around.get(line, 0), 0)
            heir = _find_heir(file, row, line, names[-1])
            kind = EdgeKind.REFERENCES if heir is None else EdgeKind.EXTENDS
            found.setdefault((file.base + (row if heir is None else heir), kind), []).append((line, col))
    return [_Use(source, kind, -1, tuple(its)) for (source, kind), its in found.items()]


def _ask_qualified(
    snapshot: Snapshot, places: Mapping[str, list[tuple[int, int]]], qualifier: str
) -> Asking[dict[str, list[tuple[int, int]]]]:
    """Those of the places before which a name stands, and what separates the two."""
    facts = yield tuple(Source(path) for path in places)
    before = re.compile(rf"(?<!\w){re.escape(qualifier)}\s*(?:::|->|[.\\/])\s*\Z")
    found: dict[str, list[tuple[int, int]]] = {}
    for (path, some), fact in zip(places.items(), facts, strict=True):
        if isinstance(fact, Read) and fact.value.digest == snapshot.by_path[path].stamp.digest:
            lines = fact.value.lines
            kept = [(line, col) for line, col in some if before.search(_text_before(lines, line, col))]
            found.update({path: kept} if kept else {})
    return found


def _text_before(lines: Sequence[str], line: int, col: int) -> str:
    text = lines[line - 1] if line <= len(lines) else ""
    return (
        text[: col - 1] if text.isascii() else text.encode("utf-16-le")[: 2 * (col - 1)].decode("utf-16-le", "ignore")
    )


def _find_heir(file: IndexedFile, row: int, line: int, name: str) -> int | None:
    """The class around a use on a line whose head names a type behind its own name, other than as an argument of
    another; a definition in it may be on the line as well."""
    while row > 0 and file.cell(row, Symbol.KIND) not in CLASS_KINDS and file.cell(row, Symbol.START_LINE) == line:
        row = file.cell(row, Symbol.PARENT)
    if file.cell(row, Symbol.KIND) not in CLASS_KINDS:
        return None
    head = file.text_of(row, Symbol.SIGNATURE)
    while (bare := _ARGUMENTS.sub("", head)) != head:
        head = bare
    return row if re.search(rf"\b{re.escape(file.name_of(row))}\b.*\b{re.escape(name)}\b", head, re.DOTALL) else None


def _keep_qualified(snapshot: Snapshot, uses: list[_Use], qualifiers: Sequence[str]) -> list[_Use]:
    """Those of packages that end with the name before the one that is asked for, else of those that have any of the
    names before it; all where there are none before it. Packages are not always spelt as the namespaces in them."""
    if not qualifiers:
        return uses
    names = {one.package: _SEPARATOR.split(snapshot.name_of(one.package).casefold()) for one in uses}
    wanted = [name.casefold() for name in qualifiers]
    ending = [one for one in uses if names[one.package][-1] == wanted[-1]]
    return ending or [one for one in uses if not set(wanted).isdisjoint(names[one.package])]


def _leave(snapshot: Snapshot, file: IndexedFile, params: Params) -> list[Edge]:
    """The edges from a file to packages outside."""
    kinds = _list_kinds(params)
    nodes = range(file.base, file.base + file.symbol_count)
    return [edge for node in nodes for edge in snapshot.edges_out(node, kinds) if snapshot.is_external(edge.target)]


def _reads(lines: Sequence[str], line: int, col: int, name: str) -> bool:
    """Whether a name stands at a place: `line` and `col` are 1-based, columns count UTF-16 code units."""
    text = lines[line - 1] if line <= len(lines) else ""
    if not text.isascii():
        text = text.encode("utf-16-le")[2 * (col - 1) :].decode("utf-16-le", "ignore")
        col = 1
    rest = text[col - 1 + len(name) : col + len(name)]
    return text.startswith(name, col - 1) and not (rest.isalnum() or rest == "_")


def _show(
    world: World, snapshot: Snapshot, params: Params, name: str, uses: Sequence[_Use], doubts: Sequence[str]
) -> Answer:
    packages = Counter(one.package for one in uses if one.package >= 0)
    shown = sift(uses, lambda one: place_of(snapshot, one.source, len(one.sites)), params)
    listed: dict[EdgeKind, list[_Use]] = {}
    for one in shown.rows:
        listed.setdefault(one.kind, []).append(one)
    folded: dict[EdgeKind, list[Folded[_Use]]] = {}
    for other in shown.folded:
        folded.setdefault(other.row.kind, []).append(other)
    views: list[NeighborView] = []
    for kind in SECTION_ORDER:
        view: NeighborView = {"edge": EDGE_NAMES[kind]}
        if kind in listed:
            view["rows"] = group_by_file(_row(snapshot, one) for one in listed[kind])
        if kind in folded:
            view["folded"] = cast("FoldedCounts", folded_counts(folded[kind]))
        if len(view) > 1:
            views.append(view)
    named = ", ".join(snapshot.id_of(package) for package, _ in packages.most_common())
    data: Payload = {"node": f"{name} of {named}" if named else params.node_id, "neighbors": views}
    if not uses:
        data["emptyBecause"] = "none"
    if shown.only:
        data["onlyIn"] = list(shown.only)
    warnings = map_warnings(world, snapshot)
    warnings += ["No definition here has the name: uses of what is outside are listed."] if uses else []
    if any(one.package < 0 and one.kind == EdgeKind.REFERENCES for one in uses):
        warnings.append("Of some, no import says what has the name: they are references of unknown kind.")
    warnings += doubts
    rests_on = frozenset(snapshot.row_of(one.source)[0].path for one in uses)
    return Answer(
        data, lists_of(params), tuple(warnings), incomplete=map_incomplete(world, snapshot), rests_on=rests_on
    )


def _row(snapshot: Snapshot, one: _Use) -> Row:
    file, name = row_place(snapshot, one.source)
    return Row(file, name, lines_of(one.sites), [f"of {snapshot.name_of(one.of)}"] if one.of >= 0 else ())
