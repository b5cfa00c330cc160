"""How an ECMAScript module specifier becomes a file of the repository, an external package, or nothing.

In this order: a relative path, which a built file may have (`../dist/a`); `paths` and `baseUrl` of the nearest tsconfig
or jsconfig; `#x` of the package around the importer; a package of the repository by name (a workspace, or the
importer's own); `@/x` and `~/x`, which bundlers give the package's `src` folder or its root; else an external package.

A declaration file declares what others declare: in it, a relative path means a declaration file before any source.

One package has one name: `lodash/fp` is `lodash`, `@s/x/y` is `@s/x`, and Node's own modules are `node:fs` however
they are written (`fs`, `node:fs`, `fs/promises`).
"""

from __future__ import annotations

from codemap.languages.ecmascript.globals import NODE_MODULES
from codemap.languages.ecmascript.project import packages, tsconfig
from codemap.languages.ecmascript.project.paths import DECLARATIONS, ancestors, declaration_at, file_at, index_at, join
from codemap.project import External, Missing, Module, Project, Resolution

CONFIG_FILES = {
    "tsconfig*.json": tsconfig.read,
    "jsconfig*.json": tsconfig.read,
    "package.json": packages.read,
    "jsr.json": packages.read,
    "deno.json": packages.read,
    "deno.jsonc": packages.read,
    "pnpm-workspace.yaml": packages.read_workspace,
}
_ALIASES = ("@/", "~/")
_MISSING = Missing()
_UNBUILT = Missing()
"""A relative path at which there is no file; what it means depends on who imports it."""
_ASSET = Module(None)
"""What is no code: nothing in it has a name, and whether it is there is not known."""
_SUFFIXES = """
json json5 jsonc css scss sass less styl svg png jpg jpeg gif webp avif ico woff woff2 ttf mp3 mp4 webm html txt md mdx
wasm node graphql gql yaml yml toml glsl vue svelte astro
"""
_ASSETS = tuple(f".{suffix}" for suffix in _SUFFIXES.split())
_NPM = ("npm:", "jsr:")
_STEPS_MAX = 4
"""`imports` may name another `#x`; real ones do so once."""


