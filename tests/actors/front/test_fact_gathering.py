"""Facts for tools: from files as they are now, from whoever answers for a language, by the deadline or not at all."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.files.reading import digest_of
from actors.front.call import Reply, call
from actors.front.progress import Following, report
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.language_servers.status import Stage
from actors.messaging.inbox import ActorDied
from actors.messaging.messages import UNKNOWN_STAT, FileJob, Lane, Outcome, Parsed, Same, Scanned, Skipped, SyntaxRead
from actors.ports import Worker, Workers
from actors.service.service import Service
from actors.service.wiring import open_service
from actors.watch.watch_status import Hints
from codemap.envelope.answer import Answer
from codemap.extract.definition_syntax import syntax_of
from codemap.extract.extract import extract
from codemap.extract.skipped_files import SkipReason
from codemap.extract.word_classification import words_in, words_of_names
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import CallItem, CallLink, Fact, Found, Kind, LiveQuestion, Place
from codemap.mentions.seeking import Names, Sought, SoughtIn, seek
from codemap.occurrences.words import Sighted
from codemap.packed.packed_facts import pack_facts
from codemap.settings import Settings
from codemap.syntax import FileSyntax, SyntaxWanted
from codemap.tools import TOOLS
from codemap.tools.tool import in_turns
from tests.actors.fakes import FakeDisk
from tests.tools.live import Script, in_words

SETTINGS = Settings(watch="off", rows="full")
STORE = b"class Store:\n    def get(self): ...\n\n\ndef make() -> Store:\n    return Store()\n"
USE = b"from store import make\n\n\ndef use():\n    make().get()\n"
GET = {"nodeId": "py:store.py#Store.get"}

Answerer = Callable[[LiveQuestion], Awaitable[Fact]]


class ParsingDisk(FakeDisk):
    """A fake disk whose workers really parse."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.before_parsing: Callable[[str], None] = lambda _path: None
        self.read: list[str] = []

    @asynccontextmanager
    async def open_workers(self) -> AsyncIterator[Workers]:
        yield self

    @asynccontextmanager
    async def take(self, memory_bytes: float) -> AsyncIterator[Worker]:
        yield self

    def computed_s(self) -> float:
        return math.inf

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        await trio.lowlevel.checkpoint()
        return msgspec.msgpack.encode([self._parse(job) for job in jobs])

    async def scan(self, word: str, files: Sequence[FileJob], time_s: float) -> bytes:
        await trio.lowlevel.checkpoint()
        found = [
            Sighted(job.path, digest_of(content), words)
            for job in files
            if (content := self.files[job.path].content) and (words := words_in(job.path, content, word))
        ]
        return msgspec.msgpack.encode(Scanned(tuple(found), ()))

    async def seek(
        self,
        names: tuple[str, ...],
        names_of_each: tuple[tuple[str, ...], ...],
        files: Sequence[FileJob],
        time_s: float,
    ) -> bytes:
        await trio.lowlevel.checkpoint()
        found = []
        for place, job in enumerate(files):
            content = self.files[job.path].content
            if names_of_each:
                words = words_of_names(job.path, content, names_of_each[place])
                found.append(SoughtIn(job.path, digest_of(content), words))
            elif (one := seek(job.path, digest_of(content), content, Names(names))) is not None:
                found.append(one)
        return msgspec.msgpack.encode(Sought(found, (), len(files)))

    async def read_syntax(self, file: FileJob, wanted: SyntaxWanted) -> bytes:
        await trio.lowlevel.checkpoint()
        content = self.files[file.path].content
        syntax = FileSyntax(digest_of(content), *syntax_of(file.path, content, b"", wanted.borders_of))
        return msgspec.msgpack.encode(SyntaxRead(syntax))

    def _parse(self, job: FileJob) -> Outcome:
        self.before_parsing(job.path)
        file = self.files.get(job.path)
        if file is None:
            return Skipped(UNKNOWN_STAT, b"", False, SkipReason.VANISHED)
        if file.content == b"slow":
            return Skipped(file.stat, digest_of(file.content), True, SkipReason.UNPARSABLE)
        digest = digest_of(file.content)
        if digest == job.known:
            return Same(file.stat, digest, True)
        return Parsed(file.stat, digest, True, pack_facts(extract(job.path, file.content)))

    async def read_files(self, paths: Any, max_bytes: int | None = None) -> Any:
        named = list(paths)
        self.read += named
        return await super().read_files(named)


