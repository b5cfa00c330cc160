"""Repositories that are not ours: released packages, pinned, from their registries, kept in `.cache` of the checkout.

What cannot be fetched fails the run, with the tool's own words.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.system.alone import alone
from tests.system.archive import untar
from tests.system.debian import unpacked

CACHE = Path(__file__).parents[2] / ".cache"
FETCH_TIMEOUT_S = 240


@alone
def sdist(name: str, version: str, target: Path) -> Path:
    """A fresh copy of a Python source distribution under `target`; the folder of its sources."""
    folder = CACHE / "sdists"
    archive = folder / f"{name}-{version}.tar.gz"
    if not archive.exists():
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-binary",
            name,
        ]
        _run([*pip, "--dest", str(folder), f"{name}=={version}"], folder)
    return untar(archive, target) / f"{name}-{version}"


@alone
def npm_package(name: str, version: str, target: Path) -> Path:
    """A fresh copy of an npm package under `target`; the folder of its files."""
    folder = CACHE / "sdists"
    archive = folder / f"{name}-{version}.tgz"
    if not archive.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("The system tests need npm on PATH.")
        _run([npm, "pack", "--silent", f"{name}@{version}"], folder)
    return untar(archive, target) / "package"


@alone
def debian_package(name: str, version: str, folder: str, target: Path) -> Path:
    """A fresh copy of a folder of a Debian package, `usr/share/…`, as `target`."""
    shutil.copytree(unpacked(name, {name: version}) / folder, target)
    return target


def _run(command: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, cwd=folder, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
