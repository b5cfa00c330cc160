"""Asks a language server what it knows of uses of a name: whether they mean what is renamed.

A server may know what is meant and name no place, as of what it knows from declarations that are part of itself. Then
it still shows its type, and of what it does not know that nothing is known (`Language.unknown_types`). The type of what
is assigned to says nothing: it is that of the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from enum import Enum, auto

from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.live_queries import At, Definition, Diagnostics, Fact, Found, Hover
from codemap.tools.nav.places.rows import utf16_length
from codemap.tools.nav.rename.texts import read_lines, split_line
from codemap.tools.tool import Asking

_SHOWN = re.compile(r"```\w*\n(.*?)\n```", re.DOTALL)
_RECEIVER = re.compile(r"[^\W\d]\w*(?=\.\Z)")
_ASSIGNED = re.compile(r"[\w$]+\s*(?:,[\w\s.,*\[\]]*|:[^=]*)?(?:[-+*/%&|^@]|//|<<|>>|\*\*|:)?=(?![=>])")


class Knowledge(Enum):
    OWN = auto()
    """It means what is renamed."""
    OTHER = auto()
    """It means something else, or may do so."""
    NOTHING = auto()
    """The server knows nothing of it."""
    UNSURE = auto()
    """There was no answer, or one that may lack something."""


def ask_knowledge(snapshot: Snapshot, uses: Sequence[At], edited: Set[At]) -> Asking[list[Knowledge]]:
    """For each use; `edited` are the places that mean what is renamed."""
    facts = (yield tuple(map(Definition, uses))) if uses else ()
    found: dict[At, Knowledge] = {}
    for at, fact in zip(uses, facts, strict=True):
        if not isinstance(fact, Found) or fact.incomplete:
            found[at] = Knowledge.UNSURE
        elif not fact.value:
            found[at] = Knowledge.NOTHING
        else:
            is_own = all(not place.is_external and place.at in edited for place in fact.value)
            found[at] = Knowledge.OWN if is_own else Knowledge.OTHER
    unplaced = [at for at in uses if found[at] is Knowledge.NOTHING and _unknown(snapshot, at)]
    lines = yield from read_lines(at.file for at in unplaced)
    unplaced = [at for at in unplaced if not _is_assigned(lines.get(at.file, ()), at)]
    facts = (yield tuple(map(Hover, unplaced))) if unplaced else ()
    for at, fact in zip(unplaced, facts, strict=True):
        if isinstance(fact, Found) and fact.value and not re.search(_unknown(snapshot, at), fact.value):
            found[at] = Knowledge.OTHER
    return [found[at] for at in uses]


def find_members_of_values(snapshot: Snapshot, uses: Sequence[At]) -> Asking[set[At]]:
    """Those of uses that are members of a value whose type the server knows, which is no module: they mean nothing that
    is defined in one."""
    asked = [at for at in uses if (file := snapshot.by_path.get(at.file)) and by_name()[file.lang].module_types]
    lines = yield from read_lines(at.file for at in asked)
    receivers = {at: col for at in asked if (col := _receiver_at(lines.get(at.file, ()), at))}
    facts = (yield tuple(Hover(At(at.file, at.line, col)) for at, col in receivers.items())) if receivers else ()
    found: set[At] = set()
    for at, fact in zip(receivers, facts, strict=True):
        modules = by_name()[snapshot.by_path[at.file].lang].module_types
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


def _is_assigned(lines: Sequence[str], at: At) -> bool:
    """Whether the name at a place is a target of an assignment, as far as its line says."""
    _, behind = split_line(lines, at)
    return _ASSIGNED.match(behind) is not None


def _unknown(snapshot: Snapshot, at: At) -> str:
    file = snapshot.by_path.get(at.file)
    return "" if file is None else by_name()[file.lang].unknown_types