class Servers:
    """Language servers as the front sees them."""

    def __init__(self, answer: Answerer) -> None:
        self.asked: list[str] = []
        self.given_up: list[str] = []
        """Questions whose asker left."""
        self.stage = Stage.READY
        self.progress = ""
        self.reason = ""
        """Why its last life ended."""
        self._answer = answer

    async def live(self, question: LiveQuestion, lane: Lane) -> Fact:
        assert lane is Lane.FOREGROUND
        words = in_words(question)
        self.asked.append(words)
        try:
            return await self._answer(question)
        except trio.Cancelled:
            self.given_up.append(words)
            raise

    def live_stage(self, language: str) -> Stage:
        assert language == "py"
        return self.stage

    def live_status(self) -> dict[str, dict[str, object]]:
        return {"py": {"progress": self.progress, "reason": self.reason}}


def scripted(script: dict[str, Any], disk: FakeDisk) -> Answerer:
    async def answer(question: LiveQuestion) -> Fact:
        await trio.lowlevel.checkpoint()
        return Script(script, {path: file.content for path, file in disk.files.items()}).fact(question)

    return answer


async def hang(question: LiveQuestion) -> Fact:
    await trio.sleep_forever()
    raise AssertionError


@asynccontextmanager
async def serve(disk: FakeDisk, servers: Servers, *, is_built: bool = True) -> AsyncIterator[Service[Snapshot]]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(1000):
        disk.start()
        async with open_service(SETTINGS, disk, SingleUseBuilder(), jitter=lambda: 0.0) as service:
            for name in ("live", "live_stage", "live_status"):
                setattr(service, name, getattr(servers, name))
            if is_built:
                await service.wait_built()
            yield service


async def ask(service: Service[Snapshot], name: str, **arguments: Any) -> Reply:
    tool = next(tool for tool in TOOLS if tool.name == name)
    reply = await call(service, SETTINGS, tool, arguments)
    assert json.loads(reply.text) == reply.envelope
    return reply


async def data_of(service: Service[Snapshot], name: str, **arguments: Any) -> Any:
    envelope = (await ask(service, name, **arguments)).envelope
    assert envelope["ok"], envelope
    return envelope["data"]


def disk_of(**more: bytes) -> ParsingDisk:
    return ParsingDisk({"store.py": STORE, "use.py": USE, **{f"{name}.py": source for name, source in more.items()}})


async def test_a_tool_gets_what_it_asks_for(autojump_clock: MockClock) -> None:
    disk = disk_of()
    servers = Servers(scripted({"definition use.py:5:12": ["store.py:2:9-12"]}, disk))
    async with serve(disk, servers) as service:
        data = await data_of(service, "nav_definition", file="use.py", line=5, col=12)
        assert [place["id"] for place in data["locations"]] == ["py:store.py#Store.get"]
        assert servers.asked == ["definition use.py:5:12"]


async def test_an_answer_about_a_changed_file_is_of_the_file_as_it_is(autojump_clock: MockClock) -> None:
    """It is given twice, the second time with the file parsed; the server is asked once."""
    disk = disk_of()
    servers = Servers(scripted({"definition use.py:5:12": ["store.py:6:9-12"]}, disk))
    async with serve(disk, servers) as service:
        await trio.sleep(1)
        disk.write("store.py", b"\n" * 4 + STORE)
        data = await data_of(service, "nav_definition", file="use.py", line=5, col=12)
        assert data["locations"][0]["id"] == "py:store.py#Store.get"
        assert servers.asked == ["definition use.py:5:12"]


async def test_a_tool_that_has_written_is_not_asked_again(autojump_clock: MockClock) -> None:
    """Its answer mentions files that are not as indexed any more, and was right when they were."""
    disk = disk_of(api=b'from store import make\n\n__all__ = ["make"]\n')
    edits = ["store.py:5:5-9 build", "use.py:1:19-23 build", "use.py:5:5-9 build", "api.py:1:19-23 build"]
    script = {"name store.py:5:5": ["store.py:5:5-9"], "rename store.py:5:5 build": edits, "diagnostics": []}
    servers = Servers(scripted({**script, "base-diagnostics": []}, disk))
    async with serve(disk, servers) as service:
        await trio.sleep(1)
        data = await data_of(service, "nav_rename", nodeId="py:store.py#make", newName="build", apply=True)
        assert (data["applied"], data["total"], data["added"]) == (True, 5, 1)
        assert disk.files["api.py"].content == b'from store import build\n\n__all__ = ["build"]\n'
        assert [words for words in servers.asked if words.startswith("rename")] == ["rename store.py:5:5 build"]


