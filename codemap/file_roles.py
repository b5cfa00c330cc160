"""Decides the role of a file by its path: product, test, example, generated or vendored code.

Folders that all ecosystems use are listed here, names that one language uses are in its record (`test_paths`,
`generated_paths`). The path alone decides, so that the answer does not depend on other files.

Rules of the file:
- What is wrongly taken for a test is hidden from who looks for product code. So a name that packages also use for what
  they ship counts only where nothing else is likely: `test/` at the top, in `src/` or in a package of a monorepo, and
  not `django/test/`; `docs/` and `demo/` not `com/example/demo/`.
- Of several roles that fit, the last one in the order of `Role` counts: a test in a vendored package is vendored.

Source: the folder names of GitHub's linguist (`vendor.yml`, `generated.rb`, `documentation.yml`), and the conventions
of the test runners.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from codemap.languages import language_of
from codemap.root_paths import path_in_root

PATHS_REMEMBERED = 65_536
"""Paths whose roles are remembered: one answer asks for the same ones several times."""


class Role(IntEnum):
    PRODUCT = 0
    TEST = 1
    EXAMPLE = 2
    """Also demos, tutorials, documentation, benchmarks and what a fuzzer runs."""
    GENERATED = 3
    VENDORED = 4


ROLE_NAMES = ("product", "tests", "examples", "generated", "vendored")
"""By number, as answers call them."""

_TOP = r"(?:\A|(?:\A|/)(?:packages|crates|libs|modules|apps|plugins|projects|components|extensions)/[^/]+/)"
"""The top of the repository, or of a package of a monorepo."""

_FOLDERS: Mapping[Role, str] = MappingProxyType(
    {
        Role.TEST: (
            r"(?:\A|/)(?:tests|__tests__|__mocks__|testdata|test[-_]data|selftests?|testsuite|unit[-_]?tests?"
            r"|integration[-_]?tests?|e2e(?:[-_]?tests?)?|[\w.-]+[._-]tests?)/"
            rf"|{_TOP}(?:test|specs?|t)/|\Atesting/"
            r"|(?:\A|/)src/(?:test|testfixtures|(?:android|common|functional|int|integration|js|jvm|native|unit)test)/"
        ),
        Role.EXAMPLE: (
            r"(?:\A|/)_?(?:examples|samples|demos|tutorials|benchmarks|benches)/|(?:\A|/)src/jmh/"
            r"|(?:\A|/)[\w.-]+[-_.](?:examples?|samples|demos?|benchmarks?)/"
            rf"|{_TOP}(?:example|sample|demo|tutorial|bench|benchmark|docs?|docs?[-_]\w+|documentation|playground"
            r"|cookbook|fuzz|fuzzers|fuzzing)/|\Asrc/(?:example|sample|demo)/"
        ),
        Role.GENERATED: (
            r"(?:\A|/)(?:generated|_generated|__generated__|autogen|auto[-_]generated|single[-_]?(?:includes?|headers?)"
            r"|amalgamat(?:ed|ion))/"
            rf"|{_TOP}dist/|[._-](?:generated|amalgamat(?:ed|ion))\.[^/]*\Z|[._-]min\.[cm]?(?:j|cs)s\Z"
            r"|(?:\A|/)zz_generated[^/]*\Z"
        ),
        Role.VENDORED: (
            r"(?:\A|/)(?:_?vendor|_?vendored|ext[-_]?libs?|third[-_]?party|3rdparty|node_modules|bower_components|site-packages"
            r"|godeps|carthage)/|\A(?:deps|externals?|extern|pods|\.mvn|gradle/wrapper)/"
        ),
    }
)
"""Paths, in lower case."""


@lru_cache(maxsize=PATHS_REMEMBERED)
def role_of(path: str) -> Role:
    """The role of a file, by its path relative to the root, with `/`; of another root, to that."""
    path = path_in_root(path)
    language = language_of(path)
    lower = path.lower()
    globs = (
        ()
        if language is None
        else (language.files.test_paths, language.files.example_paths, language.files.generated_paths)
    )
    for role, folders, named, excepted in _compile(*globs):
        if role is Role.EXAMPLE:
            if folders.search(_cut_sources(lower)) and not (excepted is not None and excepted.search(path)):
                return role
        elif folders.search(lower):
            return role
        if named is not None and named.search(path) and not (excepted is not None and excepted.search(path)):
            return role
    return Role.PRODUCT


class _Patterns(NamedTuple):
    """What is in a path of one role."""

    role: Role
    folders: re.Pattern[str]
    """Of paths in lower case."""
    named: re.Pattern[str] | None
    """What a language's record has without `!`, and with it."""
    excepted: re.Pattern[str] | None


@cache
def _compile(*paths: tuple[str, ...]) -> tuple[_Patterns, ...]:
    """The patterns of all roles but the first, the last role first; the globs are those of a language's record."""
    globs = dict(zip((Role.TEST, Role.EXAMPLE, Role.GENERATED), paths, strict=False))
    return tuple(
        _Patterns(
            role,
            re.compile(folders),
            _join([glob for glob in globs.get(role, ()) if not glob.startswith("!")]),
            _join([glob[1:] for glob in globs.get(role, ()) if glob.startswith("!")]),
        )
        for role, folders in sorted(_FOLDERS.items(), reverse=True)
    )


def _cut_sources(path: str) -> str:
    """The folders around `src/main` and the like: what lies in it is named after packages, which samples have too."""
    above, main, _ = f"/{path}".partition("/src/main/")
    return f"{above[1:]}/" if main else path


@lru_cache(maxsize=PATHS_REMEMBERED)
def has_tests_inside(path: str) -> bool:
    """Whether the role of a definition may be another than that of its file."""
    language = language_of(path)
    return language is not None and language.files.has_tests_inside


def _join(globs: list[str]) -> re.Pattern[str] | None:
    """A pattern of the paths that one of the globs matches; None for none."""
    return re.compile("|".join(map(_translate, globs))) if globs else None


def _translate(glob: str) -> str:
    steps = re.escape(glob.removeprefix("/")).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return rf"\A{steps}\Z" if glob.startswith("/") else rf"(?:\A|/){steps}\Z"
