"""A language server that says what a test wrote down, and a disk that holds the files of a case: facts for tools.

Rules of the script (JSON): a question in words is the key, the answer is the value.

    {"definition app/api.py:4:11": ["app/store.py:21:9-16"], "hover app/api.py:4:11": "markdown",
     "calls to app/store.py:21:9": [{"item": "login function app/api.py:4:5-10", "sites": ["5:3-8"]}],
     "diagnostics app/store.py": ["21:9-16 error some-code the message"], "base-diagnostics app/store.py": [],
     "rename app/store.py:21:9 fetch": ["app/store.py:21:9-16 fetch"],
     "*": {"missed": "unavailable", "message": "…", "hint": "…"}}

A diagnostic may end in ` while PATH lacks WORD`: it is there as long as the text of a file that is shown lacks a word.
Places are `file:line:col-endCol` or `file:line:col-endLine:endCol`; an absolute file is outside the root. `{"found":
<answer>, "incomplete": "…"}` is an answer that may lack something, with `"lasting": true` for good. A first word alone
answers all such questions, `*` what nothing else does; without them, an unexpected question fails the test.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from codemap.changes.change_set import WORK_TREE, ChangeSet
from codemap.changes.changed_definitions import Pair
from codemap.changes.version import Version
from codemap.envelope.answer import Answer, Failure
from codemap.extract.complexity import measure
from codemap.extract.definition_syntax import syntax_of
from codemap.extract.extract import extract
from codemap.extract.fingerprints import version_of
from codemap.extract.word_classification import words_in, words_of_names
from codemap.findings.finding import BadReport
from codemap.findings.sarif import read_sarif
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.history.past import Past
from codemap.languages import language_of
from codemap.live_queries import (
    At,
    BaseTexts,
    Because,
    CallItem,
    CallLink,
    CallRoots,
    CallsFrom,
    CallsTo,
    ChangedSince,
    Definition,
    Diagnostic,
    Diagnostics,
    Edit,
    Fact,
    Found,
    Hover,
    Implementations,
    Kind,
    MapWith,
    Measured,
    Mentioned,
    Missed,
    Named,
    NamedInOtherCode,
    NamesRead,
    NamesSought,
    Outline,
    PastOf,
    Place,
    Question,
    References,
    Rename,
    RenameRange,
    Renaming,
    ReplaceFiles,
    ReportOf,
    Severity,
    Source,
    SourceNow,
    Syntax,
    TextsAt,
    VersionsNow,
    WordsCounted,
    WorkspaceSymbols,
)
from codemap.measures import Measuring
from codemap.mentions.account import Elsewhere
from codemap.mentions.accounts import Accounting
from codemap.mentions.other_texts import OTHER_CODE, sort_of
from codemap.mentions.seeking import Names, Sought, SoughtIn, seek
from codemap.mentions.word_counts import count_words
from codemap.occurrences.words import Sighted, Sightings, lines_of, without_bom, without_prose
from codemap.syntax import FileSyntax
from codemap.tools import Asking

SERVER = "fake 1.0"
_WHILE = re.compile(r"(.*) while (\S+) lacks (\w+)")
_PLACE = re.compile(r"(.+?):(\d+):(\d+)(?:-(?:(\d+):)?(\d+))?")


class Script:
    """Answers questions from a script and from files as they are now."""

    def __init__(
        self,
        script: Mapping[str, Any],
        files: Mapping[str, bytes],
        base: Mapping[str, bytes | None] | None = None,
        past: Past | None = None,
    ) -> None:
        """`base` is what a commit has of files that differ from those; None where it has none. Without a past, there is
        no repository."""
        self._past = past
        self._script = script
        self._files = files
        self._base = base
        self.snapshot: Snapshot | None = None
        """The map that the tool answers from."""
        self.written: dict[str, bytes] = {}
        self.asked: list[str] = []
        """Every question to the server, in words."""

    def run(self, found: Answer | Failure | Asking[Answer | Failure]) -> Answer | Failure:
        """What a tool says in the end."""
        if not isinstance(found, Generator):
            return found
        try:
            questions = next(found)
            while True:
                questions = found.send(tuple(self.fact(question) for question in questions))
        except StopIteration as end:
            answer: Answer | Failure = end.value
            return answer

    def fact(self, question: Question) -> Fact:
        if isinstance(question, Source):
            return source(self._files, question.file)
        if isinstance(question, Mentioned):
            return self._mentioned(question)
        if isinstance(question, WordsCounted):
            return self._counted(question)
        if isinstance(question, NamedInOtherCode):
            return Found(tuple(one for one in self._elsewhere(question.name) if one.why == OTHER_CODE))
        if isinstance(question, ReportOf):
            return report(self._files, question)
        if isinstance(question, Measured):
            return Found(measuring(self._files, question))
        if isinstance(question, NamesSought | NamesRead):
            return Found(sought(self._files, question))
        if isinstance(question, Syntax):
            return syntax(self._files, question)
        if isinstance(question, ChangedSince):
            return self._changed(question)
        if isinstance(question, ReplaceFiles):
            self.written = {one.file: one.content for one in question.files}
            return Found(True)
        if isinstance(question, TextsAt):
            there = {path: text.decode() for path, text in (self._base or {}).items() if text is not None}
            return Found({path: text for path, text in there.items() if path in question.files})
        if isinstance(question, MapWith):
            return Found(self._map_with(question))
        if isinstance(question, VersionsNow):
            return Found({path: version(path, self._files[path]) for path in question.files})
        if isinstance(question, PastOf):
            message = "No history: the folder is in no git repository."
            return Missed(Because.UNAVAILABLE, message) if self._past is None else Found(self._past)
        words = in_words(question)
        self.asked.append(words)
        said = self._script.get(words, self._script.get(words.partition(" ")[0], self._script.get("*")))
        assert said is not None, f"not in the script: {words}"
        if isinstance(said, dict) and "missed" in said:
            members = {name: said[name] for name in ("message", "hint", "language", "stderr_tail") if name in said}
            return Missed(Because(said["missed"]), **{"message": "", "language": "py"} | members)
        if not isinstance(said, dict):
            return Found(self._value(question, said), SERVER)
        value = self._value(question, said["found"])
        return Found(value, SERVER, said.get("incomplete", ""), is_lasting=said.get("lasting", False))

    def _value(self, question: Question, answer: Any) -> Any:
        match question:
            case Hover():
                return answer
            case Definition() | References() | Implementations() | RenameRange():
                return tuple(self._place(text) for text in answer)
            case Diagnostics(file, base):
                found = tuple(self._diagnostic(file, text) for text in self._as_shown(answer, base))
                shown = None if base is None else base.texts.get(file)
                return found if shown is None else tuple(one for one in found if one.place.line <= shown.count("\n"))
            case Rename():
                return Renaming(tuple(self._edit(text) for text in answer))
            case CallRoots():
                return tuple(self._item(text) for text in answer)
            case CallsTo() | CallsFrom():
                return tuple(self._link(question, link) for link in answer)
            case _:
                return tuple(self._named(named) for named in answer)

    def _place(self, text: str) -> Place:
        match = _PLACE.fullmatch(text)
        assert match, f"no place: {text}"
        file, line, col = match[1], int(match[2]), int(match[3])
        end_line, end_col = int(match[4] or line), int(match[5] or col + 1)
        if file.startswith("/"):
            return Place(file, line, col, end_line, end_col, is_external=True)
        lines = self._files.get(file, b"").decode().split("\n")
        return Place(file, line, col, end_line, end_col, lines[line - 1].strip() if line <= len(lines) else "")

    def _diagnostic(self, file: str, text: str) -> Diagnostic:
        place, severity, code, message = text.split(" ", 3)
        return Diagnostic(self._place(f"{file}:{place}"), Severity(severity), message, code.strip("-"))

    def _as_shown(self, texts: Iterable[str], base: BaseTexts | None) -> Iterator[str]:
        """The diagnostics that the texts which the server is shown leave."""
        for text in texts:
            match = _WHILE.fullmatch(text)
            shown = base.texts.get(match[2], "") if match and base is not None else ""
            if match is None or re.search(rf"\b{match[3]}\b", shown) is None:
                yield match[1] if match else text

    def _edit(self, text: str) -> Edit:
        place, _, new = text.partition(" ")
        return Edit(self._place(place), new)

    def _item(self, text: str) -> CallItem:
        name, kind, place = text.split(" ")
        return CallItem(name, Kind(kind), self._place(place), handle={"name": name})

    def _link(self, question: CallsTo | CallsFrom, link: Mapping[str, Any]) -> CallLink:
        item = self._item(link["item"])
        caller = item if isinstance(question, CallsTo) else question.item
        return CallLink(item, tuple(self._place(f"{caller.place.file}:{site}") for site in link["sites"]))

    def _named(self, named: Mapping[str, Any]) -> Named:
        name, kind, place = named["symbol"].split(" ")
        at = self._place(place)
        whole = self._place(f"{at.file}:{named['whole']}") if "whole" in named else at
        children = tuple(self._named(child) for child in named.get("children", ()))
        return Named(name, Kind(kind), at, whole, children, named.get("container", ""))

    def _changed(self, question: ChangedSince) -> Fact:
        """What differs from the base; the head, where one is named, is as the disk."""
        if self._base is None:
            return Missed(Because.REFUSED, f"base: git knows no commit {question.base!r} here.")
        pairs = []
        for path, before in sorted(self._base.items()):
            sides = (before, self._files.get(path))
            if sides[0] != sides[1]:
                pairs.append(Pair(path, *(None if side is None else version(path, side) for side in sides)))
        return Found(ChangeSet("b" * 40, (question.head and "c" * 40) or WORK_TREE, tuple(pairs)))

    def _map_with(self, question: MapWith) -> Snapshot:
        files = {path: text for path, text in self._files.items() if question.files.get(path, text) is not None}
        for path, one in question.files.items():
            sides = (self._files.get(path), (self._base or {}).get(path))
            for text in sides:
                if one is not None and text is not None and version(path, text).digest == one.digest:
                    files[path] = text
        return build_snapshot(files)

    def _mentioned(self, question: Mentioned) -> Fact:
        """What the files of the map say of a name."""
        assert self.snapshot is not None
        node = self.snapshot.find(question.node_id) if question.node_id else None
        assert node is not None or not question.node_id
        files = self._mapped()
        accounting = Accounting(self.snapshot, node, question.name, sightings(files, question.name))
        elsewhere, unseen = tuple(self._elsewhere(question.name)), sum(map(_is_slow, self._files.values()))
        return Found(msgspec.structs.replace(accounting.ledger(), elsewhere=elsewhere, unseen=unseen))

    def _counted(self, question: WordsCounted) -> Fact:
        assert self.snapshot is not None
        sighted = sightings(self._mapped(), question.name)
        if len(sighted.files) > question.files_max:
            return Missed(Because.REFUSED, "too many files have the name")
        return Found(count_words(self.snapshot, question.name, sighted))

    def _mapped(self) -> dict[str, bytes]:
        assert self.snapshot is not None
        paths = {file.path for file in self.snapshot.files}
        return {path: content for path, content in self._files.items() if path in paths}

    def _elsewhere(self, name: str) -> Iterator[Elsewhere]:
        """Where a name stands in files of no language; one that begins with `# slow` is not searched in time."""
        for path, content in sorted(self._files.items()):
            if language_of(path) is None and not _is_slow(content) and (lines := list(lines_of(content, name))):
                yield Elsewhere(path, sort_of(path), len(lines), tuple(dict.fromkeys(lines)))


def _is_slow(content: bytes) -> bool:
    return content.startswith(b"# slow")


def version(path: str, source: bytes) -> Version:
    """The version of a file, as a parser process reads it."""
    return msgspec.structs.replace(version_of(path, source), digest=blake2b(source, digest_size=16).digest())


def sightings(files: Mapping[str, bytes], name: str) -> Sightings:
    """Where a name stands in files, as a look through them finds it."""
    found = (
        Sighted(path, blake2b(content, digest_size=16).digest(), words_in(path, content, name))
        for path, content in sorted(files.items())
        if language_of(path) is not None
    )
    return Sightings(tuple(file for file in found if file.words))


def sought(files: Mapping[str, bytes], question: NamesSought | NamesRead) -> Sought:
    """Where names stand in files, as a look through them finds it."""
    if isinstance(question, NamesSought):
        names = Names(question.names)
        found = (seek(path, digest(content), content, names) for path, content in sorted(files.items()))
        return Sought(tuple(one for one in found if one is not None), (), len(files))
    read = []
    for path, wanted in question.names.items():
        words = words_of_names(path, files[path], wanted)
        rows = {name: without_prose(without_bom(files[path]), name, its) for name, its in words.items()}
        read.append(SoughtIn(path, digest(files[path]), rows))
    return Sought(tuple(read))


def digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def source(files: Mapping[str, bytes], path: str) -> Fact:
    """What the shell says of a file."""
    content = files.get(path)
    if content is None:
        return Missed(Because.NO_FILE, f"{path} does not exist")
    facts = extract(path, content) if language_of(path) is not None else None
    digest = blake2b(content, digest_size=16).digest()
    return Found(SourceNow(content, digest, facts))


def report(files: Mapping[str, bytes], question: ReportOf) -> Fact:
    """What a file says; no program is installed."""
    if question.program:
        return Missed(Because.UNAVAILABLE, f"{question.program} is not installed", "`pip install it`")
    content = files.get(question.path)
    if content is None:
        return Missed(Because.UNAVAILABLE, "there is no such file")
    try:
        return Found(read_sarif(content))
    except BadReport as error:
        return Missed(Because.REFUSED, str(error))


def measuring(files: Mapping[str, bytes], question: Measured) -> Measuring:
    """The measures of files as they are now; one that begins with `# slow` is not measured in time."""
    there = {path: files[path] for path in question.files if path in files}
    seen = {path: content for path, content in there.items() if not _is_slow(content)}
    of = {path: (blake2b(content, digest_size=16).digest(), measure(path, content)) for path, content in seen.items()}
    return Measuring(of, len(there) - len(seen))


def syntax(files: Mapping[str, bytes], question: Syntax) -> Fact:
    """What the shell says of the parts of a file's definitions."""
    path = question.file
    content = files.get(path)
    if content is None or language_of(path) is None:
        return Missed(Because.NO_FILE, f"{path} does not exist")
    return Found(
        FileSyntax(blake2b(content, digest_size=16).digest(), *syntax_of(path, content, b"", question.borders_of))
    )


def in_words(question: Question) -> str:
    """The key of a question."""

    def at(place: At | Place) -> str:
        return f"{place.file}:{place.line}:{place.col}"

    match question:
        case Definition(place):
            return f"definition {at(place)}"
        case References(place, with_declaration):
            return f"references{' and declaration' if with_declaration else ''} {at(place)}"
        case Implementations(place):
            return f"implementations {at(place)}"
        case Hover(place):
            return f"hover {at(place)}"
        case CallRoots(place):
            return f"roots {at(place)}"
        case CallsTo(item):
            return f"calls to {at(item.place)}"
        case CallsFrom(item):
            return f"calls from {at(item.place)}"
        case Outline(file):
            return f"outline {file}"
        case Diagnostics(file, base):
            return f"{'' if base is None else 'base-'}diagnostics {file}"
        case RenameRange(place):
            return f"name {at(place)}"
        case Rename(place, name):
            return f"rename {at(place)} {name}"
        case TextsAt(commit):
            return f"texts {commit}"
        case WorkspaceSymbols(language, query):
            return f"symbols {language} {query}"
        case Source(file):
            return f"source {file}"
