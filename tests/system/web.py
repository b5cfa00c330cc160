"""The sources of the page, built as `web/package.json` says, in `.cache/web` of the checkout."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.system.alone import alone
from tests.system.npm import INSTALL_TIMEOUT_S, node, script

SOURCES = Path(__file__).parents[2] / "web"
FOLDER = Path(__file__).parents[2] / ".cache" / "web"
_LISTS = ("package.json", "package-lock.json")


@alone("web")
def fetch() -> None:
    """Installs what the page is built with, at the versions of its lock file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if all(_is_same(name) for name in _LISTS) and (FOLDER / "node_modules" / "esbuild").exists():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("The page is built with npm.")
    for name in _LISTS:
        shutil.copyfile(SOURCES / name, FOLDER / name)
    _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"])


def check_types() -> str:
    """What the type checker says; empty where all is well."""
    _copy()
    done = subprocess.run(
        [node(), "node_modules/typescript/bin/tsc", "--noEmit"], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def build(target: Path) -> str:
    """The page, bundled anew."""
    _copy()
    _run([node(), "build.mjs", str(target)])
    return target.read_text(encoding="utf-8")


@alone("web")
def bundle(entry: Path, target: Path) -> Path:
    """A script for a browser, with the packages that it imports, which are those of `npm.PACKAGES`."""
    _copy()
    copied = Path(script(entry)[1])
    options = ("--bundle", "--format=iife", "--log-level=warning", f"--outfile={target}")
    _run([str(FOLDER / "node_modules/.bin/esbuild"), str(copied), *options])
    return target


@alone("web")
def _copy() -> None:
    fetch()
    shutil.rmtree(FOLDER / "src", ignore_errors=True)
    shutil.copytree(SOURCES / "src", FOLDER / "src")
    for name in ("build.mjs", "page.html", "tsconfig.json"):
        shutil.copyfile(SOURCES / name, FOLDER / name)


def _is_same(name: str) -> bool:
    copy = FOLDER / name
    return copy.exists() and copy.read_bytes() == (SOURCES / name).read_bytes()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
