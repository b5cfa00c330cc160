"""Traps in place of Python modules: whatever codemap, its workers or a language server may import by name.

A module's file in the working folder, or in a folder of `PYTHONPATH`, comes before the standard library.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import packages_distributions

from tests.system.traps.planted import Mark

AT_START = ("sitecustomize", "usercustomize", "site", "conftest", "setup", "noxfile", "tasks", "__main__", "__init__")
"""What Python, and those who build and test, load without being asked to."""
OWN = ("codemap", "actors")
NEWER = ("_colorize", "_opcode_metadata", "_pyrepl", "annotationlib", "compression", "pathlib._os")
"""Modules of the standard library after the Python of the tests."""
LIKELY_FOLDERS = ("src", "lib", "app", "scripts", ".venv/lib/python3.11/site-packages", "site-packages", "python")
"""Where a program looks that thinks it knows what a repository looks like."""


@cache
def names() -> list[str]:
    """The names of the modules, the first part of each."""
    known = {*AT_START, *OWN, *NEWER, *sys.stdlib_module_names, *packages_distributions()}
    return sorted(name for name in known if name.isidentifier())


def plant_modules(mark: Mark, folder: str = "", *, as_packages: bool = False) -> None:
    """One for each name, as a file or as a package."""
    before = f"{folder}/" if folder else ""
    for name in names():
        mark.module(f"{before}{name}/__init__.py" if as_packages else f"{before}{name}.py")


def plant_python_environments(mark: Mark) -> None:
    """What a Python environment runs at its start, and what a build would run."""
    for folder in LIKELY_FOLDERS:
        for name in ("sitecustomize", "usercustomize", "multiprocessing", "typing_extensions"):
            mark.module(f"{folder}/{name}.py")
        mark.write(f"{folder}/evil.pth", f'import os; open({str(mark.file)!r}, "a").write("pth {folder}\\n")\n')
    mark.write(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\ninclude-system-site-packages = true\n")
    mark.write("evil.pth", f'import os; open({str(mark.file)!r}, "a").write("pth of the root\\n")\n')
    mark.write(".pythonrc", f'open({str(mark.file)!r}, "a").write("PYTHONSTARTUP\\n")\n')
    mark.module("build_hook/hook.py")
    mark.write(
        "pyproject.toml",
        '[build-system]\nrequires = []\nbuild-backend = "hook"\nbackend-path = ["build_hook"]\n'
        '[project]\nname = "traps"\nversion = "1"\n[tool.hatch.build.hooks.custom]\npath = "build_hook/hook.py"\n'
        '[tool.pytest.ini_options]\naddopts = "-p multiprocessing"\n[tool.mypy]\nplugins = ["build_hook/hook.py"]\n'
        '[tool.ty.environment]\npython = ".venv"\n[tool.pyright]\nvenvPath = "."\nvenv = ".venv"\n',
    )
    mark.write("ty.toml", '[environment]\npython = ".venv"\nextra-paths = ["."]\n')
    mark.write("pyrightconfig.json", '{"venvPath": ".", "venv": ".venv", "pythonPath": ".venv/bin/python"}\n')
    mark.write("setup.cfg", "[options]\npackages = find:\n[options.entry_points]\nconsole_scripts = x = setup:main\n")
    mark.write("tox.ini", "[testenv]\ncommands = python setup.py\n")
