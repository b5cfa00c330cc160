"""Language servers as oracles: definitions by their outline, uses by go to definition.

Rules of the file:
- A function inside a function is part of the outermost one, whatever stands between; a constructor is its class.
- An overload is a definition of its own.
- A constructor that a class inherits is answered for that class: the only one of the name that was written.
- An answer in a repository's file at which no definition stands (a variable, a field, a type's alias) says nothing.
- An answer says nothing, either, about code that the server did not parse (inactive code, the body of a macro, what
  follows a missing header): clangd guesses there by the words, and says on request what it did parse.
- The name behind `~` of a destructor that is declared is no call.

Source: clangd, "Protocol extensions": Symbol info request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from bench.accuracy.edges import Definition, Oracle, Relation, Use
from bench.accuracy.languages.lexical import Text, Word
from bench.accuracy.lsp import OUTSTANDING_MAX, LanguageServer

Target = tuple[str, int, int]


class Kind(IntEnum):
    """Of the protocol, those that are definitions."""

    CLASS = 5
    METHOD = 6
    CONSTRUCTOR = 9
    ENUM = 10
    INTERFACE = 11
    FUNCTION = 12
    STRUCT = 23
    OPERATOR = 25


CALLABLE = frozenset((Kind.METHOD, Kind.CONSTRUCTOR, Kind.FUNCTION, Kind.OPERATOR))
SELVES = frozenset(("this", "super", "self", "static", "parent", "base", "__construct"))
"""Words by which a constructor calls another."""
CLASSES = frozenset((Kind.CLASS, Kind.INTERFACE, Kind.STRUCT, Kind.ENUM))


class Asked(NamedTuple):
    """How a server is asked."""

    command: Sequence[str]
    language_id: str
    suffixes: tuple[str, ...]
    language: str
    """Short name."""
    is_opened: bool = False
    """Whether all files are shown to it first."""
    is_declared_apart: bool = False
    """Whether functions have declarations beside their definitions, between which it leads to and fro."""
    has_conversions: bool = False
    """Whether a type that is called is no call."""
    has_guesses: bool = False
    """Whether it guesses where it has no tree, and says where it has one."""


class Outlined(NamedTuple):
    """A definition."""

    start: Target
    """(path, 0-based line, 0-based UTF-16 column) of the name."""
    whole: tuple[tuple[int, int], tuple[int, int]]
    """First and last position."""
    name: str
    kind: int
    key: str
    holder: str

    @property
    def place(self) -> str:
        return place_of(self.start)


def place_of(target: Target) -> str:
    path, line, column = target
    return f"{path}:{line + 1}:{column + 1}"


class OutlineServer(LanguageServer):
    """A server that tells outlines with what is inside what."""

    def __enter__(self) -> OutlineServer:
        capabilities = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
        root = self._root.as_uri()
        folders = [{"uri": root, "name": "root"}]
        asked = {"processId": None, "rootUri": root, "workspaceFolders": folders, "capabilities": capabilities}
        self._await(self._request("initialize", asked))
        self.encoding = "utf-16"
        self._send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        return self

    def outline(self, path: str) -> list[Any]:
        """Its symbols as the protocol has them. Raises TimeoutError."""
        document = {"textDocument": {"uri": (self._root / path).as_uri()}}
        return self._await(self._request("textDocument/documentSymbol", document)).get("result") or []

    def has_trees(self, places: Sequence[Target]) -> list[bool]:
        """Of each (path, 0-based line, 0-based column) whether the server parsed the code. Raises TimeoutError."""
        found: list[bool] = []
        for first in range(0, len(places), OUTSTANDING_MAX):
            asked = [
                self._request(
                    "textDocument/symbolInfo",
                    {
                        "textDocument": {"uri": (self._root / path).as_uri()},
                        "position": {"line": line, "character": column},
                    },
                )
                for path, line, column in places[first : first + OUTSTANDING_MAX]
            ]
            found += [bool(self._await(number).get("result")) for number in asked]
        return found


def server_oracle(root: Path, asked: Asked) -> Oracle:
    """Asks a server about every call and every base. Raises TimeoutError."""
    paths = sorted(
        file.relative_to(root).as_posix()
        for file in root.rglob("*")
        if file.suffix in asked.suffixes and file.is_file()
    )
    texts = {path: (root / path).read_text("utf-8", errors="replace") for path in paths}
    with OutlineServer(asked.command, root) as server:
        if asked.is_opened:
            for path, text in texts.items():
                server.open(path, text, asked.language_id)
        shown = {path: Text(text, asked.language) for path, text in texts.items()}
        outlines = [found for path in paths for found in outlined(path, server.outline(path))]
        known = Known([found for found in outlines if shown[found.start[0]].is_visible(*found.start[1:])])
        if asked.is_declared_apart:
            known = known.joined(_answers(server, [found.start for found in known.all]))
        sites = [*_sites(known, shown)]
        places = [(path, word.line - 1, word.col - 1) for path, word, _ in sites]
        answers = _answers(server, places)
        if asked.has_guesses:
            known_there = server.has_trees(places)
            answers = [answer if is_known else [] for answer, is_known in zip(answers, known_there, strict=True)]
    uses = [known.use(site, answer, asked) for site, answer in zip(sites, answers, strict=True)]
    return Oracle(tuple(known.definitions()), tuple(use for use in uses if use is not None))


def _answers(server: OutlineServer, places: Sequence[Target]) -> list[list[Target]]:
    return server.definitions(places)


def _sites(known: Known, texts: Mapping[str, Text]) -> Iterator[tuple[str, Word, Relation]]:
    for path, text in texts.items():
        for word in text.calls():
            if not known.declares(path, word):
                yield path, word, Relation.CALLS
        for found in known.by_path.get(path, ()):
            if found.kind in CLASSES:
                _, line, column = found.start
                for word in text.bases(line + 1, column + 1 + len(found.name)):
                    yield path, word, Relation.INHERITS


def outlined(path: str, symbols: Sequence[Any]) -> Iterator[Outlined]:
    """The definitions of an outline."""
    for symbol in symbols:
        yield from _outlined(path, symbol, "", "")


def _outlined(path: str, symbol: Any, function: str, holder: str) -> Iterator[Outlined]:
    """`function`: key of the outermost function around it; `holder`: of the class directly around it."""
    whole, name = symbol["range"], symbol.get("selectionRange") or symbol["range"]
    start = (path, name["start"]["line"], name["start"]["character"])
    kind = symbol["kind"]
    inner, inside = function, holder
    if kind in set(Kind):
        key = function or (holder if kind == Kind.CONSTRUCTOR and holder else place_of(start))
        spans = (
            (whole["start"]["line"], whole["start"]["character"]),
            (whole["end"]["line"], whole["end"]["character"]),
        )
        yield Outlined(start, spans, bare(symbol["name"]), kind, key, holder)
        inner = key if kind in CALLABLE else function
        inside = key if kind in CLASSES else ""
    for child in symbol.get("children") or ():
        yield from _outlined(path, child, inner, inside)


def bare(name: str) -> str:
    """`Get` of `(*Store).Get`, `Store::Get` and `Get(String)`."""
    if name.startswith("("):
        name = name.rpartition(").")[2]
    return name.partition("(")[0].rpartition("::")[2].partition("<")[0].strip() or name


class Known:
    """Definitions, to be found by place."""

    def __init__(self, found: Iterator[Outlined] | Sequence[Outlined]) -> None:
        self.all = tuple(found)
        self.by_start = {each.start: each for each in self.all}
        self._by_whole = {(each.start[0], *each.whole[0]): each for each in reversed(self.all)}
        self.by_path: dict[str, list[Outlined]] = {}
        for each in self.all:
            self.by_path.setdefault(each.start[0], []).append(each)

    def declares(self, path: str, word: Word) -> bool:
        """Whether a word is the name of a definition, or what follows the `~` of one."""
        line, column = word.line - 1, word.col - 1
        before = self.by_start.get((path, line, column - 1))
        return (path, line, column) in self.by_start or (before is not None and before.name == f"~{word.name}")

    def definitions(self) -> Iterator[Definition]:
        for each in self.all:
            yield Definition(each.place, each.key, each.name, each.holder)

    def joined(self, answers: Sequence[Sequence[Target]]) -> Known:
        """Declarations under the key of what they lead to, over any number of steps: the least of the places."""
        above: dict[str, str] = {}

        def key_of(key: str) -> str:
            while key in above:
                key = above[key]
            return key

        for each, answer in zip(self.all, answers, strict=True):
            for target in answer:
                other = self.by_start.get(target)
                if other is not None and other.name == each.name:
                    first, second = sorted((key_of(each.key), key_of(other.key)))
                    if first != second:
                        above[second] = first
        return Known([each._replace(key=key_of(each.key), holder=key_of(each.holder)) for each in self.all])

    def source(self, path: str, line: int, column: int) -> str:
        """Key of the definition around a position (0-based), or the path."""
        around = [each for each in self.by_path.get(path, ()) if each.whole[0] <= (line, column) < each.whole[1]]
        return max(around, key=lambda each: each.whole[0]).key if around else path

    def use(self, site: tuple[str, Word, Relation], answer: Sequence[Target], asked: Asked) -> Use | None:
        """What an answer says of a site; None where it says that it is no use."""
        path, word, relation = site
        if (path, word.line - 1, word.col - 1) in answer:
            return None
        found = [self.by_start.get(target) or self._by_whole.get(target) for target in answer]
        meant = [each for each in found if each is not None]
        if relation is Relation.INHERITS and not any(each.kind in CLASSES for each in meant):
            return None
        inside = sum("://" not in target[0] for target in answer)
        is_conversion = asked.has_conversions and any(each.kind in CLASSES for each in meant)
        source = self.source(path, word.line - 1, word.col - 1)
        keys = [self._constructed(word.name, each) for each in meant]
        targets = () if is_conversion else tuple(sorted({key for key in keys if key}))
        is_resolved = bool(answer) and len([*filter(None, keys)]) == inside and not is_conversion
        return Use(path, word.line, word.col, source, word.name, relation, targets, is_resolved)

    def _constructed(self, name: str, meant: Outlined) -> str:
        """The key of what is called by a name; empty where an inherited constructor does not say of which class."""
        if not meant.holder or meant.holder != meant.key or name in SELVES:
            return meant.key
        classes = {each.key for each in self.all if each.kind in CLASSES and each.name == name}
        if meant.key in classes:
            return meant.key
        return classes.pop() if len(classes) == 1 else ""
