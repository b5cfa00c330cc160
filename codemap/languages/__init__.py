"""Finds the languages that codemap supports: one folder each.

Adding a language adds one folder here and one in `tests/languages`, and touches no other file. A folder without a
`LANGUAGE` is shared by others.
"""

from __future__ import annotations

import pkgutil
import re
from fnmatch import translate
from functools import cache
from importlib import import_module

from codemap.config.document import Reader, Unreadable
from codemap.languages.language import Language


@cache
def languages() -> tuple[Language, ...]:
    """Every language, in order of name."""
    modules = (import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__) if info.ispkg)
    found = [module.LANGUAGE for module in modules if hasattr(module, "LANGUAGE")]
    return tuple(sorted(found, key=lambda language: language.name))


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: language for language in languages() for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """The language of a file by its name, or None."""
    base = path.rpartition("/")[2].lower()
    dot = base.find(".", 1)
    while dot >= 0:
        language = _by_suffix().get(base[dot:])
        if language is not None:
            return language
        dot = base.find(".", dot + 1)
    return None


@cache
def _config_readers() -> tuple[tuple[re.Pattern[str], Reader | None], ...]:
    """Patterns of base names of configuration files, with what reads them."""
    readers = [
        pair
        for language in languages()
        for pair in (*language.packaging.config_files.items(), *language.packaging.manifests.items())
    ]
    return tuple((re.compile(translate(glob)), reader) for glob, reader in readers)


@cache
def _config_name() -> re.Pattern[str]:
    return re.compile("|".join(sorted({pattern.pattern for pattern, _ in _config_readers()})) or r"(?!)")


def is_config_file(path: str) -> bool:
    """Whether some language reads files of this name to learn how projects are built up."""
    return _config_name().match(path.rpartition("/")[2]) is not None


@cache
def _binding_name() -> re.Pattern[str]:
    globs = {glob for language in languages() for glob in language.packaging.config_files}
    return re.compile("|".join(sorted(map(translate, globs))) or r"(?!)")


def bears_on_imports(path: str) -> bool:
    """Whether what a configuration file says may change what imports mean; manifests are for people alone."""
    return _binding_name().match(path.rpartition("/")[2]) is not None


def why_unreadable(path: str, content: bytes) -> str:
    """Why a configuration file cannot be read, as a clause that continues its name; empty where it can."""
    name = path.rpartition("/")[2]
    readers = {reader for pattern, reader in _config_readers() if reader is not None and pattern.match(name)}
    return next((read.why for reader in readers if isinstance(read := reader(content), Unreadable)), "")


@cache
def by_name() -> dict[str, Language]:
    return {language.name: language for language in languages()}


@cache
def sigils() -> tuple[str, ...]:
    """Those of all languages."""
    return tuple(dict.fromkeys(sigil for language in languages() for sigil in language.sigils))


@cache
def qualifiers() -> frozenset[str]:
    """Those of all languages."""
    return frozenset[str]().union(*(language.qualifiers for language in languages()))
