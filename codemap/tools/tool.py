"""The record of a tool, and the world that a tool sees beside the snapshot.

A tool is one file: a `Params` struct (msgspec; it is the schema, with a description and bounds per field) and a pure
`answer(world, params)`. The shell gathers the world; nothing here reads a disk or a clock.

How the shell answers a call:

1. `decode_params(tool, arguments)`: the parameters, or BAD_ARGS.
2. `tool.answer(world, params)` with what is known of the disk so far, an empty `Disk` where nothing is.
3. A stat of `mentioned_files(answer)`, of the files that the arguments name (`named_files`), and of those that are
   known to be changing; of every indexed file where the tool `checks_all_files`. When one differs from what was indexed
   or is gone, `tool.answer` again, with a `Disk` that says so. A file counts once, as stale or deleted; one that is on
   disk and not in the map is stale.
4. The cursor's position goes into `Answer.resume`; tools always give whole lists and never see the cursor.

A tool that needs to know more than the map is a generator: it yields questions, gets a fact for each, in the same
order, and returns its answer in the end. It may be run again from the beginning within one call (step 3), and is then
given the facts that it got before. When the call's time is up it still gets facts, which then say that there are none.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from codemap.envelope.answer import Answer, Failure
from codemap.envelope.limits import COMMUNITY, Limits
from codemap.envelope.native import BUDGET_MAX
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import BadNodeId, parse_id
from codemap.live_queries import Fact, Question
from codemap.mentions.other_texts import code_among
from codemap.root_paths import MARK
from codemap.tools.params import ToolParams

T = TypeVar("T")
Asking = Generator[tuple[Question, ...], tuple[Fact, ...], T]
"""Yields questions, gets a fact for each, returns a T. To yield none lets others go on."""

Replied = Answer | Failure


def settled(asked: Replied | Asking[Replied]) -> Asking[Replied]:
    """The reply, whether it takes questions or not."""
    return asked if isinstance(asked, Answer | Failure) else (yield from asked)


def in_turns(steps: Generator[None, None, T]) -> Asking[T]:
    """Runs a long computation, and lets others go on after each of its steps."""
    try:
        while True:
            next(steps)
            yield ()
    except StopIteration as end:
        found: T = end.value
        return found


LIVE_S = 15.0
SLOW_LIVE_S = 30.0
"""How long the questions of one call may take in all: the contract's."""


class BuildProgress(msgspec.Struct, frozen=True):
    """A build that is running."""

    files_done: int
    """Parsed."""
    files_total: int
    files_bound: int | None = None
    """Of which the names are bound, once all are parsed."""

    @property
    def words(self) -> str:
        if self.files_bound is None:
            return f"{self.files_done} of {self.files_total} files are parsed"
        return f"all {self.files_total} files are parsed, {self.files_bound} of them bound"


class Disk(msgspec.Struct, frozen=True, dict=True):
    """The result of comparing some files with the disk just now."""

    stale: frozenset[str] = frozenset()
    """Paths whose size or mtime differ from what was indexed."""
    deleted: frozenset[str] = frozenset()

    @cached_property
    def differing(self) -> tuple[str, ...]:
        """Both, in order."""
        return tuple(sorted(self.stale | self.deleted))

    def differs(self, path: str) -> bool:
        """Whether a path is one of them: what the map has of it is older than the file."""
        return path in self.stale or path in self.deleted


class World(msgspec.Struct, frozen=True):
    """All that an answer may depend on."""

    snapshot: Snapshot | None
    """None before the first build has anything to show."""
    own: Snapshot | None = None
    """The map of the root that is asked alone, where `snapshot` joins it with others."""
    progress: BuildProgress | None = None
    disk: Disk = Disk()
    status: Mapping[str, Any] = {}
    """What the actors say of themselves, for `map_status`."""
    rebuilt: Mapping[str, Any] = {}
    """What a rebuild did, for `map_rebuild`."""
    warnings: tuple[str, ...] = ()
    """What else every answer from the map must say of its freshness."""
    behind: str = ""
    """Why the map may lack what changed on disk, as a clause; empty where it is kept up to date."""
    others: Mapping[str, int] = {}
    """Ending -> number of files that no language knows."""
    root: str = ""
    """Absolute path of the root; empty: paths can only be relative."""
    limits: Limits = COMMUNITY
    """How far a call may reach."""
    page_chars: int = 0
    """How many characters the reply may have: what is listed beyond is counted only, so that a tool need not make it.
    0: not known, or it is no first page; lists are to be given whole."""

    @property
    def unread(self) -> dict[str, int]:
        """Ending -> number of files of code that no language knows, the most first."""
        return code_among(self.others)


