"""Why a definition answers a question, in a few letters: which of its words stand where."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import Symbol
from codemap.graph.snapshot import Snapshot
from codemap.graph.words.question import Concept


def reason(snapshot: Snapshot, node: int, concepts: Sequence[Concept]) -> str:
    """Each concept by the first place that has it: `name: flush; doc: pending, changes; body: session`.

    `owner` is the qualified name before the name, or the path.
    """
    file, row = snapshot.row_of(node)
    places = {
        "name": snapshot.name_of(node).lower(),
        "signature": snapshot.text_of(node, Symbol.SIGNATURE).lower(),
        "doc": snapshot.text_of(node, Symbol.DOC).lower(),
        "owner": f"{file.path}#{file.qualified_name(row).rpartition('.')[0]}".lower() if row else "",
    }
    found: dict[str, list[str]] = {**{place: [] for place in places}, "body": []}
    for concept in concepts:
        stands = (place for term, _ in concept.terms for place, text in places.items() if term in text)
        found[next(stands, "body")].append(concept.word)
    return "; ".join(f"{place}: {', '.join(words)}" for place, words in found.items() if words)
