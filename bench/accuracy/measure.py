"""One package: fetched, asked about, mapped and scored."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from bench.accuracy.claims import Exported, claims, decode, unique_names
from bench.accuracy.corpora import Package, fetch
from bench.accuracy.edges import Oracle, Relation
from bench.accuracy.families import families
from bench.accuracy.oracles import oracle_of
from bench.accuracy.score import Score, score


class Measured(msgspec.Struct, frozen=True):
    name: str
    package: Package
    scores: Mapping[Relation, Score]
    baseline: Score
    """Calls, by the unique name."""


class ExportError(Exception):
    """The map could not be exported; the message says why."""


def measure(name: str, package: Package, codemap: Sequence[str]) -> Measured:
    """Raises FetchError, ExportError, TimeoutError."""
    oracle = oracle_of(name, package)
    return scored(name, package, oracle, exported(fetch(name, package), codemap))


def exported(root: Path, codemap: Sequence[str], *options: str) -> Exported:
    """A map's nodes and edges, from the command line. Raises ExportError."""
    return decode(_export(root, codemap, "--nodes"), _export(root, codemap, "--edges", *options))


def scored(name: str, package: Package, oracle: Oracle, exported: Exported) -> Measured:
    related = families(oracle)
    claimed = list(claims(exported, oracle))
    scores = {relation: score(oracle, claimed, relation, related) for relation in Relation}
    return Measured(name, package, scores, score(oracle, unique_names(oracle), Relation.CALLS, related))


def _export(root: Path, codemap: Sequence[str], *what: str) -> bytes:
    done = subprocess.run([*codemap, "export", *what, "--root", str(root)], capture_output=True, check=False)
    if done.returncode:
        raise ExportError(f"{root.name}: {done.stderr.decode()[-500:]}")
    return done.stdout
