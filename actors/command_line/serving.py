"""Carries out `serve`, `connect` and `token`, once the command line is parsed.

Rules of the file:
- stdin and stdout are claimed before anything is imported that could write to them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from actors.command_line.configuration import read_settings
from actors.files.paths import RefusedRoot
from actors.files.root_names import named_roots
from actors.messaging.output import answer, complain
from codemap.settings import BadSetting, Configured, Settings

if TYPE_CHECKING:
    from actors.processes.rendezvous import Offer

_OK, _USAGE = 0, 2
ADDRESS = "--websocket HOST:PORT or --http HOST:PORT"


def serve_several(
    roots: Sequence[str], flags: Mapping[str, object], *, languages: Collection[str], programs: Collection[str]
) -> int:
    """Serves several roots; returns the exit code."""
    try:
        served = [
            (
                name,
                path,
                read_settings(path, environment=os.environ, flags=flags, languages=languages, programs=programs),
            )
            for name, path in named_roots(roots).items()
        ]
    except (RefusedRoot, BadSetting) as error:
        complain(error)
        return _USAGE
    return serve_roots(served, None)


def serve_roots(roots: Sequence[tuple[str, str, Configured]], offer: Offer | None) -> int:
    """Serves roots by name, path and settings; returns the exit code.

    The first root is that of a client on stdin and stdout, the first settings those of the process. `offer` is where
    others can join.
    """
    from actors.front.transports.stdio import claim, exit_on_signals

    claimed = None
    settings = roots[0][2].settings
    if settings.stdio == "on" or (settings.stdio == "auto" and not is_listening(settings)):
        try:
            claimed = claim()
        except OSError:
            return _OK  # stdin or stdout is closed: there is no client
    elif not is_listening(settings) and offer is None:
        complain(f"with stdio off, an address to serve at is needed: {ADDRESS}.")
        return _USAGE
    exit_on_signals()
    from codemap.tools import TOOLS
    from codemap.tools.tool_selection import UnknownTool, choose_tools

    try:
        for _, _, found in roots:
            choose_tools(TOOLS, found.settings.tools)
        _check_addresses(settings)
        from actors.front.serve import serve  # half of the time of a start
        from actors.front.served_root import Root

        serve(
            claimed, offer, [Root(name, path, found.settings, found.ignored) for name, path, found in roots], settings
        )
    except (BadSetting, UnknownTool) as error:
        complain(error)
        return _USAGE
    return _OK


def _check_addresses(settings: Settings) -> None:
    """Raises BadSetting where nothing can be served at an address of the settings, whether or not it is free."""
    if is_listening(settings):
        from actors.front.transports.opening import read_openings

        read_openings(settings, dict(os.environ))


def is_listening(settings: Settings) -> bool:
    """Whether the settings have an address at which clients are served."""
    return bool(settings.websocket or settings.http)


def make_token(days: int | None, path: str | None) -> int:
    """Prints a new token, and keeps its digest; returns the exit code."""
    from actors.front.transports.tokens import SECONDS_A_DAY, add_to_file, default_file, line_of, new_token

    until_s = None if days is None else time.time() + days * SECONDS_A_DAY
    path = path or os.environ.get("CODEMAP_TOKEN_FILE") or default_file(os.environ)
    token = new_token()
    try:
        add_to_file(path, line_of(token, until_s))
    except OSError as error:
        complain(f"{path} cannot be written: {error.strerror}.")
        return _USAGE
    answer(token + "\n")
    complain(f"its digest is in {path}; the token itself is kept nowhere.")
    return _OK
