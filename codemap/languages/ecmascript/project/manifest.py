"""What package.json files say to people: names, descriptions, commands, and the file that importing a package means;
and what the manifests of other registries beside them export.

Source: the npm documentation, "package.json" (`name`, `description`, `bin`); the JSR documentation, "Package
configuration" (`exports`).
"""

from __future__ import annotations

from collections.abc import Iterator

from codemap.config.document import Unreadable, find, find_text, is_table
from codemap.languages.ecmascript.project import packages as node_packages
from codemap.languages.ecmascript.project.paths import join
from codemap.languages.manifest import Entry, Package
from codemap.project import Project

COMMANDS_MAX = 50
BESIDE = ("jsr.json", "deno.json", "deno.jsonc")
"""Manifests of other registries."""


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
        offered = dict.fromkeys((*node_packages.offered(project.files, package), *_exported_beside(project, folder)))
        yield Package(package.name, path, find_text(said, "description") or "", tuple(entries), tuple(offered))


def _exported_beside(project: Project, folder: str) -> Iterator[str]:
    """The files of the repository that other manifests of a package export by their paths."""
    for name in BESIDE:
        text = project.configs.get(f"{folder}/{name}" if folder else name)
        said = Unreadable("") if text is None else node_packages.read(text)
        exports = None if isinstance(said, Unreadable) else said.get("exports")
        for target in exports.values() if is_table(exports) else (exports,):
            path = join(folder, target) if isinstance(target, str) else None
            if path is not None and path in project.files:
                yield path


def published(project: Project) -> Iterator[str]:
    """The names of the packages; private ones too, as others import them from a workspace."""
    _, by_name = node_packages.load(project.configs)
    yield from sorted(by_name)
