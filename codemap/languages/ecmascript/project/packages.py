"""`package.json`: the packages of the repository, and the files that their entry points mean.

Entry points mostly name built files, which a repository does not hold: `dist/esm/a.js` is looked for where a
configuration says that `dist` is compiled from, then as `src/esm/a`, `src/a`, and so on, with the suffixes that sources
have.

Source: Node.js documentation, "Modules: Packages" (`exports`, `imports`, subpath patterns, conditions).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from itertools import islice

import msgspec

from codemap.config import jsonc
from codemap.config.document import Unreadable, find, find_text, is_table, texts_of
from codemap.languages.ecmascript.project import tsconfig
from codemap.languages.ecmascript.project.paths import (
    DECLARATIONS,
    PATH_MAX,
    file_at,
    index_at,
    join,
    parent,
    without_suffix,
)
from codemap.languages.ecmascript.project.tsconfig import match_pattern

_ENTRIES = ("source", "module", "main", "types", "typings", "browser")
_SOURCE_FOLDERS = ("src", "source", "lib", "")
PATTERNS_MAX = 2000
"""Workspaces of one file, patterns of one table of exports: each is held against many names. Real ones have dozens."""
_LEAVES_MAX = 64
"""Targets of one export that are tried."""
_OF_FEW = frozenset(
    ("react-server", "react-native", "worker", "workerd", "edge-light", "deno", "bun", "electron", "netlify")
)
"""Conditions that hold on some runtimes, where most importers run on others."""
_WORKSPACE_ITEM = re.compile(r"""^\s*-\s*['"]?([^'"#\s]+)""")


class Package(msgspec.Struct, frozen=True):
    name: str
    """Empty where the file states none."""
    folder: str
    entries: tuple[str, ...] = ()
    """Files that importing the package itself can mean, best first, as written."""
    exports: object = None
    imports: object = None
    compiled: tuple[tuple[str, str], ...] = ()
    """Folders that its compilers write to, and those of the sources, from the root."""
    is_member: bool = False
    """Whether it belongs to a workspace, so that importing it by its name means it and nothing from outside."""


def load(configs: Mapping[str, bytes]) -> tuple[dict[str, Package], dict[str, Package]]:
    """The packages of the repository by folder and by name; of one name, a workspace's member or the outermost wins."""
    by_folder: dict[str, Package] = {}
    compiled = tsconfig.compiled_folders(configs)
    globs: list[str] = []
    for path, text in sorted(configs.items()):
        folder, _, name = path.rpartition("/")
        if name == "package.json":
            document = read(text)
            if not isinstance(document, Unreadable):
                by_folder[folder] = _package(folder, document, compiled.get(folder, ()))
                globs += _joined(folder, _workspaces(document))
        elif name == "pnpm-workspace.yaml":
            stated = read_workspace(text)
            globs += [] if isinstance(stated, Unreadable) else _joined(folder, stated)
    by_name: dict[str, Package] = {}
    for package in sorted(
        by_folder.values(), key=lambda each: (not _is_member(each, globs), each.folder.count("/"), each.folder)
    ):
        if package.name and package.name not in by_name:
            by_name[package.name] = msgspec.structs.replace(package, is_member=_is_member(package, globs))
    return by_folder, by_name


def read(source: bytes) -> dict[str, object] | Unreadable:
    """What a package.json says."""
    document = jsonc.read_table(source)
    if isinstance(document, Unreadable):
        return document
    if len(_workspaces(document)) > PATTERNS_MAX:
        return Unreadable(f"has more than {PATTERNS_MAX} workspaces")
    if any(len(_patterns(document.get(key))) > PATTERNS_MAX for key in ("exports", "imports")):
        return Unreadable(f"has more than {PATTERNS_MAX} patterns of exports or imports")
    return document


