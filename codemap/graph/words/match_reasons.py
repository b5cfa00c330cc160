"""Why a definition answers a question, in a few letters: which of its words occur where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from codemap.facts import Symbol
from codemap.graph.index.terms import SUBWORDS, stem, term_of
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.question import Concept


def reason(snapshot: Snapshot, node: int, concepts: Sequence[Concept]) -> str:
    """Each concept by the first place that has it: `name: flush; doc: pending, rows for changes; body: session`.

    `rows for changes`: the place has a word that may mean what was asked for. `owner` is the qualified name before the
    name, or the path.
    """
    found: dict[str, list[str]] = {}
    rest = concepts
    file, row = snapshot.row_of(node)
    for place, text_of in _PLACES.items():
        words = SUBWORDS.findall(text_of(file, row))
        word_of = {term_of(word): word for word in reversed(words)}
        if place == "name":
            joined = [first + second for first, second in pairwise(word.lower() for word in words if term_of(word))]
            word_of = {stem(word): word for word in joined} | word_of
        here = {concept: shown for concept in rest if (shown := _show(concept, word_of))}
        if here:
            found[place] = list(dict.fromkeys(here.values()))
            rest = [concept for concept in rest if concept not in here]
        if not rest:
            break
    if rest:
        found["body"] = [concept.word for concept in rest]
    return "; ".join(f"{place}: {', '.join(words)}" for place, words in found.items())


def _show(concept: Concept, word_of: Mapping[str, str]) -> str:
    """The word of a concept, where a place has it; else that of the place, by its stem, which may mean it."""
    own = concept.terms[0][0]
    if own in word_of and not concept.is_respelt:
        return concept.word
    return next((f"{word_of[term].lower()} for {concept.word}" for term, _ in concept.terms if term in word_of), "")


def _name(file: IndexedFile, row: int) -> str:
    return file.name_of(row) if row else file.path.rpartition("/")[2]


def _signature(file: IndexedFile, row: int) -> str:
    return file.text_of(row, Symbol.SIGNATURE)


def _doc(file: IndexedFile, row: int) -> str:
    return file.text_of(row, Symbol.DOC)


def _owner(file: IndexedFile, row: int) -> str:
    return f"{file.path}#{file.qualified_name(row).rpartition('.')[0]}" if row else ""


_PLACES: Mapping[str, Callable[[IndexedFile, int], str]] = MappingProxyType(
    {"name": _name, "signature": _signature, "doc": _doc, "owner": _owner}
)
