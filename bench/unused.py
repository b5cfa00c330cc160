"""How right `map_unused` is: what it lists as certain, and how much of planted dead code it finds.

    python -m bench.unused list FOLDER...            what is certain, to be judged by other tools and by hand
    python -m bench.unused plant FOLDER... [--count 40]

A planting takes the uses away from a function or method that has one to three, all of them sure, and no undecided use
that may mean it: each is renamed to what nothing defines. Its imports are renamed with them. Ten are planted at a time
in a package, which is then searched as a whole. The functions are drawn by a fixed seed from those of the product that
are not listed before; what overrides another method, which a call of that may run, and what a manifest starts are left
out.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import numpy as np

from bench.tables import table_head, table_row
from codemap.extract.skipped_files import normalize, skip_reason
from codemap.extract.word_classification import words_of_names
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.build.build import build, extracted
from codemap.graph.index.overrides import overrides
from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.model.values import Confidence
from codemap.languages import is_config_file, language_of
from codemap.mentions.other_texts import is_text
from codemap.mentions.seeking import Names, Sought, SoughtIn, seek
from codemap.occurrences.words import without_bom, without_prose
from codemap.tools.impact.params import TIER_NAMES
from codemap.tools.overview.entries import packages_of
from codemap.unused.findings import Findings, Search

FILE_MAX_BYTES = 1_000_000
AT_ONCE = 10
SITES_MAX = 3
GONE = "planted_gone"
_LEFT_OUT = frozenset((".git", "node_modules", ".venv"))
_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)

Files = dict[str, bytes]
Site = tuple[str, int, int]
"""Path, line and column."""


def files_of(root: Path) -> tuple[Files, Files]:
    """The files that are indexed, and the others that are looked through."""
    sources, others = {}, {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for name in sorted(names):
            at = Path(folder, name)
            path = at.relative_to(root).as_posix()
            if at.is_symlink():
                continue
            content = at.read_bytes()
            is_known = language_of(path) is not None or is_config_file(name)
            if is_known and not skip_reason(path, content[:65536], len(content), max_bytes=FILE_MAX_BYTES):
                sources[path] = content
            if (language_of(path) is None or path not in sources) and is_text(path, len(content)):
                others[path] = content
    return sources, others


def searched(sources: Mapping[str, bytes], others: Mapping[str, bytes]) -> tuple[Snapshot, Findings]:
    """What nothing uses, without a service."""
    snapshot = _map_of(sources)
    search = Search(snapshot, packages_of(snapshot), lambda _path: True)
    texts = finish(search.begin())
    names = Names(texts.names)
    every = {**others, **{file.path: sources[file.path] for file in snapshot.files}}
    found = []
    for path, content in every.items():
        one = seek(path, _digest(content), normalize(content), names) if b"\0" not in content[:8192] else None
        found += [one] if one is not None else []
    sought = Sought(tuple(found), (), len(every))
    read = []
    for path, wanted in finish(texts.unsettled(sought)).items():
        source = normalize(sources[path])
        words = words_of_names(path, source, wanted)
        rows = {name: without_prose(without_bom(source), name, its) for name, its in words.items()}
        read.append(SoughtIn(path, _digest(sources[path]), rows))
    return snapshot, finish(search.findings(sought, Sought(tuple(read))))


def _map_of(sources: Mapping[str, bytes]) -> Snapshot:
    """The map; a file may be source code and configuration (`setup.py`)."""
    changed = {path: extracted(path, source) for path, source in sources.items() if language_of(path) is not None}
    configs = {path: source for path, source in sources.items() if is_config_file(path.rpartition("/")[2])}
    return finish(build(None, changed, frozenset(), configs, built_at="2000-01-01T00:00:00Z"))


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def candidates(snapshot: Snapshot, found: Findings) -> list[tuple[int, list[Site]]]:
    """Functions of the product with few uses, all of them sure, and the sites of these and of their imports."""
    listed = {one.node for one in (*found.definitions, *found.only_tests)}
    started = {(entry.file, entry.symbol) for package in packages_of(snapshot) for entry in package.entries}
    chosen = []
    for file in snapshot.files:
        if role_of(file.path) is not Role.PRODUCT:
            continue
        for node in range(file.base + 1, file.base + file.symbol_count):
            if snapshot.kind_of(node) not in _FUNCTIONS or node in listed or len(unresolved_rows_in(snapshot, node)):
                continue
            above = overrides(snapshot, np.array([node], np.int32), downwards=False)[1]
            if len(above) or (file.path, snapshot.qualified_name_of(node)) in started:
                continue
            name = snapshot.name_of(node)
            if not name.isidentifier() or name.startswith("__"):
                continue
            sites = _sites_of_few(snapshot, node)
            if sites:
                chosen.append((node, sites))
    return chosen


def _sites_of_few(snapshot: Snapshot, node: int) -> list[Site]:
    """The sites of the uses and imports of a function; none where there are too many, or a use is not sure."""
    table = snapshot.edges
    if (table.confidence[table.arriving(node)] >= Confidence.NAME).any():
        return []
    uses = [edge for edge in snapshot.edges_in(node) if edge.row >= 0]
    calls = [edge for edge in uses if edge.kind.name in ("CALLS", "REFERENCES") and edge.source != node]
    sites = {
        (source.path, line, col)
        for edge in uses
        if (source := snapshot.file_of(edge.source)) is not None
        for line, col in snapshot.sites(edge)
    }
    is_few = len(sites) <= SITES_MAX + 2 and sum(len(snapshot.sites(one)) for one in calls) <= SITES_MAX
    return sorted(sites) if calls and is_few else []


def planted(sources: Mapping[str, bytes], names: Mapping[Site, str]) -> Files | None:
    """The files with the names at some places renamed; None where there is another name at one."""
    found = dict(sources)
    for (path, line, col), name in sorted(names.items(), reverse=True):
        lines = found[path].split(b"\n")
        text = lines[line - 1].decode("utf-8", "surrogateescape")
        at = len(text.encode("utf-16-le")[: 2 * (col - 1)].decode("utf-16-le"))
        if not text[at:].startswith(name):
            return None
        lines[line - 1] = (text[:at] + GONE + text[at + len(name) :]).encode("utf-8", "surrogateescape")
        found[path] = b"\n".join(lines)
    return found


def measure(root: Path, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many plantings are found in each tier, and which are missed."""
    sources, others = files_of(root)
    snapshot, found = searched(sources, others)
    pool = candidates(snapshot, found)
    random.Random(seed).shuffle(pool)
    counts: Counter[str] = Counter()
    missed = []
    usable = [
        (node, sites)
        for node, sites in pool
        if planted(sources, {site: snapshot.name_of(node) for site in sites}) is not None
    ][:count]
    for begin in range(0, len(usable), AT_ONCE):
        some = usable[begin : begin + AT_ONCE]
        names = {site: snapshot.name_of(node) for node, sites in some for site in sites}
        changed = planted(sources, names)
        assert changed is not None, "each was planted alone"
        after, again = searched(changed, others)
        tiers = {after.id_of(one.node): TIER_NAMES[one.tier] for one in again.definitions}
        tests = {after.id_of(one.node) for one in again.only_tests}
        inside = np.zeros(after.node_count, dtype=np.bool_)
        inside[[one.node for one in (*again.definitions, *again.files)]] = True
        for node, _ in some:
            name = snapshot.id_of(node)
            tier = tiers.get(name, "tests" if name in tests else _around(after, name, again))
            counts[tier] += 1
            missed += [name] if tier == "missed" else []
    return counts, missed


