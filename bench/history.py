"""The pass over a repository's history beside `git log -p -U0`, and after one more commit.

    python -m bench.history CLONE... [--rounds N] [--write]

The program that reads the history is the one that the service runs, with git as its child; CPU is that of both. It is
compared with `git log -p -U0` of the same commits, whose output is read and thrown away, in the same round. Then a
commit is made in a clone that shares the objects of the first, and the history is asked for again: by a service that
has it, and by one that starts and has it in its store. The packed history is what the store keeps. Figures are medians.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median

import msgspec
import trio

from actors.history.historian import historian
from actors.messaging.inbox import Address, Inbox
from actors.messaging.messages import (
    HistoryMessage,
    HistoryRead,
    KeepHistory,
    ReadHistory,
    RecallHistory,
    StoreMessage,
)
from actors.service.real_ports import Disk
from bench.machine import machine_line
from bench.tables import page, table_head, table_row
from codemap.history.table import History
from codemap.settings import Settings

RESULTS = Path(__file__).parent / "HISTORY.md"
WAIT_S = 3600.0
READ_BYTES = 1 << 20
COLUMNS = (
    *("repository", "commits", "files changed", "hunks", "git log -p -U0", "pass, CPU", "× of it", "pass, wall"),
    *("× of it", "packed", "one more commit", "the same after a start"),
)
_WHO = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")


class Round(msgspec.Struct, frozen=True):
    """Seconds."""

    git_cpu_s: float
    git_s: float
    cpu_s: float
    wall_s: float


class Kept:
    """A store of one history."""

    def __init__(self, body: bytes | None = None) -> None:
        self.inbox: Inbox[StoreMessage] = Inbox("store")
        self.body = body

    async def run(self) -> None:
        async for delivery in self.inbox:
            if isinstance(delivery.message, KeepHistory):
                self.body = delivery.message.body
            elif isinstance(delivery.message, RecallHistory):
                delivery.answer(delivery.message, self.body)


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.history", description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    lines = [machine_line(), "", *table_head(*COLUMNS)]
    print("\n".join(lines))
    for clone in given.clones:
        lines.append(_measure(clone.resolve(), given.rounds))
        print(lines[-1], flush=True)
    if given.write:
        RESULTS.write_text(page(__doc__, lines), encoding="utf-8")


def _measure(source: Path, rounds: int) -> str:
    """A row. Nothing is written into the source."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / source.name
        subprocess.run(["git", "clone", "-q", "--shared", str(source), str(clone)], check=True)
        found = []
        for _ in range(rounds):
            git_cpu_s, git_s = _run_git(clone)
            kept = Kept()
            history, cpu_s, wall_s, _ = trio.run(_read, clone, kept)
            found.append(Round(git_cpu_s, git_s, cpu_s, wall_s))
        more, anew = [], []
        for _ in range(rounds):
            *_, more_s = trio.run(partial(_read, clone, kept, commits=True))
            more.append(more_s)
            _, _, anew_s, _ = trio.run(_read, clone, Kept(kept.body))
            anew.append(anew_s)
    return table_row(
        f"{_origin(source)} {history.head[:8]}",
        history.count,
        len(history.touch_path),
        len(history.hunks) // 4,
        f"{median(one.git_cpu_s for one in found):.1f} s CPU, {median(one.git_s for one in found):.1f} s",
        f"{median(one.cpu_s for one in found):.1f} s",
        f"{median(one.cpu_s / one.git_cpu_s for one in found):.2f}",
        f"{median(one.wall_s for one in found):.1f} s",
        f"{median(one.wall_s / one.git_s for one in found):.2f}",
        f"{len(kept.body or b'') / 1e6:.1f} MB",
        f"{median(more):.3f} s",
        f"{median(anew):.3f} s",
    )


def _origin(clone: Path) -> str:
    done = subprocess.run(["git", "-C", str(clone), "config", "remote.origin.url"], check=False, capture_output=True)
    return done.stdout.decode().strip() or clone.parent.name


def _run_git(clone: Path) -> tuple[float, float]:
    """CPU and wall seconds of what it is compared with."""
    before, start = _cpu_s(resource.RUSAGE_CHILDREN), time.perf_counter()
    with subprocess.Popen(["git", "-C", str(clone), "log", "-p", "-U0"], stdout=subprocess.PIPE) as git:
        assert git.stdout is not None, "it is a pipe"
        while os.read(git.stdout.fileno(), READ_BYTES):
            pass
    return _cpu_s(resource.RUSAGE_CHILDREN) - before, time.perf_counter() - start


def _cpu_s(*whose: int) -> float:
    used = [resource.getrusage(one) for one in whose]
    return sum(one.ru_utime + one.ru_stime for one in used)


async def _read(clone: Path, kept: Kept, *, commits: bool = False) -> tuple[History, float, float, float]:
    """The history of a clone; CPU and wall seconds of the first question; wall seconds of one after a further commit,
    which is made where `commits`."""
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    async with _reading(clone, kept) as address:
        before, start = _cpu_s(*both), time.perf_counter()
        history = await _ask(address)
        cpu_s, wall_s = _cpu_s(*both) - before, time.perf_counter() - start
        if not commits:
            return history, cpu_s, wall_s, 0.0
        with (clone / "README.of.bench").open("a", encoding="utf-8") as file:
            file.write("one more line\n")
        for words in (["add", "-A"], ["commit", "-qm", "Fix one more"]):
            await trio.run_process(["git", "-C", str(clone), *_WHO, *words])
        start = time.perf_counter()
        after = await _ask(address)
        more_s = time.perf_counter() - start
        assert after.count == history.count + 1, "it has the new commit"
        return after, cpu_s, wall_s, more_s


@asynccontextmanager
async def _reading(clone: Path, kept: Kept) -> AsyncIterator[Address[HistoryMessage]]:
    inbox: Inbox[HistoryMessage] = Inbox("historian")
    ports = Disk(str(clone), Settings())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(kept.run)
        nursery.start_soon(partial(historian, inbox, ports=ports, store=kept.inbox.address))
        yield inbox.address
        nursery.cancel_scope.cancel()


async def _ask(address: Address[HistoryMessage]) -> History:
    answer = await address.ask(ReadHistory(trio.current_time() + WAIT_S))
    assert isinstance(answer, HistoryRead), "it answers with what it read"
    assert answer.history is not None, answer.why
    assert not answer.gaps, answer.gaps
    return answer.history


if __name__ == "__main__":
    main()
