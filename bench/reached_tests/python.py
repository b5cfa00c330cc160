"""Runs pytest with a profile function that notes which functions of the checkout each test runs, its fixtures included.

Cases of one parametrized test are one test.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bench.reached_tests.observed import Observed

PLUGIN = """
import json, os, sys
import pytest

ROOT, OUT = os.environ["BENCH_ROOT"] + os.sep, os.environ["BENCH_OUT"]
seen, ran = {}, set()


def note(frame, event, _arg):
    if event == "call":
        code = frame.f_code
        if code.co_filename.startswith(ROOT):
            ran.add((code.co_filename[len(ROOT):], code.co_firstlineno))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    ran.clear()
    sys.setprofile(note)
    yield
    sys.setprofile(None)
    seen.setdefault(item.nodeid.partition("[")[0], set()).update(ran)


def pytest_sessionfinish():
    with open(OUT, "w") as out:
        json.dump({test: sorted(places) for test, places in seen.items()}, out)
"""


def observed(root: Path, python: str) -> Observed:
    """The first lines of the functions that each test ran."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bench_plugin.py").write_text(PLUGIN, encoding="utf-8")
        out = Path(folder) / "ran.json"
        paths = [folder, *(str(root / name) for name in ("src", ".") if (root / name).is_dir())]
        variables = {"PYTHONPATH": os.pathsep.join(paths), "BENCH_ROOT": str(root), "BENCH_OUT": str(out)}
        words = [python, "-m", "pytest", "-q", "-p", "bench_plugin", "-p", "no:cacheprovider", "--maxfail=1000"]
        words.append("--continue-on-collection-errors")  # a module may need what is not installed
        subprocess.run(words, cwd=root, env={**os.environ, **variables}, check=False, stdout=subprocess.DEVNULL)
        found: dict[str, list[tuple[str, int]]] = json.loads(out.read_text(encoding="utf-8"))
    return {test: [(file, line) for file, line in places] for test, places in found.items()}
