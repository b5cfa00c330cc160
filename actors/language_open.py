"""The real ports of live navigation: programs that are installed, processes of the system."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version

from actors.language_find import search
from actors.language_ports import LanguagePorts
from actors.language_process import SystemProcesses
from codemap.settings import Settings


def open_language_ports(root: str, settings: Settings) -> LanguagePorts | None:
    """The ports for one repository, None where the settings want no live navigation. Nothing is started."""
    if settings.live == "off":
        return None
    return LanguagePorts(
        find=search(root, settings, environment=os.environ, own=os.path.dirname(sys.executable)),
        processes=SystemProcesses(),
        version=version("codemap"),
        memory_max_mb=settings.server_memory_mb,
    )
