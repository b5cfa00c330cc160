"""What extraction, the graph, an edit and a query cost, held to the committed counts (`costs.md`)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import trio

from codemap.extract.extract import extract
from codemap.graph.build.build import build, extracted
from codemap.graph.model.indexed_file import Extracted
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.languages import language_of
from codemap.tools import World
from tests import literate
from tests.costs import ROOT, held_bytes, instructions, syntax_nodes
from tests.coverage import folders
from tests.tools.calls import answered, tool_named

DOCUMENT = Path(__file__).parent / "costs.md"
COUNTED_WITH = (3, 11)
"""The version of Python whose instructions the document counts."""
MORE_AT_MOST, LESS_AT_MOST = 1.05, 0.85
"""A count beyond is a regression; one far below is to be written down, so that it is kept."""
OTHERS_AT_MOST = 1.3
"""For other versions, which cut their instructions otherwise."""
REAL = ("*.py", "_core/*.py")
"""Sources of Trio, which the project depends on and others write: a graph that no change of the project changes."""
EDITED, LINE = "trio/_core/_run.py", b"        return GLOBAL_RUN_CONTEXT.task\n"
CALLS = {
    "map_search": '{"query": "open_nursery"}',
    "map_neighbors": '{"nodeId": "py:trio/_core/_run.py#open_nursery"}',
    "map_overview": "{}",
}
_ROW = re.compile(r"^\| (.+?) \| ([\d,.]+) \| (.+?) \|$", re.MULTILINE)


def test_nothing_costs_more_than_committed(request: pytest.FixtureRequest) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    found = dict(_costs())
    if request.config.getoption("update"):
        head = text[: text.index("| what |")]
        rows = [f"| {what} | {_spelled(count)} | {unit} |" for (what, unit), count in found.items()]
        DOCUMENT.write_text("\n".join([f"{head}| what | count | unit |\n|---|---|---|", *rows, ""]), encoding="utf-8")
        return
    kept = {(what, unit): float(count.replace(",", "")) for what, count, unit in _ROW.findall(text)}
    assert found.keys() == kept.keys(), "pytest --update writes the document"
    if sys.version_info[:2] == COUNTED_WITH:
        most, least = MORE_AT_MOST, LESS_AT_MOST
    else:
        most, least = OTHERS_AT_MOST, 0.0
    differing = {what: (kept[what], found[what]) for what in kept if not least <= found[what] / kept[what] <= most}
    assert not differing


def _spelled(count: float) -> str:
    return f"{count:,.0f}" if count >= 100 else f"{count:.3g}"


def _costs() -> Iterator[tuple[tuple[str, str], float]]:
    for title, sources in _sources():
        nodes = sum(syntax_nodes(path, source) for path, source in sources)
        steps = instructions(lambda sources=sources: [extract(*each) for each in sources])
        yield (f"extraction, {title}", "instructions a syntax node"), steps / nodes
    yield from _graph_costs(_real_sources())


def _sources() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Real files, and of each language the examples of its literate tests."""
    yield "sources of Trio", list(_real_sources().items())
    for folder, language in sorted(folders(), key=lambda each: each[1].title.lower()):
        documents = sorted((ROOT / "tests" / "languages" / folder).glob("*.md"))
        cases = [case for document in documents for case in literate.cases(document.read_text(encoding="utf-8"))]
        files = [
            (path, source) for case in cases for path, source in case.files.items() if language_of(path) is language
        ]
        yield f"examples of {language.title}", files


def _real_sources() -> dict[str, bytes]:
    package = Path(trio.__file__).parent
    paths = [path for pattern in REAL for path in sorted(package.glob(pattern))]
    return {path.relative_to(package.parent).as_posix(): path.read_bytes() for path in paths}


def _graph_costs(sources: Mapping[str, bytes]) -> Iterator[tuple[tuple[str, str], float]]:
    facts = {path: extracted(path, source) for path, source in sources.items()}
    snapshot = _built(None, facts)
    whole = instructions(lambda: _built(None, facts))
    yield ("the graph", "instructions an edge"), whole / len(snapshot.edges.source)
    edited = {EDITED: extracted(EDITED, sources[EDITED].replace(LINE, b"        GLOBAL_RUN_CONTEXT.task\n" + LINE, 1))}
    assert edited[EDITED].facts != facts[EDITED].facts
    yield ("an edit of a function body", "instructions"), instructions(lambda: _built(snapshot, edited))
    world = World(snapshot=snapshot)
    for name, arguments in CALLS.items():
        tool = tool_named(name)
        params = json.loads(arguments)
        cost = instructions(lambda tool=tool, params=params: answered(world, tool, params))
        yield (f"{name} `{arguments}`", "instructions"), cost
    held, most = held_bytes(lambda: _built(None, facts))
    size = sum(map(len, sources.values()))
    yield ("memory of the graph", "bytes a source byte"), held / size
    yield ("memory while it is built", "bytes a source byte"), most / size
    packed, _ = held_bytes(lambda: [extract(path, source) for path, source in sources.items()])
    yield ("memory of the facts", "bytes a source byte"), packed / size


def _built(previous: Snapshot | None, changed: Mapping[str, Extracted]) -> Snapshot:
    return finish(build(previous, changed, frozenset(), {}, built_at="2000-01-01T00:00:00Z"))
