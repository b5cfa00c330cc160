"""Asks a language server what it knows of uses of a name: whether they mean what is renamed.

A server may know what is meant and name no place, as of what it knows from declarations that are part of itself. Then
it still shows its type, and of what it does not know that nothing is known (`ServerTexts.unknown_types`). The type of
what is assigned to says nothing: it is that of the value.

A use may mean members of several classes, where a value is of any of these (`shape: Circle | Square`): all need the new
name then. Only what a server names for one place is taken, or what data flow brings to one: of a value of unknown type,
nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from enum import Enum, auto

import msgspec
import numpy as np

from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.verified.unverified_sites import find_sites_at
from codemap.languages import by_name
from codemap.live_queries import At, Definition, Diagnostics, Edit, Fact, Found, Hover, Place, Renaming
from codemap.tools.nav.rename.uses.conflicts import find_targets, outer_names
from codemap.tools.nav.rename.uses.flowing_uses import find_flowing_kin, is_imported_at
from codemap.tools.nav.rename.uses.together import ask_together, class_of, is_kin, places_of, renamed_together
from codemap.tools.places.rows import rows_by_name_place, utf16_length
from codemap.tools.places.texts import is_after_dot, read_lines, split_line
from codemap.tools.tool import Asking

ASKED_MAX = 100
"""Uses that the server is asked about; of more, the first."""
SETTLED_MAX = 400
"""Uses of which the map is sure; of more, the first."""
ABOVE_LINES = 40
"""Lines above a use that are looked at for an assignment."""
ROUNDS = 3
"""Members that are found have uses of their own, which may mean others."""
_SHOWN = re.compile(r"```\w*\n(.*?)\n```", re.DOTALL)
_VALUE = re.compile(r"(?<![\w.\])])[^\W\d][\w.]*\.\Z")
_RECEIVER = re.compile(r"[^\W\d]\w*(?=\.\Z)")
_ASSIGNED = re.compile(r"[\w$]+\s*(?:,[\w\s.,*\[\]]*|:[^=]*)?(?:[-+*/%&|^@]|//|<<|>>|\*\*|:)?=(?![=>])")


class Knowledge(Enum):
    OWN = auto()
    """It means what is renamed."""
    OTHER = auto()
    """It means something else."""
    EITHER = auto()
    """It may mean what is renamed, and something else."""
    NOTHING = auto()
    """The server knows nothing of it."""
    UNSURE = auto()
    """There was no answer, or one that may lack something."""


class Settled(msgspec.Struct, frozen=True):
    """Uses that the server leaves alone."""

    agreed: tuple[At, ...] = ()
    """It has nothing against the map there."""
    missed: tuple[At, ...] = ()
    """The two disagree, or the server was not asked."""


def ask_knowledge(snapshot: Snapshot, uses: Sequence[At], edited: Set[At], name: str) -> Asking[list[Knowledge]]:
    """For each use of a name; `edited` are the places that mean what is renamed."""
    facts = (yield tuple(map(Definition, uses))) if uses else ()
    found: dict[At, Knowledge] = {}
    for at, fact in zip(uses, facts, strict=True):
        if not isinstance(fact, Found) or fact.incomplete:
            found[at] = Knowledge.UNSURE
        elif not fact.value:
            found[at] = Knowledge.NOTHING
        else:
            are_own = {not edited.isdisjoint(places_in(place, name)) for place in fact.value}
            found[at] = Knowledge.EITHER if len(are_own) > 1 else Knowledge.OWN if True in are_own else Knowledge.OTHER
    unplaced = [at for at in uses if found[at] is Knowledge.NOTHING and _unknown(snapshot, at)]
    lines = yield from read_lines(at.file for at in unplaced)
    unplaced = [at for at in unplaced if not _is_assigned(lines.get(at.file, ()), at, name)]
    facts = (yield tuple(map(Hover, unplaced))) if unplaced else ()
    for at, fact in zip(unplaced, facts, strict=True):
        if isinstance(fact, Found) and fact.value and not re.search(_unknown(snapshot, at), fact.value):
            found[at] = Knowledge.OTHER
    return [found[at] for at in uses]


def settle(snapshot: Snapshot, nodes: Sequence[int], uses: Sequence[At], edited: Set[At]) -> Asking[Settled]:
    """Asks the server about uses of which the map is sure: they are of what is renamed, `nodes`."""
    asked = uses[:SETTLED_MAX]
    touched = {at.file for at in edited}
    is_member = class_of(snapshot, nodes[0]) is not None
    # where a class below assigns to a member, a server may see one of its own: such a use is its definition then
    own = {*edited, *asked} if is_member else edited
    name = snapshot.name_of(nodes[0])
    known = yield from ask_knowledge(snapshot, asked, own, name)
    shared = _find_shared(snapshot, nodes, asked)
    lines = {} if is_member else (yield from read_lines(at.file for at in uses))
    again = {at: other for at in asked if (other := _find_alias(lines.get(at.file, ()), at, name))}
    imported = {
        at.file
        for at, one in zip(asked, known, strict=True)
        if one is Knowledge.OWN and not is_member and is_imported_at(snapshot, at)
    }
    bare = {at.file for at in uses if not is_after_dot(lines.get(at.file, ()), at)} - touched - imported
    agreed = [
        at
        for at, one in zip(asked, known, strict=True)
        if (is_member or at.file not in bare) and at not in shared and one in (Knowledge.OWN, Knowledge.NOTHING)
    ]
    others = {at for at, one in zip(asked, known, strict=True) if one is Knowledge.OTHER and at in shared}
    missed = (at for at in uses if at not in agreed and at not in others)
    return Settled((*agreed, *(again[at] for at in agreed if at in again)), tuple(missed))


def _find_alias(lines: Sequence[str], at: At, name: str) -> At | None:
    """The name behind an imported one, where it is the same again (`import load as load`)."""
    _, behind = split_line(lines, at)
    match = re.match(rf"{re.escape(name)}\s+as\s+(?={re.escape(name)}\b)", behind)
    return At(at.file, at.line, at.col + utf16_length(match[0])) if match else None


def _find_shared(snapshot: Snapshot, nodes: Sequence[int], uses: Sequence[At]) -> Set[At]:
    """The uses that may as well be of another definition of the name, or, of a member, of something outside."""
    own, name, is_member = frozenset(nodes), snapshot.name_of(nodes[0]), class_of(snapshot, nodes[0]) is not None
    edges, undecided = snapshot.edges, snapshot.unresolved
    rows: list[int] = []
    open_rows: list[int] = []
    for path in dict.fromkeys(at.file for at in uses):
        file = snapshot.by_path[path]
        begin, end = file.base, file.base + file.symbol_count
        rows += range(int(edges.out_start[begin]), int(edges.out_start[end]))
        open_rows += range(int(undecided.out_start[begin]), int(undecided.out_start[end])) if is_member else ()
    kept = [row for row in rows if int(edges.kind[row]) != EdgeKind.CONTAINS and int(edges.target[row]) not in own]

    def may_be(target: int) -> bool:
        return is_member if snapshot.is_external(target) else snapshot.name_of(target) == name

    others = np.array([row for row in kept if may_be(int(edges.target[row]))], dtype=np.int32)
    sites = find_sites_at(snapshot, others, np.array(open_rows, dtype=np.int32))
    return {site.at for site in sites}.intersection(uses)


def find_members_of_values(snapshot: Snapshot, uses: Sequence[At]) -> Asking[set[At]]:
    """Those of uses that are members of a value whose type the server knows, which is no module: they mean nothing that
    is defined in one."""
    asked = [
        at for at in uses if (file := snapshot.by_path.get(at.file)) and by_name()[file.lang].server_texts.module_types
    ]
    lines = yield from read_lines(at.file for at in asked)
    receivers = {at: col for at in asked if (col := _receiver_at(lines.get(at.file, ()), at))}
    facts = (yield tuple(Hover(At(at.file, at.line, col)) for at, col in receivers.items())) if receivers else ()
    found: set[At] = set()
    for at, fact in zip(receivers, facts, strict=True):
        modules = by_name()[snapshot.by_path[at.file].lang].server_texts.module_types
        if isinstance(fact, Found) and not fact.incomplete and fact.value:
            shown = re.search(f"{_unknown(snapshot, at)}|{modules}", fact.value)
            found |= set() if shown else {at}
    return found


def find_members_of_known_types(snapshot: Snapshot, uses: Sequence[At]) -> Asking[set[At]]:
    """Those of uses that are members of a value of a type outside, as the server knows it, which finds nothing wrong
    there: the type has whatever it is asked for (`argparse.Namespace`), and that is no member of the repository's."""
    lines = yield from read_lines(at.file for at in uses)
    receivers = {at: col for at in uses if (col := _receiver_at(lines.get(at.file, ()), at)) and _unknown(snapshot, at)}
    facts = (yield tuple(Hover(At(at.file, at.line, col)) for at, col in receivers.items())) if receivers else ()
    known = [at for at, fact in zip(receivers, facts, strict=True) if _shows_outside(snapshot, at, fact)]
    paths = list(dict.fromkeys(at.file for at in known))
    facts = (yield tuple(map(Diagnostics, paths))) if paths else ()
    said = [one.place for fact in facts if isinstance(fact, Found) for one in fact.value]
    right = {path for path, fact in zip(paths, facts, strict=True) if isinstance(fact, Found) and not fact.incomplete}
    wrong = {(place.file, place.line) for place in said}
    return {at for at in known if at.file in right and (at.file, at.line) not in wrong}


