"""Finds uses of functions that are values now, and of values that are functions now: the one is called, the other read.

A field may hold a function, so that only what a property is or was is sure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from codemap.changes.changed_definitions import Change, Pair, What
from codemap.changes.version import Version
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.breakage.not_adapted import Left, node_of
from codemap.impact.breakage.standing import standing

_FUNCTIONS = (int(SymbolKind.FUNCTION), int(SymbolKind.METHOD))
_VALUES = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))
_CALLS, _READS = (EdgeKind.CALLS,), (EdgeKind.REFERENCES, EdgeKind.CALLS)


def has_other_kinds(changes: Sequence[Change], pairs: Mapping[str, Pair]) -> bool:
    return any(True for _ in _turned(changes, pairs))


def uses_of_another_kind(
    changes: Sequence[Change], pairs: Mapping[str, Pair], before: Snapshot, after: Snapshot
) -> tuple[Left, ...]:
    """The uses that the change left as they were, by file and line."""
    found = []
    for change, is_function, is_guess in _turned(changes, pairs):
        node, now = node_of(before, change.before), node_of(after, change.after)
        if node is None or now is None:
            continue
        used = after.qualified_name_of(now)
        why = "is a function now, and read" if is_function else "is no function now, and called"
        lines: dict[int, set[int]] = {}
        for edge in before.edges_in(node, _READS if is_function else _CALLS):
            if edge.kind is EdgeKind.CALLS and is_function and is_guess:
                continue  # what it held was called
            known = standing(edge, pairs, before, after)
            if known is not None:
                lines.setdefault(known[0], set()).update(line for line, _ in known[1])
        for user, numbers in lines.items():
            file, row = after.row_of(user)
            name = file.qualified_name(row)
            found.append(Left(file.path, min(numbers), name, tuple(sorted(numbers)), used, why, is_guess))
    return tuple(sorted(found))


def _turned(changes: Sequence[Change], pairs: Mapping[str, Pair]) -> Iterator[tuple[Change, bool, bool]]:
    """(change, whether it is a function now, whether that says little) of what was a function, or is one now."""
    for change in changes:
        if change.what is not What.SIGNATURE or change.before is None or change.after is None:
            continue
        old, new = pairs[change.before.file].before, pairs[change.after.file].after
        if old is None or new is None:
            continue
        was, now = _is_function(old, change.before.row), _is_function(new, change.after.row)
        if was is not None and now is not None and was != now:
            version, row = (old, change.before.row) if now else (new, change.after.row)
            yield change, now, not version.cell(row, Symbol.FLAGS) & SymbolFlag.ACCESSOR


def _is_function(version: Version, row: int) -> bool | None:
    """None for what is neither a function nor a value."""
    kind = version.cell(row, Symbol.KIND)
    if kind in _VALUES or version.cell(row, Symbol.FLAGS) & SymbolFlag.ACCESSOR:
        return False
    return True if kind in _FUNCTIONS else None
