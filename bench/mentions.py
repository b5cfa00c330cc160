"""Whether every mention of a name is accounted for: the accounts of random names beside what ripgrep counts.

    python -m bench.mentions [CORPUS ...] [--root DIR ...] [--names N] [--write]

A corpus is one of `corpora.toml` or `mentions.toml`; without any, all that can be had. The files are those that codemap
would index, and the mentions those that an answer has: files are chosen by their marks, and only those are parsed of
which the map does not tell what each word is. Of each name that differs, a line says by how much; the program ends
with 1 where any does. `--write` writes the rows into `bench/MENTIONS.md`, where those not measured now stay.
"""

from __future__ import annotations

import random
import sys
import time
import tomllib
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

import msgspec
import trio

from actors.listing.listing import list_tree
from bench.corpora import PROJECT, Corpus, CorpusError, corpora, fetch
from codemap.extract.skipped_files import normalize, skip_reason
from codemap.extract.word_classification import words_in
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import files_with
from codemap.languages import language_of
from codemap.mentions.account import ACCOUNTED, Account, Ledger
from codemap.mentions.accounts import Accounting
from codemap.occurrences.words import Sighted, Sightings, glance, word_of
from codemap.settings import Settings
from tests.system.ripgrep import counted

NAMES = 200
SEED = 7
PAGE = PROJECT / "bench" / "MENTIONS.md"
_COLUMNS = (
    *("code base", "language", "files", "names", "words", "names that differ", "in the answer", "unclear"),
    *("files with the name, median", "of them parsed, median"),
)
_HEAD = f"""# Mentions beside ripgrep

Random definitions of each code base: what the accounts of their names sum to, and what `rg --count-matches -w -F`
counts in the indexed files. *In the answer*: definitions, resolved sites and undecided uses. *Unclear*: not understood
or of unknown meaning; the rest is strings, comments, locals, parameters and other definitions with their uses.
`python -m bench.mentions --write` makes this page; the rows of C, C++ and Kotlin were taken after the others, with
rules of C and C++ that had changed since.

Of 35 code bases more in the twelve languages (two to four each; hyena, addressable, parslet, nanostores, cJSON and
hunspell among them), 6,749 names, 200 each where there are so many, stand 118,759 times in the indexed files: no
account differs.

| {" | ".join(_COLUMNS)} |
|{"---|" * len(_COLUMNS)}
"""


class Outcome(msgspec.Struct, frozen=True):
    title: str
    language: str
    files: int
    names: int
    words: int
    """That ripgrep found."""
    different: dict[str, tuple[int, int]]
    """Name -> what the accounts sum to, what ripgrep counts."""
    counts: dict[Account, int]
    having: int
    """Files that have a name, median."""
    parsed: int
    """Of these, those that were parsed, median."""

    @property
    def row(self) -> str:
        shown = sum(count for account, count in self.counts.items() if account in ACCOUNTED)
        unclear = self.counts.get(Account.NOT_UNDERSTOOD, 0) + self.counts.get(Account.UNKNOWN, 0)
        total = max(1, self.words)
        cells = (
            *(self.title, self.language, f"{self.files:,}", f"{self.names:,}", f"{self.words:,}"),
            *(len(self.different), f"{shown / total:.0%}", f"{unclear / total:.0%}", self.having, self.parsed),
        )
        return f"| {' | '.join(map(str, cells))} |"


