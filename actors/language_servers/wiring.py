"""Wires the language servers: a supervisor for each family, and its view of disk and map."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
import trio

from actors.indexing.latest_snapshot import Latest, Published
from actors.language_servers.families import Speaking
from actors.language_servers.life.document_sync import MirroredDisk
from actors.language_servers.life.file_texts import Texts
from actors.language_servers.life.running_servers import RunningServers
from actors.language_servers.programs.ports import LanguagePorts
from actors.language_servers.programs.program import Absent, Candidate, Program
from actors.language_servers.status import Standing
from actors.language_servers.supervisor import Family, language_supervisor
from actors.messaging.inbox import ActorDied, Inbox
from actors.messaging.messages import Drained, FileStat, LanguageMessage, Unavailable
from actors.messaging.supervise import Actor, Policy, Supervisor
from actors.ports import Ports
from actors.watch.watch_status import Journal
from codemap.languages import languages
from codemap.languages.language import Language
from codemap.lsp.server import Server
from codemap.project import Project

DRAIN_MAX_S = 1.0
"""Longest wait for the watcher to read queued events: milliseconds, unless it covers everything anew or restarts."""


class Surroundings(msgspec.Struct, frozen=True):
    """What the supervisors need of the other actors."""

    ports: Ports
    latest: Latest[Any]
    journal: Journal
    drain: Callable[[], Awaitable[Drained | Unavailable]]
    """Waits until earlier changes on disk are in the journal. Raises ActorDied."""


def speaking(
    live: LanguagePorts, around: Surroundings, policy: Policy, jitter: Callable[[], float]
) -> dict[str, Speaking]:
    """Makes the supervisors of all languages that can have a server, by family; none runs yet."""
    families: dict[str, dict[str, Language]] = {}
    for language in languages():
        if language.servers:
            families.setdefault(language.family, {})[language.name] = _limited(language, live.memory_max_mb)
    disk, running_servers = _mirrored(live, around), RunningServers(live.processes, memory=around.ports.memory)
    find = partial(_find, live, around.latest)
    found: dict[str, Speaking] = {}
    for name, members in families.items():
        inbox: Inbox[LanguageMessage] = Inbox(f"language servers of {name}")
        standing = Standing()
        family = Family(members, find, around.ports.root, disk, running_servers, live.version, jitter, live.trust)
        actor = Actor(partial(language_supervisor, inbox, family, standing), inbox)
        found[name] = Speaking(members, inbox, standing, Supervisor(inbox.actor, (actor,), policy, jitter=jitter))
    return found


def project_of(live: LanguagePorts, published: Published[Any]) -> Project:
    """Collects what a search for a server needs to know of a map."""
    outside = live.packages(published.snapshot)
    return Project(frozenset(published.files), published.configs, outside=outside)


async def _find(live: LanguagePorts, latest: Latest[Any], server: Server, folder: str) -> Program | Absent:
    published = latest.get()
    project = None if published is None else project_of(live, published)
    return await live.find(server, folder, project)


def _mirrored(live: LanguagePorts, around: Surroundings) -> MirroredDisk:
    """Makes the view of the disk and the map that servers get; each call reads the latest map."""
    latest = around.latest

    async def drain() -> Drained:
        """Of a watcher that has trouble, nothing is certain; questions do not wait for it."""
        with trio.move_on_after(DRAIN_MAX_S), suppress(ActorDied):
            drained = await around.drain()
            if isinstance(drained, Drained):
                return drained
        return Drained(around.journal.position, False)

    def known() -> Mapping[str, FileStat]:
        published = latest.get()
        return {} if published is None else {path: record.stat for path, record in published.files.items()}

    async def mentioning(name: str) -> Iterable[str]:
        published = latest.get()
        if published is None or live.mentioning is None:
            return ()
        return await live.mentioning(published.snapshot, name)

    def configs() -> Collection[str]:
        published = latest.get()
        return () if published is None else published.configs

    def definitions(file: str) -> Iterable[Candidate]:
        published = latest.get()
        return () if published is None or live.definitions is None else live.definitions(published.snapshot, file)

    return MirroredDisk(
        ports=around.ports,
        texts=Texts(around.ports),
        journal=around.journal,
        drain=drain,
        known=known,
        mentioning=mentioning,
        configs=configs,
        has_map=lambda: latest.get() is not None,
        definitions=definitions,
    )


def _limited(language: Language, memory_max_mb: int) -> Language:
    """Limits the memory of a language's servers; 0: as their records say."""
    if not memory_max_mb:
        return language
    servers = (msgspec.structs.replace(server, memory_max_mb=memory_max_mb) for server in language.servers)
    return msgspec.structs.replace(language, servers=tuple(servers))
