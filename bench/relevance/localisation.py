"""Where a commit was made, from its message alone: `python -m bench.relevance.localisation PATH ... [--write]`.

Each PATH is a clone with history (its URL stands in the table). Of each commit the parent is mapped as it was, and
`map_context` is asked for the message with 4,000 tokens. Counted are the files that the commit changed and, by hunk,
the definitions: how many of them the reply names. The same room is given to files ranked by plain BM25, read from the
first on, and to what ripgrep prints for the words: all lines with one of them, the files with most such lines first.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import msgspec

from bench.codegraph import VERSION, Codegraph, codegraph
from bench.relevance.baselines import Bm25
from bench.relevance.commits import Clone, Commit
from bench.relevance.repositories import drive, miss
from bench.value.peers import shown as printed_rows
from codemap.envelope.answer import Answer
from codemap.envelope.native import CHARS_PER_TOKEN, render
from codemap.extract.definition_syntax import syntax_of
from codemap.extract.extract import extract
from codemap.facts import Symbol
from codemap.file_roles import Role, role_of
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Fact, Found, Question, Source, SourceNow, Syntax
from codemap.stop_words import STOP_WORDS
from codemap.syntax import FileSyntax
from codemap.tools import World
from codemap.tools.arguments import LONG_TEXT_MAX
from codemap.tools.context.tool import Params, answer

TARGET = Path(__file__).parent / "LOCALISATION.md"
TOKENS = 4000
ABOUT = f"""# Where a commit was made, from its message

{(__doc__ or "").split(chr(10), 2)[2].strip()}

