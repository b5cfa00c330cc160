"""What gemspecs and Gemfiles say in plain words; they are not run.

Source: the RubyGems guides, "Specification reference"; the Bundler documentation, "Gemfile".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from codemap.config.document import Reader
from codemap.languages.manifest import Distributions, Entry, Package, match_first
from codemap.project import Project

MANIFESTS: Mapping[str, Reader | None] = {"*.gemspec": None, "Gemfile": None}
COMMANDS_MAX = 50
_NAME = re.compile(r"""\.name[ \t]*=[ \t]*["']([\w.-]{1,100})["']""")
_SUMMARY = re.compile(r"""\.summary[ \t]*=[ \t]*["']([^"'\n]{1,300})["']""")
_COMMANDS = re.compile(r"""\.executables[ \t]*=[ \t]*(\[[^\]]{0,1000}\]|%w[\[({][^\])}]{0,1000})""")
_ASKED = re.compile(
    r"""^[ \t]{0,40}(?:gem|[a-z]{1,20}\.add_(?:runtime_|development_)?dependency)"""
    r"""[ (][ \t]{0,9}["']([\w.-]{1,100})["']""",
    re.MULTILINE,
)
_ASKED_MAX = 5000
"""Of one file."""
_WORD = re.compile(r"[\w.-]+")


def packages(project: Project) -> Iterator[Package]:
    for path in sorted(path for path in project.configs if path.endswith(".gemspec")):
        source = project.configs[path]
        name = _gem(path, source)
        folder = path.rpartition("/")[0]
        commands = _WORD.findall(match_first(source, _COMMANDS).removeprefix("%w"))
        library = f"{folder}/lib/{name.replace('-', '/')}.rb".removeprefix("/")
        entries = [Entry("command", command, "") for command in commands[:COMMANDS_MAX]]
        entries += [Entry("library", "", library)] if library in project.files else []
        yield Package(name, path, match_first(source, _SUMMARY), tuple(entries))


def published(project: Project) -> Iterator[str]:
    """The first part of what others require of the gems: files and folders in the `lib` beside a gemspec."""
    libraries = {f"{path.rpartition('/')[0]}/lib/".lstrip("/") for path in project.configs if path.endswith(".gemspec")}
    found: dict[str, None] = {}
    for path in sorted(project.files):
        at = f"/{path}".find("/lib/")
        library, inner = path[: at + 4], path[at + 4 :]
        if at >= 0 and library in libraries and path.endswith(".rb"):
            found[inner.partition("/")[0].removesuffix(".rb")] = None
    yield from found


def distributions(project: Project) -> Distributions:
    """The gems that are made here, and those that gemspecs and Gemfiles ask for."""
    made = {_gem(path, source) for path, source in project.configs.items() if path.endswith(".gemspec")}
    files = [source for path, source in project.configs.items() if path.endswith((".gemspec", "Gemfile"))]
    asked = (_ASKED.findall(source.decode("utf-8", "replace"))[:_ASKED_MAX] for source in files)
    return Distributions(frozenset(made), frozenset(name for names in asked for name in names))


def _gem(path: str, source: bytes) -> str:
    return match_first(source, _NAME) or path.rpartition("/")[2].removesuffix(".gemspec")
