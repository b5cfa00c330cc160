"""The real ports of live navigation: programs that are installed, processes of the system."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib.metadata import version

import trio

from actors.language_find import search
from actors.language_ports import LanguagePorts
from actors.language_process import SystemProcesses
from codemap.graph.snapshot import Snapshot
from codemap.settings import Settings

READ_AT_ONCE = 8
"""Files, in about a millisecond."""


def open_language_ports(root: str, settings: Settings) -> LanguagePorts | None:
    """The ports for one repository, None where the settings want no live navigation. Nothing is started."""
    if settings.live == "off":
        return None
    return LanguagePorts(
        find=search(root, settings, environment=os.environ, own=os.path.dirname(sys.executable)),
        processes=SystemProcesses(),
        version=version("codemap"),
        mentioning=_mentioning,
        memory_max_mb=settings.server_memory_mb,
    )


async def _mentioning(snapshot: Snapshot, name: str) -> Iterable[str]:
    """Reads what each file mentions the first time, a few at a time."""
    if snapshot.mentions is None:
        return ()
    for count, _ in enumerate(snapshot.mentions.add(snapshot.files)):
        if count % READ_AT_ONCE == 0:
            await trio.lowlevel.checkpoint()
    return tuple(snapshot.mentions.paths(name))
