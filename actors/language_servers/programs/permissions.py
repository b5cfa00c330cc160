"""Decides which programs may be run for a repository, by the user's settings and trust."""

from __future__ import annotations

import os
from collections.abc import Mapping
from shlex import quote

import msgspec

from actors.files.paths import passes_through
from actors.files.trust import Stance, stance_on, territory
from actors.listing.git import without_leads
from codemap.settings import Settings

FORBIDDEN = "lies in the repository, which is not trusted"
"""Why a program may not be run, as a clause without its subject."""


class Bounds(msgspec.Struct, frozen=True):
    territory: str
    """Folder in which everything counts as the repository's."""
    installed: tuple[str, ...]
    """Folders in it that belong to codemap's own installation."""
    is_trusted: bool
    hint: str
    """How to trust the repository, as a clause; empty where nothing would help."""
    environment: Mapping[str, str]
    """Environment of programs that are started."""

    def forbids(self, path: str) -> bool:
        """Whether a program at an absolute path may not be run. Asks the disk."""
        if self.is_trusted:
            return False
        own = next((folder for folder in self.installed if path.startswith(folder + "/")), None)
        named = path if own is None else os.path.realpath(own) + path.removeprefix(own)
        return passes_through(self.territory, named, tuple(map(os.path.realpath, self.installed)))


def bounds_of(
    root: str, settings: Settings, environment: Mapping[str, str], installed: tuple[str, ...], trust_file: str
) -> Bounds:
    """Computes what may be run for a root (a real path) now. `installed` are folders of codemap's own installation.
    Asks the disk."""
    folder, choice = territory(root), settings.trust_repository
    stance, _ = stance_on(trust_file, folder)
    if choice == "on" or (choice == "auto" and stance is Stance.TRUSTED):
        return Bounds(folder, installed, True, "", environment)
    why = ": another folder stood there when you said so" if stance is Stance.REPLACED else ""
    hint = f"codemap trust --root {quote(folder)}, if you trust what is in the repository{why}"
    return Bounds(folder, installed, False, hint if choice == "auto" else "", without_leads(environment, folder))
