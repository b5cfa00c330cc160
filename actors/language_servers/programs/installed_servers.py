"""Reports which language servers are installed for the languages of a repository, before a question needs one."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from actors.language_servers.programs.ports import LanguagePorts
from actors.language_servers.programs.program import Absent, Program
from codemap.languages import by_name
from codemap.project import Project


class Surveyed(msgspec.Struct, frozen=True):
    """The servers of one family of languages."""

    languages: tuple[str, ...]
    """Short names of the languages that the repository has files of."""
    found: tuple[tuple[str, Program | Absent], ...]
    """Name of each server and what was found, the preferred first."""

    @property
    def chosen(self) -> tuple[str, Program] | None:
        """The server that would be asked; one with a caveat only where there is no other."""
        usable = [(name, found) for name, found in self.found if isinstance(found, Program)]
        return next(((name, found) for name, found in usable if not found.caveat), usable[0] if usable else None)


async def survey(live: LanguagePorts, project: Project, used: Collection[str]) -> list[Surveyed]:
    """Searches for the servers of each family among the languages in use, for the outermost of its files.

    Programs are asked for their version, one after the other; no server is started.
    """
    families: dict[str, list[str]] = {}
    for name in sorted(used):
        if by_name()[name].servers:
            families.setdefault(by_name()[name].family, []).append(name)
    surveyed = []
    for names in families.values():
        suffixes = tuple(suffix for name in names for suffix in by_name()[name].suffixes)
        paths = [path for path in project.files if path.lower().endswith(suffixes)]
        folder = min(paths, key=lambda path: (path.count("/"), path), default="").rpartition("/")[0]
        servers = {server.name: server for name in names for server in by_name()[name].servers}
        found = [(name, await live.find(server, folder, project)) for name, server in servers.items()]
        surveyed.append(Surveyed(tuple(names), tuple(found)))
    return surveyed
