"""What composer.json files say to people, and what they ask for.

Source: the Composer manual, "The composer.json schema".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from codemap.config import jsonc
from codemap.config.document import Unreadable, find, find_table, find_text, texts_of
from codemap.languages.manifest import Distributions, Entry, Package
from codemap.project import Project

COMMANDS_MAX = 50
_FILE = "composer.json"
_SAME_VERSION = "self.version"
"""What a repository says to replace packages that are folders of it."""


def packages(project: Project) -> Iterator[Package]:
    """The packages that have a name."""
    for path in sorted(path for path in project.configs if path.rpartition("/")[2] == _FILE):
        said = jsonc.read_table(project.configs[path])
        if isinstance(said, Unreadable) or not (name := find_text(said, "name")):
            continue
        folder = path.rpartition("/")[0]
        commands = [posixpath.normpath(f"{folder}/{file}" if folder else file) for file in texts_of(find(said, "bin"))]
        entries = [
            Entry("command", file.rpartition("/")[2], file if file in project.files else "")
            for file in commands[:COMMANDS_MAX]
        ]
        yield Package(name, path, find_text(said, "description") or "", tuple(entries))


def distributions(project: Project) -> Distributions:
    """The packages by name, whose case does not matter."""
    made: set[str] = set()
    used: set[str] = set()
    for path, source in project.configs.items():
        said = jsonc.read_table(source) if path.rpartition("/")[2] == _FILE else Unreadable("")
        if not isinstance(said, Unreadable):
            replaced = find_table(said, "replace").items()
            made |= {name.lower() for name in (find_text(said, "name"),) if name}
            made |= {name.lower() for name, version in replaced if version == _SAME_VERSION}
            used |= {name.lower() for key in ("require", "require-dev") for name in find_table(said, key)}
    return Distributions(frozenset(made), frozenset(used))
