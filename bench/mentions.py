"""Whether every mention of a name is accounted for: the accounts of random names beside what ripgrep counts.

    python -m bench.mentions [CORPUS ...] [--root DIR ...] [--names N]

A corpus is one of `corpora.toml`; without any, all that can be had. The files are those of the map; the map is the one
that the store's own command makes, read in this process. Of each name that differs, a line says by how much; the
program ends with 1 where any does.
"""

from __future__ import annotations

import random
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.cold import Cold
from bench.corpora import CorpusError, corpora, fetch
from bench.subject import cold_service
from codemap.extract.natures import words_in
from codemap.extract.skip import normalize
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import language_of
from codemap.mentions.account import ACCOUNTED, Account
from codemap.mentions.accounts import ledger_of
from codemap.mentions.words import Sighted, Sightings, word_of
from tests.system.ripgrep import counted

NAMES = 200
SEED = 7


class Outcome(msgspec.Struct, frozen=True):
    title: str
    files: int
    names: int
    words: int
    """That ripgrep found."""
    different: dict[str, tuple[int, int]]
    """Name -> what the accounts sum to, what ripgrep counts."""
    counts: dict[Account, int]

    @property
    def line(self) -> str:
        shown = sum(count for account, count in self.counts.items() if account in ACCOUNTED)
        unclear = self.counts.get(Account.NOT_UNDERSTOOD, 0) + self.counts.get(Account.UNKNOWN, 0)
        total = max(1, self.words)
        return (
            f"{self.title:34} {self.files:6} files {self.names:4} names {self.words:8} words "
            f"{len(self.different):4} differ, {shown / total:4.0%} in the answer, {unclear / total:4.0%} unclear"
        )


def compared(title: str, root: Path, names_max: int) -> Outcome:
    """The accounts of random definitions of a repository. Cost: a build, and a look through all files for each name."""
    with cold_service(root) as (_, cold):
        paths = _mapped(cold)
    files = {path: (root / path).read_bytes() for path in paths}
    snapshot = build_snapshot({path: normalize(content) for path, content in files.items()})
    named = sorted({name for file in snapshot.files for name in file.symbol_names})
    different: dict[str, tuple[int, int]] = {}
    counts: Counter[Account] = Counter()
    words = 0
    chosen = random.Random(SEED).sample(named, min(names_max, len(named)))
    for name in chosen:
        word = word_of(name)
        sightings = Sightings(tuple(_sighted(snapshot, files, word)))
        ledger = ledger_of(snapshot, snapshot.named(name)[0], word, sightings)
        expected = sum(counted(word, root, files).values())
        words += expected
        counts.update(ledger.counts)
        if len(ledger.mentions) != expected:
            different[name] = len(ledger.mentions), expected
    return Outcome(title, len(files), len(chosen), words, different, dict(counts))


def _mapped(cold: Cold) -> tuple[str, ...]:
    return tuple(path for path in cold.paths if language_of(path) is not None)


def _sighted(snapshot: Snapshot, files: dict[str, bytes], word: str) -> Iterator[Sighted]:
    for file in snapshot.files:
        if words := words_in(file.path, normalize(files[file.path]), word):
            yield Sighted(file.path, file.stamp.digest, words)


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.mentions")
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--root", action="append", default=[], type=Path)
    parser.add_argument("--names", type=int, default=NAMES)
    asked = parser.parse_args()
    pinned = corpora()
    roots = {str(root): root.resolve() for root in asked.root}
    for name in asked.corpus or ([] if roots else pinned):
        try:
            roots[pinned[name].title] = fetch(pinned[name])
        except CorpusError as error:
            sys.stderr.write(f"bench: {error}\n")
    is_same = True
    for title, root in roots.items():
        outcome = compared(title, root, asked.names)
        sys.stdout.write(f"{outcome.line}\n")
        for name, (ours, theirs) in outcome.different.items():
            sys.stdout.write(f"  {name}: {ours}, ripgrep {theirs}\n")
        sys.stdout.flush()
        is_same &= not outcome.different
    sys.exit(0 if is_same else 1)


if __name__ == "__main__":
    main()
