"""Packages of PyPI for the system tests, at pinned versions, in environments of their own.

uv installs them: pip takes ten times its work, most of it to compile modules that nothing imports. What cannot be
installed fails the run, with uv's own words.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

UV = str(Path(sys.executable).with_name("uv"))
INSTALL_MAX_S = 900.0


def installed(folder: Path, packages: Sequence[str]) -> Path:
    """The programs of an environment with these packages (`name==version`), made now where it is not there yet."""
    stamp, wanted = folder / "installed.txt", "\n".join(packages)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _run(["venv", "--quiet", "--python", sys.executable, str(folder)])
        _run(["pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *packages])
        stamp.write_text(wanted, encoding="utf-8")
    return folder / "bin"


def _run(words: Sequence[str]) -> None:
    done = subprocess.run([UV, *words], capture_output=True, text=True, timeout=INSTALL_MAX_S, check=False)
    if done.returncode:
        raise RuntimeError(f"uv {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