class EcmaModules:
    """Resolution for one state of the project; everything found is kept."""

    def __init__(self, project: Project) -> None:
        self._files = project.files
        self._packages, self._by_name = packages.load(project.configs)
        self._mapped = tsconfig.load(project.configs, self._folder_of_package)
        self._known: dict[tuple[str, str], Resolution] = {}
        self._built: dict[str, frozenset[str]] = {}
        self._externals: dict[str, External] = {}

    def resolve(self, specifier: str, importer: str) -> Resolution:
        folder = importer.rpartition("/")[0]
        if importer.endswith(DECLARATIONS) and (declared := self._declared(specifier, folder)) is not None:
            return declared
        key = (specifier, folder)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolve(specifier, folder, 0)
        return self._of_built(specifier, importer) if found is _UNBUILT else found

    def child(self, module: Module, name: str) -> Module | None:  # noqa: ARG002 - modules have no submodules here
        return None

    def _declared(self, specifier: str, folder: str) -> Resolution | None:
        path = join(folder, specifier) if specifier.startswith(".") else None
        found = None if path is None else declaration_at(self._files, path)
        return None if found is None else Module(found)

    def _resolve(self, specifier: str, folder: str, steps: int) -> Resolution:
        if specifier.startswith("."):
            path = join(folder, specifier)
            found = None if path is None else self._at(path, is_folder=specifier.endswith(("/", ".")))
            if found is None and "?" in specifier:
                return self._resolve(specifier.partition("?")[0], folder, steps)
            return _UNBUILT if found is None else Module(found)
        found = self._by_tsconfig(specifier, folder)
        if found is None and specifier.startswith("#"):
            return self._own_import(specifier, folder, steps)
        if found is None:
            found = self._in_package(specifier) or self._by_alias(specifier, folder)
        if found is not None:
            return Module(found)
        if self._is_of_workspace(specifier):
            return _ASSET if specifier.endswith(_ASSETS) else _MISSING
        return _MISSING if specifier.startswith("/") else self._external(specifier)

    def _is_of_workspace(self, specifier: str) -> bool:
        package = self._by_name.get(split(specifier)[0])
        return package is not None and package.is_member

    def _of_built(self, specifier: str, importer: str) -> Resolution:
        """What a relative path means at which there is no file: the source of what is built there."""
        path = join(importer.rpartition("/")[0], specifier.partition("?")[0])
        if path is not None and (around := packages.folder_of(self._packages, path)) is not None:
            if (built := self._built.get(around)) is None:
                built = self._built[around] = packages.entry_paths(self._packages[around])
            found = packages.source_of_built(self._files, self._packages[around], built, path, importer)
            if found is not None:
                return Module(found)
        return _ASSET if specifier.partition("?")[0].endswith(_ASSETS) else _MISSING

    def _at(self, path: str, *, is_folder: bool = False) -> str | None:
        """The file that a path without a suffix, or a folder, means."""
        found = None if is_folder else file_at(self._files, path)
        if found is not None:
            return found
        package = self._packages.get(path)
        if package is not None:
            for entry in package.entries:
                found = packages.source_of(self._files, package, entry)
                if found is not None:
                    return found
        return index_at(self._files, path)

    def _by_tsconfig(self, specifier: str, folder: str) -> str | None:
        if self._mapped:
            for around in ancestors(folder):
                mapped = self._mapped.get(around)
                if mapped is not None:
                    for candidate in mapped.candidates(specifier):
                        found = self._at(candidate) or packages.source_of(
                            self._files, packages.Package("", around), candidate[len(around) :].lstrip("/")
                        )
                        if found is not None:
                            return found
        return None

    def _own_import(self, specifier: str, folder: str, steps: int) -> Resolution:
        around = packages.folder_of(self._packages, f"{folder}/x" if folder else "x")
        if around is not None and steps < _STEPS_MAX:
            for target in packages.imported(self._packages[around], specifier):
                if not target.startswith("."):
                    return self._resolve(target, around, steps + 1)
                found = packages.source_of(self._files, self._packages[around], target)
                if found is not None:
                    return Module(found)
        return _MISSING

    def _in_package(self, specifier: str) -> str | None:
        name, subpath = split(specifier)
        package = self._by_name.get(name)
        return None if package is None else packages.entry(self._files, package, subpath)

    def _by_alias(self, specifier: str, folder: str) -> str | None:
        if not specifier.startswith(_ALIASES):
            return None
        around = packages.folder_of(self._packages, f"{folder}/x" if folder else "x") or ""
        for start in ("src", "."):
            inside = join(around, start)
            path = None if inside is None else join(inside, specifier[2:])
            found = None if path is None else self._at(path)
            if found is not None:
                return found
        return None

    def _external(self, specifier: str) -> External:
        name = package_name(specifier)
        found = self._externals.get(name)
        if found is None:
            found = self._externals[name] = External(name)
        return found

    def _folder_of_package(self, name: str) -> str | None:
        package = self._by_name.get(name)
        return None if package is None else package.folder


def split(specifier: str) -> tuple[str, str]:
    """A bare specifier's package and the path in it: `@s/x/y` -> (`@s/x`, `y`)."""
    end = specifier.find("/")
    if specifier.startswith("@") and end > 0:
        end = specifier.find("/", end + 1)
    return (specifier, "") if end < 0 else (specifier[:end], specifier[end + 1 :])


def package_name(specifier: str) -> str:
    """The one name of the external package that a specifier belongs to."""
    if "://" in specifier:
        return specifier
    bare = specifier.removeprefix("node:")
    if bare != specifier or bare.partition("/")[0] in NODE_MODULES:
        return "node:" + bare.partition("/")[0]
    for prefix in _NPM:
        bare = bare.removeprefix(prefix)
    name = split(bare.lstrip("/") or bare)[0]
    at = name.find("@", 1)
    return name if at < 0 else name[:at]
