"""Who has a framework run a function: those that a test framework gives what a fixture makes, as they name it as a
parameter; those that send what the function is registered for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from codemap.envelope.answer import Answer
from codemap.facts import Symbol
from codemap.file_roles import Role
from codemap.graph.frameworks.event_handlers import Sent, senders_of
from codemap.graph.frameworks.injected_parameters import INJECTED, is_fixture
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import At
from codemap.mentions.account import Account, Ledger
from codemap.tools.compact import Row, group_by_file, row_place
from codemap.tools.params import ListParams
from codemap.tools.row_selection import place_of, sift


def find_users(snapshot: Snapshot, fixtures: Collection[int], name: str | None = None) -> list[int]:
    """The functions that get one of some fixtures, in node order; with `name`, under that alone."""
    own = set(fixtures)
    given = {
        user
        for (user, taken), its in INJECTED.of(snapshot).items()
        if (name is None or taken == name) and not own.isdisjoint(its)
    }
    return sorted(user for user in given if not is_called(snapshot, user))


def find_shown_users(snapshot: Snapshot, node: int, params: ListParams, own: Role) -> Sequence[int]:
    """The functions that a node of a role is run for, as far as the call wants them; none of what is no fixture."""
    if not is_fixture(snapshot, node):
        return ()
    return sift(find_users(snapshot, (node,)), lambda one: place_of(snapshot, one), params, own).rows


def is_called(snapshot: Snapshot, function: int) -> bool:
    """Whether a function gets its arguments from calls, not from a framework."""
    is_used = any(edge.kind is EdgeKind.CALLS for edge in snapshot.edges_in(function))
    return is_used and not is_fixture(snapshot, function)


def find_parameters(snapshot: Snapshot, users: Iterable[int], ledger: Ledger | None) -> dict[int, At]:
    """Function -> where its parameter is, of those whose fixture has the name that the ledger is about."""
    found: dict[int, At] = {}
    waiting = set(users)
    for one in () if ledger is None else ledger.mentions:
        file = snapshot.by_path.get(one.path)
        if one.account is not Account.PARAMETERS or file is None:
            continue
        node = file.base + file.innermost_row(one.line)
        if node in waiting and (one.line, one.col) > (
            snapshot.cell(node, Symbol.LINE),
            snapshot.cell(node, Symbol.COL),
        ):
            found.setdefault(node, At(one.path, one.line, one.col))
    return found


def with_users_of_fixture(
    found: Answer, snapshot: Snapshot, users: Sequence[int], parameters: Mapping[int, At]
) -> Answer:
    """The answer with the functions that a fixture is run for, each with the line of its parameter, where that is
    known."""
    if not users:
        return found
    lines = {node: at.line for node, at in parameters.items()}
    rows = (Row(*row_place(snapshot, one), [str(lines.get(one) or snapshot.cell(one, Symbol.LINE))]) for one in users)
    data = {**found.data, "givenTo": group_by_file(rows)}
    data.pop("emptyBecause", None)
    return replace(found, data=data)


def with_senders(found: Answer, snapshot: Snapshot, node: int, params: ListParams, own: Role) -> Answer:
    """The answer with who sends what a function of a role is registered for, and to what, as far as the call wants
    them."""
    if snapshot.is_external(node):
        return found
    sent = senders_of(snapshot, np.array([node], dtype=np.int32)).get(node, ())
    shown = sift(sent, lambda one: place_of(snapshot, one.sender), params, own).rows
    if not shown:
        return found
    rows = (_sender_row(snapshot, one) for one in shown)
    data = {**found.data, "sentBy": group_by_file(rows)}
    data.pop("emptyBecause", None)
    return replace(found, data=data)


def _sender_row(snapshot: Snapshot, sent: Sent) -> Row:
    line = sent.line or snapshot.cell(sent.sender, Symbol.LINE)
    to = [f"to {snapshot.name_of(sent.variable)}"] if sent.line else []
    return Row(*row_place(snapshot, sent.sender), [str(line)], to)
