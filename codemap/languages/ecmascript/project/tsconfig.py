"""`tsconfig.json` and `jsconfig.json`: what `paths` and `baseUrl` make of a specifier.

A specifier is looked up in the configuration nearest to the importer, then in those around it: a nested one that states
no mapping does not hide the mapping of the repository.

Source: TypeScript handbook, "Module resolution", `paths`, `baseUrl`, `extends`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

import msgspec

from codemap.config import jsonc
from codemap.config.document import Unreadable, find, find_table, find_text, is_table, texts_of
from codemap.languages.ecmascript.project.paths import join, parent

PATTERNS_MAX = 2000
"""With a star, in one table `paths`: each is held against every specifier. Real tables have dozens."""
_TARGETS_MAX = 64
"""Targets of one pattern that are tried."""
EXTENDS_MAX = 32
"""Configurations that extend one another, one by one."""
_NAMES = ("tsconfig.json", "jsconfig.json")
_CONFIG_DIR = "${configDir}"


class Mapped(msgspec.Struct, frozen=True):
    """What one configuration, with all that it extends, says about specifiers."""

    base: str | None = None
    """The folder that bare specifiers are looked up in."""
    paths: Mapping[str, tuple[str, ...]] = {}
    """Pattern -> module paths relative to the root, `*` standing for what the pattern's `*` matched."""
    starred: tuple[str, ...] = ()
    """The patterns with a star, those of the longest prefix first."""

    def candidates(self, specifier: str) -> list[str]:
        """The module paths to try, best first."""
        found = list(self.paths.get(specifier, ())) if "*" not in specifier else []
        if not found:
            for pattern in self.starred:
                star = match_pattern(pattern, specifier)
                if star is not None:
                    found = [target.replace("*", star, 1) for target in self.paths[pattern]]
                    break
        if self.base is not None:
            path = join(self.base, specifier)
            if path is not None:
                found.append(path)
        return found


def match_pattern(pattern: str, text: str) -> str | None:
    """What `*` of a pattern stands for in `text` ("" where the pattern has none), or None where it does not match."""
    prefix, star, suffix = pattern.partition("*")
    if not star:
        return "" if pattern == text else None
    if len(text) >= len(prefix) + len(suffix) and text.startswith(prefix) and text.endswith(suffix):
        return text[len(prefix) : len(text) - len(suffix)]
    return None


def read(source: bytes) -> dict[str, object] | Unreadable:
    """What one configuration says, apart from what it extends."""
    document = jsonc.read_table(source)
    if isinstance(document, Unreadable):
        return document
    if sum("*" in pattern for pattern in find_table(document, "compilerOptions", "paths")) > PATTERNS_MAX:
        return Unreadable(f"has more than {PATTERNS_MAX} patterns of paths")
    return document


def load(configs: Mapping[str, bytes], package_folder: Callable[[str], str | None]) -> dict[str, Mapped]:
    """Folder -> what its configuration says, for every folder that has one which maps something.

    `package_folder` gives the folder of a package of the repository by name.
    """
    documents: dict[str, Mapping[str, object]] = {}
    by_folder: dict[str, list[str]] = {}
    for path in sorted(configs):
        name = path.rpartition("/")[2]
        if name.endswith(".json") and name.startswith(("tsconfig", "jsconfig")):
            document = read(configs[path])
            if not isinstance(document, Unreadable):
                documents[path] = document
                by_folder.setdefault(parent(path), []).append(path)
    result: dict[str, Mapped] = {}
    for folder, found in by_folder.items():
        found.sort(key=lambda path: _rank(path.rpartition("/")[2]))
        chain = _Chain(documents, folder, package_folder)
        for path in found:
            mapped = chain.mapped(path)
            if mapped.base is not None or mapped.paths:
                result[folder] = mapped
                break
    return result


