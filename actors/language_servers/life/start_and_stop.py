"""Starts and stops a language server in order: its command line, `shutdown` and `exit`, and a signal before the kill.

Source: LSP 3.17, `shutdown` and `exit`; some servers end only with their stdin.
"""

from __future__ import annotations

import msgspec
import trio

from actors.language_servers.life.pipes import Pipes
from actors.language_servers.life.server_context import ServerContext
from actors.language_servers.programs.ports import Launch, ServerProcess
from codemap.lsp.server import Cancel
from codemap.lsp.session import Session
from codemap.lsp.state import State


class Time(msgspec.Struct, frozen=True):
    """Time limits of the steps of a stop, in seconds."""

    shutdown_s: float
    """To answer `shutdown`."""
    exit_s: float
    """To end after `exit` and the end of its input."""
    terminate_s: float
    """To end after a signal."""


CALM = Time(1.0, 0.5, 0.5)

HURRIED = Time(0.3, 0.3, 0.3)
"""Limits when codemap itself ends: its client waits."""


def launch_of(context: ServerContext, nonce: str) -> Launch:
    """Makes the command line; `nonce` names this life."""
    server, program = context.server, context.program
    arguments = [argument.replace("{nonce}", nonce) for argument in server.arguments]
    environment = {**server.environment, **program.environment}
    words = (*arguments, *environment.values())
    has_state = program.confined is not None or program.files or any("{state}" in word for word in words)
    return Launch(
        argv=(*program.argv, *arguments),
        folder=context.folder,
        environment=environment,
        confined=program.confined,
        cancellation=nonce if server.cancel is Cancel.FILE else "",
        state=context.state_name if has_state else "",
        files=program.files,
    )


async def end_in_order(
    session: Session, process: ServerProcess, pipes: Pipes, has_shut_down: trio.Event, time: Time
) -> None:
    """Asks a server to end, step by step, until it does or its time is up. Cannot be cancelled."""
    with trio.CancelScope(shield=True):
        if session.state in (State.LOADING, State.READY):
            session.shutdown()
            pipes.wake()
            with trio.move_on_after(time.shutdown_s):
                await pipes.wait_ended_or(has_shut_down)
            session.exit()
            pipes.wake()
        with trio.move_on_after(time.exit_s):
            await pipes.wait_written()
            process.close_input()
            await pipes.wait_ended()
            return
        process.close_input()
        process.terminate()
        with trio.move_on_after(time.terminate_s):
            await pipes.wait_ended()
