"""The packages that Cargo.toml files state: their binaries and where their libraries begin.

Source: the Cargo Book, "The Manifest Format" and "Package Layout" (src/main.rs, src/bin, src/lib.rs).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from codemap.config import toml
from codemap.config.document import Unreadable, find_list, find_table, find_text
from codemap.languages.manifest import Entry, Package
from codemap.languages.rust.builtins import OWN_CRATES
from codemap.project import Project

BINARIES_MAX = 50
_FOLDER = "/src/bin/"


def packages(project: Project) -> Iterator[Package]:
    """The packages that have a name; a workspace without one is none."""
    beside = _found(project)
    for path in sorted(path for path in project.configs if path.rpartition("/")[2] == "Cargo.toml"):
        said = toml.read(project.configs[path])
        name = None if isinstance(said, Unreadable) else find_text(said, "package", "name")
        if isinstance(said, Unreadable) or name is None:
            continue
        folder = path.rpartition("/")[0]
        binaries = _stated(project, folder, said)
        if find_table(said, "package").get("autobins", True) is not False:
            known = set(binaries.values())
            discovered = {**beside.get(folder, {}), name: _within(folder, "src/main.rs")}
            binaries |= {own: file for own, file in discovered.items() if file in project.files and file not in known}
        entries = [Entry("command", binary, file, "main") for binary, file in sorted(binaries.items())[:BINARIES_MAX]]
        library = _within(folder, find_text(find_table(said, "lib"), "path") or "src/lib.rs")
        entries += [Entry("library", "", library)] if library in project.files else []
        yield Package(name, path, find_text(said, "package", "description") or "", tuple(entries))


def published(project: Project) -> Iterator[str]:
    """The names of the packages with a library, by which manifests depend on them; none of the compiler's."""
    for package in packages(project):
        if package.name not in OWN_CRATES and any(entry.kind == "library" for entry in package.entries):
            yield package.name


def _found(project: Project) -> dict[str, dict[str, str]]:
    """Folder of a package -> the binaries in its `src/bin`, name and file."""
    found: dict[str, dict[str, str]] = {}
    for file in project.files:
        folder, bin_, inner = f"/{file}".partition(_FOLDER)
        first, _, rest = inner.partition("/")
        if bin_ and file.endswith(".rs") and rest in ("", "main.rs"):
            found.setdefault(folder.removeprefix("/"), {})[first.removesuffix(".rs")] = file
    return found


def _stated(project: Project, folder: str, said: dict[str, object]) -> dict[str, str]:
    """The binaries that the manifest names, with their files."""
    found: dict[str, str] = {}
    for binary in find_list(said, "bin"):
        own, path = find_text(binary, "name"), find_text(binary, "path")
        if own and path and _within(folder, path) in project.files:
            found[own] = _within(folder, path)
    return found


def _within(folder: str, path: str) -> str:
    return posixpath.normpath(f"{folder}/{path}" if folder else path)
