"""Configuration files made to hurt, in every language that reads some: resolution goes on, in time that grows with
their size."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from codemap.languages import languages
from codemap.languages.language import Language
from codemap.project import Project
from tests import bombs
from tests.costs import is_within

RESOLVED_MAX_S = 3.0
"""Processor time for a hundred specifiers: a tenth of a second, or minutes."""

_DEEP = "a/" * 2000
"""Folders: as deep as a path can name."""

_NAMES = [f"x{number}" for number in range(50_000)]

CROWDS: Mapping[str, bytes] = {
    "pyproject.toml": b"[tool.pytest.ini_options]\npythonpath = [%s]"
    % b", ".join(f'"{name}"'.encode() for name in _NAMES[:20_000]),
    "Cargo.toml": b"[package]\nname = 'x'\n"
    + b"".join(f"[[bin]]\npath = '{name}'\n".encode() for name in _NAMES[:9000]),
    "go.mod": b"module x\n" + b"".join(f"require {name} v1\nreplace {name} => ./{name}\n".encode() for name in _NAMES),
    "*.csproj": b"<P>" + b"".join(f"<Using Include='{name}'/>".encode() for name in _NAMES[:30_000]) + b"</P>",
    "composer.json": b'{"autoload": {"psr-4": {"X\\\\": [%s]}}}' % b", ".join(f'"{name}"'.encode() for name in _NAMES),
    "compile_commands.json": b'[{"directory": "/r", "file": "m.c", "command": "cc %s"}]'
    % " ".join(f"-I{name}" for name in _NAMES).encode(),
    "tsconfig*.json": b'{"compilerOptions": {"paths": {%s}}}'
    % b", ".join(f'"{name}*": ["{name}"]'.encode() for name in _NAMES),
    "package.json": b'{"name": "x", "workspaces": [%s], "exports": {%s}}'
    % (
        b", ".join(f'"*{name}*"'.encode() for name in _NAMES[:20_000]),
        b", ".join(f'"./*{name}": "./y"'.encode() for name in _NAMES[:10_000]),
    ),
    "pnpm-workspace.yaml": b"packages:\n" + b"".join(f"  - '*{name}*'\n".encode() for name in _NAMES),
}
"""As many of something as a file has room for, by what the file is called."""


def named(glob: str) -> str:
    return glob.replace("*", "x") if glob.startswith("*") else glob.replace("*", "")


def is_soon_resolved(language: Language, configs: Mapping[str, bytes], files: list[str]) -> bool:
    """Whether it takes little processor time to resolve a hundred names."""
    began = time.process_time()
    modules = language.modules(Project(frozenset(files), configs))
    specifiers = (".", "./y", "../z", "x", "x::y", "x/y", "x.y", "<x.h>", "crate", "super", "#x", "@x/y")
    for number in range(100):
        modules.resolve(f"{specifiers[number % len(specifiers)]}{number}", files[0])
    return is_within(time.process_time() - began, RESOLVED_MAX_S)


CASES = [(language, glob) for language in languages() for glob in language.packaging.config_files]


@pytest.mark.parametrize(("language", "glob"), CASES, ids=lambda one: getattr(one, "name", one))
def test_a_bomb_is_left_out(language: Language, glob: str) -> None:
    name, suffix = named(glob), language.suffixes[0]
    for bomb in bombs.of_file(name).values():
        assert is_soon_resolved(language, {name: bomb}, [f"m{suffix}", f"x/y{suffix}"])


@pytest.mark.parametrize(("language", "glob"), CASES, ids=lambda one: getattr(one, "name", one))
def test_a_crowd_costs_as_much_as_it_is_long(language: Language, glob: str) -> None:
    crowd = CROWDS.get(glob, b"")
    assert is_soon_resolved(language, {named(glob): crowd}, [f"m{language.suffixes[0]}"])


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_folders_are_as_deep_as_paths_can_name(language: Language) -> None:
    files = [f"{_DEEP}m{language.suffixes[0]}", f"m{language.suffixes[0]}"]
    assert is_soon_resolved(language, {}, files)


def extends(count: int, each: int) -> dict[str, bytes]:
    """Configurations that each extend the next one, several times."""
    return {
        f"tsconfig{'' if number == 0 else f'.{number:03}'}.json": b'{"extends": [%s], "compilerOptions": {"paths": {}}}'
        % b", ".join([f'"./tsconfig.{number + 1:03}.json"'.encode()] * each)
        for number in range(count)
    }


@pytest.mark.parametrize("configs", [extends(40, 2), extends(1000, 1), extends(1000, 3)], ids=["twice", "long", "both"])
def test_configurations_that_extend_one_another_are_read_once_each(configs: Mapping[str, bytes]) -> None:
    language = next(one for one in languages() if "tsconfig*.json" in one.packaging.config_files)
    assert is_soon_resolved(language, configs, [f"m{language.suffixes[0]}"])


def test_what_a_star_stands_for_does_not_multiply() -> None:
    language = next(one for one in languages() if "package.json" in one.packaging.config_files)
    exports = b'{"name": "x", "exports": {"./*": "%s"}}' % (b"*" * 900_000)
    modules = language.modules(Project(frozenset({"x.ts"}), {"package.json": exports}))
    modules.resolve("x/" + "y" * 1_000_000, "x.ts")
