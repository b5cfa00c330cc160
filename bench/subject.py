"""A corpus that is ready to be measured: fetched, listed, counted, and in the page cache."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench.cold import Cold
from bench.corpora import PROJECT, Corpus, fetch
from bench.process import INSTALLED, ChildFailed, environment, run
from bench.report import Counts
from bench.stages import Stages


class Subject(msgspec.Struct, frozen=True):
    corpus: Corpus
    root: Path
    paths: tuple[str, ...]
    """Every file in the map, relative to the root."""
    counts: Counts

    @property
    def stdin(self) -> bytes:
        """The paths as `bench.stages` reads them."""
        return "\n".join(self.paths).encode()


def prepare(corpus: Corpus, root: Path | None = None) -> Subject:
    """Builds the map twice, for the files in it and for its counts. `root`: of a part of the corpus, as a copy."""
    root = root or fetch(corpus)
    with cold_service(root) as (_, cold):
        paths = cold.paths
    return Subject(corpus, root, paths, count(root, paths))


def count(root: Path, paths: tuple[str, ...]) -> Counts:
    """What `codemap index` says that it did."""
    data: Mapping[str, Any] = msgspec.json.decode(run(index_command(root)).output)["data"]
    source_bytes = sum((root / path).stat().st_size for path in paths)
    return Counts(data["files"], source_bytes, data["symbols"], data["edges"], data["coverage"]["parsed"])


def index_command(root: Path) -> tuple[str, ...]:
    return (*INSTALLED, "index", "--root", str(root), "--json", "--token-budget", "10000")


def limit_s(subject: Subject) -> float:
    """One round of the limit: CPU seconds that parsing the files takes."""
    return _stages(subject, "parse").parse_s


def stages_of(subject: Subject) -> Stages:
    """One round of parsing, extracting and building in one process."""
    return _stages(subject)


@contextmanager
def cold_service(root: Path) -> Iterator[tuple[int, Cold]]:
    """A service that has just built its first map: its process, and what it tells. Raises ChildFailed."""
    with tempfile.TemporaryDirectory() as cache:
        child = subprocess.Popen(
            (sys.executable, "-m", "bench.cold", str(root)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=PROJECT,
            env=environment(Path(cache)),
        )
        with child:
            assert child.stdout is not None
            line = child.stdout.readline()
            if not line:
                raise ChildFailed(f"no map of {root}")
            yield child.pid, msgspec.json.decode(line, type=Cold)


def _stages(subject: Subject, *until: str) -> Stages:
    bill = run((sys.executable, "-m", "bench.stages", str(subject.root), *until), subject.stdin)
    return msgspec.json.decode(bill.output, type=Stages)