def compared(title: str, language: str, root: Path, names_max: int) -> Outcome:
    """The accounts of random definitions of a repository. Cost: a build, and a search through all files a name."""
    files = mapped(root)
    snapshot = snapshot_of(root, files)
    named = sorted({name for file in snapshot.files for name in file.symbol_names})
    named = [name for name in named if snapshot.named(name)]  # others are what is added to types outside
    different: dict[str, tuple[int, int]] = {}
    counts: Counter[Account] = Counter()
    words = 0
    having: list[int] = []
    parsed: list[int] = []
    chosen = random.Random(SEED).sample(named, min(names_max, len(named)))
    for name in chosen:
        accounting, ledger = accounted(snapshot, files, snapshot.named(name)[0])
        expected = sum(counted(word_of(name), root, files).values())
        words += expected
        counts.update(ledger.counts)
        having.append(len({mention.path for mention in ledger.mentions}))
        parsed.append(len(accounting.unsettled))
        if len(ledger.mentions) != expected:
            different[name] = len(ledger.mentions), expected
    middle = len(chosen) // 2
    medians = (sorted(having)[middle], sorted(parsed)[middle]) if chosen else (0, 0)
    return Outcome(title, language, len(files), len(chosen), words, different, dict(counts), *medians)


def mapped(root: Path) -> dict[str, bytes]:
    """The files that codemap would index."""
    listing = trio.run(list_tree, str(root), Settings())
    found = {path: (root / path).read_bytes() for path in listing.files if language_of(path) is not None}
    most = Settings().file_max_bytes
    return {path: text for path, text in found.items() if not skip_reason(path, text, len(text), max_bytes=most)}


def snapshot_of(root: Path, files: dict[str, bytes]) -> Snapshot:
    """The map of these files, with what the configuration beside them says."""
    configs = trio.run(list_tree, str(root), Settings()).configs
    return build_snapshot(
        {path: normalize(content) for path, content in files.items()}
        | {path: (root / path).read_bytes() for path in configs}
    )


def accounted(snapshot: Snapshot, files: dict[str, bytes], node: int) -> tuple[Accounting, Ledger]:
    """As a question about a definition finds them."""
    word = word_of(snapshot.name_of(node))
    glanced = sorted((file.path, glance(normalize(files[file.path]), word)) for file in files_with(snapshot, word))
    sighted = tuple(_sighted(snapshot, path, words) for path, words in glanced if words)
    accounting = Accounting(snapshot, node, word, Sightings(sighted))
    read = (_sighted(snapshot, path, words_in(path, normalize(files[path]), word)) for path in accounting.unsettled)
    return accounting, accounting.ledger(read)


def _sighted(snapshot: Snapshot, path: str, words: bytes) -> Sighted:
    return Sighted(path, snapshot.by_path[path].stamp.digest, words)


def pinned() -> dict[str, Corpus]:
    """Every corpus, by its short name."""
    text = (PROJECT / "bench" / "mentions.toml").read_text(encoding="utf-8")
    return corpora() | msgspec.convert(tomllib.loads(text), dict[str, Corpus])


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.mentions")
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--root", action="append", default=[], type=Path)
    parser.add_argument("--names", type=int, default=NAMES)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    known = pinned()
    roots = [(str(root), "", root.resolve()) for root in asked.root]
    for name in asked.corpus or ([] if roots else known):
        try:
            roots.append((known[name].title, known[name].language, fetch(known[name])))
        except CorpusError as error:
            sys.stderr.write(f"bench: {error}\n")
    is_same = True
    for title, language, root in roots:
        start = time.process_time()
        outcome = compared(title, language, root, asked.names)
        sys.stderr.write(f"bench: {title} took {time.process_time() - start:.0f} s of CPU\n")
        sys.stdout.write(f"{outcome.row}\n")
        for name, (ours, theirs) in outcome.different.items():
            sys.stdout.write(f"  {name}: {ours}, ripgrep {theirs}\n")
        sys.stdout.flush()
        is_same &= not outcome.different
        if asked.write:
            write_row(PAGE, _HEAD, outcome.title, outcome.language, outcome.row)
    sys.exit(0 if is_same else 1)


def write_row(page: Path, head: str, title: str, language: str, row: str) -> None:
    """Puts the row of a code base into a page, in the place of the one that it has there."""
    rows = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    first = f"| {title} | {language} |"
    kept = [row for row in rows if row.startswith("| ") and not row.startswith(("| code base", first))]
    order = sorted([*kept, row], key=lambda row: (row.split(" | ")[1], row))
    page.write_text(head + "\n".join([*order, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
