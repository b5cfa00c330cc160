"""Which definitions may stand in for one another at run time: a method, what it overrides, and what overrides it."""

from __future__ import annotations

from collections.abc import Mapping

from bench.accuracy.edges import Oracle, Relation


def families(oracle: Oracle) -> dict[str, frozenset[str]]:
    """Key -> keys of the same-named members above and below, itself included; keys without any are left out."""
    parents: dict[str, set[str]] = {}
    for use in oracle.uses:
        if use.relation is Relation.INHERITS:
            parents.setdefault(use.source, set()).update(use.targets)
    ancestors = {key: _ancestors(key, parents) for key in parents}
    relatives: dict[str, set[str]] = {}
    for key, above in ancestors.items():
        relatives.setdefault(key, set()).update(above)
        for ancestor in above:
            relatives.setdefault(ancestor, set()).add(key)
    members: dict[str, dict[str, str]] = {}
    for definition in oracle.definitions:
        if definition.holder not in ("", definition.key):
            members.setdefault(definition.holder, {})[definition.name] = definition.key
    found: dict[str, frozenset[str]] = {}
    for holder, related in relatives.items():
        for name, key in members.get(holder, {}).items():
            same = {theirs for other in related if (theirs := members.get(other, {}).get(name)) is not None}
            if same:
                found[key] = frozenset((key, *same))
    return found


def _ancestors(key: str, parents: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [key]
    while waiting:
        for parent in parents.get(waiting.pop(), ()):
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found - {key}
