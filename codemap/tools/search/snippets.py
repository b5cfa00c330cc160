"""Puts the first lines of their code beside the best results of a search."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

from codemap.envelope.answer import Answer
from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Found, Source, SourceNow
from codemap.tools.compact import short_id
from codemap.tools.places.current_file import parsed_file
from codemap.tools.tool import Asking


def add_snippets(snapshot: Snapshot, nodes: Sequence[int], count: int, made: Answer) -> Asking[Answer]:
    """Adds the first lines of some nodes, as they are on disk now, to an answer's data."""
    best = [(short_id(snapshot, node), *snapshot.row_of(node)) for node in nodes if not snapshot.is_external(node)]
    paths = list(dict.fromkeys(file.path for _, file, _ in best))
    facts = yield tuple(Source(path) for path in paths)
    now = {path: fact.value for path, fact in zip(paths, facts, strict=True) if isinstance(fact, Found)}
    snippets = {node_id: _cut_code(now[file.path], file, row, count) for node_id, file, row in best if file.path in now}
    assert isinstance(made.data, dict), "the payload of this tool"
    made.data["snippets"] = {node_id: code for node_id, code in snippets.items() if code}
    return made


def _cut_code(source: SourceNow, file: IndexedFile, row: int, count: int) -> str:
    """The first lines of a definition, without their common indentation; empty where the file has it no more."""
    if source.digest != file.stamp.digest:
        parsed = parsed_file(file.path, source)
        now = None if parsed is None else file.row_in(parsed, row)
        if parsed is None or now is None:
            return ""
        file, row = parsed, now
    first, last = (file.cell(row, Symbol.START_LINE), file.cell(row, Symbol.END_LINE)) if row else (1, count)
    lines = source.lines[first - 1 : min(last, first - 1 + count)]
    return dedent("\n".join(line.rstrip() for line in lines))
