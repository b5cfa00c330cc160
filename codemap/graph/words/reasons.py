"""Why a definition answers a question, in a few letters: which of its words occur where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from codemap.facts import Symbol
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.question import Concept


def reason(snapshot: Snapshot, node: int, concepts: Sequence[Concept]) -> str:
    """Each concept by the first place that has it: `name: flush; doc: pending, changes; body: session`.

    `owner` is the qualified name before the name, or the path.
    """
    found: dict[str, list[str]] = {}
    rest = concepts
    for place, text_of in _PLACES.items():
        text = text_of(snapshot, node).lower()
        here = [concept for concept in rest if any(term in text for term, _ in concept.terms)]
        if here:
            found[place] = [concept.word for concept in here]
            rest = [concept for concept in rest if concept not in here]
        if not rest:
            break
    if rest:
        found["body"] = [concept.word for concept in rest]
    return "; ".join(f"{place}: {', '.join(words)}" for place, words in found.items())


def _owner(snapshot: Snapshot, node: int) -> str:
    file, row = snapshot.row_of(node)
    return f"{file.path}#{file.qualified_name(row).rpartition('.')[0]}" if row else ""


def _signature(snapshot: Snapshot, node: int) -> str:
    return snapshot.text_of(node, Symbol.SIGNATURE)


def _doc(snapshot: Snapshot, node: int) -> str:
    return snapshot.text_of(node, Symbol.DOC)


_PLACES: Mapping[str, Callable[[Snapshot, int], str]] = MappingProxyType(
    {"name": Snapshot.name_of, "signature": _signature, "doc": _doc, "owner": _owner}
)
