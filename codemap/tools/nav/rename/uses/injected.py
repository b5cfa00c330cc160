"""Renames a test fixture together with the parameters that are given it.

Rules of the file:
- A framework gives a fixture to each function that names it as a parameter: to no server is that a use. The server is
  asked to rename the parameter, which edits the body of the function as well. What it does not rename is missed.
- Of several fixtures of one name, a function gets the nearest; those that others get stay, and so does the parameter of
  a function that code calls, which is no fixture itself.
- A string that the framework reads as the name of a fixture (`usefixtures("server")`) is edited, too; any other in a
  decorator that is the name and nothing else may be one (`parametrize("server", …, indirect=True)`).
- To rename such a parameter alone would leave it without its fixture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from codemap.facts import Symbol
from codemap.graph.frameworks.injected_parameters import INJECTED, is_fixture, sees
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Edit, Found, Rename, Renaming
from codemap.mentions.account import Account, Ledger
from codemap.tools.framework_runs import find_parameters, find_users, is_called
from codemap.tools.mentions import ask_ledger
from codemap.tools.nav.rename.uses.together import places_of
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

ASKED_MAX = 1000
"""Parameters that the server is asked to rename; more are missed."""
_LINES_BEFORE = 4
"""Lines before a string in which the call that it is in may begin."""


class Injected(msgspec.Struct, frozen=True):
    renaming: Renaming
    """With the edits for the parameters."""
    of_parameters: frozenset[Edit] = frozenset()
    """These edits: in the functions the name means the parameter, whatever the map takes its value for."""
    missed: tuple[At, ...] = ()
    """The parameters that the server does not rename."""
    unplaced: tuple[At, ...] = ()
    """The functions whose parameter is not found in the text."""
    certain: tuple[At, ...] = ()
    """Strings that name the fixture."""
    possible: tuple[At, ...] = ()
    """Strings that may name it."""


def ask_injected(snapshot: Snapshot, nodes: Sequence[int], renaming: Renaming, new_name: str) -> Asking[Injected]:
    """What a rename of some nodes, in which the server makes the given edits, has to change besides, where they are
    fixtures."""
    fixtures = [node for node in nodes if is_fixture(snapshot, node)]
    if not fixtures:
        return Injected(renaming)
    name = snapshot.name_of(nodes[0])
    users = find_users(snapshot, fixtures, name)
    ledger = yield from ask_ledger(snapshot, nodes[0], lambda _path: True)
    said = {edit.place.at for edit in renaming.edits}
    parameters = find_parameters(snapshot, users, ledger)
    asked = [at for at in parameters.values() if at not in said][:ASKED_MAX]
    facts = (yield tuple(Rename(at, new_name) for at in asked)) if asked else ()
    further: dict[Edit, None] = {}
    for at, fact in zip(asked, facts, strict=True):
        if isinstance(fact, Found) and not fact.incomplete and any(edit.place.at == at for edit in fact.value.edits):
            further |= dict.fromkeys(fact.value.edits)
            said.add(at)
    certain, possible = yield from _find_strings(snapshot, fixtures, name, ledger)
    return Injected(
        Renaming(tuple(dict.fromkeys((*renaming.edits, *further))), renaming.file_operations),
        frozenset(further),
        tuple(at for at in parameters.values() if at not in said),
        tuple(places_of(snapshot, [user for user in users if user not in parameters])),
        tuple(certain),
        tuple(possible),
    )


def given_to(snapshot: Snapshot, at: At, name: str) -> list[At]:
    """The fixtures that a parameter of a name gets, of the function around a place."""
    file = snapshot.by_path.get(at.file)
    if file is None:
        return []
    node: int | None = file.base + file.innermost_row(at.line)
    while node is not None and (node, name) not in INJECTED.of(snapshot):
        node = snapshot.parent_of(node)
    return [] if node is None or is_called(snapshot, node) else places_of(snapshot, INJECTED.of(snapshot)[node, name])


def _find_strings(
    snapshot: Snapshot, fixtures: Sequence[int], name: str, ledger: Ledger | None
) -> Asking[tuple[list[At], list[At]]]:
    """Those that are the name and nothing else, in what sees one of the fixtures: certain ones, and possible ones."""
    places: list[At] = []
    for one in () if ledger is None else ledger.mentions:
        file = snapshot.by_path.get(one.path)
        if one.account is Account.STRINGS and file is not None:
            around = file.base + file.innermost_row(one.line)
            if any(sees(snapshot, around, fixture) for fixture in fixtures):
                places.append(At(one.path, one.line, one.col))
    lines = yield from read_lines(at.file for at in places)
    certain: list[At] = []
    possible: list[At] = []
    for at in places:
        before, after = split_line(lines.get(at.file, ()), at)
        injection = by_name()[snapshot.by_path[at.file].lang].injection
        if before[-1:] in ("'", '"') and after[len(name) :][:1] == before[-1:] and injection is not None:
            text = "\n".join((*lines[at.file][max(0, at.line - 1 - _LINES_BEFORE) : at.line - 1], before))
            certain += [at] if (is_certain := re.search(injection.named_in, text) is not None) else []
            possible += [at] if not is_certain and _is_in_decorator(snapshot, at) else []
    return certain, possible


def _is_in_decorator(snapshot: Snapshot, at: At) -> bool:
    """Whether a place is before the name of the definition that it belongs to."""
    file = snapshot.by_path[at.file]
    row = file.innermost_row(at.line)
    return row > 0 and at.line < file.cell(row, Symbol.LINE)
