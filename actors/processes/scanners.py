"""Runs security and lint tools: how each is found and started, as data.

Rules of the file:
- A tool is taken from the search path, never from the root, and gets an environment that leads nowhere into it.
- It runs with codemap's configuration alone: that of the repository could have it run code, or look away.
- It works in a folder of its own that is gone afterwards, writes its report on stdout, and changes no file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, PIPE
from types import MappingProxyType

import msgspec
import trio

from actors.files.paths import passes_through
from actors.processes.environment import outside

RUN_MAX_S = 25.0
"""Time limit of a run: less than a call has for its questions."""
STDERR_MAX_CHARS = 300
PORTS = Path(__file__).parent
_CHUNK_BYTES = 1 << 16


class Scanner(msgspec.Struct, frozen=True):
    words: tuple[str, ...]
    """Words of the command line, before the folder to scan."""
    hint: str
    """How to install it."""
    port: str = ""
    """A script of ours for Node that runs it, where its own command line reads what the repository configures."""


SCANNERS: Mapping[str, Scanner] = MappingProxyType(
    {
        "ruff": Scanner(
            (
                *("check", "--isolated", "--select", "S", "--output-format", "sarif", "--no-cache", "--no-fix"),
                *("--exit-zero", "--quiet", "--"),
            ),
            "pip install ruff",
        ),
        "bandit": Scanner(
            ("--ini", os.devnull, "--format", "sarif", "--exit-zero", "--quiet", "--recursive"),
            "pip install 'bandit[sarif]'",
        ),
        "eslint": Scanner((), "npm install --global eslint eslint-plugin-security", "eslint_port.cjs"),
    }
)


class CannotScan(Exception):
    """Raised when a tool gave no report; the message says why, as a clause."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


async def scan(root: str, environment: Mapping[str, str], program: str, max_bytes: int) -> bytes:
    """Runs a tool on a root (a real path) and returns its report. Raises CannotScan. When cancelled, the tool is
    killed."""
    scanner = SCANNERS[program]
    clean = await trio.to_thread.run_sync(outside, root, environment)
    found = await trio.to_thread.run_sync(find_scanner, root, clean, program)
    if found is None:
        raise CannotScan(f"{program} is not installed outside of the repository", f"`{scanner.hint}`")
    command = [found, *scanner.words, root]
    if scanner.port:
        node = await trio.to_thread.run_sync(find_scanner, root, clean, "node")
        if node is None:
            raise CannotScan(f"node, which {program} needs, is not installed outside of the repository")
        command = [node, str(PORTS / scanner.port), *command]
    with tempfile.TemporaryDirectory(prefix="codemap-") as folder:
        with trio.move_on_after(RUN_MAX_S) as scope:
            report, errors, code = await _run(command, folder, clean, max_bytes)
        if scope.cancelled_caught:
            raise CannotScan(f"{program} was not done in {RUN_MAX_S:g} s")
    if report is None:
        raise CannotScan(f"the report of {program} is larger than {max_bytes // 1_000_000} MB")
    if not report.strip():
        raise CannotScan(f"{program} ended with {code}: {errors or 'it printed nothing'}", f"`{scanner.hint}`")
    return report


def find_scanner(root: str, environment: Mapping[str, str], program: str) -> str | None:
    """Finds a program by the search path; None for one that lies in the root or is reached through it."""
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        found = shutil.which(program, path=folder) if folder else None
        if found is not None and not passes_through(root, found):
            return found
    return None


async def _run(
    command: list[str], folder: str, environment: Mapping[str, str], max_bytes: int
) -> tuple[bytes | None, str, int]:
    """Runs a command: its output (None where that is too much), its stderr, and its exit code."""
    private = {**environment, "TMPDIR": folder, "XDG_CACHE_HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    printed, complaint = bytearray(), bytearray()
    async with trio.open_nursery() as nursery:
        start = partial(
            trio.run_process,
            *(command,),
            cwd=folder,
            env=private,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            check=False,
        )
        process: trio.Process = await nursery.start(start)
        assert process.stdout is not None, "asked for"
        assert process.stderr is not None, "asked for"
        nursery.start_soon(_drain, process.stderr, complaint, STDERR_MAX_CHARS)
        await _drain(process.stdout, printed, max_bytes + 1)
        if len(printed) > max_bytes:
            nursery.cancel_scope.cancel()
    errors = " ".join(bytes(complaint).decode("utf-8", "replace").split())
    return (None if len(printed) > max_bytes else bytes(printed)), errors, process.returncode or 0


async def _drain(stream: trio.abc.ReceiveStream, into: bytearray, most: int) -> None:
    """Reads to the end, and keeps so many bytes; stops there where that many are read."""
    while chunk := await stream.receive_some(_CHUNK_BYTES):
        into += chunk[: max(0, most - len(into))]
        if len(into) >= most > STDERR_MAX_CHARS:
            return
