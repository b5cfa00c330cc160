"""What pyproject.toml, setup.cfg and setup.py say of their packages: name, summary, console scripts.

A setup.py is not run: what it states in plain words is read.

Source: PyPA specifications, "pyproject.toml" and "Entry points"; the setuptools user guide; the Poetry documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from codemap.config import toml
from codemap.config.document import Reader, Unreadable, find_table, find_text
from codemap.languages.manifest import Entry, Package, match_first
from codemap.languages.python.project.roots import project_roots
from codemap.project import Project

MANIFESTS: Mapping[str, Reader | None] = {"pyproject.toml": toml.read, "setup.cfg": None, "setup.py": None}
SCRIPTS_MAX = 50
_SCRIPTS = ("scripts", "gui-scripts")
_TARGET = re.compile(r"""["']?([\w.-]{1,80})["']?[ \t]*=[ \t]*([\w.]{1,200}):([\w.]{1,200})""")
_ENTRY_POINTS = re.compile(
    r"(?:console_scripts|gui_scripts)[^\]\[]*?(?:\[(?P<list>[^\]]*)\]|=[ \t]*\n(?P<lines>(?:[ \t]+[^\n]*\n?)*))"
)
_NAME = re.compile(r"(?m)^name[ \t]*=[ \t]*([\w.-]{1,100})")
_SUMMARY = re.compile(r"(?m)^description[ \t]*=[ \t]*([^\n]{3,300})")
_CODE_NAME = re.compile(r"""(?im)^[ \t]*name[ \t]*=[ \t]*["']([\w.-]{1,100})["']""")
_CODE_SUMMARY = re.compile(r"""(?m)^[ \t]*description[ \t]*=[ \t]*["']([^"'\n]{3,300})["']""")


def packages(project: Project) -> Iterator[Package]:
    """The packages of the repository; of one folder, what the first of its manifests says and the others add."""
    folders: dict[str, list[str]] = {}
    for name in MANIFESTS:
        for path in sorted(path for path in project.configs if path.rpartition("/")[2] == name):
            folders.setdefault(path.rpartition("/")[0], []).append(path)
    known_roots = project_roots(project)
    for folder, manifests in sorted(folders.items()):
        read = [_read(project.configs[path], path.rpartition("/")[2]) for path in manifests]
        name = next((one[0] for one in read if one[0]), "")
        if not name:
            continue
        about = next((one[1] for one in read if one[1]), "")
        scripts = {script: target for one in reversed(read) for script, target in one[2].items()}
        roots = known_roots.get(folder, (folder,))
        entries = [
            _command(project, roots, script, *target) for script, target in sorted(scripts.items())[:SCRIPTS_MAX]
        ]
        library = _file(project, roots, name.replace("-", "_")) or _file(project, roots, name.lower().replace("-", "_"))
        entries += [Entry("library", "", library)] if library else []
        yield Package(name, manifests[0], about, tuple(entries))


_Said = tuple[str, str, dict[str, tuple[str, str]]]
"""Name, summary, and scripts with the module and the name in it that each runs."""


def _read(source: bytes, name: str) -> _Said:
    if name == "pyproject.toml":
        said = toml.read(source)
        if isinstance(said, Unreadable):
            return "", "", {}
        tables = [find_table(said, "project"), find_table(said, "tool", "poetry")]
        scripts = {}
        for table in tables:
            for kind in _SCRIPTS:
                for script, target in find_table(table, kind).items():
                    module, _, inner = str(target).partition(":")
                    scripts[script] = (module, inner)
        return (
            next((text for table in tables if (text := find_text(table, "name"))), ""),
            next((text for table in tables if (text := find_text(table, "description"))), ""),
            scripts,
        )
    text = source.decode("utf-8", "replace")
    scripts = {}
    if points := _ENTRY_POINTS.search(text):
        lines = points["list"] if points["list"] is not None else points["lines"]
        scripts = {script: (module, inner) for script, module, inner in _TARGET.findall(lines or "")}
    if name == "setup.py":
        return match_first(source, _CODE_NAME), match_first(source, _CODE_SUMMARY), scripts
    return match_first(source, _NAME), match_first(source, _SUMMARY), scripts


def _command(project: Project, roots: tuple[str, ...], script: str, module: str, inner: str) -> Entry:
    return Entry("command", script, _file(project, roots, module.replace(".", "/")), inner.strip())


def _file(project: Project, roots: tuple[str, ...], path: str) -> str:
    """The file of a module, by its path without suffix; empty where no root has it."""
    for root in roots:
        whole = f"{root}/{path}" if root else path
        for ending in (".py", "/__init__.py"):
            if whole + ending in project.files:
                return whole + ending
    return ""
