"""A peer that can be run here: codegraph, a code graph that agents ask by one tool, and people by commands.

It writes into the repository, so it is given a copy. It sends nothing: telemetry is off.

Source: the README of codegraph 1.6.1, "CLI Reference", "Telemetry".
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench.corpora import CACHE
from bench.process import ChildFailed

PACKAGE, VERSION = "@colbymchenry/codegraph", "1.6.1"
TIMEOUT_S = 600


class Codegraph:
    """The peer in a copy of one repository; see `codegraph`."""

    def __init__(self, program: Path, root: Path, home: Path) -> None:
        self.root = root
        self._program = program
        off = {"CODEGRAPH_TELEMETRY": "0", "DO_NOT_TRACK": "1", "CODEGRAPH_NO_DAEMON": "1"}
        self._environment = {**os.environ, **off, "HOME": str(home)}

    def run(self, *words: str) -> str:
        """What a command prints on stdout. Raises ChildFailed."""
        done = subprocess.run(
            (str(self._program), *words),
            cwd=self.root,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_S,
        )
        if done.returncode:
            raise ChildFailed(f"codegraph {' '.join(words)}: {done.stderr.decode('utf-8', 'replace')[-500:]}")
        return done.stdout.decode("utf-8", "replace")

    def ranked(self, question: str, most: int) -> list[tuple[str, str]]:
        """(path, dotted qualified name) of the symbols that its search finds, the best first. Raises ChildFailed."""
        text = self.run("query", question, "--json", "--limit", str(most))
        found: list[dict[str, Any]] = msgspec.json.decode(text) if text.strip() else []
        nodes = [one["node"] for one in found]
        return [(node["filePath"], node["qualifiedName"].replace("::", ".")) for node in nodes]


@contextmanager
def codegraph(root: Path) -> Iterator[Codegraph]:
    """The peer with its index of a copy of a repository. Raises ChildFailed."""
    program = _program()
    with tempfile.TemporaryDirectory() as folder:
        copy, home = Path(folder) / "copy", Path(folder) / "home"
        home.mkdir()
        shutil.copytree(root, copy, symlinks=True)
        peer = Codegraph(program, copy, home)
        peer.run("init", ".")
        yield peer


def _program() -> Path:
    """The installed program. Raises ChildFailed with npm's words when it cannot be installed."""
    folder = CACHE / f"codegraph-{VERSION}"
    program = folder / "node_modules" / ".bin" / "codegraph"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder))
        done = subprocess.run((*command, f"{PACKAGE}@{VERSION}"), capture_output=True, text=True, check=False)
        if done.returncode:
            raise ChildFailed(f"{' '.join(command)}: {done.stderr}")
    return program
