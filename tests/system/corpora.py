"""Repositories that are not ours: released packages, pinned, from their registries, kept in `.cache` of the checkout.

What cannot be fetched fails the run, with the tool's own words.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.system.alone import alone
from tests.system.archive import untar
from tests.system.debian import unpacked

CACHE = Path(__file__).parents[2] / ".cache"
FETCH_TIMEOUT_S = 900
SDISTS: Mapping[str, str] = {"flask": "3.1.2", "hiredis": "3.5.0", "box2d-py": "2.3.8", "jpype1": "1.7.1"}
NPM: Mapping[str, str] = {"rxjs": "7.8.2"}
DEBIAN: Mapping[str, str] = {"golang-github-go-chi-chi-dev": "5.0.7-1"}
"""What the tests ask about: name -> version."""


def sdist(name: str, version: str, target: Path) -> Path:
    """A fresh copy of a Python source distribution under `target`; the folder of its sources."""
    return untar(sdist_archive(name, version), target) / f"{name}-{version}"


def sdist_archive(name: str, version: str) -> Path:
    """A Python source distribution, fetched now where it is not there yet."""
    folder = CACHE / "sdists"
    archive = folder / f"{name}-{version}.tar.gz"
    with alone(archive.name):
        if not archive.exists():
            pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
            _run([*pip, "--no-binary", name, "--dest", str(folder), f"{name}=={version}"], folder)
    return archive


def npm_package(name: str, version: str, target: Path) -> Path:
    """A fresh copy of an npm package under `target`; the folder of its files."""
    return untar(npm_archive(name, version), target) / "package"


def npm_archive(name: str, version: str) -> Path:
    """An npm package, fetched now where it is not there yet."""
    folder = CACHE / "sdists"
    archive = folder / f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
    with alone(archive.name):
        if not archive.exists():
            npm = shutil.which("npm")
            if npm is None:
                raise RuntimeError("The system tests need npm on PATH.")
            _run([npm, "pack", "--silent", f"{name}@{version}"], folder)
    return archive


def debian_package(name: str, version: str, folder: str, target: Path) -> Path:
    """A fresh copy of a folder of a Debian package, `usr/share/…`, as `target`."""
    shutil.copytree(unpacked(name, {name: version}) / folder, target)
    return target


def _run(command: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, cwd=folder, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
