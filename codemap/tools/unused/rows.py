"""How unused definitions are shown: sections by tier, rows by file; or an object each.

    {"tier": "likely", "rows": {"app/store.py": ["Store.prune 31 public", "_old 40-62 only by Store.prune"]}}

A row has the line of the definition, what is unused itself and uses it, and the reasons to doubt that it is unused,
each with the first of its places. Many constants of one owner of which all of that is the same share a row, which has
the name of the owner and their lines: `Status 81,82,87 constants public`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from codemap.facts import Symbol, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.compact import Row, group_by_file, row_place, short_id
from codemap.tools.impact.params import TIER_NAMES
from codemap.tools.tool import World
from codemap.tools.unused.params import WHY_NAMES, ReasonView, UnusedView
from codemap.tools.view import node_place
from codemap.unused.evidence import Finding, Reason

CONSTANTS_MIN = 5
"""Constants that share a row."""


def compact_rows(world: World, snapshot: Snapshot, findings: Sequence[Finding]) -> list[UnusedView]:
    listed: dict[int, list[Finding]] = {}
    for finding in findings:
        listed.setdefault(finding.tier, []).append(finding)
    return [
        {"tier": TIER_NAMES[tier], "rows": group_by_file(_rows(world, snapshot, some))}
        for tier, some in sorted(listed.items())
    ]


def full_rows(world: World, snapshot: Snapshot, findings: Sequence[Finding]) -> list[UnusedView]:
    return [_view(world, snapshot, finding) for finding in findings]


def _rows(world: World, snapshot: Snapshot, findings: Sequence[Finding]) -> Iterator[Row]:
    """A row for each, or for all constants of an owner that have the same words, in the place of the first."""
    made = [(finding, _row(world, snapshot, finding)) for finding in findings]
    alike: dict[tuple[int, tuple[str, ...]], list[Row]] = {}
    for finding, row in made:
        if (owner := _owner_of_constant(snapshot, finding)) >= 0:
            alike.setdefault((owner, tuple(row.words)), []).append(row)
    for finding, row in made:
        owner = _owner_of_constant(snapshot, finding)
        rows = alike.get((owner, tuple(row.words)), [])
        if len(rows) < CONSTANTS_MIN:
            yield row
        elif row is rows[0]:
            lines = list(dict.fromkeys(line for one in rows for line in one.lines))
            yield Row(row.file, row_place(snapshot, owner)[1], lines, ["constants", *row.words])


def _owner_of_constant(snapshot: Snapshot, finding: Finding) -> int:
    """The node around a variable or field with nothing in it; -1 for others."""
    columns = columns_of(snapshot)
    is_constant = columns.kind[finding.node] in (SymbolKind.VARIABLE, SymbolKind.PROPERTY) and not finding.inside
    return int(columns.parent[finding.node]) if is_constant else -1


def _row(world: World, snapshot: Snapshot, finding: Finding) -> Row:
    file, name = row_place(snapshot, finding.node)
    words = [] if name else ["(whole file)"]
    words += [f"({finding.inside} inside)"] if finding.inside else []
    if finding.users:
        rest = finding.users_count - len(finding.users)
        users = ",".join(_called(snapshot, user) for user in finding.users)
        words.append(f"only by {users}{f',+{rest}' if rest else ''}")
    if finding.reasons:
        words.append("; ".join(_text(snapshot, reason, file) for reason in finding.reasons))
    words += ["stale"] if world.disk.differs(file) else []
    return Row(file, name, [str(snapshot.cell(finding.node, Symbol.LINE))] if name else [], words)


def _text(snapshot: Snapshot, reason: Reason, file: str) -> str:
    """`string app/x.py:3 (4)`; the path is left out where it is that of the row."""
    words = [WHY_NAMES[reason.why]]
    if reason.user >= 0 and reason.place is None:
        words.append(f"by {_called(snapshot, reason.user)}")
    if reason.place is not None:
        words.append(f"{reason.place.path if reason.place.path != file else ''}:{reason.place.line}")
    words += [f"({reason.count})"] if reason.count > 1 else []
    return " ".join(words)


def _called(snapshot: Snapshot, node: int) -> str:
    file, row = snapshot.row_of(node)
    return file.qualified_name(row) or file.path


def _view(world: World, snapshot: Snapshot, finding: Finding) -> UnusedView:
    view = cast("UnusedView", node_place(world, snapshot, finding.node))
    view["tier"] = TIER_NAMES[finding.tier]
    if finding.reasons:
        view["reasons"] = [_reason(snapshot, reason) for reason in finding.reasons]
    if finding.users:
        view["users"] = [short_id(snapshot, user) for user in finding.users]
    if finding.inside:
        view["inside"] = finding.inside
    return view


def _reason(snapshot: Snapshot, reason: Reason) -> ReasonView:
    view: ReasonView = {"why": WHY_NAMES[reason.why], "count": reason.count}
    if reason.place is not None:
        view["file"], view["line"] = reason.place.path, reason.place.line
    if reason.user >= 0:
        view["user"] = short_id(snapshot, reason.user)
    return view
