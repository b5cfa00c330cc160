"""Literate tests: Markdown in which files stand beside the whole table that they must give.

A heading is a case. A fenced block whose info string is a language word and a path (```` ```py app/store.py ````) is a
file of the case; a block whose info string is the name of a table (`symbols`, `imports`, `edges`, `errors`,
`mentions`, `complexity`, `unused`) holds its expected lines. Tables are complete: a line too many fails like a line
too few. Runs of spaces do not count, so columns may be aligned; `pytest --update` rewrites the tables in place,
aligned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from codemap.extract.complexity import measure
from codemap.extract.extract import extract
from codemap.facts import FileFacts, Import, ImportFlag, Symbol, SymbolFlag, SymbolKind, rows
from codemap.graph.build.build import build_snapshot
from codemap.ids import file_id, symbol_id
from codemap.languages import by_name, language_of
from codemap.measures import attribute, numbered_names
from codemap.project import External, Missing, Module, ModuleResolver, Project
from tests.mentions.accounting import checked
from tests.unused import searching as unused

Files = Mapping[str, bytes]

_FOLDERS = ("languages/*", "graph", "mentions", "complexity")
_FENCE = re.compile(r"(`{3,})\s*(\S*)\s*(.*?)\s*")
_HEADING = re.compile(r"#+\s+(.*?)\s*")
_GAP = re.compile(r"  +")


class Table(msgspec.Struct, frozen=True):
    """An expected table: its name, and the lines of the document between its fences (0-based, end exclusive)."""

    name: str
    start: int
    end: int


class Case(msgspec.Struct, frozen=True):
    title: str
    files: dict[str, bytes]
    tables: tuple[Table, ...]


def documents() -> list[Path]:
    """Every literate document, in the order of their paths."""
    return sorted(path for folder in _FOLDERS for path in Path(__file__).parent.glob(f"{folder}/*.md"))


def cases(text: str) -> Iterator[Case]:
    """The cases of a document, in order; headings without a table are chapters, not cases.

    Raises ValueError for a fence that is not closed and for two cases of one title.
    """
    titles: set[str] = set()
    title, files, tables = "", dict[str, bytes](), list[Table]()
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if heading := _HEADING.fullmatch(line):
            if tables:
                yield Case(title, files, tuple(tables))
            title, files, tables = heading[1], {}, []
        elif fence := _FENCE.fullmatch(line):
            end = _closing(lines, at, fence[1])
            if fence[3]:
                files[fence[3]] = "".join(f"{body}\n" for body in lines[at:end]).encode()
            elif fence[2] in TABLES:
                if not tables and title in titles:
                    raise ValueError(f"two cases are called {title!r}")
                titles.add(title)
                tables.append(Table(fence[2], at, end))
            at = end + 1
    if tables:
        yield Case(title, files, tuple(tables))


def _closing(lines: list[str], at: int, fence: str) -> int:
    while at < len(lines):
        if lines[at].rstrip() == fence:
            return at
        at += 1
    raise ValueError("a fence is not closed")


def expected(text: str, table: Table) -> list[str]:
    """The lines that a table of a document holds, runs of spaces as one."""
    return [_GAP.sub(" ", line.strip()) for line in text.split("\n")[table.start : table.end] if line.strip()]


def actual(case: Case, table: Table) -> list[str]:
    return [" ".join(row).strip() for row in TABLES[table.name](case.files)]


def rewrite(path: Path, title: str) -> None:
    """Puts the actual tables of one case into its document."""
    text = path.read_text(encoding="utf-8")
    case = next(case for case in cases(text) if case.title == title)
    lines = text.split("\n")
    for table in reversed(case.tables):
        lines[table.start : table.end] = _aligned(TABLES[table.name](case.files))
    path.write_text("\n".join(lines), encoding="utf-8")


def _aligned(table: list[list[str]]) -> list[str]:
    """Rows with their columns, but for the last, padded to the widest."""
    widths = [
        max(len(row[c]) if c < len(row) - 1 else 0 for row in table) for c in range(max(map(len, table), default=0))
    ]
    return ["  ".join(cell.ljust(widths[c]) for c, cell in enumerate(row)).rstrip() for row in table]


def symbol_table(files: Files) -> list[list[str]]:
    """`<id> <kind> <line>:<col> <start>-<end> <flags> | <signature> | <doc>` in source order; files are left out."""
    table = []
    for path, facts in _facts(files):
        cells = rows(facts.symbols).tolist()
        symbols = [cells[at : at + Symbol.WIDTH] for at in range(0, len(cells), Symbol.WIDTH)]
        paths = [""]
        for row in symbols[1:]:
            parent, name = paths[row[Symbol.PARENT]], facts.names[row[Symbol.NAME]]
            paths.append(f"{parent}.{name}" if parent else name)
        numbered = sorted(range(1, len(symbols)), key=lambda r: (symbols[r][Symbol.LINE], symbols[r][Symbol.COL], r))
        for number in numbered:
            row = symbols[number]
            table.append(
                [
                    symbol_id(file_id(facts.lang, path), paths[number], row[Symbol.ORDINAL]),
                    SymbolKind(row[Symbol.KIND]).name.lower(),
                    f"{row[Symbol.LINE]}:{row[Symbol.COL]}",
                    f"{row[Symbol.START_LINE]}-{row[Symbol.END_LINE]}",
                    _flags(SymbolFlag(row[Symbol.FLAGS])),
                    f"| {_text(facts, row[Symbol.SIGNATURE])}",
                    *([f"| {_text(facts, row[Symbol.DOC])}"] if row[Symbol.DOC] >= 0 else []),
                ]
            )
    return table


def import_table(files: Files) -> list[list[str]]:
    """`<file>:<line>:<col> <specifier> <name or -> <flags> -> <target>`; names of submodules stand for their files.

    Only what statements import.
    """
    configs = {path: source for path, source in files.items() if language_of(path) is None}
    found = list(_facts(files))
    packages = {path: facts.packages for path, facts in found if facts.packages}
    project = Project(files=frozenset(path for path, _ in found), configs=configs, packages=packages)
    resolvers = {name: by_name()[name].modules(project) for name in {facts.lang for _, facts in found}}
    table = []
    for path, facts in found:
        cells = rows(facts.imports).tolist()
        for at in range(0, len(cells), Import.WIDTH):
            row = cells[at : at + Import.WIDTH]
            if row[Import.FLAGS] & (ImportFlag.IMPLICIT | ImportFlag.HEAD):
                continue
            specifier = facts.names[row[Import.SPECIFIER]]
            imported = {-1: "-", Import.STAR: "*"}.get(row[Import.IMPORTED]) or facts.names[row[Import.IMPORTED]]
            table.append(
                [
                    f"{path}:{row[Import.LINE]}:{row[Import.COL]}",
                    specifier,
                    imported,
                    _flags(ImportFlag(row[Import.FLAGS])),
                    f"-> {_target(resolvers[facts.lang], specifier, imported, path)}",
                ]
            )
    return table


def _target(resolver: ModuleResolver, specifier: str, imported: str, importer: str) -> str:
    match resolver.resolve(specifier, importer):
        case Missing():
            return "missing"
        case Module(None, None):
            return "no code"
        case External(package):
            return f"ext:{package}"
        case Module() as module:
            child = None if imported in "-*" else resolver.child(module, imported)
            found = child or module
            return found.file or f"{found.directory}/"


def edge_table(files: Files) -> list[list[str]]:
    """`<source> <kind> <target> <confidence> <sites>`, sorted; see `codemap.graph.query.dump`."""
    from codemap.graph.build.build import build_snapshot
    from codemap.graph.query.dump import edge_lines

    return [line.split(" ") for line in edge_lines(build_snapshot(files))]


def error_table(files: Files) -> list[list[str]]:
    """`<file> <bytes under syntax errors> of <bytes>`, for every file."""
    return [[path, str(facts.error_bytes), "of", str(facts.size)] for path, facts in _facts(files)]


def complexity_table(files: Files) -> list[list[str]]:
    """`<file>#<name> [callback] <cyclomatic> <cognitive> <nesting> <parameters>`, by where a function begins."""
    table = []
    for path, facts in _facts(files):
        named = numbered_names(facts)
        for one in sorted(
            attribute(rows(facts.symbols), measure(path, files[path])), key=lambda each: each.measures.line
        ):
            counts = one.measures
            numbers = (counts.cyclomatic, counts.cognitive, counts.nesting, counts.parameters)
            kind = [] if one.is_definition else ["callback"]
            table.append([f"{path}#{named[one.row]}", *kind, *map(str, numbers)])
    return table


def _facts(files: Files) -> Iterator[tuple[str, FileFacts]]:
    for path, source in files.items():
        if language_of(path) is not None:
            yield path, extract(path, source)


def _flags(flags: SymbolFlag | ImportFlag) -> str:
    return ",".join(flag.name.lower() for flag in flags if flag.name) or "-"


def _text(facts: FileFacts, index: int) -> str:
    return facts.texts[index] if index >= 0 else ""


MENTIONED = "target"


def mention_table(files: Files) -> list[list[str]]:
    """`<file>:<line>:<col> <account> | <line>` of every word `target`, as the first definition of that name has it."""
    snapshot = build_snapshot(files)
    found = checked(snapshot, files, MENTIONED, snapshot.named(MENTIONED)[0])
    lines = {path: [" ".join(line.split()) for line in source.decode().split("\n")] for path, source in files.items()}
    return [
        [f"{one.path}:{one.line}:{one.col}", one.account.value, f"| {lines[one.path][one.line - 1]}"]
        for one in found.mentions
    ]


TABLES: dict[str, Callable[[Files], list[list[str]]]] = {
    "symbols": symbol_table,
    "mentions": mention_table,
    "imports": import_table,
    "edges": edge_table,
    "errors": error_table,
    "complexity": complexity_table,
    "unused": unused.table,
}
