"""Finds the files that a server needs open for one question, by what the map knows."""

from __future__ import annotations

from collections.abc import Iterable

import trio

from actors.language_servers.life.project_loading import Shown, of_server, outside, shown_for_search, shown_for_uses
from actors.language_servers.life.server_context import ServerContext
from actors.language_servers.programs.project_roots import projects_of
from codemap.live_queries import (
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


async def shown_for(context: ServerContext, question: LiveQuestion, answers: int) -> Shown:
    """Finds the files to open before a question; `answers` is how many the server gave so far."""
    if isinstance(question, Diagnostics):
        return Shown((question.file,))  # of others than open documents servers answer that there are none
    server, disk, folder = context.server, context.disk, context.program.project
    if not server.projects and not folder and server.searches_nested:
        return Shown()
    match question:
        case References() | Implementations() | CallsTo() | Rename():
            mentioning = await _mentioning(context, question)
            if server.projects:
                return shown_for_uses(server, file_asked_about(question), mentioning, disk.configs())
            return Shown(left_out=await _outside(context, mentioning))
        case WorkspaceSymbols() if server.projects and not (server.opens and answers):
            return shown_for_search(server, disk.known(), disk.configs())
        case WorkspaceSymbols() if not server.projects:
            return Shown(left_out=await _outside(context, disk.known()))
        case _:
            return Shown()


async def _outside(context: ServerContext, files: Iterable[str]) -> int:
    """Counts the files that the server does not look into."""
    server, folder = context.server, context.program.project
    if server.searches_nested:
        return outside(server, folder, files)
    projects = await trio.to_thread.run_sync(
        projects_of, context.root, of_server(server, files), server.root_markers, abandon_on_cancel=True
    )
    return projects.total() - projects[folder]


async def _mentioning(
    context: ServerContext, question: References | Implementations | CallsTo | Rename
) -> Iterable[str]:
    """Finds files that may mention what is asked about."""
    disk = context.disk
    if disk.mentioning is None:
        return ()
    if isinstance(question, CallsTo):
        return await disk.mentioning(question.item.name)
    text = (await disk.texts.read((question.at.file,))).get(question.at.file)
    name = "" if text is None else name_at(text.lines.line(question.at.line), question.at.col)
    return await disk.mentioning(name) if name else ()
