"""vitest, jest, mocha or Node's own runner, as package.json has it. Tests are functions without names, so that what
can be selected is their file. Source: the command lines of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import join

from codemap.config.jsonc import read
from codemap.languages.runner import Selected, TestRunner

_RUNNERS = {
    "vitest": ("npx", "vitest", "run"),
    "jest": ("npx", "jest"),
    "mocha": ("npx", "mocha"),
    "ava": ("npx", "ava"),
    "tap": ("npx", "tap"),
}
_NODE = ("node", "--test")
_TEST = re.compile(r"[._-](?:test|spec)s?\.[cm]?[jt]sx?\Z|(?:\A|/)(?:tests?|specs?|__tests__)/.*\.[cm]?[jt]sx?\Z")


def _select(file: str, _name: str) -> str | None:
    return "" if _TEST.search(file) else None


def _command(selected: Selected, configs: Mapping[str, bytes]) -> str:
    return join((*_runner(next(iter(selected), "package.json"), configs), *selected))


def _runner(file: str, configs: Mapping[str, bytes]) -> tuple[str, ...]:
    """What the nearest package.json that names a runner has."""
    folder = file
    while folder:
        folder = folder.rpartition("/")[0]
        stated = configs.get(f"{folder}/package.json" if folder else "package.json")
        manifest = None if stated is None else read(stated)
        if isinstance(manifest, dict):
            known = [manifest.get(name) for name in ("devDependencies", "dependencies")]
            names = {name for one in known if isinstance(one, dict) for name in one}
            for name, words in _RUNNERS.items():
                if name in names:
                    return words
    return _NODE


RUNNER = TestRunner(
    "vitest, jest, mocha or node",
    _select,
    "",
    _command,
    case_files=r"[._-](?:test|spec)s?\.[cm]?[jt]sx?\Z",
)
