"""Every record at work: what its server says when it is ready is understood, and one that is started by it answers.

The words are those that the real servers said, or that their sources and users quote where none could be had.
"""

from __future__ import annotations

import msgspec
import pytest
from trio.testing import MockClock

from codemap.lsp.events import BecameReady
from codemap.lsp.server import Cancel, Immediate, Server
from tests.actors.language_world import DEFINITION, REFERENCES, open_world
from tests.language_server.script import Scenario
from tests.languages.test_servers import SERVERS, name
from tests.lsp.peer import begin, end, log, tell, welcome

READY_AT_ONCE = {"ty", "typescript"}
WORDS: dict[str, list[list[bytes]]] = {
    "basedpyright": [
        [log("Starting service instance"), log("Found 3 source files")],
        [log("Found 1 source file")],
        [log("No source files found.", level=1)],
    ],
    "pyright": [[log("Assuming Python version 3.11.7.final.0"), log("Found 3 source files")]],
    "typescript-language-server": [[begin("a", "Initializing JS/TS language features…"), end("a")]],
    "clangd": [[begin("backgroundIndexProgress", "indexing", percentage=0), end("backgroundIndexProgress")]],
    "csharp-ls": [
        [begin("a", 'Loading solution "/r/all.sln"...', message="a.csproj"), end("a")],
        [begin("a", "Loading 2 project(s)..."), begin("b", "Loading solution"), end("a"), end("b")],
    ],
    "ruby-lsp": [[begin("indexing-progress", "Ruby LSP: indexing files", percentage=0), end("indexing-progress")]],
    "solargraph": [[begin("a", "Mapping workspace", message="0/3 files"), end("a")]],
    "intelephense": [
        [log("Initialised in 12 ms"), log("Indexing started."), log("Indexing ended. 3 files indexed in 0s.")],
    ],
    "phpactor": [[begin("a", "Indexing workspace"), end("a")]],
    "kotlin-lsp": [[begin("a", "Importing project"), begin("b", "Indexing"), end("a"), end("b")]],
    "gopls": [[begin("a", "Setting up workspace", message="Loading packages..."), end("a")]],
    "rust-analyzer": [
        [
            tell("experimental/serverStatus", {"health": "ok", "quiescent": True}),
            begin("rustAnalyzer/Fetching", "Fetching"),
            tell("experimental/serverStatus", {"health": "ok", "quiescent": False}),
            end("rustAnalyzer/Fetching"),
            tell("experimental/serverStatus", {"health": "ok", "quiescent": True}),
        ]
    ],
    "jdtls": [
        [
            tell("language/status", {"type": "Starting", "message": "Init..."}),
            tell("language/status", {"type": "Started", "message": "Ready"}),
            tell("language/status", {"type": "ServiceReady", "message": "ServiceReady"}),
        ]
    ],
}


def test_every_server_has_its_words() -> None:
    assert READY_AT_ONCE | set(WORDS) == {server.name for server in SERVERS}


@pytest.mark.parametrize("server", SERVERS, ids=name)
def test_it_is_ready_with_its_last_word_and_not_before(server: Server) -> None:
    if server.name in READY_AT_ONCE:
        _, events = welcome(readiness=server.readiness)
        assert BecameReady() in events
        return
    for words in WORDS[server.name]:
        session, events = welcome(readiness=server.readiness)
        for word in words[:-1]:
            events += session.receive(word)
        assert BecameReady() not in events
        assert BecameReady() in session.receive(words[-1])


@pytest.mark.parametrize("server", SERVERS, ids=name)
async def test_a_server_that_is_started_by_its_record_answers(autojump_clock: MockClock, server: Server) -> None:
    """A scripted one, which knows Python and is ready at once."""
    scripted = msgspec.structs.replace(server, language_ids={".py": "python"}, readiness=Immediate())
    async with open_world(Scenario(opens=server.opens), servers=(scripted,)) as world:
        assert await world.places(DEFINITION) == ["a.py:1:5"]
        assert set(await world.places(REFERENCES)) >= {"b.py:5:12", "c.py:5:13"}
        [launch] = world.processes.launches
    assert launch.argv[0] == "/bin/scripted"
    assert len(launch.argv) == 1 + len(server.arguments)
    assert not any("{nonce}" in word for word in launch.argv)
    assert dict(launch.environment) == dict(server.environment)
    assert bool(launch.cancellation) == (server.cancel is Cancel.FILE)
    assert bool(launch.state) == any("{state}" in word for word in (*server.arguments, *server.environment.values()))
