"""What a Python that codemap starts goes by: its own folders, and nothing of where or how codemap was started."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from actors.processes.isolation import OWN_PACKAGES, own_folders, python, python_function, without_python

PROBE = """
import json, os, sys
def tell(): print(json.dumps([sys.path, os.getcwd(), sys.argv[1:], sys.dont_write_bytecode, sys.pycache_prefix]))
if __name__ == "__main__": tell()
"""


def run(command: list[str], folder: Path, environment: dict[str, str]) -> list[object]:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    answer: list[object] = json.loads(done.stdout)
    return answer


@pytest.fixture
def hostile(tmp_path: Path) -> dict[str, str]:
    """An environment that leads Python astray, and a folder that does."""
    (tmp_path / "repository").mkdir()
    for name in ("sitecustomize", "usercustomize", "json", "importlib", "encodings"):
        (tmp_path / "repository" / f"{name}.py").write_text("raise SystemExit(17)\n")
    folder = str(tmp_path / "repository")
    return {
        **without_python(os.environ),
        "PYTHONPATH": folder,
        "PYTHONSTARTUP": f"{folder}/json.py",
        "PYTHONUSERBASE": folder,
        "PYTHONHOME": folder,
    }


def test_a_program_of_the_standard_library(tmp_path: Path, hostile: dict[str, str]) -> None:
    (tmp_path / "probe.py").write_text(PROBE)
    path, *rest = run(python(str(tmp_path / "probe.py"), "a", "b"), tmp_path / "repository", hostile)
    assert rest == [str(tmp_path / "repository"), ["a", "b"], False, None]
    assert not [part for part in path if str(part).startswith((str(tmp_path), sys.prefix + "/lib/python3"))]


def test_a_function_of_codemap(tmp_path: Path, hostile: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "installed" / "probing").mkdir(parents=True)
    (tmp_path / "installed" / "probing" / "__init__.py").write_text(PROBE)
    monkeypatch.syspath_prepend(tmp_path / "installed")
    monkeypatch.setattr("actors.processes.isolation.OWN_PACKAGES", ("actors", "probing"))
    monkeypatch.setattr("sys.pycache_prefix", str(tmp_path / "compiled"))
    command = python_function("probing:tell", "a", "b")
    path, *rest = run(command, tmp_path / "repository", hostile)
    assert rest == [str(tmp_path / "repository"), ["a", "b"], sys.dont_write_bytecode, str(tmp_path / "compiled")]
    assert isinstance(path, list)
    assert path[-1] == str(tmp_path / "installed")
    assert not [part for part in path[:-1] if str(part).startswith(str(tmp_path))]


def test_codemap_and_all_that_it_requires_is_found_there() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower() for requirement in project["dependencies"]}
    distributions = {name for package in OWN_PACKAGES for name in packages_distributions().get(package, ())}
    assert wanted <= {name.lower().replace("_", "-") for name in distributions}
    assert all(os.path.isabs(folder) and os.path.isdir(folder) for folder in own_folders(OWN_PACKAGES))
