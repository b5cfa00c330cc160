"""The load bench itself: a small run, in which files change and processes are killed, ends well and says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bench.load", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_over_websocket(flask: Path) -> None:
    said = run("--root", str(flask), "--clients", "8", "--calls", "40", "--churn", "--edit-s", "0.2", "--kill-s", "3")
    assert " 320 calls in " in said
    assert "errors: none" in said
    assert "left behind: 0 descriptors" in said or "left behind: -" in said
    assert " 0 processes after the end" in said


def test_over_stdio(flask: Path) -> None:
    said = run("--root", str(flask), "--clients", "2", "--calls", "20", "--transport", "stdio")
    assert " 40 calls in " in said
    assert "errors: none" in said


def test_beside_the_bare_sdk(flask: Path) -> None:
    said = run("--root", str(flask), "--clients", "4", "--calls", "20", "--echo")
    assert "echo                  80" in said