class Spans(Enum):
    """When an answer goes beyond the root that is asked."""

    NEVER = "never"
    NAMED = "named"
    """Where an argument names another root."""
    ALWAYS = "always"
    MISSED = "missed"
    """It never does, though what is asked for may be in others: the answer names these."""

    @property
    def is_alone(self) -> bool:
        """Whether it never does."""
        return self in (Spans.NEVER, Spans.MISSED)


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """As clients call it: `map_search`."""
    command: str
    """As the command line calls it: `search`."""
    title: str
    description: str
    """For a model that has never seen the system: what it answers, when to prefer it."""
    params: type[ToolParams]
    payload: Any
    """The `TypedDict` of what `data` holds."""
    answer: Callable[[World, Any], Replied | Asking[Replied]]
    questions_s: float = LIVE_S
    """How long its questions may take in all."""
    needs_rebuild: bool = False
    """Whether the shell runs a rebuild first and puts its result into the world."""
    needs_edges: bool = False
    """Whether its answer rests on edges, and on scores made of them: a partial map has none but `contains`."""
    is_read_only: bool = True
    reach: Mapping[str, int] = MappingProxyType({})
    """Upper bounds of arguments where the tool itself says when less is allowed, in place of the limits profile's."""
    long_texts: frozenset[str] = frozenset()
    """Arguments that may be longer than any path or query: a pasted text."""
    spans_roots: Spans = Spans.NEVER
    """When a call is answered from the map that joins this root with the others that it belongs to."""
    checks_all_files: bool = False
    """Whether its answer names every stale file, not only of those it mentions."""
    budget_max: int = BUDGET_MAX
    """Tokens that a caller may ask for."""
    is_for_programs: bool = False
    """Whether it is called by programs that know it, and listed to no model."""


def named_files(params: msgspec.Struct) -> set[str]:
    """Paths of the files under the root that the node IDs and the `file` among a call's arguments name."""
    found: set[str] = set()
    for field, name in _fields_naming(type(params)):
        value = getattr(params, field)
        if isinstance(value, str) and name == "file":
            found.update((value,) if is_plain_path(value) else ())
        elif isinstance(value, str | tuple):
            found.update(map(_read_path, (value,) if isinstance(value, str) else value))
    found.discard("")
    return found


@cache
def _fields_naming(params: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """The fields that name files or nodes, with the arguments that they are."""
    fields = zip(params.__struct_fields__, params.__struct_encode_fields__, strict=True)
    return tuple((field, name) for field, name in fields if name in _NAMING)


def _read_path(text: str) -> str:
    """The path that an ID begins with, whole or short; empty where there is none."""
    try:
        return parse_id(text).path
    except BadNodeId:
        path = text.partition("#")[0]
        return path if path != text and is_plain_path(path) else ""


def other_roots_named(params: msgspec.Struct, roots: Iterable[str]) -> set[str]:
    """Those of some other roots that the node IDs, the `file` and the `fileFilter` among a call's arguments name."""
    texts: list[str] = []
    for field, name in zip(params.__struct_fields__, params.__struct_encode_fields__, strict=True):
        value = getattr(params, field) if name in _NAMING or name == "fileFilter" else None
        texts += (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()
    heads = {text.removeprefix("!").lstrip("/").partition("/")[0] for text in texts}
    heads |= {text.partition(":")[2].partition("/")[0] for text in texts}
    return {root for root in roots if any(head[:1] == MARK and fnmatchcase(root, head[1:]) for head in heads)}


def is_plain_path(path: str) -> bool:
    """Whether the text is a path relative to the root, as the map writes it."""
    return posixpath.normpath(path) == path and not path.startswith(("/", "../")) and "\0" not in path and path != ".."


_NAMING = frozenset(("nodeId", "nodeIds", "from", "to", "file"))


_SCALARS = frozenset((str, int, float, bool))
"""The types of most of a payload: a cheap test whether there are others."""


def mentioned_files(answer: Answer | Failure) -> set[str]:
    """Paths of the files that an answer speaks of: those of the members `file` and of the node IDs in its payload, and
    those that it rests on besides."""
    if isinstance(answer, Failure):
        return set()
    found = set(answer.rests_on)
    waiting: list[Any] = [answer.data]
    while waiting:
        node = waiting.pop()
        if type(node) is dict or isinstance(node, Mapping):
            file = node.get("file")
            if isinstance(file, str):
                found.add(file)
            else:
                node_id = node.get("id")
                if isinstance(node_id, str) and ":" in node_id:
                    with suppress(BadNodeId):  # what was asked for and is missing may be any text
                        found.add(parse_id(node_id).path)
            values: Iterable[Any] = node.values()
        elif isinstance(node, list | tuple):
            values = node
        else:
            continue
        if not _SCALARS.issuperset(map(type, values)):  # true of most, and decided in C
            waiting += [value for value in values if type(value) not in _SCALARS]
    found.discard("")
    return found
