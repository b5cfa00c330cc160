"""What the fuzz tests of languages share: how sources are broken, and what must hold of the facts of any source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from codemap.facts import FileFacts, Symbol, rows

Edits = list[tuple[float, float, bytes]]
"""Where (a share of the source), how much is taken out (another share), and what is put there."""


def sources_beside(test: str, fence: str) -> list[bytes]:
    """The sources in the documents beside a test file, as their fences call the language."""
    block = re.compile(rf"^```{fence} \S+\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [
        source.encode()
        for document in sorted(Path(test).parent.glob("*.md"))
        for source in block.findall(document.read_text(encoding="utf-8"))
    ]


def edits_of(fragments: Sequence[bytes]) -> st.SearchStrategy[Edits]:
    """A few edits that put one of the fragments, or any bytes, in the place of little."""
    texts = st.one_of(st.sampled_from(fragments), st.binary(max_size=4))
    return st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.05), texts), max_size=8)


def mutated(source: bytes, edits: Edits, end: float) -> bytes:
    """The source after the edits, up to a share of what it is then; whole where that share is nothing."""
    for at, length, text in edits:
        start = int(at * len(source))
        source = source[:start] + text + source[start + int(length * len(source)) :]
    return source[: int(end * len(source)) or None]


def check(facts: FileFacts, source: bytes) -> None:
    """Errors are within the source, and definitions on its lines."""
    assert 0 <= facts.error_bytes <= len(source)
    lines = source.count(b"\n") + 1
    cells = rows(facts.symbols)
    for row in range(len(cells) // Symbol.WIDTH):
        first, last = cells[row * Symbol.WIDTH + Symbol.START_LINE], cells[row * Symbol.WIDTH + Symbol.END_LINE]
        assert 1 <= first <= last <= lines


def names_of(facts: FileFacts) -> list[str]:
    """The names of all definitions, in source order."""
    cells = rows(facts.symbols).tolist()
    return [facts.names[cells[at]] for at in range(Symbol.WIDTH, len(cells), Symbol.WIDTH)]
