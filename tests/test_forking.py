"""Tests in forked processes: each ends as it does in one, and what it leaves behind is its process's own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFTEST = """
import os

import pytest

from tests.forking import Forks


def pytest_configure(config):
    config.pluginmanager.register(Forks(config, 2))


@pytest.fixture(scope="session")
def own():
    with open("began.txt", "a") as file:
        file.write(f"{os.getpid()}\\n")
    yield os.getpid()
    with open("ended.txt", "a") as file:
        file.write(f"{os.getpid()}\\n")
"""
GOOD = """
import os


def test_one(own):
    assert own == os.getpid()


def test_two(own, tmp_path):
    assert own == os.getpid()
    assert tmp_path.parent.name.startswith("process-")
"""
BAD = """
import os
import sys

import pytest


@pytest.fixture
def spoilt():
    yield
    raise ValueError("spoilt")


def test_before():
    pass


def test_that_ends_its_process():
    os._exit(7)


def test_that_fails():
    print("said on stdout")
    sys.stderr.write("said on stderr\\n")
    assert 1 == 2


def test_whose_fixture_fails(spoilt):
    pass
"""


def run(folder: Path, *words: str) -> str:
    """What pytest prints about the tests of a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--basetemp", str(folder / "base"), *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.stdout


def test_every_test_ends_as_in_one_process(tmp_path: Path) -> None:
    files = {"conftest.py": CONFTEST, **dict.fromkeys(("test_a.py", "test_b.py", "test_c.py"), GOOD), "test_d.py": BAD}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    said = run(tmp_path)
    assert re.search(r"^=+ 2 failed, 8 passed, 1 error in ", said, re.MULTILINE), said
    for line in ("its process ended with exit code 7", "said on stdout", "said on stderr", "ValueError: spoilt"):
        assert line in said
    began, ended = ((tmp_path / name).read_text(encoding="utf-8").split() for name in ("began.txt", "ended.txt"))
    assert len(set(began)) == len(began) <= 3, "each process makes what its tests share once"
    assert set(ended) <= set(began)
    assert ended, "and takes it down"


def test_the_first_failure_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    for name in ("test_a.py", "test_b.py", "test_c.py", "test_d.py"):
        (tmp_path / name).write_text("def test_that_fails():\n    assert False\n\n\ndef test_after():\n    pass\n")
    said = run(tmp_path, "-x")
    assert "stopping after" in said
    assert "passed" not in said
