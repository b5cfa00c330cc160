"""The Python SDK 1.x, which has a websocket client, in an environment of its own in `.cache` of the checkout.

What cannot be installed fails the run, with pip's own words.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.system.alone import alone

FOLDER = Path(__file__).parents[2] / ".cache" / "mcp1"
WANTED = "mcp[ws]==1.30.0"
INSTALL_TIMEOUT_S = 240


@alone("foreign")
def python_sdk_1() -> str:
    """The interpreter that has it."""
    python = FOLDER / "bin" / "python"
    stamp = FOLDER / "installed"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != WANTED:
        _run([sys.executable, "-m", "venv", "--clear", str(FOLDER)])
        _run([str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet", WANTED])
        stamp.write_text(WANTED, encoding="utf-8")
    return str(python)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
