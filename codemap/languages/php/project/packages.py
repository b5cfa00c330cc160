"""What composer.json files say to people.

Source: the Composer manual, "The composer.json schema".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from codemap.config import jsonc
from codemap.config.document import Unreadable, find, find_text, texts_of
from codemap.languages.manifest import Entry, Package
from codemap.languages.project import Project

COMMANDS_MAX = 50


def packages(project: Project) -> Iterator[Package]:
    """The packages that have a name."""
    for path in sorted(path for path in project.configs if path.rpartition("/")[2] == "composer.json"):
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
