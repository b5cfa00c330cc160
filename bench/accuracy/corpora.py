"""The packages that accuracy is measured on: pinned in `corpora.toml`, fetched with the registries' own clients.

Wheels and npm archives are unpacked, never installed, and their code is not run. All lies under `.cache/accuracy`.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from tests.system.archive import untar_top

FOLDER = Path(__file__).parent
CACHE = FOLDER.parent.parent / ".cache" / "accuracy"


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pinned archive."""

    registry: Literal["pypi", "npm"]
    version: str
    sha256: str
    group: Literal["Python", "TypeScript", "JavaScript"]
    root: str = "."
    """The folder that is measured, inside the archive (of npm: inside its `package` folder)."""


class FetchError(Exception):
    """A package or tool cannot be had as it is pinned; the message says why."""


def packages() -> dict[str, Package]:
    """Every pinned package by its name, in the order of the file."""
    return msgspec.convert(tomllib.loads((FOLDER / "corpora.toml").read_text()), dict[str, Package])


def fetch(name: str, package: Package) -> Path:
    """The folder to measure. Raises FetchError."""
    place = CACHE / "corpora" / f"{name}-{package.version}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            archive = _download(name, package, Path(folder))
            _check(archive, package.sha256)
            if archive.suffix == ".whl":
                with zipfile.ZipFile(archive) as wheel:
                    wheel.extractall(f"{folder}/unpacked")
                (Path(folder) / "unpacked").rename(place)
            else:
                untar_top(archive, place)
    return place / package.root


def fetch_sdist(name: str, version: str, sha256: str) -> Path:
    """The top folder of an sdist. Raises FetchError."""
    place = CACHE / "sdists" / f"{name}-{version}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            _run(*_pip("download"), "--no-deps", "--no-binary", name, "--dest", folder, f"{name}=={version}")
            (archive,) = Path(folder).glob("*.tar.gz")
            _check(archive, sha256)
            untar_top(archive, place)
    return place


def install(needs: Sequence[str]) -> Path:
    """A folder with distributions and what they depend on. Raises FetchError."""
    place = CACHE / "needs" / "-".join(sorted(needs))
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            _run(*_pip("install"), "--target", f"{folder}/needs", *needs)
            (Path(folder) / "needs").rename(place)
    return place


def tool(registry: Literal["pypi", "npm"], name: str, version: str) -> Path:
    """The folder that an oracle is installed in, alone. Raises FetchError."""
    place = CACHE / "tools" / f"{name}-{version}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            inside = Path(folder) / "tool"
            if registry == "pypi":
                _run(*_pip("install"), "--target", str(inside), f"{name}=={version}")
            else:
                inside.mkdir()
                _run("npm", "install", "--silent", "--ignore-scripts", "--prefix", str(inside), f"{name}@{version}")
            inside.rename(place)
    return place


def _download(name: str, package: Package, folder: Path) -> Path:
    pinned = f"{name}=={package.version}"
    if package.registry == "pypi":
        _run(*_pip("download"), "--no-deps", "--only-binary", ":all:", "--dest", str(folder), pinned)
    else:
        _run("npm", "pack", "--silent", "--pack-destination", str(folder), f"{name}@{package.version}")
    (archive,) = [path for path in folder.iterdir() if path.suffix in {".whl", ".tgz"}]
    return archive


def _check(archive: Path, sha256: str) -> None:
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != sha256:
        raise FetchError(f"{archive.name}: digest {digest}, not the pinned {sha256}")


def _pip(command: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FetchError(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")