def compiled_folders(configs: Mapping[str, bytes]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Folder -> the folders in it that its configurations compile to and from (`outDir`, `rootDir`), where they state
    both."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for path in sorted(configs):
        folder, _, name = path.rpartition("/")
        if not name.startswith(("tsconfig", "jsconfig")) or b"outDir" not in configs[path]:
            continue
        document = read(configs[path])
        if isinstance(document, Unreadable):
            continue
        stated = [find_text(document, "compilerOptions", key) for key in ("outDir", "rootDir")]
        built, sources = (None if text is None else _seen(text, folder, folder) for text in stated)
        if built and sources and sources not in (built, folder):
            found[folder] = (*found.get(folder, ()), (built, sources))
    return found


def _rank(name: str) -> tuple[int, str]:
    return (_NAMES.index(name) if name in _NAMES else len(_NAMES), name)


class _Chain:
    """Configurations as one folder sees them; each is read once, however often it is extended."""

    def __init__(
        self,
        documents: Mapping[str, Mapping[str, object]],
        config_folder: str,
        package_folder: Callable[[str], str | None],
    ) -> None:
        self._documents = documents
        self._config_folder = config_folder
        self._package_folder = package_folder
        self._known: dict[str, Mapped] = {}

    def mapped(self, path: str, depth: int = 0) -> Mapped:
        """What a configuration says with all that it extends; one that extends itself adds nothing to itself."""
        if path not in self._known:
            self._known[path] = Mapped()
            self._known[path] = self._mapped(path, depth)
        return self._known[path]

    def _mapped(self, path: str, depth: int) -> Mapped:
        folder, document = parent(path), self._documents[path]
        base: str | None = None
        paths: Mapping[str, tuple[str, ...]] = {}
        for extended in texts_of(document.get("extends")):
            other = _extended(self._documents, folder, extended, self._package_folder)
            if other is not None and depth < EXTENDS_MAX:
                inherited = self.mapped(other, depth + 1)
                base = base if inherited.base is None else inherited.base
                paths = inherited.paths or paths
        own_base = find_text(document, "compilerOptions", "baseUrl")
        if own_base is not None:
            base = _seen(own_base, folder, self._config_folder)
        stated = find(document, "compilerOptions", "paths")
        if is_table(stated):
            paths = _targets(stated, folder if base is None else base, self._config_folder)
        starred = [pattern for pattern in paths if "*" in pattern]
        return Mapped(base, paths, tuple(sorted(starred, key=lambda pattern: -len(pattern.partition("*")[0]))))


def _targets(stated: Mapping[str, object], start: str, config_folder: str) -> dict[str, tuple[str, ...]]:
    """Patterns with their targets as seen from the root."""
    found: dict[str, tuple[str, ...]] = {}
    for pattern, targets in stated.items():
        seen = [_seen(target, start, config_folder) for target in texts_of(targets)[:_TARGETS_MAX]]
        found[pattern] = tuple(target for target in seen if target is not None)
    return found


def _seen(path: str, start: str, config_folder: str) -> str | None:
    """A path of a configuration, from the root; `${configDir}` is the folder of the one that extends all others."""
    if path.startswith(_CONFIG_DIR):
        return join(config_folder, "." + path.removeprefix(_CONFIG_DIR))
    return join(start, path)


def _extended(
    configs: Container[str], folder: str, extended: str, package_folder: Callable[[str], str | None]
) -> str | None:
    """The configuration that `extends` names: a path, or a file of a package of the repository."""
    if extended.startswith("."):
        target = join(folder, extended)
    else:
        parts = extended.split("/")
        count = 2 if extended.startswith("@") else 1
        found = package_folder("/".join(parts[:count]))
        target = None if found is None else join(found, "/".join(parts[count:]) or ".")
    return None if target is None else _first(configs, _spellings(target))


def _spellings(target: str) -> Iterable[str]:
    inner = f"{target}/tsconfig.json" if target else "tsconfig.json"
    return (target, f"{target}.json", inner)


def _first(configs: Container[str], paths: Iterable[str]) -> str | None:
    return next((path for path in paths if path in configs), None)
