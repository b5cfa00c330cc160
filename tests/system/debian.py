"""Debian's packages for the system tests, at pinned versions, unpacked in `.cache` of the checkout; none is installed.
Of source packages nothing is built.

They come through Debian's ordinary client, with lists of its own, so that nothing of the machine changes. What cannot
be had fails the run, with the client's own words.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from tests.system.alone import alone

FOLDER = Path(__file__).parents[2] / ".cache" / "debian"
LISTS_MAX_AGE_S = 86_400
TIMEOUT_S = 900


@alone("debian")
def unpacked(name: str, packages: Mapping[str, str]) -> Path:
    """The root of a tree with these packages (name -> version), unpacked now where they are not there yet."""
    root = FOLDER / name
    pinned = [f"{package}={version}" for package, version in packages.items()]
    stamp = FOLDER / f"{name}.txt"
    if not stamp.exists() or stamp.read_text().split() != pinned:
        stamp.unlink(missing_ok=True)
        shutil.rmtree(root, ignore_errors=True)
        fetched = FOLDER / f"{name}.packages"
        shutil.rmtree(fetched, ignore_errors=True)
        fetched.mkdir(parents=True)
        _run([*_apt(), "download", *pinned], fetched)
        for archive in sorted(fetched.iterdir()):
            _run(["dpkg-deb", "--extract", str(archive), str(root)], FOLDER)
        shutil.rmtree(fetched)
        stamp.write_text("\n".join(pinned))
    return root


@alone("debian")
def unpacked_source(name: str, version: str) -> Path:
    """The tree of a source package, with Debian's changes, unpacked now where it is not there yet."""
    root = FOLDER / f"{name}-{version}-source"
    if not root.exists():
        fetched = FOLDER / f"{root.name}.fetched"
        shutil.rmtree(fetched, ignore_errors=True)
        fetched.mkdir(parents=True)
        _run([*_apt_of_sources(), "source", "--download-only", f"{name}={version}"], fetched)
        [described] = fetched.glob("*.dsc")
        _run(["dpkg-source", "--extract", described.name, "unpacked"], fetched)
        shutil.rmtree(fetched / "unpacked" / ".pc", ignore_errors=True)  # the files as they were before the changes
        (fetched / "unpacked").rename(root)
        shutil.rmtree(fetched)
    return root


@alone("debian")
def unpacked_original(name: str, version: str) -> Path:
    """The tree that a source package was made from, without Debian's changes."""
    root = FOLDER / f"{name}-{version}-original"
    if not root.exists():
        fetched = FOLDER / f"{root.name}.fetched"
        shutil.rmtree(fetched, ignore_errors=True)
        fetched.mkdir(parents=True)
        _run([*_apt_of_sources(), "source", "--download-only", "--tar-only", f"{name}={version}"], fetched)
        [archive] = fetched.glob("*.orig.tar.*")
        _run(
            ["tar", "--extract", "--one-top-level=unpacked", "--strip-components=1", f"--file={archive.name}"], fetched
        )
        (fetched / "unpacked").rename(root)
        shutil.rmtree(fetched)
    return root


def _apt() -> list[str]:
    """Debian's client, with fresh lists of packages in a folder of the tests, from where the machine has its own."""
    return _updated(FOLDER)


def _apt_of_sources() -> list[str]:
    """The same for source packages, which the machine need not have lists of."""
    form = "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)"
    lists = _run([*_apt(), "indextargets", "--format", form, "Created-By: Packages", "Origin: Debian"], FOLDER)
    folder = FOLDER / "sources"
    folder.mkdir(exist_ok=True)
    (folder / "sources.list").write_text(lists)
    return _updated(
        folder, f"-oDir::Etc::sourcelist={folder / 'sources.list'}", f"-oDir::Etc::sourceparts={os.devnull}"
    )


def _updated(folder: Path, *options: str) -> list[str]:
    """The client with its lists in a folder, brought up to date where they are old."""
    state, cache = folder / "state", folder / "cache"
    apt = ["apt-get", "--quiet", f"-oDir::State={state}", f"-oDir::Cache={cache}", *options]
    apt += [f"-oDir::State::status={os.devnull}", "-oAPT::Sandbox::User="]
    stamp = folder / "updated.txt"
    if not stamp.exists() or stamp.stat().st_mtime < time.time() - LISTS_MAX_AGE_S:
        for each in (state / "lists" / "partial", cache / "archives" / "partial"):
            each.mkdir(parents=True, exist_ok=True)
        _run([*apt, "-oAPT::Update::Error-Mode=any", "update"], folder)
        stamp.touch()
    return apt


def _run(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=folder, check=False)
    except FileNotFoundError as error:
        raise RuntimeError(
            f"The system tests unpack packages of Debian: they need {error.filename} on PATH."
        ) from error
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
