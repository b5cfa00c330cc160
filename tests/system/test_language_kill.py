"""`kill -9` of client, codemap and language server, in every order: nothing is left after five seconds.

The client is a process of its own that starts `codemap serve` as hosts do, and has it ask a real language server. What
is looked for is both of them and every process that carries the environment of this test.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.language_server.script import Scenario
from tests.system import forked
from tests.system.live import PATIENCE_S, only, scripted
from tests.system.process import environment

GONE_S = 5.0
MARK = "KILL_TEST"
FILES = {"a.py": "def greet(name):\n    return name\n", "b.py": "from a import greet\n\n\ngreet('x')\n"}


def converse(words: Sequence[str], env: Mapping[str, str], pipe: Connection) -> None:
    """The client: starts codemap, asks it, says what it was answered and who is who, and goes on until it is killed."""
    os.environ.clear()
    os.environ.update(env)
    (reader, stdin), (stdout, writer) = os.pipe(), os.pipe()
    codemap = os.fork()
    if not codemap:
        os.close(stdin)
        os.close(stdout)
        silent = os.open(os.devnull, os.O_WRONLY)
        forked.become(words, env, os.getcwd(), [Connection(end) for end in (reader, writer, silent)])
    os.close(reader)
    os.close(writer)
    with open(stdin, "wb", buffering=0) as asked, open(stdout, "rb") as answers:

        def request(number: int, method: str, **params: Any) -> Any:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            asked.write(json.dumps(message).encode() + b"\n")
            while (answer := json.loads(answers.readline())).get("id") != number:
                pass
            return answer

        request(
            1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
        )
        asked.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        answer = request(2, "tools/call", name="nav_definition", arguments={"file": "b.py", "line": 4, "col": 1})
        status = request(3, "tools/call", name="map_status", arguments={"tokenBudget": 10000})
        data = status["result"]["structuredContent"]["data"]
        pipe.send((answer["result"]["structuredContent"], codemap, data["lsp"]["py"].get("pid")))
        pipe.recv()


class Family:
    """The processes of one run, by who they are."""

    def __init__(self, mark: str, word: str, client: int, codemap: int, server: int) -> None:
        self.mark = mark
        self.word = word
        """On the command line of a process that has thrown its environment away."""
        self.pids = {"client": client, "codemap": codemap, "server": server}

    def alive(self) -> list[psutil.Process]:
        """Every process of the run that still runs, whoever its parent is now."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if self._is_ours(process) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def _is_ours(self, process: psutil.Process) -> bool:
        """By its environment or command line, but for the two that are forked, whose these are not."""
        forked_ones = (self.pids["client"], self.pids["codemap"])
        return process.pid in forked_ones or process.environ().get(MARK) == self.mark or self.word in process.cmdline()

    def kill(self, who: str) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pids[who], signal.SIGKILL)

    def wait_gone(self, but: str = "") -> None:
        """Returns when none runs any more, but for one of them. Fails after `GONE_S`."""
        by = time.monotonic() + GONE_S
        while left := [process for process in self.alive() if process.pid != self.pids.get(but)]:
            assert time.monotonic() < by, left
            time.sleep(0.05)


@contextmanager
def running(folder: Path, programs: tuple[str, ...]) -> Iterator[Family]:
    """A client that was answered by a language server, with codemap between them."""
    repository = folder / "repository"
    repository.mkdir()
    for file, text in FILES.items():
        (repository / file).write_text(text)
    mark = secrets.token_hex(8)
    variables = {MARK: mark, "CODEMAP_WORKERS": "1", "CODEMAP_SERVER_PROGRAMS": ",".join(programs)}
    ours, theirs = forked.context().Pipe()
    words = ["serve", "--root", str(repository)]
    client = forked.context().Process(target=converse, args=(words, environment(**variables), theirs), daemon=True)
    client.start()
    theirs.close()
    assert client.pid is not None
    family = Family(mark, _diary(folder), client.pid, 0, 0)
    try:
        assert ours.poll(PATIENCE_S), "the client says nothing"
        answer, family.pids["codemap"], family.pids["server"] = ours.recv()
        assert answer["ok"], answer
        assert [place["file"] for place in answer["data"]["locations"]] == ["a.py"]
        assert len(family.alive()) >= 5  # with the subreaper and a worker
        yield family
    finally:
        for process in family.alive():
            process.kill()
        client.kill()
        client.join()
        ours.close()


def stubborn(folder: Path) -> tuple[str, ...]:
    """A server that ends for nothing but a kill, and has left a process that nothing tells whose it is."""
    ignoring = Scenario(shutdown="ignore", on_exit="ignore", on_eof="ignore", ignores_sigterm=True)
    return scripted(folder, replace(ignoring, forks="orphan", diary=_diary(folder)))


def _diary(folder: Path) -> str:
    return str(folder / "diary")


ORDERS = [
    *itertools.permutations(("client", "codemap", "server")),
    ("client",),
    ("codemap",),
    ("codemap", "server"),
    ("server", "codemap"),
    ("server", "client"),
]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_nothing_is_left_of_a_real_server(tmp_path: Path, order: tuple[str, ...]) -> None:
    with running(tmp_path, only("ty")) as family:
        for who in order:
            family.kill(who)
        family.wait_gone(but="" if "client" in order else "client")


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_nothing_is_left_of_a_server_that_clings_to_life(tmp_path: Path, order: tuple[str, ...]) -> None:
    with running(tmp_path, stubborn(tmp_path)) as family:
        for who in order:
            family.kill(who)
            time.sleep(0.2)  # in which whoever is left may act
        family.wait_gone(but="" if "client" in order else "client")


def test_without_its_subreaper_the_server_itself_is_gone_all_the_same(tmp_path: Path) -> None:
    with running(tmp_path, only("ty")) as family:
        (subreaper,) = subreapers(family)
        subreaper.kill()
        family.kill("codemap")
        family.wait_gone(but="client")


def test_signals_to_the_terminal_s_group_leave_the_subreaper_to_do_its_work(tmp_path: Path) -> None:
    with running(tmp_path, stubborn(tmp_path)) as family:
        (subreaper,) = subreapers(family)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            subreaper.send_signal(number)
        time.sleep(0.2)
        family.kill("codemap")
        family.wait_gone(but="client")


def subreapers(family: Family) -> list[psutil.Process]:
    return [process for process in family.alive() if "subreaper.py" in " ".join(process.cmdline())]
