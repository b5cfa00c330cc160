"""Names in full and paths of includes -> the files of the repository that they may mean.

What a class is called says its namespace, and every file says to which it belongs: so names are found wherever an
autoloader would look, or none. Of files that are named alike in one namespace (releases side by side, fixtures of
tests), the one that composer.json maps to the name hides the others, else the one nearest to the importer.

Source: PSR-4; the Composer manual, "The composer.json schema".
"""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from codemap.languages.php.builtins import CLASSES, SEPARATOR
from codemap.languages.php.project.composer import Autoload
from codemap.project import External, Missing, Module, Project, Resolution

SUFFIXES = (".php", ".phtml", ".php5", ".php7", ".php8")
_STAR = f"{SEPARATOR}*"
GLOBAL = SEPARATOR
"""The external package of classes that belong to no namespace."""
PLATFORM = "php"
"""What Composer calls PHP itself."""


def star_of(namespace: str) -> str:
    """The specifier of everything in a namespace."""
    return f"{namespace}{_STAR}"


def modules(project: Project) -> PhpModules:
    return PhpModules(project)


class PhpModules:
    """The namespaces of one state of a project; keeps what it has resolved."""

    def __init__(self, project: Project) -> None:
        self._files = project.files
        self._autoload = Autoload(project.configs)
        self._alone: dict[str, list[str]] = {}
        """Namespace -> files that belong to it and to no other; of none, all that have code outside any."""
        self._shared: dict[str, list[str]] = {}
        """Namespace -> files that have several."""
        for path in sorted(project.files):
            if path.lower().endswith(SUFFIXES):
                packages = project.packages.get(path) or ("",)
                for package in packages:
                    found = self._alone if len(packages) == 1 or not package else self._shared
                    found.setdefault(package.replace(".", SEPARATOR), []).append(path)
        self._hiding = {space for space, paths in self._alone.items() if len({*map(_stem, paths)}) < len(paths)}
        """Namespaces with files that are named alike."""
        self._seen: dict[tuple[str, str], Module | None] = {}

    def resolve(self, specifier: str, importer: str) -> Resolution:
        if "/" in specifier or "." in specifier:
            return self._included(specifier, importer)
        namespace, _, name = specifier.rpartition(SEPARATOR)
        if name == "*":
            found = self._namespace(namespace, importer)
            return Module(importer, files=frozenset((importer,))) if found is None else found
        found = self._namespace(namespace, importer)
        if found is None and namespace and (nested := self._namespace(specifier, importer)) is not None:
            return nested  # `use A\B;` for names like `B\C`
        if found is None:
            if not namespace:
                return External(PLATFORM if specifier.lower() in CLASSES else GLOBAL)
            return External(self._autoload.package_of(specifier) or namespace)
        return found

    def child(self, _module: Module, _name: str) -> Module | None:
        return None

    def _included(self, specifier: str, importer: str) -> Resolution:
        """The file that an include names: beside the importer, else in a folder above it."""
        folder = dirname(importer)
        path = normpath(join(folder, specifier))
        if path in self._files:
            return Module(path)
        while not specifier.startswith(".") and folder:
            folder = dirname(folder)
            path = normpath(join(folder, specifier))
            if path in self._files:
                return Module(path)
        return Missing()

    def _namespace(self, namespace: str, importer: str) -> Module | None:
        """The files of a namespace as one of them sees it."""
        alone, shared = self._alone.get(namespace, []), self._shared.get(namespace, [])
        key = (namespace, dirname(importer) if namespace in self._hiding else "")
        if key not in self._seen:
            paths, within = (alone, "") if alone else (shared, namespace)
            chosen = self._chosen(paths, namespace, key[1])
            self._seen[key] = Module(chosen[0], files=frozenset(chosen), within=within) if chosen else None
        return self._seen[key]

    def _chosen(self, paths: list[str], namespace: str, folder: str) -> list[str]:
        """The files of a namespace, but for those that are named like a class and hidden by another."""
        best: dict[str, str] = {}
        others: list[str] = []
        for path in paths:
            stem = _stem(path)
            if not stem[:1].isupper():
                others.append(path)
                continue
            known = best.setdefault(stem, path)
            if known != path and self._rank(path, namespace, folder) < self._rank(known, namespace, folder):
                best[stem] = path
        return sorted([*best.values(), *others])

    def _rank(self, path: str, namespace: str, folder: str) -> tuple[bool, int, bool, int, str]:
        """How far a file is from being meant by a name, seen from a folder."""
        is_mapped = self._autoload.maps(namespace, dirname(path))
        shared = 0
        for mine, other in zip(path.split("/"), folder.split("/"), strict=False):
            if mine != other:
                break
            shared += 1
        return not is_mapped, -shared, "/tests/" in f"/{path.lower()}", path.count("/"), path


def _stem(path: str) -> str:
    """The name of a file without its ending."""
    return basename(path).partition(".")[0]
