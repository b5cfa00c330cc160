"""Carries out `codemap trust`: trusts repositories, lists them, and revokes trust."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from shlex import quote

import msgspec

from actors.command_line.display.terminal import printable
from actors.files.paths import RefusedRoot, check_root, find_root
from actors.files.trust import CannotKeep, Stance, revoke, territory, trust, trust_file, trusted_folders
from actors.messaging.output import answer, complain

_OK, _USAGE = 0, 2

ABOUT = "Programs in it (.venv, node_modules) and servers that run its build scripts may be started from now on."


def keep_trust(root: str | None, environment: Mapping[str, str]) -> int:
    """Trusts the repository of a root, else that around the current folder; returns the exit code."""
    try:
        folder = territory(check_root(root or find_root(os.getcwd())))
        trust(trust_file(environment), folder, time.time())
    except (RefusedRoot, CannotKeep) as error:
        return _refuse(error)
    answer(f"{printable(folder)} is trusted. {ABOUT}\n")
    answer(f"Take it back: codemap trust --revoke --root {printable(quote(folder))}\n")
    return _OK


def revoke_trust(root: str | None, environment: Mapping[str, str]) -> int:
    """Revokes trust, also for a folder that is gone; returns the exit code."""
    folder = territory(os.path.realpath(root) if root else find_root(os.getcwd()))
    try:
        was_trusted = revoke(trust_file(environment), folder)
    except CannotKeep as error:
        return _refuse(error)
    answer(f"{printable(folder)} {'is trusted no more' if was_trusted else 'was not trusted'}.\n")
    return _OK


def list_trust(environment: Mapping[str, str], *, as_json: bool) -> int:
    """Prints which repositories are trusted; returns the exit code."""
    found = trusted_folders(trust_file(environment))
    if as_json:
        rows = [{"folder": printable(folder), "trusted": stance is Stance.TRUSTED} for folder, stance, _ in found]
        answer(msgspec.json.encode(rows).decode() + "\n")
        return _OK
    for folder, stance, since in found:
        said = f"since {since}" if stance is Stance.TRUSTED else "no more: another folder stands there, or none"
        answer(f"{printable(folder)}  {said}\n")
    if not found:
        answer("No repository is trusted.\n")
    return _OK


def _refuse(error: Exception) -> int:
    complain(f"{str(error).rstrip('.')}.")
    return _USAGE