async def test_a_file_is_read_once_until_it_changes(autojump_clock: MockClock) -> None:
    disk = disk_of()
    async with serve(disk, Servers(hang)) as service:
        disk.read.clear()
        first = await data_of(service, "map_code", nodeIds=["py:use.py#use"], include=["callees"])
        assert sorted(disk.read) == ["store.py", "use.py"]
        assert await data_of(service, "map_code", nodeIds=["py:use.py#use"], include=["callees"]) == first
        assert len(disk.read) == len({"store.py", "use.py"})
        await trio.sleep(1)
        disk.write("use.py", USE.replace(b"make().get()", b"return make().get()"))
        then = await data_of(service, "map_code", nodeIds=["py:use.py#use"])
        assert "return make().get()" in str(then)


async def test_a_node_id_is_looked_up_in_the_file_as_it_is(autojump_clock: MockClock) -> None:
    disk = disk_of()
    servers = Servers(scripted({"definition store.py:6:9": ["store.py:6:9-12"]}, disk))
    async with serve(disk, servers) as service:
        await trio.sleep(1)
        disk.write("store.py", b"\n" * 4 + STORE)
        data = await data_of(service, "nav_definition", **GET)
        assert (data["target"]["line"], data["target"]["relocated"]) == (6, True)


async def test_a_file_that_changes_while_it_is_parsed_is_read_again(autojump_clock: MockClock) -> None:
    disk = disk_of()
    servers = Servers(scripted({"definition store.py:3:9": ["store.py:3:9-12"]}, disk))
    async with serve(disk, servers) as service:
        await trio.sleep(1)
        disk.write("store.py", b"# one\n# more\n" + STORE)

        def change(path: str) -> None:
            disk.before_parsing = lambda _path: None
            disk.write(path, b"\n" + STORE)

        disk.before_parsing = change
        assert (await data_of(service, "nav_definition", **GET))["target"]["line"] == 3


@pytest.mark.parametrize(
    ("name", "arguments", "takes_s"),
    [("nav_definition", GET, 15), ("nav_type", GET, 15), ("nav_references", GET, 20), ("nav_implementations", GET, 20)],
)
async def test_a_server_that_hangs_costs_the_deadline_and_no_more(
    autojump_clock: MockClock, name: str, arguments: dict[str, Any], takes_s: float
) -> None:
    servers = Servers(hang)
    async with serve(disk_of(), servers) as service:
        start = trio.current_time()
        error = (await ask(service, name, **arguments)).envelope["error"]
        assert trio.current_time() - start == pytest.approx(takes_s)
        assert (error["code"], error["language"]) == ("LSP_TIMEOUT", "py")
        assert "is up and gave no answer" in error["message"]
        assert sorted(servers.given_up, key=repr) == sorted(servers.asked, key=repr)


@pytest.mark.parametrize(
    ("stage", "code", "said"),
    [
        (Stage.LOADING, "LSP_TIMEOUT", "still loading the project: no answer after 15 s; indexing 40 %"),
        (Stage.STARTING, "LSP_TIMEOUT", "still loading the project: no answer after 15 s; it is starting"),
        (Stage.BACKOFF, "LSP_TIMEOUT", "it is starting"),
        (Stage.ABSENT, "LSP_UNAVAILABLE", "no answer after 15 s"),
        (Stage.TRIPPED, "LSP_FAILED", "no answer after 15 s"),
    ],
)
async def test_a_late_answer_says_how_far_the_server_is(
    autojump_clock: MockClock, stage: Stage, code: str, said: str
) -> None:
    servers = Servers(hang)
    servers.stage, servers.progress = stage, "indexing 40 %"
    async with serve(disk_of(), servers) as service:
        error = (await ask(service, "nav_definition", **GET)).envelope["error"]
        assert error["code"] == code
        assert said in error["message"]


async def test_a_late_answer_says_what_failed_before(autojump_clock: MockClock) -> None:
    servers = Servers(hang)
    servers.stage, servers.reason = Stage.STARTING, "it did not start up in 10 s"
    async with serve(disk_of(), servers) as service:
        error = (await ask(service, "nav_definition", **GET)).envelope["error"]
        assert error["message"].endswith(
            ": no answer after 15 s; last failure: it did not start up in 10 s; it is starting."
        )


