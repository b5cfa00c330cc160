"""Gathers the facts that a tool asks for: files from the disk, answers from language servers, until its time is up.

Rules of the file:
- Every question gets a fact; what cannot be answered, or not by then, is `Missed` and says why.
- One call asks nobody the same twice: a tool that is run again gets the facts that it got before.
- A file is read only under the root, links followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import trio

from actors.front.fact_sources import asked_fact
from actors.front.mention_facts import mentions_fact
from actors.front.tool_call import ToolCall
from actors.language_servers.status import Stage
from actors.messaging.inbox import ActorDied
from actors.messaging.messages import Extracted, FileJob, Lane, Parsed
from actors.messaging.yielding import Turns
from actors.ports import Content
from actors.service.places import Places
from codemap.extract.skipped_files import normalize
from codemap.facts import FileFacts
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import language_of
from codemap.live_queries import (
    Because,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Diagnostics,
    Fact,
    Found,
    Hover,
    Implementations,
    LiveQuestion,
    Mentioned,
    Missed,
    NamedInOtherCode,
    Outline,
    Question,
    References,
    Rename,
    RenameRange,
    ReplaceFiles,
    ServiceQuestion,
    Source,
    SourceNow,
    Syntax,
    WordsCounted,
    WorkspaceSymbols,
    file_asked_about,
)
from codemap.syntax import SyntaxWanted
from codemap.tools import Asking, Replied
from codemap.tools.tool import is_plain_path

QUICK_S, SLOW_S, SEARCH_S, MANY_S = 15.0, 20.0, 10.0, 30.0
ASKED_S: Mapping[type[LiveQuestion], float] = MappingProxyType(
    {
        Definition: QUICK_S,
        Hover: QUICK_S,
        CallRoots: QUICK_S,
        Outline: QUICK_S,
        References: SLOW_S,
        Implementations: SLOW_S,
        CallsTo: SLOW_S,
        CallsFrom: SLOW_S,
        WorkspaceSymbols: SEARCH_S,
        Diagnostics: MANY_S,
        RenameRange: QUICK_S,
        Rename: SLOW_S,
    }
)
"""Time limit of one question, its server's start included: long enough to detect, kill and restart a server that hangs
before the asker leaves."""

PARSES_MAX = 3
"""How often a file is read again because it changed before it was parsed."""


class Gathering:
    """The facts that one call has asked for, and its deadline."""

    def __init__(
        self, call: ToolCall, snapshot: Snapshot | None, own: Snapshot | None, deadline: float, places: Places
    ) -> None:
        """`own` is the map of the root that is asked alone, `deadline` by Trio's clock; `places` are the files behind
        the snapshot."""
        self._service = call.service
        self._places = places
        self._following = call.following
        self._snapshot = snapshot
        self._own = own
        self._deadline = deadline
        self._turns = Turns()
        self._known: dict[str, Fact] = {}
        """By the text of the question: not all can be hashed."""
        self._unchanged: dict[str, SourceNow] = {}
        self._contents: dict[str, Content] = {}
        """Of files that were just read, each to be taken once."""
        self.has_written = False
        """Whether files were changed for the call: asked again, the tool would find its edits done."""

    @property
    def has_facts(self) -> bool:
        return bool(self._known)

    async def answered(self, asking: Asking[Replied]) -> Replied:
        """Runs a tool to its answer, giving it the facts it asks for. When cancelled, requests to language servers are
        cancelled."""
        try:
            questions = next(asking)
            while True:
                questions = asking.send(await self._facts(questions))
        except StopIteration as end:
            answer: Replied = end.value
            return answer
        finally:
            asking.close()

    async def _facts(self, questions: tuple[Question, ...]) -> tuple[Fact, ...]:
        """Finds a fact for each question, in order; new questions are asked at the same time. For none it lets others
        go on."""
        if not questions:
            await self._turns.step()
            return ()
        keys = list(map(repr, questions))
        fresh = {key: question for key, question in zip(keys, questions, strict=True) if key not in self._known}

        await self._read([question.file for question in fresh.values() if isinstance(question, Source)])

        async def ask(key: str, question: Question) -> None:
            self._known[key] = await self._fact(question)

        for key in [key for key, question in fresh.items() if len(fresh) == 1 or self._is_at_hand(question)]:
            await ask(key, fresh.pop(key))
        if fresh:
            async with trio.open_nursery() as nursery:
                for key, question in fresh.items():
                    nursery.start_soon(ask, key, question)
        return tuple(self._known[key] for key in keys)

    async def _read(self, files: list[str]) -> None:
        """Reads files together before they are asked for one by one, those that are not as they were read last."""
        wanted = [file for file in files if is_plain_path(file) and self._places.is_own(file)]
        self._unchanged = await self._service.sources.unchanged(wanted)
        changed = [file for file in wanted if file not in self._unchanged]
        self._contents = await self._service.ports.read_files(changed) if len(changed) > 1 else {}

    def _is_at_hand(self, question: Question) -> bool:
        """Whether the fact is a file whose content was read and is that of the map: nothing is to be waited for."""
        if not isinstance(question, Source) or question.file in self._unchanged:
            return isinstance(question, Source)
        content = self._contents.get(question.file)
        indexed = self._snapshot.by_path.get(question.file) if content is not None and self._snapshot else None
        if content is None or indexed is None:
            return False
        return indexed.stamp.digest == self._places.digest_of(question.file, content)

    async def _fact(self, question: Question) -> Fact:
        if isinstance(question, Source):
            return await self._source(question.file)
        if isinstance(question, Mentioned | WordsCounted | NamedInOtherCode):
            return await mentions_fact(self._service, self._places, self._snapshot, question, self._deadline)
        if isinstance(question, Syntax):
            return await self._syntax(question)
        if isinstance(question, ReplaceFiles):
            why = await self._service.ports.replace_files(question.files)
            self.has_written = self.has_written or not why
            return Missed(Because.REFUSED, why) if why else Found(True)
        if isinstance(question, ServiceQuestion):
            return await asked_fact(self._service, self._snapshot, self._own, self._places, question, self._deadline)
        self._following.asked += 1
        self._following.languages.add(_language(question))
        try:
            begun = trio.current_time()
            by = min(self._deadline, begun + ASKED_S[type(question)])
            with trio.CancelScope(deadline=by):
                return await self._service.live(question, Lane.FOREGROUND)
        except ActorDied as death:
            return Missed(Because.FAILED, f"{death.actor} ended before it answered", language=_language(question))
        finally:
            self._following.answered += 1
        return self._late(question, trio.current_time() - begun)

    def _late(self, question: LiveQuestion, waited_s: float) -> Missed:
        """Says why a language server gave no answer by the deadline: it is not ready yet, or does not respond."""
        language = _language(question)
        waited = f"no answer after {waited_s:.0f} s"
        status = self._service.live_status().get(language, {})
        if reason := status.get("reason"):
            waited = f"{waited}; last failure: {reason}"
        match self._service.live_stage(language):
            case Stage.READY | Stage.ENDING:
                return Missed(Because.TIMEOUT, waited, language=language)
            case Stage.LOADING:
                progress = status.get("progress")
                return Missed(Because.NOT_READY, f"{waited}; {progress}" if progress else waited, language=language)
            case Stage.COLD | Stage.STARTING | Stage.BACKOFF:
                return Missed(Because.NOT_READY, f"{waited}; it is starting", language=language)
            case Stage.ABSENT:
                return Missed(Because.UNAVAILABLE, waited, language=language)
            case Stage.TRIPPED:
                return Missed(Because.FAILED, waited, language=language)

    async def _source(self, file: str) -> Fact:
        """Reads a file as it is now. Not bound by the deadline: without it there is no answer at all, and it is
        quick."""
        if not is_plain_path(file):
            return Missed(Because.NO_FILE, f"{file} is no path relative to the root")
        unchanged = self._unchanged.pop(file, None)
        if unchanged is not None:
            return Found(unchanged)
        service, path = self._places.service_of(file)
        for attempt in range(1, PARSES_MAX + 1):
            content = self._contents.pop(file, None)
            if content is None:
                content = (await service.ports.read_files((path,))).get(path)
            if content is None:
                break
            digest = self._places.digest_of(file, content)
            facts, parsed = await self._parsed(file, content, digest)
            if parsed == digest or attempt == PARSES_MAX:
                source = SourceNow(normalize(content.content), digest, facts if parsed == digest else None)
                if source.symbols is not None:
                    service.sources.keep(path, content, source)
                return Found(source)
        if path in await service.ports.stat_files((path,)):
            return Missed(Because.REFUSED, f"{file} may not be read: it is too large, protected, or outside the root")
        return Missed(Because.NO_FILE, f"{file} does not exist")

    async def _syntax(self, question: Syntax) -> Fact:
        """Has a parser process find the parts of a file's definitions, once as long as it is the same."""
        file = question.file
        service, path = self._places.service_of(file)
        stat = (await service.ports.stat_files((path,))).get(path) if is_plain_path(path) else None
        if stat is None or language_of(file) is None:
            return Missed(Because.NO_FILE, f"{file} does not exist, or has no language")
        source = (await service.sources.unchanged((path,))).get(path)
        wanted = SyntaxWanted(question.borders_of)
        if source is not None:
            known = service.syntax.find(path, source.digest, question.borders_of)
            if known is not None:
                return Found(known)
            wanted = SyntaxWanted(question.borders_of, source.digest, source.symbols.symbols)
        found = await service.read_syntax(FileJob(path, stat), wanted, self._deadline)
        if found is None:
            return Missed(Because.REFUSED, f"{file} cannot be parsed in time")
        service.syntax.keep(path, found)
        return Found(found)

    async def _parsed(self, file: str, content: Content, digest: bytes) -> tuple[FileFacts | None, bytes]:
        """Extracts the facts of a content, None where impossible, and the digest of the content that was parsed."""
        indexed = self._snapshot.by_path.get(file) if self._snapshot is not None else None
        if indexed is not None and indexed.stamp.digest == digest:
            return indexed.facts, digest
        if language_of(file) is None:
            return None, digest
        try:
            service, path = self._places.service_of(file)
            extracted = await service.extract(FileJob(path, content.stat))
        except ActorDied:
            return None, digest
        if isinstance(extracted, Extracted):
            (outcome,) = extracted.outcomes
            if isinstance(outcome, Parsed):
                return outcome.facts, outcome.digest
        return None, digest


def _language(question: Question) -> str:
    if isinstance(question, WorkspaceSymbols):
        return question.language
    language = language_of(file_asked_about(question))
    return "" if language is None else language.name
