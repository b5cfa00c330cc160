"""What the builds of CMake, Meson and Autoconf call their projects, and the programs that CMake builds.

Source: the CMake manual, `project` and `add_executable`; the Meson reference, `project`; the Autoconf manual, AC_INIT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from codemap.config.document import Reader
from codemap.languages.manifest import Package, match_first
from codemap.project import Project

MANIFESTS: Mapping[str, Reader | None] = {"CMakeLists.txt": None, "meson.build": None, "configure.ac": None}
_NAMES = {
    "CMakeLists.txt": re.compile(r"(?im)^[ \t]*project[ \t]*\(\s{0,9}([\w.+-]{1,100})"),
    "meson.build": re.compile(r"(?m)^project[ \t]*\(\s{0,9}'([^'\n]{1,100})'"),
    "configure.ac": re.compile(r"AC_INIT\(\s{0,9}\[?([\w.+ -]{1,100})"),
}
_ABOUT = re.compile(r"""DESCRIPTION\s{1,99}"([^"\n]{3,300})\"""")


def packages(project: Project) -> Iterator[Package]:
    """The projects that state their name; of one folder, the first by the name of its file."""
    seen = set[str]()
    for path in sorted(path for path in project.configs if path.rpartition("/")[2] in MANIFESTS):
        folder, _, base = path.rpartition("/")
        name = match_first(project.configs[path], _NAMES[base])
        if name and folder not in seen:
            seen.add(folder)
            yield Package(name, path, match_first(project.configs[path], _ABOUT) if base == "CMakeLists.txt" else "")
