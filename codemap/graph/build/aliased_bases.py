"""Bases that a type names by an alias, or by a variable that holds them: heirs are found behind these, too."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.model.values import CLASS_KINDS, Confidence, Definition, Instance, Meaning

_TYPE_ALIAS = int(SymbolKind.TYPE_ALIAS)
_ALIASES_MAX = 8
"""Aliases of aliases that are followed."""


def find_aliased(ev: Evaluator, base: Definition, confidence: Confidence) -> Iterator[tuple[int, Confidence]]:
    """The types that a base means which is none itself, and how that is known; nothing for a type."""
    meaning = Meaning(confidence, (base,))
    for _ in range(_ALIASES_MAX):
        names = [value for value in meaning.values if isinstance(value, Definition | Instance)]
        if all(ev.kind_of_node(name.node) in CLASS_KINDS for name in names):
            break
        before, meaning = meaning, ev.value_of(meaning)
        if meaning.values == before.values:
            break
    if meaning.values == (base,) or meaning.confidence is Confidence.CANDIDATE:
        return
    types = (Definition, Instance) if ev.kind_of_node(base.node) == _TYPE_ALIAS else (Definition,)
    for value in meaning.values:  # an alias names what values are of, a variable what it holds
        if isinstance(value, types) and ev.kind_of_node(value.node) in CLASS_KINDS:
            yield value.node, max(meaning.confidence, Confidence.TYPE)
