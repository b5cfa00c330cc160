"""The languages that codemap knows: one folder each, found by looking.

Adding a language adds one folder here and one in `tests/languages`, and touches no other file. A folder without a
`LANGUAGE` is shared by others.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

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
def by_name() -> dict[str, Language]:
    return {language.name: language for language in languages()}