def _around(snapshot: Snapshot, name: str, found: Findings) -> str:
    """The tier of what is unused around a definition that is not listed for it."""
    tiers = {one.node: TIER_NAMES[one.tier] for one in (*found.definitions, *found.files)}
    node = snapshot.find(name)
    while node is not None:
        if node in tiers:
            return tiers[node]
        node = snapshot.parent_of(node)
    return "missed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("list", "plant"))
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.what == "plant":
        columns = ("package", "plantings", *TIER_NAMES, "only tests", "missed", "recall")
        print("\n".join(table_head(*columns)))
    for folder in given.folders:
        if given.what == "list":
            snapshot, found = searched(*files_of(folder))
            certain = [one for one in (*found.files, *found.definitions) if one.tier == 0]
            for one in certain:
                file, symbol = snapshot.row_of(one.node)
                if role_of(file.path) is Role.PRODUCT:
                    line = file.cell(symbol, Symbol.LINE) if symbol else 1
                    print(f"{folder.name}\t{snapshot.id_of(one.node)}\t{line}")
            continue
        counts, missed = measure(folder, given.count, given.seed)
        total = counts.total()
        cells = [counts[tier] for tier in (*TIER_NAMES, "tests", "missed")]
        recall = (total - counts["missed"]) / max(total, 1)
        print(table_row(folder.name, total, *cells, f"{recall:.2f}"), flush=True)
        for name in missed:
            print(f"<!-- missed {name} -->", flush=True)


if __name__ == "__main__":
    main()
