"""Keeps a language server in sync with the disk: notifies it of changes and opens documents before the next request.

Servers that read the disk are notified of files created, changed and deleted. Servers that answer only about open
documents get the texts as well: an open document hides the disk from them, so each is compared with the disk before
every question.

Rules of the file:
- What events name is judged by the stats of the files: an event is a hint, and may be about nothing.
- Where events may be missing, everything is compared.
- Only files of the server's languages, and the configuration files that it wants to hear of, count.

Source: LSP 3.17, `workspace/didChangeWatchedFiles` and text document synchronization.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

import msgspec

from actors.files.reading import is_settled
from actors.indexing.disk_diff import is_in
from actors.language_servers.life.file_texts import BaseTextsOver, Text, Texts
from actors.language_servers.life.restart_policy import CHANGES_MAX
from actors.language_servers.programs.program import Candidate
from actors.messaging.messages import Drained, FileStat
from actors.ports import Ports
from actors.watch.watch_status import Journal
from codemap.lsp.server import Pushed, Server
from codemap.lsp.session import Session
from codemap.lsp.state import State

GONE_S = 1.5
"""How long a server that answers only about open documents needs to notice a deleted file by itself."""


class TooManyChanges(Exception):
    """Raised when a new server is quicker than notifying this one of so many changes."""


class MirroredDisk(msgspec.Struct, frozen=True):
    """The view of disk and map that a mirror works with."""

    ports: Ports
    texts: Texts | BaseTextsOver
    journal: Journal
    drain: Callable[[], Awaitable[Drained]]
    """Waits until earlier changes are in the journal."""
    known: Callable[[], Mapping[str, FileStat]]
    """The files of the map, as they were when it was made; none where there is no map yet."""
    mentioning: Callable[[str], Awaitable[Iterable[str]]] | None = None
    """Finds files of the map that may mention a name; None: unknown."""
    configs: Callable[[], Collection[str]] = lambda: ()
    """Paths of the configuration files that the map was made with."""
    has_map: Callable[[], bool] = lambda: True
    """Whether there is a map."""
    definitions: Callable[[str], Iterable[Candidate]] = lambda _file: ()
    """A few definitions of the map in a file."""

    @property
    def base(self) -> BaseTextsOver | None:
        """Texts of another version that hide the files on disk; None: the server sees the disk."""
        return self.texts if isinstance(self.texts, BaseTextsOver) else None


class _Sent(msgspec.Struct, frozen=True):
    created: list[str]
    changed: list[str]
    deleted: list[str]


class Mirror:
    """The files as one life of a server has seen them."""

    def __init__(
        self, server: Server, disk: MirroredDisk, forbids: Callable[[str], bool] = lambda _path: False
    ) -> None:
        """`forbids` names files that are never sent to the server."""
        self._forbids = forbids
        self.withheld: set[str] = set()
        """Files whose changes are held back for now."""
        self.overdue: set[str] = set()
        """Those of them that changed."""
        self._unnotified: set[str] = set()
        """Forbidden files that changed."""
        self.named: set[str] = set()
        """Files that it was notified of; whoever needs them takes them out."""
        self._server = server
        self._disk = disk
        self._suffixes = tuple(server.language_ids)
        self.generation = 0
        """Counts the changes that the server was notified of."""
        self._position = 0
        self._seen: dict[str, FileStat] = {}
        """What it was notified of, or could see when it started."""
        self._unsettled: set[str] = set()
        """Files of these that may have changed since without another stat."""
        self._open: OrderedDict[str, FileStat | None] = OrderedDict()
        """Open documents, the least recently used first, with the stat of what was shown; None: that is unsettled."""
        self.unread: set[str] = set()
        """Open documents with a new text that the server has not been heard of since, where that matters."""
        self._outdated: set[str] = set()
        """Open documents that are to be opened again before they are asked about: others have changed since."""
        self._is_pushing = isinstance(server.diagnosing, Pushed)
        self._opened_early: set[str] = set()
        """Open documents that it was shown before it had seen all files: what it published may lack something."""
        self._hidden: dict[str, Text] = {}
        """Open documents with the text of another version."""
        self._unshown: frozenset[str] = frozenset()
        """Forbidden files that have a text of another version."""

    @property
    def unnotified(self) -> frozenset[str]:
        """Forbidden files that the server sees as they are no more, or not in this version."""
        return self._unshown.union(self._unnotified)

    async def begin(self) -> None:
        """Assumes that a server that starts now sees the disk as it is now."""
        drained = await self._disk.drain()
        self._position = drained.position
        now_ns = self._disk.ports.wall_ns()
        self._seen = {path: stat for path, stat in self._disk.known().items() if self._counts(path)}
        self._unsettled = {path for path, stat in self._seen.items() if not is_settled(stat, now_ns)}

    async def update(self, session: Session, files: Collection[str], shown: Collection[str] = ()) -> float:
        """Notifies the server of all changes, and opens the files of the next question, where the server needs them
        open, and those in `shown` in any case.

        Returns seconds that it should be given before it is asked. Raises TooManyChanges.
        """
        drained = await self._disk.drain()
        changes = self._disk.journal.since(self._position)
        now_ns = self._disk.ports.wall_ns()
        if changes.is_everything or not drained.is_certain:
            now = await self._list()
            suspects = set(now) | set(self._seen)
        else:
            suspects = await self._suspects(changes.paths)
            now = await self._disk.ports.stat_files(suspects) if suspects else {}
        self._position = drained.position
        if overdue := self.overdue - set(suspects):
            now = {**now, **await self._disk.ports.stat_files(overdue)}
            suspects = {*suspects, *overdue}
        self.overdue.clear()
        sent = self._notify(session, suspects, now, now_ns)
        self._hide(session)
        if not self._server.opens:
            if shown or self._open:
                await self._show(session, shown)
            return 0.0
        # It reads the disk when it likes; what it is shown counts at once.
        hidden = [path for path in (*sent.created, *sent.changed) if path not in self._open and self._is_source(path)]
        if len(hidden) > self._server.open_max // 2:
            raise TooManyChanges(f"{len(hidden)} files changed that are not open")
        if self._server.reopens:
            changed = {*sent.created, *sent.changed, *sent.deleted}
            self._outdated |= {file for file in self._open if changed - {file}}
        await self._show(session, {*files, *shown, *hidden})
        if self._server.reads_later:
            self.unread = {path for path in (*self.unread, *sent.created, *sent.changed) if path in self._open}
        return GONE_S if sent.deleted else 0.0

    async def _suspects(self, paths: frozenset[str]) -> set[str]:
        """Selects the relevant files among changed paths; a folder stands for everything that was or is in it."""
        suspects = {path for path in paths if not path.endswith("/") and self._counts(path)}
        folders = frozenset(path for path in paths if path.endswith("/"))
        if folders:
            suspects |= {path for path in self._seen if is_in(path, folders)}
            glance = await self._disk.ports.list_paths(folders, frozenset(self._seen))
            there = await self._list() if glance is None else {**glance.files, **glance.configs}
            suspects |= {path for path in there if is_in(path, folders) and self._counts(path)}
        return suspects

    async def _list(self) -> dict[str, FileStat]:
        listing = await self._disk.ports.list_files("")
        return {path: stat for path, stat in {**listing.files, **listing.configs}.items() if self._counts(path)}

    def _notify(self, session: Session, suspects: Collection[str], now: Mapping[str, FileStat], now_ns: int) -> _Sent:
        """Notifies the server of changed files; `now` are the stats of existing ones, taken after `now_ns` by the wall
        clock."""
        sent = _Sent([], [], [])
        for path in sorted(suspects):
            if self._forbids(path):
                if self._seen.get(path) != now.get(path):
                    self._unnotified.add(path)
                continue
            self._unnotified.discard(path)
            if path in self.withheld:
                self.overdue.add(path)
                continue
            before, after = self._seen.get(path), now.get(path)
            if after is None:
                sent.deleted.append(path)  # one that the map did not know may have been seen all the same
                self._seen.pop(path, None)
                continue
            if before is None:
                sent.created.append(path)
            elif before != after or path in self._unsettled:
                sent.changed.append(path)
            self._seen[path] = after
            (self._unsettled.discard if is_settled(after, now_ns) else self._unsettled.add)(path)
        count = len(sent.created) + len(sent.changed) + len(sent.deleted)
        if count > CHANGES_MAX:
            raise TooManyChanges(f"{count} files changed")
        if count:
            self.generation += 1
            self.named.update(sent.created, sent.changed, sent.deleted)
            session.files_changed(sent.created, sent.changed, sent.deleted)
        return sent

    def _hide(self, session: Session) -> None:
        """Opens the files of another version; they stay open as long as it is that, since others depend on them."""
        base = self._disk.base
        if base is None:
            return
        wanted = {file: text for file, text in base.texts.items() if self._is_source(file)}
        self._unshown = frozenset(filter(self._forbids, wanted))
        wanted = {file: text for file, text in wanted.items() if file not in self._unshown}
        left = [file for file, text in self._hidden.items() if wanted.get(file) is not text]
        fresh = [file for file, text in wanted.items() if self._hidden.get(file) is not text]
        for file in sorted(left):
            session.close(file)
            del self._hidden[file]
        for file in sorted(fresh, key=self._rank):
            self._open.pop(file, None)
            self._hidden[file] = wanted[file]
            session.open(file, wanted[file].text)
        changed = {*left, *fresh}
        self.generation += len(changed)
        self.named.update(changed)
        if changed and self._server.reopens:
            self._outdated |= set(self._open)

    async def _show(self, session: Session, files: Collection[str]) -> None:
        """Opens files, and updates every open document from the disk."""
        wanted = {file for file in files if self._is_source(file) and not self._forbids(file)} - self.withheld
        wanted -= self._hidden.keys()
        if self._is_pushing and self._disk.base is not None:
            # What it published of these may be of another state of others; of a text that it has it publishes nothing.
            for file in sorted(self._hidden.keys() & set(files), key=self._rank):
                session.close(file)
                session.open(file, self._hidden[file].text)
        stats = await self._disk.ports.stat_files({*wanted, *self._open})
        for file in [file for file in self._open if file not in stats]:
            session.close(file)
            del self._open[file]
        if self._is_pushing and session.state is State.READY:
            self._outdated |= self._opened_early
            self._opened_early.clear()
        for file in sorted(wanted & self._outdated & set(self._open)):
            session.close(file)
            del self._open[file]
        self._outdated &= set(self._open)
        stale = [file for file in {*wanted, *self._open} if file in stats and self._open.get(file) != stats[file]]
        texts = await self._disk.texts.read(stale)
        for file in sorted(texts, key=lambda file: (file not in self._open, *self._rank(file))):
            # One that is opened is read at once, with what others are by then: they change first.
            text = texts[file]
            self.generation += 1
            self.named.add(file)
            if file in self._open:
                session.change(file, text.text)
            else:
                session.open(file, text.text)
            self._open[file] = text.stat if text.is_settled else None
            if self._is_pushing and session.state is not State.READY:
                self._opened_early.add(file)
        for file in sorted(wanted & set(self._open)):
            self._open.move_to_end(file)
        while len(self._open) > max(self._server.open_max, len(wanted)):
            session.close(self._open.popitem(last=False)[0])

    def _rank(self, path: str) -> tuple[bool, str]:
        """Orders files in which they are opened: one that is read at once finds what it includes as it is shown."""
        return not path.endswith(self._server.included), path

    def _is_source(self, path: str) -> bool:
        return path.endswith(self._suffixes)

    def _counts(self, path: str) -> bool:
        return self._is_source(path) or self._server.is_configured_by(path)
