"""ripgrep, from Debian: how often a name stands as a word."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.system.debian import unpacked

VERSION = "13.0.0-4+b2"
AT_ONCE = 500
"""Files of one command line."""


def program() -> Path:
    """ripgrep, unpacked now where it is not there yet."""
    return unpacked("ripgrep", {"ripgrep": VERSION}) / "usr/bin/rg"


def counted(name: str, folder: Path, paths: Iterable[str]) -> dict[str, int]:
    """By path below the folder: its matches, of the files that have any. Raises RuntimeError where ripgrep fails."""
    rg = program()
    listed, found = list(paths), dict[str, int]()
    for start in range(0, len(listed), AT_ONCE):
        options = (
            "--no-config",
            "--count-matches",
            "--text",
            "--null",
            "--with-filename",
            "-w",
            "-F",
            "-e",
            name,
            "--",
        )
        command = (str(rg), *options, *listed[start : start + AT_ONCE])
        done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode > 1:
            raise RuntimeError(f"ripgrep failed: {done.stderr.decode(errors='replace')}")
        for line in done.stdout.decode("utf-8", "surrogateescape").splitlines():
            path, _, count = line.partition("\0")
            found[path] = int(count)
    return found