def read_workspace(source: bytes) -> list[str] | Unreadable:
    """The list under `packages:` of a pnpm-workspace.yaml, one item a line."""
    found: list[str] = []
    is_inside = False
    for line in source.decode("utf-8", "replace").splitlines():
        if not line[:1].isspace() and not line.startswith("-"):
            is_inside = line.startswith("packages:")
        elif is_inside and (item := _WORKSPACE_ITEM.match(line)) and not item.group(1).startswith("!"):
            found.append(item.group(1))
    return found if len(found) <= PATTERNS_MAX else Unreadable(f"has more than {PATTERNS_MAX} packages")


def _package(folder: str, document: Mapping[str, object], compiled: tuple[tuple[str, str], ...]) -> Package:
    entries = [text for key in _ENTRIES if (text := find_text(document, key)) is not None]
    name = find_text(document, "name") or ""
    return Package(name, folder, tuple(entries), document.get("exports"), document.get("imports"), compiled)


def _workspaces(document: Mapping[str, object]) -> list[str]:
    stated = document.get("workspaces")
    return [each.removeprefix("!") for each in texts_of(find(stated, "packages") if is_table(stated) else stated)]


def _joined(folder: str, globs: list[str]) -> list[str]:
    return [path for glob in globs if (path := join(folder, glob)) is not None]


def _patterns(table: object) -> list[str]:
    """The keys that stand for many names."""
    return [key for key in table if "*" in key or key.endswith("/")] if is_table(table) else []


def _is_member(package: Package, globs: list[str]) -> bool:
    return any(fnmatchcase(package.folder, glob) for glob in globs)


def entry(files: Set[str], package: Package, subpath: str) -> str | None:
    """The file that `package` (subpath "") or `package/subpath` means, or None where nothing in the repository does."""
    return next(_stated(files, package, subpath), None) or _by_path(files, package, subpath, ("", "src"))


def _stated(files: Set[str], package: Package, subpath: str) -> Iterator[str]:
    """The files that the manifest gives for a subpath, best first."""
    if package.exports is not None:
        for target in _targets(package.exports, f"./{subpath}" if subpath else "."):
            if (found := source_of(files, package, target)) is not None:
                yield found
    for target in package.entries if not subpath else ():
        if (found := source_of(files, package, target)) is not None:
            yield found


def _by_path(files: Set[str], package: Package, subpath: str, folders: Sequence[str]) -> str | None:
    """The file at a subpath in some folders of a package, or the index file there."""
    for folder in folders:
        path = join(package.folder, f"{folder}/{subpath}" if folder else subpath or ".")
        if path is not None:
            found = (file_at(files, path) if subpath else None) or index_at(files, path)
            if found is not None:
                return found
    return None


def offered(files: Set[str], package: Package) -> list[str]:
    """The files that the table of exports names, by patterns too."""
    found: dict[str, None] = {}
    for target in islice(_leaves(package.exports), PATTERNS_MAX) if is_table(package.exports) else ():
        if "*" not in target:
            found[source_of(files, package, target) or ""] = None
            continue
        for before in _sources_before(package.folder, target.partition("*")[0]):
            if there := sorted(path for path in files if path.startswith(before)):
                found.update(dict.fromkeys(there))
                break
    found.pop("", None)
    return list(found)


def _sources_before(folder: str, before: str) -> Iterator[str]:
    """What the paths of sources begin with whose built files' paths begin so, the most alike first."""
    parts = before.removeprefix("./").split("/")
    for dropped in range(min(len(parts), 3)):
        for source in _SOURCE_FOLDERS if dropped else ("",):
            rest = "/".join(parts[dropped:])
            if source or rest:
                yield "/".join(part for part in (folder, source) if part) + ("/" if folder or source else "") + rest


def imported(package: Package, specifier: str) -> Iterator[str]:
    """What the package's `imports` make of `#x`: paths that begin with `./`, or specifiers."""
    if is_table(package.imports):
        yield from _matching(package.imports, specifier)


