"""A file as it is on disk now: its lines, and its definitions where it can be parsed."""

from __future__ import annotations

from functools import cached_property

import msgspec

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.facts import FileFacts
from codemap.graph.model.indexed_file import FileStamp, IndexedFile
from codemap.languages import language_of
from codemap.live_queries import Because, Found, Missed, Source, SourceNow
from codemap.tools.places.paths import no_such_file
from codemap.tools.tool import Asking, World


class FileNow(msgspec.Struct, frozen=True, dict=True):
    path: str
    text: str
    digest: bytes
    parsed: IndexedFile | None
    """Of this content; None where it cannot be parsed. Its nodes are numbered from 0."""

    @cached_property
    def lines(self) -> list[str]:
        """Without their ends."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    @property
    def line_count(self) -> int:
        """Without the empty one after the last line feed."""
        return len(self.lines) - (self.lines[-1] == "")

    @cached_property
    def names(self) -> frozenset[str]:
        """Every identifier that the parser kept; keywords are not among them."""
        return frozenset() if self.parsed is None else frozenset(self.parsed.facts.names)

    @property
    def language(self) -> str:
        language = language_of(self.path)
        return "" if language is None else language.name

    def is_as_in(self, world: World) -> bool:
        """Whether the map was made from this content."""
        indexed = None if world.snapshot is None else world.snapshot.by_path.get(self.path)
        return indexed is not None and indexed.stamp.digest == self.digest


def ask_file(world: World, path: str) -> Asking[FileNow | Failure]:
    """The file, or why there is none for whoever named it."""
    (fact,) = yield (Source(path),)
    match fact:
        case Found(SourceNow() as source):
            return file_now(path, source)
        case Missed(Because.NO_FILE):
            return no_such_file(world, path)
        case _:
            return Failure(ErrorCode.BAD_ARGS, f"file: {fact.message}." if isinstance(fact, Missed) else "file")


def file_now(path: str, source: SourceNow) -> FileNow:
    key = file_now, path
    if key not in source.derived:
        source.derived[key] = FileNow(path, source.text, source.digest, parsed_file(path, source))
    found: FileNow = source.derived[key]
    return found


def parsed_file(path: str, source: SourceNow) -> IndexedFile | None:
    """The definitions of a content, as the map would hold them."""
    facts, language = source.symbols, language_of(path)
    if language is None or not isinstance(facts, FileFacts):
        return None
    key = parsed_file, path
    if key not in source.derived:
        stamp = FileStamp(facts.size, 0, source.digest)
        source.derived[key] = IndexedFile(path, facts.lang, language.family, facts, stamp, 0, 0)
    parsed: IndexedFile = source.derived[key]
    return parsed
