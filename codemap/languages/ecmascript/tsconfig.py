"""`tsconfig.json` and `jsconfig.json`: what `paths` and `baseUrl` make of a specifier.

A specifier is looked up in the configuration nearest to the importer, then in those around it: a nested one that states
no mapping does not hide the mapping of the repository.

Source: TypeScript handbook, "Module resolution", `paths`, `baseUrl`, `extends`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from codemap.languages.ecmascript import jsonc
from codemap.languages.ecmascript.paths import join, parent

_NAMES = ("tsconfig.json", "jsconfig.json")
_CONFIG_DIR = "${configDir}"


class Mapped(msgspec.Struct, frozen=True):
    """What one configuration, with all that it extends, says about specifiers."""

    base: str | None = None
    """The folder that bare specifiers are looked up in."""
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Pattern -> module paths relative to the root, `*` standing for what the pattern's `*` matched."""

    def candidates(self, specifier: str) -> list[str]:
        """The module paths to try, best first."""
        found: list[str] = []
        for pattern, targets in self.paths:
            star = matched(pattern, specifier)
            if star is not None:
                found = [target.replace("*", star, 1) for target in targets]
                break
        if self.base is not None:
            path = join(self.base, specifier)
            if path is not None:
                found.append(path)
        return found


def matched(pattern: str, text: str) -> str | None:
    """What `*` of a pattern stands for in `text` ("" where the pattern has none), or None where it does not match."""
    prefix, star, suffix = pattern.partition("*")
    if not star:
        return "" if pattern == text else None
    if len(text) >= len(prefix) + len(suffix) and text.startswith(prefix) and text.endswith(suffix):
        return text[len(prefix) : len(text) - len(suffix)]
    return None


def load(configs: Mapping[str, bytes], package_folder: Callable[[str], str | None]) -> dict[str, Mapped]:
    """Folder -> what its configuration says, for every folder that has one which maps something.

    `package_folder` gives the folder of a package of the repository by name.
    """
    by_folder: dict[str, list[str]] = {}
    for path in sorted(configs):
        name = path.rpartition("/")[2]
        if name.endswith(".json") and name.startswith(("tsconfig", "jsconfig")):
            by_folder.setdefault(parent(path), []).append(path)
    result: dict[str, Mapped] = {}
    for folder, found in by_folder.items():
        found.sort(key=lambda path: _rank(path.rpartition("/")[2]))
        for path in found:
            mapped = _read(configs, path, folder, package_folder, frozenset())
            if mapped.base is not None or mapped.paths:
                result[folder] = mapped
                break
    return result


def _rank(name: str) -> tuple[int, str]:
    return (_NAMES.index(name) if name in _NAMES else len(_NAMES), name)


def _read(
    configs: Mapping[str, bytes],
    path: str,
    config_folder: str,
    package_folder: Callable[[str], str | None],
    seen: frozenset[str],
) -> Mapped:
    folder = parent(path)
    document = jsonc.parse(configs[path])
    if not jsonc.is_object(document):
        return Mapped()
    base: str | None = None
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    for extended in jsonc.texts_of(document.get("extends")):
        other = _extended(configs, folder, extended, package_folder)
        if other is not None and other not in seen:
            inherited = _read(configs, other, config_folder, package_folder, seen | {path})
            base = base if inherited.base is None else inherited.base
            paths = inherited.paths or paths
    options = document.get("compilerOptions")
    if jsonc.is_object(options):
        own_base = jsonc.text_of(options, "baseUrl")
        if own_base is not None:
            base = _seen(own_base, folder, config_folder)
        stated = options.get("paths")
        if jsonc.is_object(stated):
            start = folder if base is None else base
            paths = _patterns(stated, start, config_folder)
    return Mapped(base, paths)


def _patterns(stated: Mapping[str, object], start: str, config_folder: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Patterns with the targets seen from the root; exact ones first, then those of the longest prefix."""
    found = []
    for pattern, targets in stated.items():
        seen = [_seen(target, start, config_folder) for target in jsonc.texts_of(targets)]
        found.append((pattern, tuple(target for target in seen if target is not None)))
    return tuple(sorted(found, key=lambda each: ("*" in each[0], -len(each[0].partition("*")[0]))))


def _seen(path: str, start: str, config_folder: str) -> str | None:
    """A path of a configuration, from the root; `${configDir}` is the folder of the one that extends all others."""
    if path.startswith(_CONFIG_DIR):
        return join(config_folder, "." + path.removeprefix(_CONFIG_DIR))
    return join(start, path)


def _extended(
    configs: Mapping[str, bytes], folder: str, extended: str, package_folder: Callable[[str], str | None]
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


def _first(configs: Mapping[str, bytes], paths: Iterable[str]) -> str | None:
    return next((path for path in paths if path in configs), None)
