"""The supervisor of the language servers of one family: finds a server for each question, and keeps it running.

Servers of different projects of a repository (packages of a monorepo) run side by side; files of one family share them.

Rules of the file:
- Every question is answered with a fact, unless its asker leaves first. Deadlines are the askers'; none is kept here.
- The preferred server that is there and not given up is asked; one with a caveat only where there is no other.
- A program that is missing is looked for again: soon where a caller waits, later and later where nobody does.
- A search that takes long (a program hangs when it is asked for its version) keeps those waiting who came first; who
  comes after them gets that answer at once, or what is known from before, and the search goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import msgspec
import trio

from actors.language_servers.base_versions import Bases
from actors.language_servers.life.document_sync import MirroredDisk
from actors.language_servers.life.project_loading import of_server
from actors.language_servers.life.questions import language_asked
from actors.language_servers.life.questions_in_flight import Flights
from actors.language_servers.life.restart_policy import FIND_AGAIN_S, FIND_S, RETRY_FIND_S, looks_again_at
from actors.language_servers.life.running_servers import RunningServers
from actors.language_servers.life.server_context import ServerContext
from actors.language_servers.programs.program import Absent, Finder, Program
from actors.language_servers.programs.project_roots import projects_of
from actors.language_servers.restarts import Key, Lives, key_of
from actors.language_servers.status import Standing
from actors.messaging.inbox import Delivery, Inbox
from actors.messaging.messages import Lane, LanguageMessage, Live
from codemap.languages.language import Language
from codemap.live_queries import Because, Diagnostics, LiveQuestion, Missed, file_asked_about
from codemap.lsp.server import Server


class Looked(msgspec.Struct, frozen=True):
    """The result of looking for a program."""

    found: Program | Absent
    at: float
    took_s: float
    times: int
    """Times in a row that it was missing."""


class Search:
    """A search for a program that is under way."""

    def __init__(self) -> None:
        self.began_at = trio.current_time()
        self.has_ended = trio.Event()
        self.found: Program | Absent | None = None


class Family(msgspec.Struct, frozen=True):
    """The languages of a family, and what its supervisor needs."""

    languages: Mapping[str, Language]
    """Languages by short name."""
    find: Finder
    root: str
    """Absolute path, links resolved."""
    disk: MirroredDisk
    running_servers: RunningServers
    version: str
    """Version of codemap."""
    jitter: Callable[[], float]
    """Returns numbers from 0 up to 1."""
    trust: Callable[[], object] = lambda: None
    """Returns a value that changes when the user trusts the repository, or no more."""


async def language_supervisor(inbox: Inbox[LanguageMessage], family: Family, standing: Standing) -> None:
    """Runs until cancelled; then no server is left. `standing` is kept up to date."""
    async with trio.open_nursery() as nursery:
        life = _Life(family, standing, nursery)
        async for delivery in inbox:
            nursery.start_soon(life.attend, delivery, delivery.message)


class _Life:
    """One life of the supervisor."""

    def __init__(self, family: Family, standing: Standing, nursery: trio.Nursery) -> None:
        self._family = family
        self._standing = standing
        self._nursery = nursery
        self._lives: dict[Key, Lives] = {}
        self._bases = Bases(nursery, family.jitter)
        self._looked: dict[tuple[str, str], Looked] = {}
        """By server and folder."""
        self._searches: dict[tuple[str, str], Search] = {}
        """Those under way, by the same."""
        self._looking_since: dict[str, float] = {}
        """By language: since when its questions wait for searches."""
        self._position = family.disk.journal.position
        self._had_map = family.disk.has_map()
        self._trust = family.trust()
        standing.lives.clear()
        standing.absent.clear()

    async def attend(self, delivery: Delivery[LanguageMessage], ask: Live) -> None:
        """Answers a question, unless its asker leaves."""
        chosen = await self._choose(ask.question, ask.lane)
        if not self._searches:
            self._looking_since.pop(language_asked(ask.question), None)
        if isinstance(chosen, Lives) and isinstance(ask.question, Diagnostics) and ask.question.base is not None:
            chosen = self._bases.lives_of(chosen, ask.question.base)
        elif isinstance(chosen, Lives):
            self._standing.chosen(language_asked(ask.question), chosen)
        if isinstance(chosen, Lives):
            refusal = chosen.refusal_of(ask.question)
            if refusal is None:
                asked_at, answers = trio.current_time(), chosen.answers
                flight = chosen.context.flights.join(delivery, ask)
                await delivery.wait_abandoned()
                if chosen.context.flights.leave(flight, delivery) and ask.lane is Lane.FOREGROUND:
                    chosen.left(ask.question, asked_at, answers)
                return
            chosen = refusal
        delivery.answer(ask, chosen)

    async def _choose(self, question: LiveQuestion, lane: Lane) -> Lives | Missed:
        file = file_asked_about(question)
        name = language_asked(question)
        language = self._family.languages.get(name)
        servers = () if language is None else _servers_for(file, language.servers)
        if language is None or not servers:
            return Missed(Because.UNAVAILABLE, f"no language server is known for {file or name}", language=name)
        if os.path.isabs(file):  # outside the root, where an earlier answer led: whoever gave it is asked on
            known = self._standing.lives.get(name, [])
            return known[0] if known else Missed(Because.NO_FILE, f"{file} lies outside the root", language=name)
        self._forget_stale()
        second_best: Lives | None = None
        refused: Missed | None = None
        absent: Absent | None = None
        by = self._looking_since.setdefault(name, trio.current_time()) + FIND_S
        for server in servers:
            folder = file.rpartition("/")[0] if file else await self._main_project(server)
            found = await self._find(server, folder, lane, by)
            if isinstance(found, Absent):
                absent = found if absent is None or (found.is_sought and not absent.is_sought) else absent
                continue
            lives = self._lives_of(server, found)
            refusal = lives.refusal
            if refusal is not None:
                if lane is Lane.FOREGROUND:
                    lives.sent_away(question)
                refused = refused or msgspec.structs.replace(refusal, language=name)
                if refusal.because is Because.NOT_READY:
                    break
            elif found.caveat:
                second_best = second_best or lives
            else:
                return lives
        if second_best is not None:
            return second_best
        if refused is not None:
            return refused
        assert absent is not None, "every server was found, refused or absent"
        self._standing.absent[name] = absent
        return Missed(Because.UNAVAILABLE, absent.reason, absent.install, name)

    async def _main_project(self, server: Server) -> str:
        """Chooses the project to search for names in: the one with most files, where a server sees only one."""
        if server.searches_nested:
            return ""
        family = self._family
        projects = await trio.to_thread.run_sync(
            projects_of,
            family.root,
            of_server(server, family.disk.known()),
            server.root_markers,
            abandon_on_cancel=True,
        )
        return min(projects, key=lambda project: (-projects[project], project), default="")

    async def _find(self, server: Server, folder: str, lane: Lane, by: float) -> Program | Absent:
        """Finds the program: known already, or found by the deadline."""
        key = (server.name, folder)
        looked = self._looked.get(key)
        if looked is not None and not self._is_due(server, looked, lane, trio.current_time()):
            return looked.found
        search = self._searches.get(key)
        if search is None:
            search = self._searches[key] = Search()
            self._nursery.start_soon(self._search, server, folder, search)
        known = None if looked is None else looked.found
        if looked is not None:
            by = search.began_at + (FIND_AGAIN_S if looked.took_s < FIND_AGAIN_S else 0)
        with trio.CancelScope(deadline=by):
            await search.has_ended.wait()
        if search.found is not None:
            return search.found
        waited_s = trio.current_time() - search.began_at
        return known or Absent(
            f"{server.name} is still looked for: no program has reported its version in {waited_s:.0f} s",
            is_sought=True,
        )

    async def _search(self, server: Server, folder: str, search: Search) -> None:
        key = (server.name, folder)
        found = await self._family.find(server, folder)
        search.found, now = found, trio.current_time()
        if self._searches.get(key) is search:
            del self._searches[key]
            looked = self._looked.get(key)
            times = looked.times + 1 if looked is not None and isinstance(looked.found, Absent) else 1
            self._looked[key] = Looked(found, now, now - search.began_at, times)
        search.has_ended.set()

    def _is_due(self, server: Server, looked: Looked, lane: Lane, now: float) -> bool:
        """Whether to look for a program again: it is missing, or was given up and may have been replaced."""
        if isinstance(looked.found, Program):
            lives = self._lives.get(key_of(server, looked.found))
            if lives is None or lives.refusal is None:
                return False
        soon = looked.at + RETRY_FIND_S if lane is Lane.FOREGROUND else looks_again_at(looked.at, looked.times)
        return now >= soon

    def _forget_stale(self) -> None:
        """Forgets the programs that were found when files that decide the choice changed, when the first map is there,
        or when the user's trust changed; servers of an earlier trust end."""
        journal = self._family.disk.journal
        if not self._had_map and self._family.disk.has_map():
            self._had_map = True
            self._forget()
        if (trust := self._family.trust()) != self._trust:
            self._trust = trust
            self._forget()
            for lives in self._lives.values():
                lives.replace("what may be run has changed")
        if journal.position == self._position:
            return
        changes = journal.since(self._position)
        self._position = journal.position
        servers = {server.name: server for one in self._family.languages.values() for server in one.servers}.values()
        if changes.is_everything or any(_decides(server, path) for path in changes.paths for server in servers):
            self._forget()

    def _forget(self) -> None:
        """Forgets the programs that were found, and stops searches."""
        self._looked.clear()
        self._searches.clear()

    def _lives_of(self, server: Server, program: Program) -> Lives:
        key = key_of(server, program)
        lives = self._lives.get(key)
        if lives is None:
            family = self._family
            context = ServerContext(
                server, program, family.root, family.running_servers, family.disk, Flights(), family.version
            )
            self._lives[key] = lives = Lives(context, family.jitter)
            self._nursery.start_soon(lives.run)
        elif lives.context.program != program:
            lives.change_program(program)
        return lives


def _decides(server: Server, path: str) -> bool:
    """Whether a change of this file may change the choice of program or project."""
    base = path.rpartition("/")[2]
    return server.is_configured_by(path) or any(base in markers for markers in server.root_markers)


def _servers_for(file: str, servers: Sequence[Server]) -> tuple[Server, ...]:
    """Selects the servers for a file, the preferred first."""
    return tuple(server for server in servers if not file or file.lower().endswith(tuple(server.language_ids)))
