"""Where a commit was made, from its message alone: `python -m bench.relevance.localisation PATH ... [--write]`.

Each PATH is a clone with history (its URL stands in the table). Of each commit the parent is mapped as it was, and
`map_context` is asked for the message with 4,000 tokens. Counted are the files that the commit changed and, by hunk,
the definitions: how many of them the reply names. The same room is given to files ranked by plain BM25, read from the
first on, and to what ripgrep prints for the words: all lines with one of them, the files with most such lines first.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from statistics import mean
from typing import Any

import msgspec

from bench.relevance.baselines import Bm25
from bench.relevance.repositories import drive, indexed, miss
from codemap.envelope.answer import Answer
from codemap.envelope.native import CHARS_PER_TOKEN, render
from codemap.extract.definition_syntax import syntax_of
from codemap.extract.extract import extract
from codemap.extract.skipped_files import skip_reason
from codemap.facts import Symbol
from codemap.file_roles import Role, role_of
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import language_of
from codemap.live_queries import Fact, Found, Question, Source, SourceNow, Syntax
from codemap.stop_words import STOP_WORDS
from codemap.syntax import FileSyntax
from codemap.tools import World
from codemap.tools.context.tool import Params, answer

TARGET = Path(__file__).parent / "LOCALISATION.md"
TOKENS = 4000
FILES_MAX = 5
"""Changed files of a commit that is about one thing."""
MAX_BYTES = 1 << 20
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)
ABOUT = f"""# Where a commit was made, from its message

{(__doc__ or "").split(chr(10), 2)[2].strip()}

Recall of files and of definitions, each the mean over commits. No rule was made on these repositories.
"""


class Commit(msgspec.Struct, frozen=True):
    message: str
    sources: Mapping[str, bytes]
    """At its parent."""
    files: frozenset[str]
    definitions: frozenset[str]
    """As `path#qualified name`."""


class Row(msgspec.Struct, frozen=True):
    name: str
    commits: int
    recalls: Mapping[str, tuple[float, float]]
    """By way: of files, of definitions."""


def commits(clone: Path, most: int) -> Generator[Commit, None, None]:
    """The latest commits that change a few indexed files of the product and nothing else of it."""
    listed = _git(clone, "log", "--no-merges", "--format=%H", f"-{most * 12}").split()
    found = 0
    for commit in listed:
        if found == most:
            return
        names = _git(clone, "diff", "--name-only", "--diff-filter=M", f"{commit}^", commit).splitlines()
        files = [name for name in names if language_of(name) is not None and role_of(name) is Role.PRODUCT]
        if not 1 <= len(files) <= FILES_MAX:
            continue
        sources = _sources(clone, f"{commit}^")
        changed = {name for name in files if name in sources}
        definitions = set()
        for name in changed:
            definitions |= _changed(clone, commit, name, sources[name])
        message = _git(clone, "log", "-1", "--format=%B", commit).strip()
        if definitions and len(message.split()) > 2:
            found += 1
            yield Commit(message, sources, frozenset(changed), frozenset(definitions))


def _sources(clone: Path, revision: str) -> dict[str, bytes]:
    packed = subprocess.run(("git", "-C", str(clone), "archive", revision), capture_output=True, check=True).stdout
    found = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            if not member.isfile() or language_of(member.name) is None:
                continue
            file = archive.extractfile(member)
            content = file.read() if file is not None else b""
            if skip_reason(member.name, content, len(content), max_bytes=MAX_BYTES) is None:
                found[member.name] = content
    return found


def _changed(clone: Path, commit: str, path: str, source: bytes) -> set[str]:
    """The innermost definitions that the hunks of a commit lie in, at its parent."""
    facts = extract(path, source)
    file = indexed({path: source}).by_path[path]
    assert file.facts == facts
    patch = _git(clone, "diff", "-U0", f"{commit}^", commit, "--", path)
    found = set()
    for start, count in _HUNK.findall(patch):
        first, length = int(start), int(count or 1)
        for line in range(first, first + max(1, length)):
            if row := file.innermost_row(line):
                found.add(f"{path}#{file.qualified_name(row)}")
    return found


def scored(clone: Path, most: int) -> Row:
    recalls: dict[str, list[tuple[float, float]]] = {}
    count = 0
    for commit in commits(clone, most):
        count += 1
        snapshot = indexed(commit.sources)
        for way, named in (
            ("map_context", _context(snapshot, commit)),
            ("files by BM25", _files(snapshot, commit)),
            ("lines by words", _lines(snapshot, commit)),
        ):
            files = {name.partition("#")[0] for name in named}
            recalls.setdefault(way, []).append(
                (
                    len(files & commit.files) / len(commit.files),
                    len(named & commit.definitions) / len(commit.definitions),
                )
            )
    url = _git(clone, "remote", "get-url", "origin").strip() if _has_remote(clone) else clone.parent.name
    means = {way: (mean(a for a, _ in some), mean(b for _, b in some)) for way, some in recalls.items()}
    return Row(f"{url.removesuffix('.git')} {_git(clone, 'rev-parse', '--short', 'HEAD').strip()}", count, means)


def _context(snapshot: Snapshot, commit: Commit) -> set[str]:
    """What the reply names."""
    asked = Params(task=commit.message, purpose="fix", token_budget=TOKENS)
    made = drive(answer(World(snapshot=snapshot), asked), lambda question: fact_of(question, commit.sources))
    assert isinstance(made, Answer)
    return names_in(msgspec.json.decode(render(made, TOKENS).text)["data"])


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
    return Found(FileSyntax(digest, syntax_of(question.file, content)))


def _files(snapshot: Snapshot, commit: Commit) -> set[str]:
    """The definitions in the files that BM25 ranks first, as far as they fit when they are read from the first on."""
    paths = [path for path in commit.sources if role_of(path) is Role.PRODUCT]
    texts = [commit.sources[path].decode("utf-8", "replace") for path in paths]
    room, named = TOKENS * CHARS_PER_TOKEN, set[str]()
    for number in Bm25(texts).best(commit.message, len(paths)):
        path, shown = paths[number], texts[number][:room]
        room -= len(shown)
        named |= {path, *_within(snapshot.by_path[path], 1, shown.count("\n") + 1)}
        if room <= 0:
            break
    return named


def _within(file: IndexedFile, first: int, last: int) -> set[str]:
    return {
        f"{file.path}#{file.qualified_name(row)}"
        for row in range(1, file.symbol_count)
        if first <= file.cell(row, Symbol.LINE) <= last
    }


def _lines(snapshot: Snapshot, commit: Commit) -> set[str]:
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
            file = snapshot.by_path[path]
            row = file.innermost_row(number)
            named |= {path, *((f"{path}#{file.qualified_name(row)}",) if row else ())}
    return named


def _git(clone: Path, *words: str) -> str:
    done = subprocess.run(("git", "-C", str(clone), *words), capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def _has_remote(clone: Path) -> bool:
    return bool(_git(clone, "remote").strip())


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
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.name}")
    given = parser.parse_args()
    found = []
    for clone in given.clones:
        sys.stderr.write(f"localisation: {clone}\n")
        found.append(scored(clone, given.commits))
    text = f"{ABOUT}\n{report(found)}"
    print(text, end="")
    if given.write:
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
