"""Finds out whether a member of a value of unknown type may be what a module defines: only where modules are values.

    def munched(x): return x.to_yaml()       # `to_yaml` of a module, if somebody calls munched(module)

A module that has the definition is a value where its name is followed by no member of it. Where code loads modules by
name at run time (`NamesInStrings.module_makers`), any may be a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from codemap.facts import Binding, FileFacts, Import, Source, SourceKind, rows
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.strings import modules_of
from codemap.tools.nav.rename.uses.together import is_kin
from codemap.tools.places.texts import is_after_dot, read_lines, split_line
from codemap.tools.tool import Asking

FILES_MAX = 40
"""Files that may have a name which is looked at; where more have it, any module may be a value."""
NAMES_MAX = 16
"""Names that modules go by in the files that import them."""
_NO_VALUES = (
    *(Account.STRINGS, Account.COMMENTS, Account.NAMES, Account.PARAMETERS),
    *(Account.DEFINITION, Account.OTHER_DEFINITIONS),
)
_ASKED_OF = re.compile(r"(\w*)\s*\.\s*\Z")
_ASKED = re.compile(r"\s*\.")


def without_members(snapshot: Snapshot, node: int, uses: Sequence[At]) -> Asking[list[At]]:
    """Uses that may mean a definition of a module, without the members of values, where no module is one."""
    if not uses or (yield from may_be_values(snapshot, node)):
        return list(uses)
    return (yield from select_bare(uses))


def select_bare(uses: Sequence[At]) -> Asking[list[At]]:
    """Those of uses that are no members of anything."""
    lines = yield from read_lines(at.file for at in uses)
    return [at for at in uses if not is_after_dot(lines.get(at.file, ()), at)]


def may_be_values(snapshot: Snapshot, node: int) -> Asking[bool]:
    """Whether a module that has a definition, its own or one that imports it, may be a value."""
    home = snapshot.row_of(node)[0]
    makers = by_name()[home.lang].strings.module_makers
    inner: dict[str, set[str]] = {}
    bound: dict[str, set[str]] = {}
    imports: set[At] = set()
    for path in modules_of(snapshot, node):
        for name, package in _find_in_package(snapshot, path):
            inner.setdefault(name, set()).update(package)
        for name, at in _find_imports(snapshot, path):
            bound.setdefault(name, set()).add(at.file)
            imports.add(at)
    asked = sorted({*makers, *inner, *bound})
    if not makers or len(asked) > NAMES_MAX:
        return True
    facts = yield tuple(Mentioned("", name, FILES_MAX) for name in asked)
    places: list[tuple[At, str]] = []
    for name, fact in zip(asked, facts, strict=True):
        if not isinstance(fact, Found) or not isinstance(fact.value, Ledger):
            return True
        mentions = [one for one in fact.value.mentions if one.account not in _NO_VALUES]
        found = [At(one.path, one.line, one.col) for one in mentions if is_kin(snapshot, one.path, home)]
        if found and name in makers:
            return True
        places += ((at, name) for at in found if at not in imports)
    lines = yield from read_lines(at.file for at, _ in places)
    for at, name in places:
        before, behind = split_line(lines.get(at.file, ()), at)
        of = _ASKED_OF.search(before)
        is_module = at.file in bound.get(name, ()) if of is None else of[1] in inner.get(name, ())
        is_asked = _ASKED.match(behind, len(name)) is not None or before.lstrip().startswith(("import ", "from "))
        if is_module and not is_asked:
            return True
    return False


def _find_in_package(snapshot: Snapshot, path: str) -> Iterator[tuple[str, set[str]]]:
    """What a module is called as a member of the package that it is in, and what that is called; nothing where it is in
    none."""
    stem, _, suffix = path.rpartition(".")
    package_file = by_name()[snapshot.by_path[path].lang].files.package_file
    parts = stem.split("/")
    if parts[-1] == package_file:
        parts.pop()
    package = "/".join((*parts[:-1], f"{package_file}.{suffix}"))
    if package in snapshot.by_path:
        yield parts[-1], {parts[-2] if len(parts) > 1 else "", *(name for name, _ in _find_imports(snapshot, package))}


def _find_imports(snapshot: Snapshot, path: str) -> Iterator[tuple[str, At]]:
    """What a module is called where it is imported, and the place; an import of what it defines names it, too."""
    for edge in snapshot.edges_in(snapshot.by_path[path].base, (EdgeKind.IMPORTS,)):
        file = snapshot.file_of(edge.source)
        if file is not None:
            others = (other for other in snapshot.edges_out(edge.source, (EdgeKind.IMPORTS,)))
            inside = (other for other in others if not snapshot.is_external(other.target))
            definitions = (other for other in inside if not snapshot.is_file(other.target))
            sites = set(snapshot.sites(edge)).difference(*map(snapshot.sites, definitions))
            yield from ((name, At(file.path, *place)) for name, place in _read_bound(file.facts, sites))


def _read_bound(facts: FileFacts, sites: Set[tuple[int, int]]) -> Iterator[tuple[str, tuple[int, int]]]:
    bindings, sources, imports = rows(facts.bindings), rows(facts.sources), rows(facts.imports)
    for at in range(0, len(bindings), Binding.WIDTH):
        first, count = bindings[at + Binding.FIRST], bindings[at + Binding.COUNT]
        for source in range(first * Source.WIDTH, (first + count) * Source.WIDTH, Source.WIDTH):
            if sources[source + Source.KIND] == SourceKind.IMPORT:
                row = sources[source + Source.A] * Import.WIDTH
                place = imports[row + Import.LINE], imports[row + Import.COL]
                if place in sites and imports[row + Import.IMPORTED] != Import.STAR:
                    yield facts.names[bindings[at + Binding.NAME]], place