def _shows_outside(snapshot: Snapshot, at: At, fact: Fact) -> bool:
    """Whether a server shows the type of a value, and no class of the repository in it."""
    if (
        not isinstance(fact, Found)
        or fact.incomplete
        or not fact.value
        or re.search(_unknown(snapshot, at), fact.value)
    ):
        return False
    shown = _SHOWN.search(fact.value)
    names = re.findall(r"[^\W\d]\w*", shown[1] if shown else "")
    classes = (node for name in names for node in snapshot.named(name) if snapshot.kind_of(node) in CLASS_KINDS)
    return bool(names) and not any(classes)


def _receiver_at(lines: Sequence[str], at: At) -> int:
    """The column of the word that a member is taken from; 0 where it is taken from something else."""
    before, _ = split_line(lines, at)
    match = _RECEIVER.search(before)
    return utf16_length(before[: match.start()]) + 1 if match else 0


def _is_assigned(lines: Sequence[str], at: At, name: str) -> bool:
    """Whether the name at a place is a target of an assignment, as far as its line says, or the member of a value that
    has got it by one above, which a server shows as what was assigned."""
    before, behind = split_line(lines, at)
    value = _VALUE.search(before)
    above = "\n".join(lines[max(0, at.line - 1 - ABOVE_LINES) : at.line - 1])
    is_given = value is not None and re.search(rf"(?m)^\s*{re.escape(value[0] + name)}\s*=(?!=)", above) is not None
    return is_given or _ASSIGNED.match(behind) is not None


