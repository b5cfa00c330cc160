"""Renames by servers that are slow, restart or give wrong edits, while somebody edits the files and kills the server.

Whatever happens, what is written is a whole rename of the files as they were at some moment between the question and
the answer, and each file that is written still held what its edits were made for; else nothing is written.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping

import pytest
import trio
from trio.testing import MockClock

from actors.files.reading import digest_of
from codemap.envelope.answer import Answer
from codemap.extract.extract import extract
from codemap.graph.build.build import build_snapshot
from codemap.live_queries import Because, Fact, Found, Mentioned, Missed, Question, ReplaceFiles, Source, SourceNow
from codemap.tools.nav.rename.params import Params
from codemap.tools.nav.rename.tool import answer
from codemap.tools.tool import World
from tests.actors.language_world import FILES, LanguageWorld, open_world
from tests.language_server.script import Scenario

WORLDS, AT_ONCE = 40, 10
CALLS = 5
NAMES = ("greet", "meet")
WRONG = ("overlap", "shift", "loss", "outside")
DEEDS = {
    "answer": 30,
    "slow:1": 4,
    "slow:20": 1,
    "error:-32801": 2,
    "error:-32803": 2,
    "empty": 2,
    "never": 1,
    "half": 1,
    "exit": 3,
    "stop": 1,
    "deaf": 1,
}


class Author:
    """Who asks for renames, and whoever else writes into the files."""

    def __init__(self, world: LanguageWorld, chance: random.Random) -> None:
        self._world = world
        self._chance = chance
        self._states: list[Mapping[str, str]] = []
        self.written = Counter[str]()
        self.note()

    def note(self) -> None:
        self._states.append(self._texts())

    def _texts(self) -> dict[str, str]:
        return {path: file.content.decode() for path, file in self._world.disk.files.items()}

    async def rename(self) -> str:
        """What became of one."""
        texts, asked_in = self._texts(), len(self._states) - 1
        old = next(name for name in NAMES if name in texts["a.py"])
        new = next(name for name in NAMES if name != old)
        snapshot = build_snapshot({path: text.encode() for path, text in texts.items()})
        params = Params(node_id=f"py:a.py#{old}", new_name=new, apply=True)
        asking = answer(World(snapshot=snapshot), params)
        try:
            questions = next(asking)
            while True:
                await trio.sleep(self._chance.choice([0, 0, 0.2]))
                questions = asking.send(
                    tuple([await self._fact(question, old, new, asked_in) for question in questions])
                )
        except StopIteration as end:
            replied = end.value
        if not isinstance(replied, Answer):
            return "failed"
        return "refused" if "refused" in replied.data else "written"

    async def _fact(self, question: Question, old: str, new: str, since: int) -> Fact:
        match question:
            case Source(file):
                content = self._world.disk.files[file].content
                return Found(SourceNow(content, digest_of(content), extract(file, content)))
            case ReplaceFiles(files):
                before = self._texts()
                why = await self._world.disk.replace_files(files)
                if why:
                    assert self._texts() == before
                    return Missed(Because.REFUSED, why)
                self.written.update(one.file for one in files)
                whole = [_renamed(texts, old, new) for texts in self._states[since:]]
                assert {one.file: one.content.decode() for one in files} in whole
                assert self._texts() == before | {one.file: one.content.decode() for one in files}
                self.note()
                return Found(True)
            case Mentioned():
                return Missed(Because.UNAVAILABLE, "nobody looked")
            case _:
                return await self._world.ask(question)  # type: ignore[arg-type]

    async def edit(self) -> None:
        while True:
            await trio.sleep(self._chance.choice([0.3, 2, 9]))
            path = self._chance.choice(["b.py", "c.py"])
            content = self._world.disk.files[path].content
            self._world.disk.write(path, b"\n" + content if self._chance.random() < 0.7 else content + b"\n")
            self.note()

    async def kill(self) -> None:
        while True:
            await trio.sleep(self._chance.uniform(2, 20))
            running = [process for process in self._world.processes.started if process.status is None]
            if running:
                running[-1].end(-9)


def _renamed(texts: Mapping[str, str], old: str, new: str) -> dict[str, str]:
    """The files in which a name stands, with another one."""
    return {path: re.sub(rf"\b{old}\b", new, text) for path, text in texts.items() if re.search(rf"\b{old}\b", text)}


@pytest.mark.parametrize("first", range(0, WORLDS, AT_ONCE))
async def test_nothing_is_written_but_a_whole_rename(autojump_clock: MockClock, first: int) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(first, first + AT_ONCE):
        outcomes += await trial(seed)
    assert outcomes["written"] > 0, "who never writes is never wrong"
    assert outcomes["refused"] > 0


async def trial(seed: int) -> Counter[str]:
    """One world; what became of the renames."""
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()

    def scenario() -> Scenario:
        methods = ("textDocument/rename", "textDocument/prepareRename")
        return Scenario(
            encoding=chance.choice(["utf-8", "utf-16"]),
            requests={method: chance.choices(list(DEEDS), list(DEEDS.values()), k=30) for method in methods},
            renames=chance.choice(["", "", "twice", *WRONG]),
            on_cancel=chance.choice(["honour", "ignore", "empty"]),
        )

    async with open_world(*(scenario() for _ in range(40))) as world, trio.open_nursery() as nursery:
        author = Author(world, chance)
        nursery.start_soon(author.edit)
        nursery.start_soon(author.kill)
        for _ in range(CALLS):
            outcomes[await author.rename()] += 1
            await trio.sleep(chance.choice([0, 0.3, 5]))
        nursery.cancel_scope.cancel()
    return outcomes


async def test_an_edit_that_comes_twice_is_made_once(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(renames="twice")) as world:
        author = Author(world, random.Random(0))
        assert await author.rename() == "written"
        assert author.written == Counter(list(FILES))


@pytest.mark.parametrize("wrong", WRONG)
async def test_wrong_edits_are_refused(autojump_clock: MockClock, wrong: str) -> None:
    async with open_world(Scenario(renames=wrong)) as world:
        author = Author(world, random.Random(0))
        assert await author.rename() == "refused"
        assert {path: file.content for path, file in world.disk.files.items()} == dict(FILES)
