"""What one question needs a server to be shown, as the map knows it."""

from __future__ import annotations

from collections.abc import Iterable

import trio

from actors.language_servers.life.projects import Shown, of_server, outside, shown_for_search, shown_for_uses
from actors.language_servers.life.seat import Seat
from actors.language_servers.programs.roots import projects_of
from codemap.live import (
    CallsTo,
    Diagnostics,
    Implementations,
    LiveQuestion,
    References,
    Rename,
    WorkspaceSymbols,
    file_asked_about,
)
from codemap.lsp.positions import name_at


async def shown_for(seat: Seat, question: LiveQuestion, answers: int) -> Shown:
    """The files that are to be known when this is asked; `answers` is how many the server gave so far."""
    if isinstance(question, Diagnostics):
        return Shown((question.file,))  # of others than open documents servers answer that there are none
    server, disk, folder = seat.server, seat.disk, seat.program.project
    if not server.projects and not folder and server.searches_nested:
        return Shown()
    match question:
        case References() | Implementations() | CallsTo() | Rename():
            mentioning = await _mentioning(seat, question)
            if server.projects:
                return shown_for_uses(server, file_asked_about(question), mentioning, disk.configs())
            return Shown(left_out=await _outside(seat, mentioning))
        case WorkspaceSymbols() if server.projects and not (server.opens and answers):
            return shown_for_search(server, disk.known(), disk.configs())
        case WorkspaceSymbols() if not server.projects:
            return Shown(left_out=await _outside(seat, disk.known()))
        case _:
            return Shown()


async def _outside(seat: Seat, files: Iterable[str]) -> int:
    """How many of the files the server does not look into."""
    server, folder = seat.server, seat.program.project
    if server.searches_nested:
        return outside(server, folder, files)
    projects = await trio.to_thread.run_sync(
        projects_of, seat.root, of_server(server, files), server.root_markers, abandon_on_cancel=True
    )
    return projects.total() - projects[folder]


async def _mentioning(seat: Seat, question: References | Implementations | CallsTo | Rename) -> Iterable[str]:
    """Files that may mention what is asked about."""
    disk = seat.disk
    if disk.mentioning is None:
        return ()
    if isinstance(question, CallsTo):
        return await disk.mentioning(question.item.name)
    text = (await disk.texts.read((question.at.file,))).get(question.at.file)
    name = "" if text is None else name_at(text.lines.line(question.at.line), question.at.col)
    return await disk.mentioning(name) if name else ()
