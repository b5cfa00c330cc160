"""`codemap serve` on a copy of a corpus that may be changed: started, at rest, asked for what is fresh."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.client import Client, connected
from bench.process import CODEMAP, ChildFailed, cpu_s
from bench.start import RETRY_S

FRESH_WAIT_MS = 5000
ASKED_MAX = 10
REST_S = 4.5
"""Without work for so long it is at rest: scores are made anew after a second, the store writes after two."""

REST_CPU_S = 0.05
"""What a server at rest may use meanwhile."""

LATE = "freshWaitMs ran out"


class Served:
    """A server and the root that it serves."""

    def __init__(self, client: Client, root: Path, name: str) -> None:
        """`name` is something to search for."""
        self.client = client
        self.root = root
        self._name = name

    def cpu_s(self) -> float:
        """What the server and all that it started have used so far."""
        return cpu_s(self.client.pid)

    def ask_fresh(self) -> None:
        """Asks until an answer has all edits in it. Raises ChildFailed where none comes."""
        for _ in range(ASKED_MAX):
            result = self.client.call("map_search", query=self._name, freshWaitMs=FRESH_WAIT_MS).result
            envelope = result["structuredContent"]
            if envelope["ok"] and not any(LATE in warning for warning in envelope["warnings"]):
                return
        raise ChildFailed(f"no fresh answer: {envelope}")

    def parsed(self) -> int:
        """How many files were parsed so far."""
        count: int = self.actors()["parserPool"]["parsed"]
        return count

    def actors(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.client.call("map_status", tokenBudget=10_000).result["structuredContent"]
        return found["data"]["actors"]  # type: ignore[no-any-return]

    def wait_rest(self) -> None:
        """Returns when there is nothing more to do."""
        used_s, since = self.cpu_s(), time.perf_counter()
        while time.perf_counter() - since < REST_S:
            time.sleep(0.1)
            now_s = self.cpu_s()
            if now_s - used_s > REST_CPU_S:
                used_s, since = now_s, time.perf_counter()


@contextmanager
def served(sources: Path, name: str, copies: int = 1, command: Sequence[str] = ()) -> Iterator[Served]:
    """A server, at rest, on a git repository with copies of a folder: one as the root, several as folders under it.
    `command` starts another one than `codemap serve`, with the root as its last word."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        for copy in range(copies):
            shutil.copytree(sources, root / f"copy{copy:02}" if copies > 1 else root)
        git(root, "init", "-q", "-b", "main")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "as released")
        usual = (*CODEMAP, "serve", "--store-dir", f"{folder}/store", "--root")
        with connected((*(command or usual), str(root))) as client:
            client.initialize()
            while client.call("map_search", query=name).result["isError"]:
                time.sleep(RETRY_S)
            found = Served(client, root, name)
            found.wait_rest()
            yield found


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *who, *words], check=True, capture_output=True)