Recall of files and of definitions, each the mean over commits. No rule was made on these repositories.
"""


class Row(msgspec.Struct, frozen=True):
    name: str
    commits: int
    recalls: Mapping[str, tuple[float, float]]
    """By way: of files, of definitions."""


def scored(clone: Clone, most: int, ways: Mapping[str, Way], shown: TextIO | None) -> Row:
    """The row of a repository; `shown` is given a line for each commit of which something is missed."""
    recalls: dict[str, list[tuple[float, float]]] = {}
    count = 0
    for commit in clone.commits(most):
        count += 1
        for way, find in ways.items():
            named = find(commit)
            files = {name.partition("#")[0] for name in named}
            recalls.setdefault(way, []).append(
                (
                    len(files & commit.files) / len(commit.files),
                    len(named & commit.definitions) / len(commit.definitions),
                )
            )
            missed = sorted(commit.files - files) + sorted(commit.definitions - named)
            if shown is not None and missed and way == OURS:
                shown.write(f"{commit.message.splitlines()[0]}: {', '.join(missed)}\n")
    means = {way: (mean(a for a, _ in some), mean(b for _, b in some)) for way, some in recalls.items()}
    return Row(clone.title, count, means)


def _context(commit: Commit) -> set[str]:
    """What the reply names."""
    asked = Params(task=commit.message[:LONG_TEXT_MAX], purpose="fix", token_budget=TOKENS)
    made = drive(answer(World(snapshot=commit.snapshot), asked), lambda question: _known_fact(question, commit))
    assert isinstance(made, Answer)
    return names_in(msgspec.json.decode(render(made, TOKENS).text)["data"])


def _known_fact(question: Question, commit: Commit) -> Fact:
    known = commit.facts.get(question.file) if isinstance(question, Source) else None
    if known is None or not isinstance(question, Source):
        return fact_of(question, commit.sources)
    return Found(SourceNow(commit.sources[question.file], known.stamp.digest, known.facts))


def names_in(data: Mapping[str, Any]) -> set[str]:
    """What the payload of a `map_context` names, as `path#qualified name`: rows by file, and IDs."""
    named = {row.split(" ")[0] for row in data.get("read", ())}
    named |= {node_id for member in ("code", "bodies") for node_id in data.get(member, {})}
    for relation in ("also", "callees", "types", "callers", "tests"):
        named |= {f"{file}#{row.split(' ')[0]}" for file, rows in data.get(relation, {}).items() for row in rows}
    return {name.partition("~")[0] for name in named}


def fact_of(question: Question, sources: Mapping[str, bytes]) -> Fact:
    """The fact for a question about the code of some files; a miss for any other."""
    if not isinstance(question, Source | Syntax) or question.file not in sources:
        return miss(question)
    content = sources[question.file]
    digest = blake2b(content, digest_size=16).digest()
    if isinstance(question, Source):
        return Found(SourceNow(content, digest, extract(question.file, content)))
    return Found(FileSyntax(digest, *syntax_of(question.file, content, b"", question.borders_of)))


def _files(commit: Commit) -> set[str]:
    """The definitions in the files that BM25 ranks first, as far as they fit when they are read from the first on."""
    paths = [path for path in commit.sources if role_of(path) is Role.PRODUCT]
    texts = [commit.sources[path].decode("utf-8", "replace") for path in paths]
    room, named = TOKENS * CHARS_PER_TOKEN, set[str]()
    for number in Bm25(texts).best(commit.message, len(paths)):
        path, shown = paths[number], texts[number][:room]
        room -= len(shown)
        named |= {path, *_within(commit.snapshot.by_path[path], 1, shown.count("\n") + 1)}
        if room <= 0:
            break
    return named


def _within(file: IndexedFile, first: int, last: int) -> set[str]:
    return {
        f"{file.path}#{file.qualified_name(row)}"
        for row in range(1, file.symbol_count)
        if first <= file.cell(row, Symbol.LINE) <= last
    }


def _lines(commit: Commit) -> set[str]:
    """The definitions around the lines that have a word of the message, of the files with most such lines first."""
    words = {word for word in re.findall(r"\w+", commit.message.lower()) if word not in STOP_WORDS and len(word) > 2}
    if not words:
        return set()
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(words))) + r")\b", re.IGNORECASE)
    hits: dict[str, list[tuple[int, str]]] = {}
    for path, source in commit.sources.items():
        if role_of(path) is Role.PRODUCT:
            lines = source.decode("utf-8", "replace").split("\n")
            hits[path] = [(number, line) for number, line in enumerate(lines, 1) if pattern.search(line)]
    room, named = TOKENS * CHARS_PER_TOKEN, set[str]()
    for path, _ in Counter({path: len(some) for path, some in hits.items()}).most_common():
        for number, line in hits[path]:
            room -= len(path) + len(line) + 8
            if room < 0:
                return named
            file = commit.snapshot.by_path[path]
            row = file.innermost_row(number)
            named |= {path, *((f"{path}#{file.qualified_name(row)}",) if row else ())}
    return named


OURS, PEER = "map_context", "codegraph"
Way = Callable[[Commit], set[str]]
WAYS: Mapping[str, Way] = {OURS: _context, "files by BM25": _files, "lines by words": _lines}


class Peer:
    """What the peer's own tool prints for the message, as much of it as there is room for: files that it names, and the
    definitions around the lines that it names or shows. It is given each state of the files, and told to look."""

    def __init__(self, peer: Codegraph) -> None:
        self._peer = peer
        self._there: Mapping[str, bytes] = {}

    def __call__(self, commit: Commit) -> set[str]:
        root = self._peer.root
        for path in self._there.keys() - commit.sources.keys():
            (root / path).unlink()
        for path, source in commit.sources.items():
            if self._there.get(path) != source:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(source)
        self._there = commit.sources
        self._peer.run("sync")
        named = set[str]()
        for row in printed_rows(self._peer.run("explore", commit.message)[: TOKENS * CHARS_PER_TOKEN]):
            file = commit.snapshot.by_path.get(row.path)
            if file is not None:
                rows = [file.innermost_row(line) for line in row.lines]
                named |= {file.path, *(f"{file.path}#{file.qualified_name(one)}" for one in rows if one)}
        return named


def report(found: Iterable[Row]) -> str:
    rows = list(found)
    ways = list(rows[0].recalls) if rows else []
    lines = [
        f"| repository | commits | {' | '.join(f'{way}: files | definitions' for way in ways)} |",
        "|---|---|" + "---|---|" * len(ways),
    ]
    for row in rows:
        cells = " | ".join(f"{a:.2f} | {b:.2f}" for a, b in row.recalls.values())
        lines.append(f"| {row.name} | {row.commits} | {cells} |")
    total = sum(row.commits for row in rows)
    means = [
        tuple(sum(row.recalls[way][part] * row.commits for row in rows) / max(1, total) for part in (0, 1))
        for way in ways
    ]
    lines.append(f"| all | {total} | {' | '.join(f'{a:.2f} | {b:.2f}' for a, b in means)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.relevance.localisation", description=ABOUT.split("\n")[0])
    parser.add_argument("clones", nargs="+", type=Path, metavar="PATH", help="a clone with history")
    parser.add_argument("--commits", type=int, default=50, help="of each; default 50")
    parser.add_argument("--peer", action="store_true", help="ask codegraph too")
    parser.add_argument("--misses", action="store_true", help="print what map_context misses")
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.name}")
    given = parser.parse_args()
    shown = sys.stderr if given.misses else None
    found = []
    for clone in given.clones:
        sys.stderr.write(f"localisation: {clone}\n")
        with ExitStack() as stack:
            ways = dict(WAYS)
            if given.peer:
                empty = stack.enter_context(TemporaryDirectory())
                ways[f"{PEER} {VERSION}"] = Peer(stack.enter_context(codegraph(Path(empty))))
            found.append(scored(Clone(clone), given.commits, ways, shown))
            sys.stderr.write(report(found[-1:]))
    text = f"{ABOUT}\n{report(found)}"
    print(text, end="")
    if given.write:
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
