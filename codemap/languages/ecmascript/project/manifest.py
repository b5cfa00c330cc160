"""What package.json files say to people: names, descriptions, commands, and the file that importing a package means.

Source: the npm documentation, "package.json" (`name`, `description`, `bin`).
"""

from __future__ import annotations

from collections.abc import Iterator

from codemap.config.document import Unreadable, find, find_text, is_table
from codemap.languages.ecmascript.project import packages as node_packages
from codemap.languages.manifest import Entry, Package
from codemap.languages.project import Project

COMMANDS_MAX = 50


def packages(project: Project) -> Iterator[Package]:
    """The packages that have a name."""
    by_folder, _ = node_packages.load(project.configs)
    for folder, package in sorted(by_folder.items()):
        path = f"{folder}/package.json" if folder else "package.json"
        said = node_packages.read(project.configs[path])
        if isinstance(said, Unreadable) or not package.name:
            continue
        commands = find(said, "bin")
        named = commands if is_table(commands) else {package.name.rpartition("/")[2]: commands} if commands else {}
        entries = [
            Entry("command", name, node_packages.source_of(project.files, package, target) or "")
            for name, target in sorted(named.items())[:COMMANDS_MAX]
            if isinstance(target, str)
        ]
        library = node_packages.entry(project.files, package, "")
        entries += [Entry("library", "", library)] if library else []
        offered = tuple(node_packages.offered(project.files, package))
        yield Package(package.name, path, find_text(said, "description") or "", tuple(entries), offered)


def published(project: Project) -> Iterator[str]:
    """The names of the packages; private ones too, as others import them from a workspace."""
    _, by_name = node_packages.load(project.configs)
    yield from sorted(by_name)