async def test_what_came_before_the_deadline_is_given(autojump_clock: MockClock) -> None:
    """The first step takes 12 s, each branch of the second hangs: at 30 s there is an answer, and it says so."""

    async def answer(question: LiveQuestion) -> Fact:
        words = in_words(question)
        if words.startswith("roots"):
            return Found((CallItem("get", Kind.METHOD, Place("store.py", 2, 9, 2, 12)),))
        if words != "calls to store.py:2:9":
            await trio.sleep_forever()
        await trio.sleep(12)
        caller = CallItem("use", Kind.FUNCTION, Place("use.py", 4, 5, 4, 8))
        return Found((CallLink(caller, (Place("use.py", 5, 12, 5, 15),)),))

    async with serve(disk_of(), Servers(answer)) as service:
        start = trio.current_time()
        reply = await ask(service, "nav_callHierarchy", **GET, direction="incoming", depth=2)
        assert trio.current_time() - start == pytest.approx(30)
        assert [child["id"] for child in reply.envelope["data"]["root"]["children"]] == ["py:use.py#use"]
        assert reply.envelope["data"]["complete"] is False
        assert [child["complete"] for child in reply.envelope["data"]["root"]["children"]] == [False]
        assert reply.envelope["warnings"] == [
            "The calls of use are missing: no answer after 18 s. "
            "They carry complete:false: repeat the call, or call with the nodeId of each."
        ]


async def test_questions_of_a_batch_are_put_at_the_same_time(autojump_clock: MockClock) -> None:
    async def answer(question: LiveQuestion) -> Fact:
        words = in_words(question)
        await trio.sleep(4)
        if words.startswith("roots"):
            return Found((CallItem("get", Kind.METHOD, Place("store.py", 2, 9, 2, 12)),))
        if words != "calls to store.py:2:9":
            return Found(())
        callers = [CallItem(f"f{n}", Kind.FUNCTION, Place("use.py", n, 5, n, 8)) for n in range(1, 6)]
        return Found(tuple(CallLink(caller, ()) for caller in callers))

    async with serve(disk_of(), Servers(answer)) as service:
        start = trio.current_time()
        data = await data_of(service, "nav_callHierarchy", **GET, direction="incoming", depth=2)
        assert trio.current_time() - start == pytest.approx(12)
        assert len(data["root"]["children"]) == 5
        assert "complete" not in data


async def test_a_long_call_hierarchy_reports_how_far_it_is(autojump_clock: MockClock) -> None:
    """One function, then five callers, whose own callers come one after the other."""

    async def answer(question: LiveQuestion) -> Fact:
        words = in_words(question)
        if words.startswith("roots"):
            await trio.sleep(1)
            return Found((CallItem("get", Kind.METHOD, Place("store.py", 2, 9, 2, 12)),))
        if words != "calls to store.py:2:9":
            await trio.sleep(int(words.split(":")[1]))
            return Found(())
        await trio.sleep(1)
        callers = [CallItem(f"f{n}", Kind.FUNCTION, Place("use.py", n, 5, n, 8)) for n in range(1, 6)]
        return Found(tuple(CallLink(caller, ()) for caller in callers))

    told: list[tuple[float, float | None, str]] = []

    async def tell(done: float, total: float | None, sentence: str) -> None:
        told.append((done, total, sentence.partition(":")[0]))

    tool = next(tool for tool in TOOLS if tool.name == "nav_callHierarchy")
    arguments = {**GET, "direction": "incoming", "depth": 2}
    async with serve(disk_of(), Servers(answer)) as service, trio.open_nursery() as nursery:
        following = Following()
        nursery.start_soon(report, following, tell)
        await call(service, SETTINGS, tool, arguments, following)
        nursery.cancel_scope.cancel()
    questions = [(0, 1), (1, 2), *((done, 7) for done in range(2, 7))]
    assert told == [
        (done, total, f"{done} of {total} questions to the language server are answered") for done, total in questions
    ]


async def test_a_call_that_is_cancelled_gives_its_questions_up(autojump_clock: MockClock) -> None:
    servers = Servers(hang)
    async with serve(disk_of(), servers) as service:
        with trio.move_on_after(1) as scope:
            await ask(service, "nav_definition", **GET)
        assert scope.cancelled_caught
        assert servers.given_up == ["definition store.py:2:9"]


async def test_an_actor_that_dies_is_a_failed_server(autojump_clock: MockClock) -> None:
    async def die(question: LiveQuestion) -> Fact:
        raise ActorDied("language servers of py", "crashed: ZeroDivisionError")

    async with serve(disk_of(), Servers(die)) as service:
        error = (await ask(service, "nav_definition", **GET)).envelope["error"]
        assert (error["code"], error["language"]) == ("LSP_FAILED", "py")


