"""One life of one language server: from the start of its process until nothing of it is left.

    flights --mirror, Session.ask--> bytes --pipes--> process
    facts <--place, check-- Session.receive <--bytes-- pipes

Rules of the file:
- Nothing is asked before the server was notified of every change on disk that came before the question.
- An empty answer counts only from a server that has seen all files and just found what it is known to find.
- An answer that names files which changed after the last notification is asked for again.
- A life ends once, for the first reason; the next life answers what was left.

It is long: it is one state machine, from which what could stand alone was taken out.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable, Set
from contextlib import AsyncExitStack
from functools import partial
from math import inf
from typing import assert_never

import msgspec
import trio

from actors.language_servers.life.canary import Known, Landmark, Soundness
from actors.language_servers.life.crash_blame import Blame
from actors.language_servers.life.crash_suspects import NamedFiles
from actors.language_servers.life.document_sync import Mirror, TooManyChanges
from actors.language_servers.life.error_replies import Broken, Nothing, Refusal, Retry, after_error
from actors.language_servers.life.file_texts import Text
from actors.language_servers.life.files_to_open import shown_for
from actors.language_servers.life.pipes import End, Pipes, Why
from actors.language_servers.life.questions import is_of_one_file, language_asked, nothing_of
from actors.language_servers.life.questions_in_flight import Flight
from actors.language_servers.life.restart_policy import (
    QUICK,
    RETRY_DELAYS_S,
    SETTLE_MAX_S,
    Outstanding,
)
from actors.language_servers.life.running_servers import RunningServer
from actors.language_servers.life.server_context import ServerContext
from actors.language_servers.life.start_and_stop import CALM, HURRIED, end_in_order, launch_of
from actors.language_servers.life.workload import Sent, Work
from actors.language_servers.programs.ports import CannotStart, ServerProcess
from actors.messaging.log import log
from actors.messaging.messages import Lane
from codemap.live_queries import (
    At,
    Because,
    Definition,
    Diagnostics,
    Fact,
    Found,
    LiveQuestion,
    Missed,
    Outline,
    Place,
    WorkspaceSymbols,
    file_asked_about,
)
from codemap.lsp.errors import Fault, ProtocolViolation, ServerError, Unsupported
from codemap.lsp.events import (
    Alive,
    Answered,
    BecameReady,
    BecameUnready,
    Buried,
    ConfigurationComplained,
    Event,
    Initialized,
    InitializeFailed,
    Logged,
    Progressed,
    ShutDown,
    Stray,
)
from codemap.lsp.places import covers, files_of, place
from codemap.lsp.results import Unplaced
from codemap.lsp.server import Cancel
from codemap.lsp.session import Session
from codemap.lsp.state import State

REPEATS_MAX = 2
"""Most repetitions of a question because files changed meanwhile."""

SYNCS_MAX = 3
"""Most waits for a server that does not finish reading what it was notified of."""

TICK_NS = 20_000_000
"""File times lag behind the clock by up to a tick of the kernel."""

START_ALONE_S = 10.0
"""Other servers may start beside one that takes longer, as it may hang."""

LOOK_S = 3.0
"""Time limit for finding a known definition."""


class Look:
    """A request that no caller asked for."""

    def __init__(self) -> None:
        self.has_come = trio.Event()
        self.result: Unplaced | None = None
        self.is_put_off = False
        """Whether the server asks for it again, as files have changed."""


class Life:
    """One process with its notifications and requests."""

    def __init__(self, context: ServerContext, running: RunningServer, known: Known | None, blame: Blame) -> None:
        """`known` is the landmark of an earlier life."""
        self.context = context
        self.blame = blame
        self._named = NamedFiles(blame)
        self.running = running
        running.stop = lambda why: self.stop(End(Why.STOPPED, why))
        self.began_at = trio.current_time()
        self.answers = 0
        self.spoken = 0
        """The same, with those to questions of our own."""
        self.is_initialized = False
        self.complaints: dict[str, str] = {}
        self.mirror = Mirror(context.server, context.disk, self.leaves_out)
        self.landmark = Landmark(context.disk.texts, self._look, context.disk.definitions, known)
        self.work = Work(context.server)
        self.is_heavy = False
        """Whether it takes so much memory that nothing is done in the background."""
        self.end: End | None = None
        self._taken: set[Flight] = set()
        """Flights that are this life's to answer."""
        self._dying: list[Flight] = []
        """Flights whose answers showed that this life must end."""
        self._looks: dict[int, Look] = {}
        self._nonce = secrets.token_hex(8)
        program = context.program
        options = {**context.server.initialization_options, **program.initialization_options}
        self.session = Session(
            msgspec.structs.replace(context.server, initialization_options=options),
            root=context.folder,
            process_id=os.getpid(),
            version=context.version,
            configuration=program.configuration,
            repository=context.root,
        )
        self.process: ServerProcess | None = None
        self.pipes: Pipes | None = None
        self._is_ready = False
        """Whether the session was ready when it was last looked at."""
        self._patient_until = self.began_at + context.server.ready_s
        """Until when questions wait for the server to have seen all files."""
        self._moved = trio.Event()
        """Set when the state of the session may have changed."""
        self._busied = trio.Event()
        """Set when it got something to do."""
        self._shut_down = trio.Event()
        self._tasks: trio.Nursery | None = None
        self._body = trio.CancelScope()

    # -- from start to end ------------------------------------------------------------------------------------------

    async def run(self, watch: Callable[[Life], Awaitable[None]]) -> End:
        """Runs this life and returns why it ended. `watch` runs beside it, and calls `stop` when it must end.

        When cancelled, the server is asked to end and given a moment for it, then killed.
        """
        starting = AsyncExitStack()
        async with starting:
            await starting.enter_async_context(self.context.running_servers.starting)
            await self.mirror.begin()
            try:
                self.process = process = self.context.running_servers.processes.spawn(
                    launch_of(self.context, self._nonce)
                )
            except CannotStart as error:
                return End(Why.CANNOT_START, str(error))
            try:
                log(
                    "server-start",
                    server=self.context.title,
                    pid=process.pid,
                    project=self.context.program.project or None,
                )
                self.pipes = pipes = Pipes(process, self._receive, self.session.data_to_send, self.stop)
                await self._run_over(process, pipes, starting, watch)
            finally:
                with trio.CancelScope(shield=True):
                    await process.aclose()
        assert self.end is not None
        return self.end

    def stop(self, end: End) -> None:
        """Ends this life, soon; the first reason counts."""
        if self.end is None:
            self.end = end
            self._body.cancel()

    def leaves_out(self, file: str) -> bool:
        """Whether a file is withheld from the server."""
        return not self.context.server.may_name(file) or self.blame.is_charged(file, trio.current_time())

    @property
    def named(self) -> frozenset[str]:
        """Files that were sent since its last answer."""
        self._note_named()
        return self._named.files

    @property
    def is_idle(self) -> bool:
        """Whether no question is being shown to the server or worked on."""
        return not self._taken

    def unfinished(self) -> tuple[list[Flight], list[Flight]]:
        """After the end: flights without an answer, those that the server worked on and those that it never got."""
        sent = [*self._dying, *self.work.flights]
        return sent, [flight for flight in self._taken if not flight.is_settled and flight not in sent]

    async def _run_over(
        self,
        process: ServerProcess,
        pipes: Pipes,
        starting: AsyncExitStack,
        watch: Callable[[Life], Awaitable[None]],
    ) -> None:
        """Runs the session over the pipes, which stay open until the server had its chance to end in order."""
        carrying = trio.CancelScope(shield=True)

        async def carry() -> None:
            with carrying:
                async with trio.open_nursery() as nursery:
                    for task in (pipes.read, pipes.write, pipes.read_errors, pipes.watch):
                        nursery.start_soon(task)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            try:
                with self._body:
                    await self._start_up(starting)
                    async with trio.open_nursery() as self._tasks:
                        self._tasks.start_soon(self._work_on)
                        self._tasks.start_soon(self._keep_time)
                        self._tasks.start_soon(watch, self)
            finally:
                is_hurried = self.end is None
                if self.end is None:
                    self.end = End(Why.STOPPED, "codemap ends")
                if not self.end.is_death:
                    await end_in_order(self.session, process, pipes, self._shut_down, HURRIED if is_hurried else CALM)
                carrying.cancel()

    async def _start_up(self, starting: AsyncExitStack) -> None:
        given_up_at = trio.current_time() + self.context.server.start_s
        self.session.initialize()
        self._after_session()
        with trio.move_on_after(min(START_ALONE_S, self.context.server.start_s)):
            await self._wait_state(State.LOADING, State.READY)
        await starting.aclose()
        with trio.CancelScope(deadline=given_up_at):
            await self._wait_state(State.LOADING, State.READY)
        if not self.is_initialized:
            self.stop(End(Why.REFUSED, f"it did not start up in {self.context.server.start_s:.0f} s"))
            await trio.lowlevel.checkpoint()

    # -- asking -----------------------------------------------------------------------------------------------------

    async def _work_on(self) -> None:
        """Sends queued flights until this life ends; after that no task is started, as the nursery may be closed."""
        try:
            await self._dispatch()
        finally:
            self._tasks = None

    async def _dispatch(self) -> None:
        """Sends queued flights, for ever."""
        while True:
            held = self._take()
            self.note_use()
            if not held:
                await self.context.flights.changed.park()
                continue
            self._taken.update(held)
            try:
                synced_ns = await self._sync(held)
            except TooManyChanges as why:
                self.stop(End(Why.REPLACED, str(why)))
                return
            for flight in held:
                if flight.is_settled:
                    self._taken.discard(flight)
                else:
                    await self._send(flight, synced_ns)

    def _take(self) -> list[Flight]:
        """Takes the flights that may be sent now: as many as the server works on at a time."""
        taken: list[Flight] = []
        now = trio.current_time()
        while (flight := self.context.flights.peek()) is not None and self.work.has_room(flight, taken, now):
            if self.is_heavy and flight.lane is Lane.BACKGROUND:
                break
            self.context.flights.take()
            taken.append(flight)
        return taken

    async def _sync(self, flights: list[Flight]) -> int:
        """Notifies the server of changes and waits until it has read them; returns the wall clock before.

        Raises TooManyChanges.
        """
        asked = {file for flight in flights if (file := file_asked_about(flight.question))}
        shown: set[str] = set()
        for flight in flights:
            wanted = await shown_for(self.context, flight.question, self.answers)
            flight.left_out = wanted.left_out
            shown.update(wanted.files)
        await self._name_suspects({*asked, *shown})
        for _ in range(SYNCS_MAX):
            synced_ns = self.context.disk.ports.wall_ns()
            rest_s = await self.mirror.update(self.session, asked, shown)
            self._note_named()
            self._after_session()
            if rest_s:
                await trio.sleep(rest_s)
            await self._wait_read()
            if self.session.state is State.READY or not await self._wait_ready():
                break
        return synced_ns

    async def _name_suspects(self, files: Set[str]) -> None:
        """Sends files that an earlier life may have crashed on one at a time, so that it is known which one it was."""
        withheld = self.mirror.withheld
        withheld.update(self.blame.suspects())
        if not withheld:
            return
        await self.mirror.update(self.session, files)
        self._note_named()
        for file in sorted(withheld & {*files, *self.mirror.overdue}):
            withheld.discard(file)
            await self.mirror.update(self.session, {file})
            self._note_named()
            await self._own(Outline(file), "")
        withheld.clear()

    def _note_named(self) -> None:
        self._named.add(self.mirror.named)
        self.mirror.named.clear()

    def _note_answered(self, number: int) -> None:
        self.spoken += 1
        self._named.answered(number, {file_asked_about(flight.question) for flight in self.work.flights})

    async def _wait_read(self) -> None:
        """Waits a while for the server to read the texts of opened documents."""
        for file in sorted(self.mirror.unread):
            if await self._own(Outline(file), "") is None:
                return
            self.mirror.unread.discard(file)

    async def _wait_ready(self) -> bool:
        """Waits a while for the server to load all files; whether it had to wait and they are loaded."""
        if trio.current_time() >= self._patient_until:
            return False
        with trio.CancelScope(deadline=self._patient_until) as scope:
            await self._wait_state(State.READY)
        return not scope.cancelled_caught

    async def _send(self, flight: Flight, synced_ns: int) -> None:
        question = flight.question
        file, at = file_asked_about(question), getattr(question, "at", None)
        line = ""
        if file and not os.path.isabs(file):
            text = (await self.context.disk.texts.read((file,))).get(file)
            if text is None:
                self._miss(flight, Because.NO_FILE, f"{file} does not exist, or may not be read")
                return
            line = text.lines.line(at.line) if at is not None else ""
        if flight.is_settled:
            self._taken.discard(flight)
            return
        twin = self.work.twin_of(question, self.mirror.generation)
        if twin is not None:
            self._taken.discard(flight)
            self.context.flights.merge(flight, twin)
            return
        try:
            number = self.session.ask(question, line)
        except Unsupported as why:
            self._miss(flight, Because.UNSUPPORTED, str(why))
            return
        self._named.asked(file_asked_about(question), number)
        now = trio.current_time()
        self.work.add(number, Sent(flight, now, synced_ns, self._unfinished(), self.mirror.generation))
        flight.on_left = partial(self._cancel, number)
        self._after_session()

    def _cancel(self, number: int) -> None:
        """Cancels a request that nobody waits for any more."""
        sent = self.work.cancelled(number)
        self._taken.discard(sent.flight)
        if self.end is not None or self.process is None:
            return
        self.session.cancel(number)
        if self.context.server.cancel is Cancel.FILE:
            self.process.request_cancel(number)
        now = trio.current_time()
        if now - sent.sent_at >= sent.outstanding.patience.warm_s and not self.work.is_probed:
            probe = self.session.probe()
            if probe is not None:
                self.work.probed(probe, now)
        self._after_session()
        self.note_use()
        self.context.flights.changed.unpark_all()

    # -- what the server says ---------------------------------------------------------------------------------------

    def _receive(self, chunk: bytes) -> None:
        if self.end is not None and self.end.is_death:
            return
        try:
            events = self.session.receive(chunk)
        except ProtocolViolation as violation:
            self.stop(End(Why.VIOLATED, f"what it writes is no protocol: {violation}"))
            return
        for event in events:
            self._handle(event)
        self._after_session()

    def _after_session(self) -> None:
        """Has the session's output written, and its events handled."""
        was_ready = self._is_ready
        for event in self.session.tick(trio.current_time()):
            self._handle(event)
        self._is_ready = self.session.state is State.READY
        if was_ready and not self._is_ready:
            self._patient_until = max(self._patient_until, trio.current_time() + SETTLE_MAX_S)
        self._moved.set()
        self._moved = trio.Event()
        if self.pipes is not None:
            self.pipes.wake()

    def _handle(self, event: Event) -> None:
        match event:
            case Initialized():
                self.is_initialized = True
            case InitializeFailed(error):
                self.stop(End(Why.REFUSED, f"it refused to start up: {error.message}"))
            case Answered(number, result):
                self._answered(number, result)
            case Buried(number):
                self.work.ended(number)
                if self.process is not None and self.context.server.cancel is Cancel.FILE:
                    self.process.withdraw_cancel(number)
                self.context.flights.changed.unpark_all()
            case Alive(number):
                self.work.ended(number)
            case ShutDown():
                self._shut_down.set()
            case ConfigurationComplained(file, message):
                self.complaints[file] = message
            case BecameReady() | BecameUnready() | Progressed() | Logged() | Stray():
                pass
            case _:
                assert_never(event)

    def _answered(self, number: int, result: Unplaced | ServerError) -> None:
        look = self._looks.get(number)
        if look is not None:
            self._note_answered(number)
            look.result = result if isinstance(result, Unplaced) else None
            look.is_put_off = isinstance(result, ServerError) and result.fault is Fault.CONTENT_MODIFIED
            look.has_come.set()
        sent = self.work.answered(number)
        if sent is None or self._tasks is None:
            return
        self.answers += 1
        self._note_answered(number)
        sent.flight.on_left = None
        self.context.flights.changed.unpark_all()
        if isinstance(result, Unplaced):
            self._tasks.start_soon(self._finish, sent, result)
        else:
            self._failed(sent, result)

    async def _finish(self, sent: Sent, result: Unplaced) -> None:
        """Turns a result into the answer, once it is certain that it can be trusted."""
        flight = sent.flight
        files = files_of(result)
        if isinstance(flight.question, Diagnostics):
            files |= {flight.question.file}  # that nothing is wrong is said of one version of it
        texts = await self.context.disk.texts.read(files)
        has_changed = any(map(partial(self._is_later, sent.synced_ns), texts.values()))
        if not has_changed and (unread := files - set(texts)):  # too large, or gone
            has_changed = not unread <= set(await self.context.disk.ports.stat_files(unread))
        if has_changed and flight.repeats < REPEATS_MAX:
            flight.repeats += 1
            await self._put_back_after(TICK_NS / 1e9, flight)
            return
        doubts = ["files change while they are asked about"] if has_changed else []
        lasting = self._lasting_doubts(flight, files)
        if unfinished := self._unfinished() or sent.doubt:
            doubts.append(unfinished)
        value = place(result, {file: text.lines for file, text in texts.items()})
        if value == nothing_of(flight.question):
            if unfinished:
                self._miss(flight, Because.NOT_READY, doubts[-1])
                return
            match await self.landmark.check(file_asked_about(flight.question)):
                case Soundness.BROKEN:
                    self._dying.append(flight)
                    self.stop(End(Why.UNSOUND, "it no longer finds what it found before"))
                    return
                case Soundness.LATE:
                    doubts.append(f"{self.context.title} was too busy to be checked")
                case Soundness.DOUBTFUL:
                    lasting.insert(0, f"{self.context.title} does not find definitions that the map knows")
                case Soundness.SOUND | Soundness.UNKNOWN:
                    pass
        incomplete = "; ".join((*doubts, *lasting))
        self._settle(flight, Found(value, self.context.title, incomplete, is_lasting=bool(lasting) and not doubts))
        if isinstance(flight.question, Definition) and value and not value[0].is_external:
            await self.landmark.learn(value[0].at)

    def _unfinished(self) -> str:
        """Says as a clause what the server has not finished; empty where it has finished all."""
        if self.session.state is not State.READY:
            return f"{self.context.title} still loads the project ({self.session.progress})".replace(" ()", "")
        return f"{self.context.title} still reads what changed" if self.mirror.unread else ""

    def _lasting_doubts(self, flight: Flight, files: Set[str]) -> list[str]:
        """Says as clauses what an answer that names these files may lack, however often it is asked for."""
        doubts = [self.context.program.caveat] if self.context.program.caveat else []
        if (unnotified := self.mirror.unnotified) and (
            unnotified & files or not is_of_one_file(flight.question, files)
        ):
            doubts.append(
                f"{self.context.title} cannot be notified that {min(unnotified & files or unnotified)} changed"
            )
        if isinstance(flight.question, Diagnostics) and self.context.server.diagnoses_partly:
            doubts.append(self.context.server.diagnoses_partly)
        if flight.left_out:
            which = "are" if isinstance(flight.question, WorkspaceSymbols) else "that mention it are"
            doubts.append(f"{flight.left_out} files {which} in projects that were not searched")
        return doubts

    def _is_later(self, synced_ns: int, text: Text) -> bool:
        """Whether a file changed after the server was last notified of changes; times in the future say nothing."""
        return synced_ns - TICK_NS < text.stat.mtime_ns <= self.context.disk.ports.wall_ns()

    def _failed(self, sent: Sent, error: ServerError) -> None:
        assert self._tasks is not None
        flight = sent.flight
        match after_error(error, flight.retries, self.context.title):
            case Retry(delay_s):
                flight.retries += 1
                self._tasks.start_soon(self._put_back_after, delay_s, flight)
            case Refusal(because, message):
                self._miss(flight, because, "; ".join(filter(None, (message, self.context.program.caveat))))
            case Nothing():
                value = nothing_of(flight.question)
                empty = Unplaced(flight.question, value, self.session.encoding, self.context.root)
                self._tasks.start_soon(self._finish, sent, empty)
            case Broken(message):
                self._dying.append(flight)
                self.stop(End(Why.UNSOUND, message))

    async def _look(self, at: At, line: str) -> bool | None:
        """Asks whether the definition of the name at a place is that place, or leads back to it as a declaration does;
        None where the server takes too long."""
        found = await self._definitions(at, line)
        if found and not found[0].is_external and not any(covers(one, at) for one in found):
            other = found[0].at
            text = (await self.context.disk.texts.read((other.file,))).get(other.file)
            found = () if text is None else await self._definitions(other, text.lines.line(other.line))
        return None if found is None else any(covers(one, at) for one in found)

    async def _definitions(self, at: At, line: str) -> tuple[Place, ...] | None:
        """Asks the server for the definitions of the name at a place; None where it takes too long."""
        look = await self._own(Definition(at), line)
        if look is None or look.result is None:
            return None if look is None else ()
        texts = await self.context.disk.texts.read(files_of(look.result))
        places: tuple[Place, ...] = place(look.result, {file: text.lines for file, text in texts.items()})
        return places

    async def _own(self, question: LiveQuestion, line: str) -> Look | None:
        """Asks a question that no caller asked; None where the server takes too long, puts it off, or cannot answer."""
        for delay_s in (0.0, *RETRY_DELAYS_S):
            await trio.sleep(delay_s)
            look = await self._ask_once(question, line)
            if look is None or not look.is_put_off:
                return look
        return None

    async def _ask_once(self, question: LiveQuestion, line: str) -> Look | None:
        look = Look()
        try:
            number = self.session.ask(question, line)
        except Unsupported:
            return None
        self._named.asked(file_asked_about(question), number)
        self._looks[number] = look
        self._after_session()
        try:
            with trio.move_on_after(LOOK_S):
                await look.has_come.wait()
        finally:
            del self._looks[number]
        if not look.has_come.is_set():
            self.session.cancel(number)
            self.work.bury(number, Outstanding(trio.current_time() - LOOK_S, QUICK))
            self._after_session()
            return None
        return look

    # -- small things -----------------------------------------------------------------------------------------------

    def note_use(self) -> None:
        """Notes for the limit of running servers whether this one is used."""
        running = self.running
        is_busy = bool(self._taken) or self.context.flights.peek() is not None
        if is_busy or running.is_busy:
            running.used_at = trio.current_time()
        if is_busy != running.is_busy:
            running.is_busy = is_busy
            self._busied.set()
            self._busied = trio.Event()
            self.context.running_servers.reconsider()

    def weigh(self, resident_bytes: int, soft_bytes: int) -> None:
        """Notes its memory; above `soft_bytes` it does nothing in the background."""
        self.running.resident_bytes = resident_bytes
        self.is_heavy = resident_bytes > soft_bytes
        self.context.running_servers.reconsider()

    async def wait_busy(self, busy_s: float, idle_s: float) -> None:
        """Waits `busy_s` where the server works; else until it does, `idle_s` at most."""
        if self.work.outstanding or self.running.is_busy:
            await trio.sleep(busy_s)
            return
        with trio.move_on_after(idle_s):
            await self._busied.wait()

    def _settle(self, flight: Flight, fact: Fact) -> None:
        self._taken.discard(flight)
        self.context.flights.settle(flight, fact)
        self.note_use()

    def _miss(self, flight: Flight, because: Because, message: str) -> None:
        self._settle(flight, Missed(because, message, language=language_asked(flight.question)))

    async def _put_back_after(self, delay_s: float, flight: Flight) -> None:
        await trio.sleep(delay_s)
        self._taken.discard(flight)
        self.context.flights.put_back(flight)

    async def _wait_state(self, *states: State) -> None:
        while self.session.state not in states:
            await self._moved.wait()

    async def _keep_time(self) -> None:
        """Lets time act on the session."""
        while True:
            deadline, moved = self.session.deadline, self._moved
            with trio.CancelScope(deadline=inf if deadline is None else deadline) as scope:
                await moved.wait()
            if scope.cancelled_caught:
                self._after_session()
