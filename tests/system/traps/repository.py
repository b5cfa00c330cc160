"""The repository of traps: sources that every command finds something in, between files that tell when they are run."""

from __future__ import annotations

from pathlib import Path

from tests.system.traps.git_traps import plant_git, plant_posing, plant_tracked
from tests.system.traps.modules import plant_modules, plant_python_environments
from tests.system.traps.planted import Mark
from tests.system.traps.programs import plant_programs
from tests.system.traps.tools import plant_tools

GREETING = """\
class Greeter:
    def greet(self) -> int:
        return 1


def greeting_of(greeter: Greeter) -> int:
    return greeter.greet()
"""
USER = """\
from greetings import Greeter, greeting_of


class LoudGreeter(Greeter):
    def greet(self) -> int:
        return 2


def everybody() -> int:
    return greeting_of(LoudGreeter()) + greeting_of(Greeter())
"""
SCRIPT = (
    "export function hello(): number { return 1; }\nexport function twice(): number { return hello() + hello(); }\n"
)

SUBFOLDER = "posing/below"
"""A root inside the repository: its modules are packages, and the folder around it poses as a bare repository."""


def plant(folder: Path) -> Mark:
    """The repository in a new folder. What its traps write stands beside it."""
    mark = Mark(folder / "sprung.txt", folder / "root")
    for within in ("", f"{SUBFOLDER}/"):
        mark.write(f"{within}greetings.py", GREETING)
        mark.write(f"{within}everybody.py", USER)
    mark.write("web/hello.ts", SCRIPT)
    plant_modules(mark)
    plant_modules(mark, SUBFOLDER, as_packages=True)
    plant_posing(mark, f"{SUBFOLDER}/.venv")
    plant_python_environments(mark)
    plant_programs(mark)
    for name in ("ty", "git", "python3"):
        mark.program(f"{SUBFOLDER}/.venv/bin/{name}")
    plant_tools(mark)
    plant_tracked(mark)
    plant_git(mark)
    return mark
