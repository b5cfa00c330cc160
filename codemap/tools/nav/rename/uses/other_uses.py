"""Finds uses that the map takes for those of another member, and that may be of the renamed one all the same.

Rules of the file:
- A method that is called for a value of another class (`Float._new(self)` in `Integer`) has that value in its `self`.
- A value of one of several types may be one of a subclass, where a type of them lacks the member (`Item | Container`,
  of which only `Container` and subclasses of `Item` have it). The map leaves types without the member out; the server
  reports that they lack it, so its diagnostics of now say where.
- A class may say what a value has to have (`class Sized(Protocol)`): a value of any class that has it fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from codemap.facts import Symbol
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Diagnostic, Diagnostics, Found
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.together import class_of, classes_from, places_of
from codemap.tools.places.texts import read_lines
from codemap.tools.tool import Asking

FILES_MAX = 16
"""Files of such uses that are looked at; of more, those with the most."""


def find_disputed(snapshot: Snapshot, nodes: Sequence[int], ledger: Ledger | None, edited: Set[At]) -> Asking[list[At]]:
    """Those of a member, `nodes[0]`, that is renamed together with the others."""
    owner = class_of(snapshot, nodes[0])
    if owner is None or ledger is None:
        return []
    above = classes_from(snapshot, owner, upwards=True)
    related = {owner, *above, *classes_from(snapshot, owner, upwards=False)}
    family = snapshot.row_of(nodes[0])[0].family
    by_file: dict[str, list[At]] = {}
    for one in ledger.mentions:
        file = snapshot.by_path.get(one.path)
        at = At(one.path, one.line, one.col)
        if one.account is Account.OTHER_USES and file is not None and file.family == family and at not in edited:
            by_file.setdefault(one.path, []).append(at)
    paths = sorted(by_file, key=lambda path: (-len(by_file[path]), path))[:FILES_MAX]
    places = [at for path in paths for at in by_file[path]]
    having = {snapshot.parent_of(node) for node in nodes}
    lacking = {snapshot.name_of(one) for one in above if one not in having}
    found = yield from _find_lacking(places, paths, lacking, snapshot.name_of(nodes[0]))
    found += yield from _find_borrowed(snapshot, places, related)
    return found


def find_fitting(snapshot: Snapshot, nodes: Sequence[int]) -> Asking[list[At]]:
    """The members of other classes by which values may fit the class of a member, `nodes[0]`, that says what a value
    has to have and need not be named by who has it."""
    owner, home = class_of(snapshot, nodes[0]), snapshot.row_of(nodes[0])[0]
    shapes = by_name()[home.lang].shape_classes
    if owner is None or not shapes:
        return []
    lines = yield from read_lines([home.path])
    first = snapshot.cell(owner, Symbol.LINE)
    if not re.search(shapes, "\n".join(lines.get(home.path, [])[first - 1 : snapshot.cell(nodes[0], Symbol.LINE)])):
        return []
    alike = [one for one in snapshot.named(snapshot.name_of(nodes[0])) if one not in nodes]
    alike = [one for one in alike if class_of(snapshot, one) is not None]
    return places_of(snapshot, [one for one in alike if snapshot.row_of(one)[0].family == home.family])


def _find_lacking(places: Sequence[At], paths: Sequence[str], lacking: Set[str], name: str) -> Asking[list[At]]:
    """The uses at which the server reports one of some classes, and the name: it may report another member there of
    what this one gives (`book.parse().rows`)."""
    facts = (yield tuple(map(Diagnostics, paths))) if lacking else ()
    said: list[Diagnostic] = [one for fact in facts if isinstance(fact, Found) for one in fact.value]
    words = [(one, set(re.findall(r"\w+", one.message))) for one in said]
    said = [one for one, some in words if name in some and not lacking.isdisjoint(some)]
    return [at for at in places if any(_is_at(one, at) for one in said)]


def _is_at(one: Diagnostic, at: At) -> bool:
    place = one.place
    starts, ends = (place.line, place.col), (place.end_line, place.end_col)
    return place.file == at.file and starts <= (at.line, at.col) < ends


def _find_borrowed(snapshot: Snapshot, places: Sequence[At], related: Set[int]) -> Asking[list[At]]:
    """The uses in methods of other classes that a related class calls for a value of its own."""
    around = _methods_around(snapshot, places)
    others = {node: cls for node in set(around.values()) if (cls := snapshot.parent_of(node)) not in related}
    calls: list[tuple[int, str, int]] = []
    for node in others:
        for edge in snapshot.edges_in(node):
            file, caller = snapshot.file_of(edge.source), snapshot.parent_of(edge.source)
            if edge.kind is EdgeKind.CALLS and file is not None and caller in related:
                calls += ((node, file.path, line) for line, _ in snapshot.sites(edge))
    lines = yield from read_lines(path for _, path, _ in calls)
    borrowed = {
        node
        for node, path, line in calls
        if line <= len(lines.get(path, ())) and re.search(_pattern(snapshot, node), lines[path][line - 1])
    }
    return [at for at in places if around.get(at) in borrowed]


def _methods_around(snapshot: Snapshot, places: Iterable[At]) -> dict[At, int]:
    """Place -> the method that it is in."""
    found: dict[At, int] = {}
    for at in places:
        file = snapshot.by_path[at.file]
        row = file.innermost_rows([at.line])[at.line]
        node = file.base + row if row else None
        while node is not None and not _is_method(snapshot, node):
            node = snapshot.parent_of(node)
        if node is not None:
            found[at] = node
    return found


def _is_method(snapshot: Snapshot, node: int) -> bool:
    return snapshot.kind_of(node) in FUNCTION_KINDS and class_of(snapshot, node) is not None


def _pattern(snapshot: Snapshot, method: int) -> str:
    owner, file = snapshot.parent_of(method), snapshot.row_of(method)[0]
    words = by_name()[file.lang].strings.borrowed_call
    cls = re.escape("" if owner is None else snapshot.name_of(owner))
    return words.format(cls=cls, name=re.escape(snapshot.name_of(method))) if words else r"\Z\A"
