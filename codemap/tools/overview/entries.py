"""Lists packages and their entry points for the overview, each as a short text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from codemap.facts import Symbol
from codemap.file_roles import Role, role_of
from codemap.graph.areas.entry_points import Registered, mains, registered, tables
from codemap.graph.build.inventory import project_of
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.languages.manifest import Entry, Package
from codemap.project import Module
from codemap.tools.overview.about import files_text
from codemap.tools.overview.areas import definition_text
from codemap.tools.overview.folded_paths import Listed, fold
from codemap.tools.overview.parts import is_under

ABOUT_MAX_CHARS = 100
DESCRIBED_MAX, ABOUT_ONE_MAX_CHARS = 12, 60
"""Packages beside one another that say what each is for, and what is shown of that."""
NAMES_MAX = 16
"""Packages of one folder that are named."""
FUNCTIONS_MAX = 3
"""Of one file, of those that are registered."""
TABLES_MAX = 5
FILES_MAX = 6
"""With registered definitions that are named."""
KINDS = ("commands", "programs", "exports", "routes", "tasks", "handlers", "tables")
REGISTERED = ("commands", "routes", "tasks", "handlers")


Entries = dict[str, list[str]]
"""Kind -> texts."""


def packages_of(snapshot: Snapshot) -> tuple[Package, ...]:
    """What manifests of product code state, one a folder, the nearest to the root first; held by the snapshot."""
    return PACKAGES.of(snapshot)


def _read_packages(snapshot: Snapshot) -> tuple[Package, ...]:
    project = project_of(snapshot.files, snapshot.configs)
    found: dict[str, Package] = {}
    for language in sorted({file.lang for file in snapshot.files}):
        if (read := by_name()[language].packaging.packages) is not None:
            found |= {package.manifest: package for package in read(project)}
    kept = [package for package in found.values() if role_of(package.manifest) is Role.PRODUCT]
    kept.sort(key=lambda package: (package.manifest.count("/"), package.manifest))
    by_folder: dict[str, Package] = {}
    for package in kept:
        by_folder.setdefault(package.folder, package)
    return tuple(by_folder.values())


def _carry_packages(before: tuple[Package, ...], edit: Edit) -> tuple[Package, ...] | None:
    return before if edit.reach < Reach.FILES and edit.previous.configs is edit.snapshot.configs else None


PACKAGES = Slot[tuple[Package, ...]](_read_packages, carry=_carry_packages, rescore=reuse)


def package_folders(snapshot: Snapshot, chosen: Iterable[int]) -> dict[int, str]:
    """Number of a file -> the folder of the package that it is in; the root's where it is in none."""
    known = {package.folder for package in packages_of(snapshot)}
    of_folder = {"": ""}

    def find(folder: str) -> str:
        if folder not in of_folder:
            of_folder[folder] = folder if folder in known else find(folder.rpartition("/")[0])
        return of_folder[folder]

    return {number: find(snapshot.files[number].path.rpartition("/")[0]) for number in chosen}


def find_inside_package(snapshot: Snapshot, specifier: str) -> str | None:
    """The file that imports mean by what is inside a package of the repository (`@shop/store/orders`)."""
    packages = [one for one in packages_of(snapshot) if specifier.startswith(f"{one.name}/")]
    if not packages:
        return None
    project = project_of(snapshot.files, snapshot.configs)
    for language in sorted({file.lang for file in snapshot.files}):
        resolver = by_name()[language].modules(project)
        for package in packages:
            found = resolver.resolve(specifier, package.manifest)
            if isinstance(found, Module) and found.file is not None:
                return found.file
    return None


