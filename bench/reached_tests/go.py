"""Runs each test of a Go module by itself, with counted coverage of all of its packages.

What runs while the packages are initialized is run by a test binary without any test, too, and does not count. Of a
function that is inlined or empty nothing is seen: coverage counts blocks of statements.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.reached_tests.observed import Observed

_TEST = re.compile(r"^func ((?:Test|Example|Fuzz)(?![a-z])\w*)\(", re.MULTILINE)
_BLOCK = re.compile(r"(.+):(\d+)\.\d+,\d+\.\d+ \d+ (\d+)\Z")
TEST_S = 120


def observed(root: Path, go: str) -> Observed:
    """A line of each block of statements that each test ran."""
    listed = _run([go, "list", "-f", "{{.Dir}} {{.ImportPath}}", "./..."], root)
    packages = dict(line.split(" ", 1) for line in listed.splitlines())
    prefixes = {imported: os.path.relpath(folder, root) for folder, imported in packages.items()}
    found: dict[str, list[tuple[str, int]]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for folder in map(Path, packages):
            tests = dict(_tests_in(folder))
            binary = Path(scratch) / "tests"
            binary.unlink(missing_ok=True)
            if tests:
                words = [go, "test", "-c", "-covermode=count", "-coverpkg=./...", "-o", str(binary), str(folder)]
                _run(words, root)
            if not binary.exists():
                continue
            before = _counts(binary, folder, "^$", Path(scratch))
            for test, file in tests.items():
                ran = _counts(binary, folder, f"^{test}$", Path(scratch)) - before
                places = ((f"{prefixes[imported]}/{name}", line) for imported, name, line in ran)
                found[f"{(file.relative_to(root)).as_posix()}::{test}"] = [
                    (os.path.normpath(path), line) for path, line in places
                ]
    return found


def _tests_in(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.glob("*_test.go")):
        for test in _TEST.findall(file.read_text("utf-8", "replace")):
            yield test, file


def _counts(binary: Path, folder: Path, pattern: str, scratch: Path) -> Counter[tuple[str, str, int]]:
    """How often each block ran: (package, file, first line)."""
    out = scratch / "coverage.out"
    out.unlink(missing_ok=True)
    words = [str(binary), f"-test.run={pattern}", f"-test.coverprofile={out}", f"-test.timeout={TEST_S}s"]
    subprocess.run(words, cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found: Counter[tuple[str, str, int]] = Counter()
    for line in out.read_text("utf-8").splitlines() if out.exists() else ():
        block = _BLOCK.match(line)
        if block is not None and int(block[3]):
            imported, _, name = block[1].rpartition("/")
            found[imported, name, int(block[2])] += int(block[3])
    return found


def _run(words: list[str], root: Path) -> str:
    done = subprocess.run(words, cwd=root, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout
