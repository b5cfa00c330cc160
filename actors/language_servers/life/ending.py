"""How one life of a language server begins and ends in order: its command line, and what comes before a kill.

Source: LSP 3.17, `shutdown` and `exit`; some servers end only with their stdin.
"""

from __future__ import annotations

import msgspec
import trio

from actors.language_servers.life.pipes import Pipes
from actors.language_servers.life.seat import Seat
from actors.language_servers.programs.ports import Launch, ServerProcess
from codemap.lsp.server import Cancel
from codemap.lsp.session import Session
from codemap.lsp.state import State


class Time(msgspec.Struct, frozen=True):
    """Seconds that a server is given."""

    shutdown_s: float
    """To answer `shutdown`."""
    exit_s: float
    """To end after `exit` and the end of its input."""
    terminate_s: float
    """To end after a signal."""


CALM = Time(1.0, 0.5, 0.5)

HURRIED = Time(0.3, 0.3, 0.3)
"""When codemap itself ends: its client waits."""


def launch_of(seat: Seat, nonce: str) -> Launch:
    """What is started; `nonce` names this life."""
    server, program = seat.server, seat.program
    arguments = [argument.replace("{nonce}", nonce) for argument in server.arguments]
    environment = {**server.environment, **program.environment}
    words = (*arguments, *environment.values())
    has_state = program.confined is not None or program.files or any("{state}" in word for word in words)
    return Launch(
        argv=(*program.argv, *arguments),
        folder=seat.folder,
        environment=environment,
        confined=program.confined,
        cancellation=nonce if server.cancel is Cancel.FILE else "",
        state=seat.state_name if has_state else "",
        files=program.files,
    )


async def end_in_order(
    session: Session, process: ServerProcess, pipes: Pipes, has_shut_down: trio.Event, time: Time
) -> None:
    """Asks a server to end, in every way there is, until it does or its time is up. Cannot be cancelled."""
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
