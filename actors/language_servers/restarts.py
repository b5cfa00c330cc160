"""Starts one language server when it is needed, restarts it after a crash, and gives up when it crashes too often.

Rules of the file:
- Questions that a dead server worked on are put to the next life once, alone, so that it is known whose fault a second
  death is; such a question is then not asked again for a while.
- Questions never wait for a server that is left alone, or that has kept somebody waiting for nothing: they are answered
  with why.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import trio

from actors.language_servers.life.canary import Known
from actors.language_servers.life.crash_blame import Blame
from actors.language_servers.life.health import watch
from actors.language_servers.life.pipes import End, Why
from actors.language_servers.life.questions import language_asked
from actors.language_servers.life.questions_in_flight import Flight
from actors.language_servers.life.restart_policy import QUARANTINE_S, Again, Death, Health, Tripped, after_death
from actors.language_servers.life.running_servers import RunningServer
from actors.language_servers.life.server import Life
from actors.language_servers.life.server_context import ServerContext
from actors.language_servers.programs.program import Program
from actors.language_servers.unresponsive import LIVED_S, TRIED_EVERY_S, WAITED_S, Silence
from actors.messaging.log import Severity, log
from codemap.live_queries import Because, LiveQuestion, Missed, file_asked_about
from codemap.lsp.server import Server
from codemap.lsp.state import State

TAIL_CHARS = 1000
"""Characters of stderr that are shown to people."""


Key = tuple[str, str, str]
"""Identifies a server: name, project and caveat (folders of one project may differ in it)."""


class Quarantine(msgspec.Struct, frozen=True):
    until: float
    is_sure: bool
    """False: the server had never answered anything; the quarantine then ends with its first answer."""


class Lives:
    """All lives of one server; see `run`."""

    def __init__(self, context: ServerContext, jitter: Callable[[], float]) -> None:
        self.context = context
        self.life: Life | None = None
        self.last_end: End | None = None
        self.lives = 0
        self._jitter = jitter
        self._health = Health()
        self._again_at = 0.0
        self._tripped_until = 0.0
        self._stderr = ""
        self._known: Known | None = None
        self._quarantine: dict[tuple[type[LiveQuestion], str], Quarantine] = {}
        """What is not asked."""
        self._blame = Blame()
        self._silence: Silence | None = None
        self._silent = trio.lowlevel.ParkingLot()
        """Unparked when somebody wants to know whether it still is."""
        self._ended_answers = 0

    @property
    def answers(self) -> int:
        """Number of answers in all its lives."""
        return self._ended_answers + (0 if self.life is None else self.life.spoken)

    @property
    def refusal(self) -> Missed | None:
        """Why this server is asked nothing now; None where it may be asked."""
        left_s = self._tripped_until - trio.current_time()
        if left_s > 0 and self.last_end is not None:
            message = (
                f"{self.context.title} failed too often; it is tried again in {left_s:.0f} s; "
                f"last: {self.last_end.message}"
            )
            return Missed(Because.FAILED, message, stderr_tail=self.stderr)
        if self._silence is None or self.answers > self._silence.answers:
            return None
        is_coming_up = self.life is not None and self.life.end is None and self.life.session.state is not State.READY
        because = Because.NOT_READY if is_coming_up else Because.FAILED
        message = f"{self.context.title} does not answer ({self._silence.why}); it is tried in the background"
        return Missed(because, message, stderr_tail=self.stderr)

    def refusal_of(self, question: LiveQuestion) -> Missed | None:
        """Why this question is not sent now; None where it may be."""
        file, language = file_asked_about(question), language_asked(question)
        if not self.context.server.may_name(file):
            message = f"the name of the file is not UTF-8, and {self.context.server.name} takes no other"
            return Missed(Because.UNSUPPORTED, message, language=language)
        if self._blame.is_charged(file, trio.current_time()):
            message = f"{self.context.title} died twice when it was shown {file}, which is left out for a while"
            return Missed(Because.FAILED, message, language=language, stderr_tail=self.stderr)
        key = _cause(question)
        quarantine = self._quarantine.get(key)
        if quarantine and quarantine.until > trio.current_time() and (quarantine.is_sure or not self.answers):
            message = f"{self.context.title} died twice of this request"
            return Missed(Because.FAILED, message, language=language, stderr_tail=self.stderr)
        self._quarantine.pop(key, None)
        return None

    def sent_away(self, question: LiveQuestion) -> None:
        """Notes that a caller was refused: an unresponsive server is then tried again in the background."""
        if self._silence is not None:
            self._silence.want(question)
            self._try_silent()

    def left(self, question: LiveQuestion, asked_at: float, answers: int) -> None:
        """Notes that a caller left without an answer, who came when there were so many `answers`."""
        life, waited_s = self.life, trio.current_time() - asked_at
        if waited_s < WAITED_S or self.answers > answers or life is None or life.pipes is None:
            return
        if life.session.state is State.LOADING and trio.current_time() - life.pipes.heard_at < WAITED_S:
            return
        self._fall_silent(f"no answer in {waited_s:.0f} s", question)

    @property
    def is_idle(self) -> bool:
        """Whether no question waits or is worked on."""
        return self.context.flights.peek() is None and (self.life is None or self.life.is_idle)

    @property
    def stderr(self) -> str:
        """The end of its latest stderr."""
        pipes = None if self.life is None else self.life.pipes
        said = "" if pipes is None else pipes.errors.text(TAIL_CHARS)
        return said or self._stderr

    def change_program(self, program: Program) -> None:
        """Restarts with another program, or with other options."""
        self.context = msgspec.structs.replace(self.context, program=program)
        self._tripped_until = self._again_at = 0.0
        self._health = Health()
        self._silence = None
        self._blame = Blame()
        self.replace("another program is right now")

    def replace(self, why: str) -> None:
        """Ends the running server; the next question starts it again."""
        if self.life is not None:
            self.life.stop(End(Why.REPLACED, why))

    async def run(self) -> None:
        """Runs until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_trying)
            await self._live_again_and_again()

    async def _live_again_and_again(self) -> None:
        while True:
            await self.context.flights.wait_any()
            await trio.sleep_until(self._again_at)
            async with self.context.running_servers.take() as running:
                if self.context.flights.peek() is not None:
                    await self._live(running)

    async def _keep_trying(self) -> None:
        """Tries an unresponsive server again when an attempt failed and it lives on."""
        while True:
            if self._silence is None or not self._silence.is_wanted:
                await self._silent.park()
            await trio.sleep(TRIED_EVERY_S)
            self._try_silent()

    async def _live(self, running: RunningServer) -> None:
        self.lives += 1
        self.life = life = Life(self.context, running, self._known, self._blame)
        try:
            end = await life.run(watch)
        finally:
            self._stderr = self.stderr
            self._known = life.landmark.known
            self._ended_answers += life.spoken
            self.life = None
        self.last_end = end
        severity = Severity.WARNING if end.is_death else Severity.INFO
        log("server-end", severity, server=self.context.title, why=end.why.value, reason=end.message)
        self._conclude(life, end)

    def _conclude(self, life: Life, end: End) -> None:
        """Decides what follows the end of a life, for the server and for its open questions."""
        sent, unseen = life.unfinished()
        forgiven = self._forgiven(life, sent, end) if end.is_death else frozenset()
        for flight in reversed(unseen):
            self.context.flights.put_back(flight)
        for flight in reversed(sent):
            self._replay(flight, end)
        if not end.is_death:
            return
        for flight in list(self.context.flights):
            if (refusal := self.refusal_of(flight.question)) is not None:
                self.context.flights.settle(flight, refusal)
        now = trio.current_time()
        if forgiven:
            deaths = tuple(at for at in self._health.deaths if at not in forgiven)
            self._health = msgspec.structs.replace(self._health, deaths=deaths)
            return
        death = Death(
            at=now,
            lived_s=now - life.began_at,
            answers=life.answers,
            is_initialized=life.is_initialized,
            is_by_memory=end.why is Why.MEMORY,
        )
        self._health, following = after_death(self._health, death, self._jitter())
        match following:
            case Again(at):
                self._again_at = at
            case Tripped(until):
                log("server-tripped", Severity.ERROR, server=self.context.title, rest_s=until - now, reason=end.message)
                self._tripped_until = self._again_at = until
                refusal = self.refusal
                assert refusal is not None
                for flight in list(self.context.flights):
                    fact = msgspec.structs.replace(refusal, language=language_asked(flight.question))
                    self.context.flights.settle(flight, fact)
        if not life.spoken and death.lived_s >= LIVED_S and not death.is_by_memory:
            asked = next(iter([*sent, *unseen]), None)
            self._fall_silent(end.message, None if asked is None else asked.question)
        self._try_silent()

    def _forgiven(self, life: Life, sent: list[Flight], end: End) -> frozenset[float]:
        """Charges files with a death that they caused; returns the deaths that count no more against the server."""
        now = trio.current_time()
        if end.why is Why.MEMORY:
            return frozenset()
        self._blame.died(life.named, now)
        if end.why is Why.WEDGED and not life.spoken:
            return frozenset()  # it is silent on all that it was asked
        guilty = self._blame.guilty(life.named)
        deaths = self._blame.deaths({guilty}) if guilty else frozenset()
        if guilty:
            self._blame.charge(guilty, now, self.answers)
            log("server-died-of", Severity.WARNING, server=self.context.title, file=guilty, reason=end.message)
        for flight in sent:
            if flight.crashes and flight.waiting:
                deaths |= {flight.died_at, now}
                others = (file for kind, file in self._quarantine if kind is not type(flight.question))
                if (file := file_asked_about(flight.question)) in others:
                    self._blame.charge(file, now, self.answers)
        return deaths | {now} if deaths and self._blame.forgives(now) else frozenset()

    def _fall_silent(self, why: str, asked: LiveQuestion | None) -> None:
        if self._silence is None or self.answers > self._silence.answers:
            self._silence = Silence(why, self.answers, asked)
        self._silence.why = why
        self._try_silent()

    def _try_silent(self) -> None:
        if self._silence is None:
            return
        if self.answers > self._silence.answers:
            self._silence = None
            return
        self._silent.unpark_all()
        files = (path for path in self.context.disk.known() if path.endswith(tuple(self.context.server.language_ids)))
        self._silence.try_again(self.context.flights, files)

    def _replay(self, flight: Flight, end: End) -> None:
        flight.on_left = None
        if not end.is_death:
            self.context.flights.put_back(flight)
            return
        if not flight.waiting:
            self.context.flights.drop(flight)
            return
        flight.crashes += 1
        flight.died_at = trio.current_time()
        if flight.crashes == 1:
            self.context.flights.put_back(flight)
            return
        self._quarantine[_cause(flight.question)] = Quarantine(trio.current_time() + QUARANTINE_S, self.answers > 0)
        fact = Missed(
            Because.FAILED,
            f"{self.context.title} died twice of this request: {end.message}",
            language=language_asked(flight.question),
            stderr_tail=self.stderr,
        )
        self.context.flights.settle(flight, fact)


def key_of(server: Server, program: Program) -> Key:
    """Makes the key of a server."""
    return server.name, program.project, program.caveat


def _cause(question: LiveQuestion) -> tuple[type[LiveQuestion], str]:
    return type(question), file_asked_about(question)
