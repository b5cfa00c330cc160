"""What runs where the value of a property is called: `graph.edges()`.

A language server answers with the property, which is read there, not called. What is called is what it returns: where
every `return` makes a value of a class that the server knows, its `__call__` runs; else the call is left open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from bench.accuracy.edges import Definition, Relation, Use
from bench.accuracy.python_sites import Place

Given = Mapping[str, tuple[Place | None, ...]]
"""Key of a property -> what each `return` of it calls, by place in its file."""


def follow_properties(uses: Sequence[Use], definitions: Iterable[Definition], given: Given) -> Iterator[Use]:
    """The uses, each call of the value of a property with what it runs besides."""
    at = {(use.path, use.line, use.col): use for use in uses if use.relation is Relation.CALLS}
    own = {definition.holder: definition.key for definition in definitions if definition.name == "__call__"}
    bases: dict[str, list[str]] = {}
    for use in uses:
        if use.relation is Relation.INHERITS:
            bases.setdefault(use.source, []).extend(use.targets)
    for use in uses:
        read = [target for target in use.targets if target in given] if use.relation is Relation.CALLS else []
        if not read:
            yield use
            continue
        made = [at.get((key.rsplit(":", 2)[0], *place)) if place else None for key in read for place in given[key]]
        called = [_find_call(one.targets, own, bases) if one and one.is_resolved else None for one in made]
        run = {key for key in called if key is not None}
        is_resolved = use.is_resolved and None not in called and bool(called)
        yield msgspec.structs.replace(use, targets=tuple(sorted({*use.targets, *run})), is_resolved=is_resolved)


def _find_call(classes: Sequence[str], own: Mapping[str, str], bases: Mapping[str, Sequence[str]]) -> str | None:
    """The `__call__` of one class or the nearest above it."""
    waiting = list(classes) if len(classes) == 1 else []
    for cls in waiting:
        if cls in own:
            return own[cls]
        waiting += [base for base in bases.get(cls, ()) if base not in waiting]
    return None
