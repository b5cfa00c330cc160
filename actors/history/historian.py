"""The historian: the actor that reads git's log once, keeps the history, and continues it when the head moves.

The first question starts the pass, which then runs to its end, whether or not the asker waits. An asker that cannot
wait gets the part that was read by then. Nothing is guessed: an answer says what is missing, and why.

Rules of the file:
- A history that has gaps is used as far as it goes, and read anew when the head moves.
- Only a history without gaps is stored; a partial one is made for an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import trio

from actors.history.git_log import SILENCE_S, LogRead, read_log, read_new
from actors.history.missing_contents import find_missing, is_of_missing
from actors.indexing.step_runner import run_steps
from actors.messaging.inbox import ActorDied, Address, Delivery, Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    HistoryMessage,
    HistoryRead,
    KeepHistory,
    ReadHistory,
    RecallHistory,
    StoreMessage,
    Unavailable,
)
from actors.ports import NoGit, Ports
from actors.revisions.blobs import objects_of
from actors.revisions.commits import Refused, commit_of, is_shallow
from codemap.history.assemble import extended
from codemap.history.packed import pack, unpacked
from codemap.history.table import EMPTY, History

COMMITS_MAX = 200_000
"""Most commits of one pass: older ones are left out, and the answer says so."""
COUNT_S = 0.5
"""How much longer than its deadline an answer about a part may take, for git to count the commits."""
LEFT_OUT_MAX = 500
"""Files that are left out where the clone lacks contents of them; with more, there is no history."""
NAMED_MAX = 5
"""Of these, so many are named."""
KEPT_AFTER = 200
"""New commits after which the history is stored again: fewer are read again in a moment."""


async def historian(
    inbox: Inbox[HistoryMessage],
    *,
    ports: Ports,
    store: Address[StoreMessage] | None,
    silence_s: float = SILENCE_S,
) -> None:
    """Runs until cancelled; git is killed then."""
    async with trio.open_nursery() as nursery:
        reading = _Reading(ports, store, nursery, silence_s)
        async for delivery in inbox:
            nursery.start_soon(reading.answer, delivery)


class _Reading:
    """One life of the historian."""

    def __init__(
        self, ports: Ports, store: Address[StoreMessage] | None, nursery: trio.Nursery, silence_s: float
    ) -> None:
        self._ports = ports
        self._store = store
        self._nursery = nursery
        self._silence_s = silence_s
        self._history = EMPTY
        self._is_recalled = False
        self._kept = 0
        self._stamp: object = None
        self._why = ""
        self._gaps: tuple[str, ...] = ()
        self._pass: trio.Event | None = None
        """Set when the pass that runs has ended."""
        self._log = LogRead()
        self._head = ""
        self._revisions: tuple[str, ...] = ()
        """What the pass reads."""
        self._total = 0
        """Commits of the pass; 0 while nobody needed to know."""
        self._partial: tuple[int, History] | None = None

    async def answer(self, delivery: Delivery[HistoryMessage]) -> None:
        message = delivery.message
        assert isinstance(message, ReadHistory), "the only message"
        if not message.begins and not self._history.count and self._pass is None:
            await self._recall()
            if not self._history.count:
                delivery.answer(message, self._unread())
                return
        with trio.move_on_at(message.by):
            await self._wait_current()
        delivery.answer(message, await self._said())

    def _unread(self) -> HistoryRead:
        """Makes the answer where no pass was begun: whether one could give a history."""
        is_possible = not self._why and self._ports.git_stamp() is not None
        return HistoryRead(None, self._why or "The history was not read yet.", is_reading=is_possible)

    async def _wait_current(self) -> None:
        """Waits until the history is that of the head; a pass that this begins is not cancelled with it."""
        await trio.lowlevel.checkpoint()
        stamp = self._ports.git_stamp()
        head = None if stamp is None else stamp.head
        if self._pass is None and (head is None or head != self._stamp):
            self._pass = trio.Event()
            self._nursery.start_soon(self._run, head)
        if self._pass is not None:
            await self._pass.wait()

    async def _said(self) -> HistoryRead:
        if self._pass is not None:
            with trio.move_on_after(COUNT_S):
                await self._count()
        if self._pass is None:
            found = self._history if self._history.count and not self._why else None
            return HistoryRead(found, self._why, self._gaps)
        done = len(self._log.commits)
        how_far = f"{done} of {self._total} commits" if self._total else f"{done} commits so far"
        sentence = f"The history is still being read: {how_far}."
        if not done or not self._head:
            return HistoryRead(None, sentence, is_reading=True)
        if self._partial is None or 2 * self._partial[0] <= done:
            commits, head = list(self._log.commits), self._head
            self._partial = (done, await run_steps(extended(self._history, commits, head)))
        done, history = self._partial
        of_all = f" of {self._total}" if self._total else ""
        gap = f"The history is still being read: this is of the latest {done}{of_all} commits."
        return HistoryRead(history, gaps=(gap,), is_reading=True)

    async def _run(self, stamp: object) -> None:
        done = self._pass
        assert done is not None, "it is set where this is started"
        try:
            await self._recall()
            await self._continue()
            self._stamp = stamp
        finally:
            self._pass = None
            self._log, self._partial, self._revisions, self._total = LogRead(), None, (), 0
            done.set()

    async def _continue(self) -> None:
        """Continues the history up to the head."""
        head = await commit_of(self._ports, "HEAD")
        if isinstance(head, Refused):
            self._why = head.why
            return
        self._why = ""
        if self._gaps:
            self._history = EMPTY
        if head == self._history.head:
            return
        if not await self._read(head, [f"^{self._history.head}"] if self._history.head else []):
            self._history = EMPTY  # git does not have the earlier head any more
            await self._read(head, [])

    async def _count(self) -> None:
        """Counts the commits of the pass."""
        revisions = self._revisions
        if not self._total and revisions:
            said = await self._ports.ask_git(["rev-list", "--count", *revisions, "--"])
            if revisions is self._revisions:
                self._total = 0 if isinstance(said, NoGit) else int(said.text)

    async def _read(self, head: str, excluded: Sequence[str]) -> bool:
        """Reads a pass; False where git does not have what is excluded."""
        self._head, self._log, self._revisions, self._total = head, LogRead(), (head, *excluded), 0
        begun = trio.current_time()
        read = read_new if excluded else read_log
        asked = [f"--max-count={COMMITS_MAX}", *self._revisions]
        await read(self._ports, asked, self._log, self._silence_s)
        if excluded and self._log.trouble:
            there = await self._ports.ask_git(["cat-file", "-e", excluded[0].removeprefix("^")])
            if isinstance(there, NoGit):
                return False
        left_out: tuple[str, ...] = ()
        if is_of_missing(self._log.trouble):
            left_out = await find_missing(self._ports, self._revisions, self._silence_s)
            if len(left_out) > LEFT_OUT_MAX:
                lacking = f"the clone lacks contents of {len(left_out)} files (a partial clone: git fetch --refetch)"
                self._history, self._gaps, self._why = EMPTY, (), f"No history: {lacking}."
                return True
            if left_out:
                self._log, self._partial = LogRead(), None
                await read_log(self._ports, asked, self._log, self._silence_s, left_out)
        if self._log.trouble or len(self._log.commits) == COMMITS_MAX:
            await self._count()
        commits, gaps = self._log.commits, []
        boundaries = await self._boundaries()
        if boundaries:
            gaps.append("The clone is shallow: what was before its first commits is not known (git fetch --unshallow).")
        if self._total > COMMITS_MAX:
            gaps.append(f"Only the latest {COMMITS_MAX} of {self._total} commits were read.")
        if left_out:
            named = ", ".join(left_out[:NAMED_MAX]) + (", …" if len(left_out) > NAMED_MAX else "")
            gaps.append(f"The clone lacks contents of {len(left_out)} file(s), which are left out: {named}.")
        if self._log.trouble:
            of_all = f" of {self._total}" if self._total else ""
            gaps.append(f"git read {len(commits)}{of_all} commits, and then failed: {self._log.trouble}.")
            log("history-cut", Severity.WARNING, detail=self._log.trouble)
        if not commits and self._log.trouble:
            self._why = f"No history: {self._log.trouble}."
            self._gaps = ()
            return True
        self._history = await run_steps(extended(self._history, commits, head, boundaries))
        self._gaps = tuple(gaps)
        duration_ms = round(1000 * (trio.current_time() - begun))
        log("history", commits=self._history.count, new=len(commits), duration_ms=duration_ms)
        if self._store is not None and not self._gaps and self._history.count >= self._kept + KEPT_AFTER:
            self._kept = self._history.count
            self._store.offer(KeepHistory(await self._ports.run_in_thread(lambda: pack(self._history))))
        return True

    async def _boundaries(self) -> list[str]:
        """Finds the commits where a shallow clone ends: git shows them without parents."""
        firsts = [one.id for one in self._log.commits if not one.parents]
        if not firsts or not await is_shallow(self._ports):
            return []
        commits = await objects_of(self._ports, firsts)
        if isinstance(commits, NoGit):
            return firsts
        return [one for one, content in commits.items() if b"\nparent " in content.partition(b"\n\n")[0]]

    async def _recall(self) -> None:
        """Loads the stored history, once."""
        if self._is_recalled:
            return
        self._is_recalled = True
        body: bytes | Unavailable | None = None
        if self._store is not None:
            with suppress(ActorDied):
                body = await self._store.ask(RecallHistory())
        if isinstance(body, bytes):
            kept = body
            try:
                self._history = await self._ports.run_in_thread(lambda: unpacked(kept))
            except ValueError as error:
                log("history-unreadable", Severity.WARNING, detail=error)
            self._kept = self._history.count
