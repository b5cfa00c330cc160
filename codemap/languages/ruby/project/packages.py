"""What gemspecs say in plain words; they are not run.

Source: the RubyGems guides, "Specification reference".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from codemap.config.document import Reader
from codemap.languages.manifest import Entry, Package, match_first
from codemap.languages.project import Project

MANIFESTS: Mapping[str, Reader | None] = {"*.gemspec": None}
COMMANDS_MAX = 50
_NAME = re.compile(r"""\.name[ \t]*=[ \t]*["']([\w.-]{1,100})["']""")
_SUMMARY = re.compile(r"""\.summary[ \t]*=[ \t]*["']([^"'\n]{1,300})["']""")
_COMMANDS = re.compile(r"""\.executables[ \t]*=[ \t]*(\[[^\]]{0,1000}\]|%w[\[({][^\])}]{0,1000})""")
_WORD = re.compile(r"[\w.-]+")


def packages(project: Project) -> Iterator[Package]:
    for path in sorted(path for path in project.configs if path.endswith(".gemspec")):
        source = project.configs[path]
        own = path.rpartition("/")[2].removesuffix(".gemspec")
        name = match_first(source, _NAME) or own
        folder = path.rpartition("/")[0]
        commands = _WORD.findall(match_first(source, _COMMANDS).removeprefix("%w"))
        library = f"{folder}/lib/{name.replace('-', '/')}.rb".removeprefix("/")
        entries = [Entry("command", command, "") for command in commands[:COMMANDS_MAX]]
        entries += [Entry("library", "", library)] if library in project.files else []
        yield Package(name, path, match_first(source, _SUMMARY), tuple(entries))