def _unknown(snapshot: Snapshot, at: At) -> str:
    file = snapshot.by_path.get(at.file)
    return "" if file is None else by_name()[file.lang].server_texts.unknown_types


def ask_united(
    snapshot: Snapshot, nodes: Sequence[int], renaming: Renaming, new_name: str, changed: Set[str]
) -> Asking[tuple[list[int], Renaming]]:
    """What is renamed together with `nodes`, these among it, and the edits of the server for all of it. `changed` are
    files that are not as the map knows them."""
    nodes = list(nodes)
    for _ in range(ROUNDS):
        renaming = yield from ask_together(snapshot, nodes[1:], renaming, new_name, changed)
        united = yield from _find_united(snapshot, nodes, renaming.edits, changed)
        if not united:
            break
        nodes += united
    outer = outer_names(snapshot, nodes)
    kept = tuple(edit for edit in renaming.edits if edit.place.at not in outer)
    return nodes, Renaming(kept, renaming.file_operations)


def _find_united(
    snapshot: Snapshot, nodes: Sequence[int], edits: Sequence[Edit], changed: Set[str]
) -> Asking[list[int]]:
    """Those that are not among `nodes`, with what is renamed with each."""
    if not nodes or class_of(snapshot, nodes[0]) is None:
        return []
    own, home, name = set(nodes), snapshot.row_of(nodes[0])[0], snapshot.name_of(nodes[0])
    others = {
        places_of(snapshot, [one])[0]: one
        for one in snapshot.named(name)
        if one not in own
        and class_of(snapshot, one) is not None
        and is_kin(snapshot, snapshot.row_of(one)[0].path, home)
    }
    uses = _find_open(snapshot, own, edits, changed) if others else []
    facts = (yield tuple(map(Definition, uses))) if uses else ()
    defined = {*places_of(snapshot, nodes)}
    found: dict[int, None] = {}
    for fact in facts:
        given = fact.value if isinstance(fact, Found) else ()
        places = {at for place in given for at in places_in(place, name)}
        if not defined.isdisjoint(places):
            found |= dict.fromkeys(one for at, one in others.items() if at in places)
    flowing = yield from find_flowing_kin(snapshot, nodes)
    united = dict.fromkeys(one for each in (*found, *flowing) for one in (each, *renamed_together(snapshot, each)))
    return [one for one in united if one not in own]


def _find_open(snapshot: Snapshot, own: Set[int], edits: Sequence[Edit], changed: Set[str]) -> list[At]:
    """The edited uses of which the map is not sure that they mean nothing else."""
    found: list[At] = []
    for path in dict.fromkeys(edit.place.file for edit in edits if not edit.place.is_external):
        file = snapshot.by_path.get(path)
        if file is None or path in changed:
            continue
        defined = rows_by_name_place(file)
        meant = find_targets(snapshot, range(file.base, file.base + file.symbol_count))
        for edit in edits:
            place = edit.place.line, edit.place.col
            if edit.place.file == path and place not in defined and not (meant.get(place) and meant[place] <= own):
                found.append(edit.place.at)
    return found[:ASKED_MAX]


def places_in(place: Place, name: str) -> tuple[At, ...]:
    """Where the name of a definition may be that a server names: at the beginning, or at the end of a whole member
    (`self.size`); nowhere outside the repository."""
    if place.is_external:
        return ()
    return place.at, At(place.file, place.end_line, place.end_col - utf16_length(name))