async def test_no_map_is_needed(autojump_clock: MockClock) -> None:
    disk = disk_of(**{f"m{n}": b"x = 1\n" for n in range(3)})
    held = trio.Event()
    servers = Servers(scripted({"definition store.py:2:9": ["store.py:2:9-12"]}, disk))
    list_files = disk.list_files

    async def list_later(scope: str) -> Any:
        await held.wait()
        return await list_files(scope)

    disk.list_files = list_later  # type: ignore[method-assign]
    async with serve(disk, servers, is_built=False) as service:
        await wait_all_tasks_blocked()
        assert service.latest.get() is None
        data = await data_of(service, "nav_definition", **GET)
        assert data["locations"] == [
            {"file": "store.py", "line": 2, "col": 9, "snippet": "def get(self): ..."},
        ]
        held.set()


@pytest.mark.parametrize("file", ["../store.py", "/etc/passwd", "a/../../store.py", "store.py\0", "gone.py"])
async def test_nothing_is_asked_about_what_is_no_file_of_the_root(autojump_clock: MockClock, file: str) -> None:
    disk = disk_of()
    servers = Servers(hang)
    async with serve(disk, servers) as service:
        disk.read.clear()
        error = (await ask(service, "nav_definition", file=file, line=1)).envelope["error"]
        assert error["code"] == "BAD_ARGS"
        assert servers.asked == []
        assert disk.read in ([], ["gone.py"])


async def test_a_file_that_may_not_be_read_differs_from_one_that_is_not_there(autojump_clock: MockClock) -> None:
    disk = disk_of()
    async with serve(disk, Servers(hang)) as service:
        disk.unreadable.add("use.py")
        error = (await ask(service, "nav_definition", file="use.py", line=1)).envelope["error"]
        assert (error["code"], "may not be read" in error["message"]) == ("BAD_ARGS", True)
        disk.delete("store.py")
        error = (await ask(service, "nav_definition", **GET)).envelope["error"]
        assert error["code"] == "FILE_DELETED"


async def test_pages_continue_as_long_as_the_answer_is_the_same(autojump_clock: MockClock) -> None:
    disk = disk_of()
    asked = "references and declaration store.py:2:9"
    script = {"definition store.py:2:9": ["store.py:2:9-12"], asked: [f"use.py:{n}:1-4" for n in range(1, 90)]}
    servers = Servers(scripted(script, disk))
    async with serve(disk, servers) as service:
        first = (await ask(service, "nav_references", **GET, tokenBudget=400)).envelope
        await trio.sleep(1)
        disk.write("other.py", b"unrelated = 1\n")
        await service.rebuild()
        second = (
            await ask(service, "nav_references", **GET, tokenBudget=400, cursor=first["dropped"]["cursor"])
        ).envelope
        lines = [place["line"] for page in (first, second) for place in page["data"]["locations"]]
        assert lines == list(range(1, len(lines) + 1))
        assert len(second["data"]["locations"]) > 1
        script[asked].append("store.py:6:12-17")
        refused = (await ask(service, "nav_references", **GET, cursor=first["dropped"]["cursor"])).envelope
        assert refused["error"]["code"] == "BAD_ARGS"
        assert "moved on" in refused["error"]["message"]


async def test_a_search_reads_few_of_many_changing_files(autojump_clock: MockClock) -> None:
    disk = disk_of(**{f"f{number}": b"x = 1\n" for number in range(40)})
    async with serve(disk, Servers(scripted({}, disk))) as service:
        assert (await data_of(service, "map_search", query="make"))["mentions"]["total"] == 3
        assert len(disk.read) == 2
        service.watching.pending = Hints(frozenset(f"f{number}.py" for number in range(3)))
        assert (await data_of(service, "map_search", query="make"))["mentions"]["total"] == 3
        assert len(disk.read) == 2 + 5
        service.watching.pending = Hints(frozenset(f"f{number}.py" for number in range(40)))
        assert list((await data_of(service, "map_search", query="make"))["mentions"]) == ["how"]
        assert len(disk.read) == 2 + 5


async def test_a_long_computation_lets_others_go_on(autojump_clock: MockClock) -> None:
    turns = 0
    seen: list[int] = []

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    def steps() -> Generator[None, None, Answer]:
        for _ in range(1000):
            seen.append(turns)
            yield
        return Answer({})

    tool = next(tool for tool in TOOLS if tool.name == "map_unused")
    tool = msgspec.structs.replace(tool, answer=lambda _world, _params: in_turns(steps()))
    async with serve(disk_of(), Servers(hang)) as service, trio.open_nursery() as nursery:
        nursery.start_soon(count_turns)
        assert (await call(service, SETTINGS, tool, {})).envelope["ok"]
        nursery.cancel_scope.cancel()
    assert len(set(seen)) > 5, "nobody else had a turn"
