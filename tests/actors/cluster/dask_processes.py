"""A Dask cluster of real processes on this machine: started, killed one by one, and ended with the context."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]

PROGRAM = """
import sys
from actors.processes.parent_death import die_with
die_with(int(sys.argv.pop(1)))
from dask.__main__ import main
main()
"""
"""`dask`, which ends with the tests however they end."""

START_MAX_S = 120.0
"""A busy machine takes its time."""


class DaskCluster:
    """A scheduler and workers of one thread each."""

    def __init__(self, folder: Path, tls: Mapping[str, Path], stack: ExitStack) -> None:
        """`tls` has the files `ca`, `cert` and `key`; empty: no encryption."""
        self._folder = folder
        self._stack = stack
        protocol = "tls" if tls else "tcp"
        self._tls = [f"--tls-{name}={path}" for name, path in _options(tls).items()]
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            *("scheduler", "--host=127.0.0.1", "--port=0", f"--protocol={protocol}", "--no-dashboard"),
            *("--dashboard-address=127.0.0.1:0", f"--scheduler-file={file}", *self._tls),
        )
        self._address = _wait_for_address(file, self.scheduler)

    @property
    def address(self) -> str:
        """The address for `--workers`."""
        return self._address.replace("tcp://", "dask://")

    def add_worker(self) -> None:
        """Starts a worker."""
        worker = self._start(
            *("worker", self._address, "--nthreads=1", "--no-nanny", "--no-dashboard", "--host=127.0.0.1"),
            *("--dashboard-address=127.0.0.1:0", f"--local-directory={self._folder}", *self._tls),
        )
        self.workers.append(worker)

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        own = {"PYTHONPATH": str(ROOT)}
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(os.getpid()), *words],
                cwd=self._folder,
                env={**os.environ, **own},
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self._stack.callback(end, process)
        return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills a process, also one that is stopped, and waits until it is gone."""
    process.send_signal(signal.SIGKILL)
    process.wait()


def _options(tls: Mapping[str, Path]) -> dict[str, Path]:
    return {"ca-file": tls["ca"], "cert": tls["cert"], "key": tls["key"]} if tls else {}


def _wait_for_workers(log: Path, count: int) -> None:
    until = time.monotonic() + START_MAX_S
    while log.read_bytes().count(b"Register worker") < count:
        assert time.monotonic() < until, "the workers do not start"
        time.sleep(0.02)


def _wait_for_address(file: Path, scheduler: subprocess.Popen[bytes]) -> str:
    until = time.monotonic() + START_MAX_S
    while time.monotonic() < until and scheduler.poll() is None:
        if file.exists() and file.stat().st_size:
            address: str = json.loads(file.read_text())["address"]
            return address
        time.sleep(0.02)
    raise AssertionError("the scheduler does not start")


@contextmanager
def dask_cluster(folder: Path, workers: int = 1, tls: Mapping[str, Path] | None = None) -> Iterator[DaskCluster]:
    """Runs a cluster whose workers have registered."""
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        cluster = DaskCluster(folder, tls or {}, stack)
        for _ in range(workers):
            cluster.add_worker()
        _wait_for_workers(folder / "log", workers)
        yield cluster
