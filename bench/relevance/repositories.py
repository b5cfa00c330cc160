"""The repositories that search is measured on: what is asked of each, and its map, made in this process."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import trio

from actors.listing.listing import list_tree
from bench.corpora import Corpus, corpora, fetch
from bench.relevance.overview import documented
from codemap import live_queries
from codemap.envelope.answer import Answer
from codemap.facts import SymbolKind
from codemap.file_roles import Role
from codemap.graph.build.build import build_snapshot
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.index_warming import warm
from codemap.settings import Settings
from codemap.tools import Asking, World
from codemap.tools.search.tool import Params, answer
from codemap.tools.tool import Replied

FOLDER = Path(__file__).parent
QUESTIONS = tuple(FOLDER / name for name in ("words.toml", "words_fresh.toml", "words_learnt.toml"))
OF_CLONES = tuple(FOLDER / name for name in ("words_github.toml", "words_issues.toml"))
COMMIT_CHARS = 8
"""Of a commit, in titles."""


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    source: str
    """Where the repository's documentation says so."""
    accepted: tuple[str, ...]
    """The definitions that answer it: the end of a path, `#`, the end of a qualified name."""


class Repository(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    questions: tuple[Question, ...]
    corpus: str = ""
    pinned: Corpus | None = None
    made_on: bool = False
    github: str = ""
    """`owner/name`, and the commit that the questions are about."""
    commit: str = ""
    clone: str = ""
    """The folder that holds the files of that commit, where there is one."""

    def place(self) -> tuple[str, Path]:
        """What it is called in tables, and its folder, downloaded where it is not there yet. Raises CorpusError."""
        if self.clone:
            return f"{self.github} {self.commit[:COMMIT_CHARS]}", Path(self.clone)
        corpus = self.pin()
        return corpus.title, fetch(corpus)

    def pin(self) -> Corpus:
        """The corpus, wherever it is pinned. Raises KeyError where it is not."""
        if self.pinned is not None:
            return self.pinned
        known = corpora()
        if self.corpus in known:
            return known[self.corpus]
        other = documented()[self.corpus]
        return other.pinned or known[other.corpus]


class Definition(msgspec.Struct, frozen=True):
    """A node as a person would name it."""

    path: str
    name: str
    qualified: str

    def is_accepted(self, accepted: str) -> bool:
        file, _, name = accepted.rpartition("#")
        return f"/{self.path}".endswith(f"/{file}") and f".{self.qualified}".endswith(f".{name}")


class Mapped(msgspec.Struct, frozen=True):
    """A repository with its map."""

    root: Path
    sources: Mapping[str, bytes]
    """Path -> contents, of all that the map is made from."""
    snapshot: Snapshot

    def definition(self, node: int) -> Definition:
        return _definition(self.snapshot.id_of(node))

    def product(self) -> list[int]:
        """The definitions of the product, without files and modules, in the order of the map."""
        aside = (SymbolKind.FILE, SymbolKind.MODULE)
        nodes = range(self.snapshot.first_external)
        return [node for node in nodes if self.snapshot.kind_of(node) not in aside and self.is_product(node)]

    def is_product(self, node: int) -> bool:
        return role_of_node(self.snapshot, node) is Role.PRODUCT

    def search(self, query: str) -> list[Definition]:
        """What `map_search` shows for a query by default, the best first."""
        made = drive(answer(World(self.snapshot), Params(query=query, rows="full")), miss)
        assert isinstance(made, Answer), "a map is there"
        return [_definition(result["id"]) for result in cast("dict[str, Any]", made.data)["results"]]


def repositories() -> dict[str, Repository]:
    """By name: those of all files of questions."""
    found: dict[str, Repository] = {}
    for path in QUESTIONS:
        found |= _read(path)
    return found


def cloned(folder: Path) -> dict[str, Repository]:
    """By name: those of GitHub, each a folder of its name in this one."""
    known = {name: one for path in OF_CLONES for name, one in _read(path).items()}
    return {name: msgspec.structs.replace(one, clone=str(folder / name)) for name, one in known.items()}


def _read(path: Path) -> dict[str, Repository]:
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[str, Repository])


def mapped(root: Path) -> Mapped:
    """A folder with its map, made from what codemap would index of it."""
    listing = trio.run(list_tree, str(root), Settings())
    sources = {path: (root / path).read_bytes() for path in (*listing.files, *listing.configs)}
    return Mapped(root, sources, indexed(sources))


def drive(made: Replied | Asking[Replied], look_up: Callable[[live_queries.Question], live_queries.Fact]) -> Replied:
    """What a tool replies, given a fact for each question that it asks."""
    if not isinstance(made, Generator):
        return made
    try:
        questions = next(made)
        while True:
            questions = made.send(tuple(look_up(question) for question in questions))
    except StopIteration as end:
        replied: Replied = end.value
        return replied


def miss(_: live_queries.Question) -> live_queries.Missed:
    """The fact for a question that the map alone does not answer."""
    return live_queries.Missed(live_queries.Because.UNAVAILABLE, "There is only the map here")


def _definition(node_id: str) -> Definition:
    path, _, qualified = node_id.partition(":")[2].partition("#")
    qualified = qualified.partition("~")[0]
    return Definition(path, qualified.rpartition(".")[2] or path, qualified)


def indexed(sources: Mapping[str, bytes]) -> Snapshot:
    snapshot = build_snapshot(sources)
    for _ in warm(snapshot, for_words=True):
        pass
    return snapshot
