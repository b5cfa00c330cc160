"""`codemap snapshot`: sends the map of a commit to the shared store, as CI does, and fetches it for a fresh clone."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

import trio

from actors.command_line.one_command import Shown, built
from actors.database.store_file import StoreFile
from actors.database.store_location import store_place
from actors.database.tables import StoreTrouble
from actors.messaging.messages import Unavailable
from actors.messaging.output import answer, complain
from actors.remote.map_transfer import NotTransferred, Transferred, pull_map, push_map
from actors.remote.opening import NotShared, Sharing, find_sharing
from actors.service.real_ports import open_disk
from codemap.settings import Configured, Settings

OK, NOT_OK, INTERRUPTED = 0, 1, 130


def push(root: str, configured: Configured) -> int:
    """Builds the map of the disk as it is now and sends it; returns the exit code."""
    settings = configured.settings
    sharing = _sharing(settings)
    if sharing is None:
        return NOT_OK
    found = built(root, configured, Shown.ALWAYS)
    if found is None:
        return INTERRUPTED
    if isinstance(found, Unavailable):
        complain(found.reason)
        return NOT_OK
    published, disk = found.published, open_disk(root, settings)
    sent = _run(sharing, lambda: push_map(published, settings, sharing, disk))
    if sent is None:
        return NOT_OK
    others = sent.files - sent.recorded
    differ = f", {others:,} of them not as committed" if others > 0 else ""
    answer(
        f"The map of {sent.commit[:12]} is in {sharing.remote.place}: {sent.files:,} files{differ}, "
        f"{sent.size / 1e6:.1f} MB.\n"
    )
    return OK


def pull(root: str, configured: Configured) -> int:
    """Fetches the map of the commit, or of one before it, for the next start; returns the exit code."""
    settings = configured.settings
    sharing = _sharing(settings)
    place = store_place(root, settings, os.environ)
    if sharing is None:
        return NOT_OK
    if place is None:
        complain("a map is fetched into the store, which is off")
        return NOT_OK
    file = StoreFile(place)
    try:
        if file.load() is not None:
            answer("There is a map of this folder already, and the next start brings it up to date.\n")
            return OK
        disk = open_disk(root, settings)
        fetched = _run(sharing, lambda: pull_map(settings, sharing, file, disk))
    except StoreTrouble as trouble:
        complain(trouble)
        return NOT_OK
    finally:
        file.close()
    if fetched is None:
        return NOT_OK
    rest = fetched.files - fetched.recorded
    answer(
        f"The map of {fetched.commit[:12]} is here: {fetched.files:,} files, {fetched.size / 1e6:.1f} MB; "
        f"{rest:,} of them are compared at the next start.\n"
    )
    return OK


def _sharing(settings: Settings) -> Sharing | None:
    """Finds the shared store; None, and a complaint, where there is none."""
    found = find_sharing(settings, os.environ)
    if isinstance(found, Sharing):
        return found
    if isinstance(found, NotShared):
        complain(f"{found.place} is not used: {found.why}")
    else:
        complain("no shared store is named: --facts-remote URL, or CODEMAP_FACTS_REMOTE")
    return None


def _run(sharing: Sharing, transfer: Callable[[], Awaitable[Transferred]]) -> Transferred | None:
    """Runs a transfer; None, and a complaint, where it fails."""

    async def run() -> Transferred:
        try:
            return await transfer()
        finally:
            with trio.CancelScope(shield=True):
                await sharing.remote.aclose()

    try:
        return trio.run(run)
    except NotTransferred as why:
        complain(why)
        return None
