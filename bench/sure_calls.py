"""Random calls that the map is sure of, with what they are said to call, to be read beside the source.

    python -m bench.sure_calls [CORPUS ...] [--calls N] [--seed N]

Of each code base of `callers.toml`, sites of calls whose edges are `exact`, `import` or `type`, one of each edge. A
line has the place, its text, and the definition with its first line; `bench/CALLERS.md` says how many were read.
"""

from __future__ import annotations

import random
import sys
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

from bench.callers import SEED, pinned
from bench.corpora import CorpusError, fetch
from bench.mentions import mapped, snapshot_of
from codemap.extract.skipped_files import normalize
from codemap.facts import Symbol
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.values import Confidence

CALLS = 8
LINE_MAX = 160
_SURE = (Confidence.EXACT, Confidence.IMPORT, Confidence.TYPE)


def chosen_calls(root: Path, language: str, count: int, seed: int) -> list[str]:
    """The lines of so many calls in files of a language. Cost: a build."""
    files = mapped(root)
    lines = {path: normalize(content).decode("utf-8", "replace").split("\n") for path, content in files.items()}
    snapshot = snapshot_of(root, files)
    edges = snapshot.edges
    is_sure = np.isin(edges.confidence, [int(one) for one in _SURE])
    is_inside = edges.target < snapshot.first_external
    rows = np.flatnonzero((edges.kind == EdgeKind.CALLS) & is_sure & is_inside).tolist()
    rows = [row for row in rows if snapshot.row_of(int(edges.source[row]))[0].lang == language]
    generator = random.Random(seed)
    found = []
    for row in generator.sample(rows, min(count, len(rows))):
        site = int(edges.first[row]) + generator.randrange(int(edges.count[row]))
        line, col = edges.sites[site].tolist()
        caller, target = snapshot.row_of(int(edges.source[row]))[0], int(edges.target[row])
        called, at = snapshot.row_of(target)
        first = called.cell(at, Symbol.LINE) if at else 1
        found.append(
            f"{caller.path}:{line}:{col}  {lines[caller.path][line - 1].strip()[:LINE_MAX]}\n"
            f"    {Confidence(int(edges.confidence[row])).name.lower()} -> {snapshot.id_of(target)} :{first}  "
            f"{lines[called.path][first - 1].strip()[:LINE_MAX]}"
        )
    return found


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.sure_calls")
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    known = pinned()
    for name in asked.corpus or known:
        try:
            found = chosen_calls(fetch(known[name]), known[name].language, asked.calls, asked.seed)
        except CorpusError as error:
            sys.stderr.write(f"bench: {error}\n")
            continue
        sys.stdout.write("\n".join([f"== {known[name].title}", *found, ""]))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
