"""A service with one real language server, as the tests of live navigation ask it."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import trio

from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.language_servers.programs.real_ports import open_language_ports
from actors.messaging.messages import Lane
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.languages import languages
from codemap.live_queries import At, Because, CallItem, CallLink, Found, LiveQuestion, Missed, Named, Place
from codemap.settings import Settings
from tests.language_server.script import Scenario
from tests.language_server.serve import argv_for
from tests.system.servers import companions, node, programs

PATIENCE_S = 180.0
"""For one answer, a cold start on a busy machine included."""

AGAIN_S = 0.2

ABSENT = "/nonexistent/server"


class Asker:
    """Asks one service about one folder."""

    def __init__(self, root: Path, service: Service[Any], server: str) -> None:
        self.root = root
        self.service = service
        self.server = server

    async def found(self, question: LiveQuestion) -> Found:
        """The answer, from the server that is tested; while that is looked for, starts or loads, it is asked again."""
        with trio.fail_after(PATIENCE_S):
            fact = await self.service.live(question, Lane.FOREGROUND)
            while isinstance(fact, Missed) and fact.because is Because.NOT_READY:
                await trio.sleep(AGAIN_S)
                fact = await self.service.live(question, Lane.FOREGROUND)
        assert isinstance(fact, Found), f"{question}: {fact}"
        assert fact.server.split()[0] == self.server, fact.server
        return fact

    async def value(self, question: LiveQuestion) -> Any:
        """The value of a complete answer; while the server says that it still loads, it is asked again."""
        with trio.fail_after(PATIENCE_S):
            fact = await self.found(question)
            while "still" in fact.incomplete:
                await trio.sleep(AGAIN_S)
                fact = await self.found(question)
        assert fact.incomplete == "", f"{question}: {fact.incomplete}"
        return fact.value

    async def missed(self, question: LiveQuestion) -> Missed:
        with trio.fail_after(PATIENCE_S):
            fact = await self.service.live(question, Lane.FOREGROUND)
        assert isinstance(fact, Missed), f"{question}: {fact}"
        return fact

    def at(self, file: str, text: str, within: str = "") -> At:
        """Where `text` stands in a file: the only place, or the first in the only line that holds `within`."""
        lines = (self.root / file).read_text(encoding="utf-8").splitlines()
        held = [(number, line) for number, line in enumerate(lines, 1) if (within or text) in line]
        assert len(held) == 1, f"{within or text!r} stands in {len(held)} lines of {file}"
        [(number, line)] = held
        start = line.index(within or text)
        col = line.index(text, start)
        return At(file, number, len(line[:col].encode("utf-16-le")) // 2 + 1)


async def ask_in_one_life(asker: Asker, *parts: Callable[[Asker], Awaitable[None]]) -> None:
    """Asks one server all that the parts ask, as its start takes seconds; each leaves the files as they were."""
    before = contents(asker.root)
    for part in parts:
        await part(asker)
        assert contents(asker.root) == before, part


@asynccontextmanager
async def live(root: Path, *servers: str, trust: Literal["on", "off"] = "off") -> AsyncIterator[Asker]:
    """A service over a folder, its map built, that may use these language servers; answers must be of the last."""
    settings = Settings(store="off", workers=1, verify="off", server_programs=only(*servers), trust_repository=trust)
    async with open_service(
        settings,
        open_disk(str(root), settings),
        SingleUseBuilder(),
        live=open_language_ports(str(root), settings),
    ) as service:
        with trio.fail_after(PATIENCE_S):
            assert await service.wait_built() is None
        yield Asker(root, service, servers[-1])


def only(*servers: str) -> tuple[str, ...]:
    """The setting with which these servers are found, and no others."""
    known = {each.name: each for language in languages() for each in language.servers}
    named = {name: f"{name}={ABSENT}" for name in known}
    named |= {name: f"{name}={programs(name) / known[name].entry.names[0]}" for name in servers}
    beside = {program: path for name in servers for program, path in companions(name).items()}
    return (*named.values(), f"node={node()}", *(f"{program}={path}" for program, path in beside.items()))


def scripted(folder: Path, scenario: Scenario) -> tuple[str, ...]:
    """The setting with which a server that does as it is told is found, under the name of a real one, and no others.

    Its program is written into the folder, which is not that of the repository.
    """
    program = folder / "ty"
    argv = shlex.join(argv_for(scenario))
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "ty 0.0.105" && exit\nexec {argv}\n')
    program.chmod(0o755)
    return tuple(f"ty={program}" if setting.startswith("ty=") else setting for setting in only())


def places(found: Iterable[Place]) -> list[str]:
    """`file:line snippet`, in order of file and line."""
    return [f"{place.file}:{place.line} {place.snippet}" for place in sorted(found, key=_order)]


def _order(place: Place) -> tuple[str, int, int]:
    return place.file, place.line, place.col


def callers(links: Iterable[CallLink]) -> dict[str, list[int]]:
    """`file name` of the other function -> the lines of the calls."""
    return {f"{link.item.place.file} {link.item.name}": [site.line for site in link.sites] for link in links}


def tree(symbols: Iterable[Named]) -> dict[str, dict[str, Any]]:
    """Name -> what is in it."""
    return {symbol.name: tree(symbol.children) for symbol in symbols}


async def root_of(asker: Asker, question: LiveQuestion) -> CallItem:
    """The one function at a position."""
    [item] = await asker.value(question)
    assert isinstance(item, CallItem)
    return item


def contents(root: Path) -> dict[str, str]:
    """Every file and folder under a folder, with a digest of what is in it."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return found