def package_texts(packages: Sequence[Package], focus: str, uses: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Folder -> what its package is called and for, and which others it uses; of many beside one another, or where they
    do not say, the folder around them and their names. `uses`: by folder, the folders of those."""
    chosen = [package for package in packages if not focus or is_under(package.manifest, focus)]
    around: dict[str, list[Package]] = {}
    for package in chosen:
        around.setdefault(package.folder.rpartition("/")[0] if package.folder else ".", []).append(package)
    found: dict[str, str] = {}
    for folder, its in around.items():
        if len(its) == 1 or folder == ".":
            found |= {package.folder or ".": _describe(package) for package in its[:1]}
            its = its[1:]
        if len(its) <= DESCRIBED_MAX:
            names = {package.folder: package.folder.rpartition("/")[2] for package in its}
            for package in (one for one in its if one.about):
                used = sorted(names[folder] for folder in uses.get(package.folder, ()) if folder in names)
                text = _describe(package, ABOUT_ONE_MAX_CHARS)
                found[package.folder] = f"{text}; uses {', '.join(used)}" if used else text
            its = [package for package in its if not package.about]
        if its:
            named = list(dict.fromkeys(package.name for package in its))
            more = f" and {len(named) - NAMES_MAX} more" if len(named) > NAMES_MAX else ""
            found[f"{folder}/*" if folder else "*"] = ", ".join(named[:NAMES_MAX]) + more
    return found


def entries_of(snapshot: Snapshot, focus: str) -> Entries:
    """Where packages and programs are entered, under a folder or everywhere."""
    packages = [package for package in packages_of(snapshot) if not focus or is_under(package.manifest, focus)]
    stated = [entry for package in packages for entry in package.entries]
    found: Entries = {}
    if commands := [entry for entry in stated if entry.kind == "command"]:
        shown = (Listed(_show_command(snapshot, entry), entry.file, entry.name) for entry in commands)
        found["commands"] = fold(list(dict.fromkeys(shown)), NAMES_MAX)
    known = {(entry.file, entry.symbol) for entry in stated}
    if programs := [
        definition_text(snapshot, node)
        for node in mains(snapshot)
        if _is_within(snapshot, node, focus) and _place(snapshot, node) not in known
    ]:
        found["programs"] = sorted(programs, key=lambda text: (text.count("/"), text))
    if exports := _list_exports(packages):
        found["exports"] = exports
    within = [
        one
        for one in registered(snapshot)
        if _is_within(snapshot, one.node, focus) and _place(snapshot, one.node) not in known
    ]
    for kind in REGISTERED:
        if texts := _list_by_file(snapshot, (one for one in within if one.kind == kind)):
            found[kind] = [*found.get(kind, ()), *texts]
    if listed := [table for table in tables(snapshot) if _is_within(snapshot, table.node, focus)]:
        found["tables"] = [
            f"{definition_text(snapshot, table.node)}: {table.count} functions" for table in listed[:TABLES_MAX]
        ]
    return found


def entry_nodes(snapshot: Snapshot) -> dict[int, str]:
    """Definitions of the product that a program is entered by -> of what kind, one of `KINDS`; held by the snapshot."""
    return _ENTRY_NODES.of(snapshot)


def _find_entry_nodes(snapshot: Snapshot) -> dict[int, str]:
    found = dict.fromkeys(mains(snapshot), "programs")
    found |= {one.node: one.kind for one in registered(snapshot)}
    for package in packages_of(snapshot):
        for entry in package.entries:
            if entry.kind == "command" and (file := snapshot.by_path.get(entry.file)) is not None:
                row = file.rows_by_name.get((entry.symbol, 1), 0) if entry.symbol else 0
                found[file.base + row] = "commands"
    return found


_ENTRY_NODES = Slot[dict[int, str]](_find_entry_nodes, rescore=reuse)


def _list_exports(packages: Sequence[Package]) -> list[str]:
    """The files that are imported by the names of packages, then the first of those inside of these."""
    files = {entry.file: one.name for one in packages for entry in one.entries if entry.kind == "library"}
    inside = {path for package in packages for path in package.offered}.difference(files)
    ordered = sorted(inside, key=lambda path: (path.count("/"), path))
    if len(ordered) > FILES_MAX + 1:
        ordered[FILES_MAX:] = [f"{len(ordered) - FILES_MAX} more files"]
    return [*fold([Listed(path, path, name) for path, name in files.items() if path], FUNCTIONS_MAX), *ordered]


def _describe(package: Package, most: int = ABOUT_MAX_CHARS) -> str:
    about = " ".join(package.about.split())
    if len(about) > most:
        about = about[: most - 1].rstrip() + "…"
    return f"{package.name}: {about}" if about else package.name


def _show_command(snapshot: Snapshot, entry: Entry) -> str:
    """The name of a command and the definition that it runs, with its line."""
    file = snapshot.by_path.get(entry.file)
    if file is None:
        return entry.name
    row = file.rows_by_name.get((entry.symbol, 1)) if entry.symbol else None
    place = f"{entry.file}#{entry.symbol} {file.cell(row, Symbol.LINE)}" if row else entry.file
    return f"{entry.name}: {place}"


def _place(snapshot: Snapshot, node: int) -> tuple[str, str]:
    file, row = snapshot.row_of(node)
    return file.path, file.qualified_name(row)


def _is_within(snapshot: Snapshot, node: int, focus: str) -> bool:
    return not focus or is_under(snapshot.row_of(node)[0].path, focus)


def _list_by_file(snapshot: Snapshot, its: Iterable[Registered]) -> list[str]:
    """The definitions of each file, the file with the most first."""
    files: dict[str, list[str]] = {}
    for one in its:
        file, row = snapshot.row_of(one.node)
        files.setdefault(file.path, []).append(file.id_of(row).partition("#")[2])
    ordered = sorted(files.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    texts = [
        f"{path}: {', '.join(names[:FUNCTIONS_MAX])}"
        + (f" and {len(names) - FUNCTIONS_MAX} more" if len(names) > FUNCTIONS_MAX else "")
        for path, names in ordered[:FILES_MAX]
    ]
    if further := ordered[FILES_MAX:]:
        texts.append(f"{sum(len(names) for _, names in further)} more in {files_text(len(further))}")
    return texts
