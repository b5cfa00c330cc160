"""Nothing of a repository decides what codemap's own processes import, wherever and however codemap is started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from actors.processes.isolation import OWN_PACKAGES
from tests.system.live import only
from tests.system.process import CODEMAP, DEADLINE_S, environment, serving
from tests.system.test_connect import services

PLANTED = """
with open({witness!r}, "a") as file:
    file.write(__name__ + "\\n")
"""
MODULES = (sys.stdlib_module_names | {*OWN_PACKAGES, "sitecustomize", "usercustomize"}) - {"sys", "builtins"}
HARMLESS = ("types", "enum", "re", "logging", "signal", "string", "token", "select", "struct", "socket")
"""Names of the standard library that a project's own files have."""


class Trap(msgspec.Struct, frozen=True):
    """A repository with a module for each that a Python could want."""

    root: Path
    witness: Path

    def assert_untouched(self) -> None:
        assert not self.witness.exists(), self.witness.read_text()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    found = Trap(tmp_path / "repository", tmp_path / "witness")
    found.root.mkdir()
    (found.root / "a.py").write_text("def greet(name):\n    return name\n")
    for name in MODULES:
        (found.root / f"{name}.py").write_text(PLANTED.format(witness=str(found.witness)))
    (found.root / "planted.pth").write_text("import antigravity\n")
    return found


def greeted(command: Sequence[str], folder: Path, **extra: str) -> dict[str, Any]:
    """What a search for the function of the repository answers; it must be found."""
    done = subprocess.run(
        [*command, "search", "greet", "--json"],
        cwd=folder,
        env=environment(**extra),
        capture_output=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    answer: dict[str, Any] = json.loads(done.stdout)
    assert [found["id"] for found in answer["data"]["results"]] == ["py:a.py#greet"]
    return answer


def test_a_command_in_the_repository_imports_nothing_of_it(trap: Trap) -> None:
    assert greeted([CODEMAP], trap.root)["warnings"] == []
    trap.assert_untouched()


def test_files_that_are_called_like_modules_are_files_like_any_others(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import types\n\n\ndef greet(name):\n    return types.own()\n")
    for name in HARMLESS:
        (tmp_path / f"{name}.py").write_text("def own():\n    return 1\n")
    greeted([CODEMAP], tmp_path)


@pytest.fixture
def late_trap(trap: Trap) -> Trap:
    """Without what is imported before codemap begins, by Python and by pip's launcher (`re`), and codemap's own."""
    told = [sys.executable, "-I", "-c", "import re, sys; print(*{name.partition('.')[0] for name in sys.modules})"]
    done = subprocess.run(told, capture_output=True, check=True, text=True)
    for name in {*done.stdout.split(), "sitecustomize", "usercustomize", "actors", "codemap"} & MODULES:
        (trap.root / f"{name}.py").unlink()
    return trap


def test_a_python_path_that_leads_into_the_repository_counts_for_nothing(late_trap: Trap) -> None:
    begin = "import sys; from actors.entry import main; sys.exit(main())"
    greeted([sys.executable, "-P", "-c", begin], late_trap.root, PYTHONPATH=str(late_trap.root))
    late_trap.assert_untouched()


def assert_isolated(family: list[psutil.Process], root: Path) -> None:
    """Each Python among them runs by itself, somewhere else."""
    pythons = [process for process in family if Path(process.exe()).name.startswith("python")]
    assert pythons
    for process in pythons:
        assert process.cmdline()[1] == "-I", process.cmdline()
        assert not Path(process.cwd()).is_relative_to(root), process.cmdline()


async def test_a_conversation_in_the_repository_imports_nothing_of_it(trap: Trap) -> None:
    extra = {"CODEMAP_SERVER_PROGRAMS": ",".join(only("ty"))}
    async with serving(trap.root, "--workers", "2", extra=extra, folder=trap.root, is_forked=False) as server:
        await server.initialize()
        assert (await server.call("map_search", query="greet"))["data"]["total"] == 1
        assert (await server.call("nav_definition", file="a.py", line=1, col=5))["ok"]
        _, *started = server.family()
        assert len(started) >= 2, "a worker, and what ends language servers"
        assert_isolated(started, trap.root)
    trap.assert_untouched()


@pytest.fixture
def shared() -> Iterator[dict[str, str]]:
    """An environment in which a service is shared, and ended in the end."""
    with tempfile.TemporaryDirectory() as folder:
        yield {"CODEMAP_SHARE": "on", "XDG_RUNTIME_DIR": folder, "CODEMAP_LINGER_S": "600"}
        for process in services(folder):
            process.kill()


async def test_a_service_apart_imports_nothing_of_it(late_trap: Trap, shared: dict[str, str]) -> None:
    trap, extra = late_trap, shared | {"PYTHONPATH": os.pathsep.join((".", str(late_trap.root)))}
    async with serving(trap.root, extra=extra, command="connect", folder=trap.root, is_forked=False) as server:
        await server.initialize()
        assert (await server.call("map_search", query="greet"))["data"]["total"] == 1
        (service,) = services(shared["XDG_RUNTIME_DIR"])
        assert_isolated([service, *service.children(recursive=True)], trap.root)
    trap.assert_untouched()