def source_of(files: Set[str], package: Package, target: str) -> str | None:
    """The file of the repository that a package's built file comes from, or that file itself."""
    folder = package.folder
    path = join(folder, target)
    if path is None:
        return None
    found = file_at(files, path) or index_at(files, path)
    if found is not None and not found.endswith(DECLARATIONS):
        return found
    if found == path and (beside := file_at(files, without_suffix(path))) is not None and beside != path:
        return beside  # a declaration file that is there is not built: what it declares is beside it
    for built, sources in package.compiled:
        if path.startswith(f"{built}/"):
            compiled = file_at(files, sources + without_suffix(path[len(built) :]))
            if compiled is not None:
                return compiled
    inner = path[len(folder) + 1 :] if folder else path
    parts = without_suffix(inner).split("/")
    for dropped in range(1, min(len(parts), 4)):
        rest = "/".join(parts[dropped:])
        for source in _SOURCE_FOLDERS:
            if source == parts[0]:
                continue
            candidate = "/".join(part for part in (folder, source, rest) if part)
            source_file = file_at(files, candidate)
            if source_file is not None:
                return source_file
    return found


def entry_paths(package: Package) -> frozenset[str]:
    """The files that entry points name, by their paths in the package."""
    targets = [*package.entries, *islice(_leaves(package.exports), PATTERNS_MAX)]
    return frozenset(_inner(target) for target in targets if "*" not in target)


def _inner(target: str) -> str:
    return target.removeprefix("./")


def source_of_built(files: Set[str], package: Package, built: Set[str], path: str, importer: str) -> str | None:
    """The source of a path that is not there, in a folder that the package's entry points, `built`, are made in.

    An entry point may be written by hand to pass on what is built (`export * from './dist/store.js'`): that is made of
    the index of the sources then, not of the entry point.
    """
    inner = path[len(package.folder) :].lstrip("/")
    if not any(target.startswith(inner.partition("/")[0] + "/") for target in built):
        return None
    if (found := source_of(files, package, inner)) is not None:
        return found
    mains = (*package.entries, *_targets(package.exports, "."))
    if not any(without_suffix(inner) in (without_suffix(target), parent(target)) for target in map(_inner, mains)):
        return None
    if importer in _stated(files, package, ""):
        found = _by_path(files, package, "", ("src", ""))
        return None if found == importer else found
    return entry(files, package, "")


def _targets(exports: object, wanted: str) -> Iterator[str]:
    """The targets of `exports` for a subpath, those of the first condition first."""
    if is_table(exports) and any(key.startswith(".") for key in exports):
        yield from _matching(exports, wanted)
    elif wanted == ".":
        yield from islice(_leaves(exports), _LEAVES_MAX)


def _matching(table: Mapping[str, object], wanted: str) -> Iterator[str]:
    if wanted in table and "*" not in wanted:
        yield from islice(_leaves(table[wanted]), _LEAVES_MAX)
        return
    best: tuple[int, str, object] | None = None
    for pattern, target in table.items():
        star = match_pattern(pattern, wanted) if "*" in pattern else None
        if star is None and pattern.endswith("/") and wanted.startswith(pattern):
            star = wanted[len(pattern) :]
        if star is not None and (best is None or len(pattern) > best[0]):
            best = (len(pattern), star, target)
    if best is not None:
        _, star, target = best
        for leaf in islice(_leaves(target), _LEAVES_MAX):
            if len(leaf) + (leaf.count("*") or 1) * len(star) < PATH_MAX:
                yield leaf.replace("*", star) if "*" in leaf else leaf + star


def _leaves(target: object) -> Iterator[str]:
    """The paths of a target, whatever the conditions: of `source` first, of some runtimes alone last."""
    if isinstance(target, str):
        yield target
    elif isinstance(target, list):
        for each in target:
            yield from _leaves(each)
    elif is_table(target):
        for condition in sorted(target, key=lambda name: (name in _OF_FEW, name != "source")):
            yield from _leaves(target[condition])


def folder_of(by_folder: Mapping[str, Package], path: str) -> str | None:
    """The folder of the package that a file belongs to."""
    folder = parent(path)
    while True:
        if folder in by_folder:
            return folder
        if not folder:
            return None
        folder = parent(folder)
