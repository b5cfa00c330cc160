"""Sources and configuration files of all languages: from broken bytes to a map that is asked questions.

Seeds are the cases of the literate tests, whole repositories in small; several of their files are broken at a time.

Rules of the file:
- A map that came by an edit equals one made from scratch, of broken files as of good ones.
- Replies keep to their budget whatever the names, signatures and docs are made of.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from bench.fuzz.mutation import encoded, mutated, mutated_json
from bench.fuzz.target import Broken, Inputs, shown
from codemap.extract.extract import extract
from codemap.facts import FileFacts
from codemap.graph.build.build import build, build_snapshot, extracted
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.dump import edge_lines
from codemap.languages import language_of
from codemap.packed.packed_facts import pack_facts, unpack_facts
from codemap.tools import World
from tests.languages.fuzzing import check
from tests.literate import cases
from tests.tools.calls import reply

Files = Mapping[str, bytes]

DOCUMENTS = Path(__file__).parents[2] / "tests"
BROKEN_MAX = 3
"""Files of one input that are broken."""
PIECE_MAX = 40
REPEATED = 700
GROWTH_MAX = 5.0
"""Four is what a square gives: a name is looked up through as many scopes as are nested. Nothing costs more."""
GROWTH_FROM_S = 1.0
TAKEN_MAX_S = 6.0
"""Of processor time, for some 50 kB; after ten a worker gives a file up."""
_WORD = re.compile(rb"[^\W\d]\w*|[^\w\s]+")
_WORDS_MAX = 400
CALLS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("map_overview", {"diagram": True}),
    ("map_search", {"limit": 100}),
    ("map_neighbors", {"depth": 3, "diagram": True}),
    ("map_path", {"includeReferences": True, "diagram": True}),
    ("map_status", {}),
)


@cache
def seeds() -> tuple[Files, ...]:
    """The files of every case that has some, in the order of the documents."""
    documents = sorted([*DOCUMENTS.glob("languages/*/*.md"), *DOCUMENTS.glob("graph/*.md")])
    return tuple(case.files for document in documents for case in cases(document.read_text("utf-8")) if case.files)


@cache
def configured() -> tuple[Files, ...]:
    """Those among the seeds that have configuration files."""
    return tuple(files for files in seeds() if any(language_of(path) is None for path in files))


@cache
def _beside(ending: str) -> tuple[bytes, ...]:
    """Sources of one ending, to borrow from."""
    return tuple(source for files in seeds() for path, source in files.items() if path.endswith(ending))


@cache
def _words(ending: str) -> tuple[bytes, ...]:
    """The words and marks of the sources of one ending, the commonest of both."""
    found: dict[bytes, int] = {}
    for source in _beside(ending):
        for word in _WORD.findall(source):
            found[word] = found.get(word, 0) + 1
    return tuple(sorted(found, key=lambda word: (-found[word], word))[:_WORDS_MAX])


def fuzz_sources(inputs: Inputs) -> None:
    for random in inputs:
        files = random.choice(seeds())
        paths = [path for path in files if language_of(path) is not None]
        broken = {path: _broken_source(random, path, files[path]) for path in _some(random, paths)}
        _map_of(random, files, broken)


def fuzz_configs(inputs: Inputs) -> None:
    for random in inputs:
        files = random.choice(configured())
        paths = [path for path in files if language_of(path) is None]
        broken = {path: broken_config(random, path, files[path]) for path in _some(random, paths)}
        _map_of(random, files, broken)


def fuzz_growth(inputs: Inputs) -> None:
    """A piece of a source, twice as often, takes twice as long: what grows faster is what attackers look for."""
    for random in inputs:
        files = random.choice(seeds())
        path = random.choice(sorted(path for path in files if language_of(path) is not None) or ["a.py"])
        source = files.get(path, b"")
        at = random.randint(0, len(source))
        piece = source[at : at + random.randint(1, PIECE_MAX)]
        short, long = (source[:at] + piece * count + source[at:] for count in (REPEATED, 2 * REPEATED))
        took, took_more = _seconds(path, short), _seconds(path, long)
        if took_more > TAKEN_MAX_S or (took_more > GROWTH_FROM_S and took_more > GROWTH_MAX * took):
            raise Broken(f"{path} took {took:.2f} s, and {took_more:.2f} s with twice as many of {piece!r} at {at}")


def _seconds(path: str, source: bytes) -> float:
    """Processor time of an extraction, the better of two."""
    times = []
    for _ in range(2):
        start = time.process_time()
        extract(path, source)
        times.append(time.process_time() - start)
    return min(times)


def broken_config(random: Random, path: str, source: bytes) -> bytes:
    """By its values where it is JSON, else by its bytes."""
    if path.endswith((".json", ".lock")) and random.random() < 0.6:
        try:
            return encoded(random, mutated_json(random, msgspec.json.decode(source)))
        except msgspec.MsgspecError:
            pass  # with comments, or broken already
    ending = path[path.rfind(".") :]
    return mutated(random, source, _beside(ending), _words(ending))


def _broken_source(random: Random, path: str, source: bytes) -> bytes:
    ending = path[path.rfind(".") :]
    return mutated(random, source, _beside(ending), _words(ending))


def _some(random: Random, paths: Sequence[str]) -> list[str]:
    return random.sample(sorted(paths), min(len(paths), random.randint(1, BROKEN_MAX)))


def _map_of(random: Random, files: Files, broken: Files) -> None:
    after = {**files, **broken}
    for path, source in broken.items():
        if language_of(path) is not None:
            facts = extracted(path, source).facts
            check(facts, source)
            _check_packing(facts, path, source)
    snapshot = build_snapshot(after)
    if random.random() < 0.3:
        _check_edit(files, broken, snapshot)
    _check_replies(random, snapshot, broken)


def _check_packing(facts: FileFacts, path: str, source: bytes) -> None:
    if unpack_facts(pack_facts(facts)) != facts:
        raise Broken(f"facts of {path} are others after packing: {shown(source)}")


def _check_edit(files: Files, broken: Files, expected: Snapshot) -> None:
    before = build_snapshot(files)
    changed = {path: extracted(path, source) for path, source in broken.items() if language_of(path) is not None}
    configs = {path: source for path, source in {**files, **broken}.items() if language_of(path) is None}
    edited = finish(build(before, changed, frozenset(), configs, built_at=expected.built_at))
    if edge_lines(edited) != edge_lines(expected):
        raise Broken(f"an edit gives other edges than a build from scratch: {_shown(broken)}")


def _check_replies(random: Random, snapshot: Snapshot, broken: Files) -> None:
    nodes = [snapshot.id_of(random.randrange(snapshot.node_count)) for _ in range(2)] if snapshot.node_count else []
    named: Mapping[str, Mapping[str, Any]] = {
        "map_search": {"query": _name_in(nodes[0]) if nodes else "x"},
        "map_neighbors": {"nodeId": nodes[0] if nodes else "py:a.py"},
        "map_path": {"from": nodes[0] if nodes else "py:a.py", "to": nodes[-1] if nodes else "py:b.py"},
    }
    world = World(snapshot=snapshot, root="/repository")
    budget = random.choice((100, 300, 2000, 10_000))
    for tool, arguments in CALLS:
        found = reply(world, tool, {**arguments, **named.get(tool, {}), "tokenBudget": budget})
        said = found.structured["tokenBudget"]
        if not -(-len(found.text) // 4) == said["used"] <= budget:
            raise Broken(f"{tool} uses {said['used']} of {budget} tokens: {_shown(broken)}")


def _name_in(node_id: str) -> str:
    return re.split(r"[#./:]", node_id)[-1][:60] or "x"


def _shown(files: Files) -> str:
    return "; ".join(f"{path}: {shown(source)}" for path, source in files.items())
