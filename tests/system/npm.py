"""Node programs for the system tests, at pinned versions, in `.cache/npm` of the checkout.

Node itself comes from npm too, because the Inspector needs a newer one than most machines have. What cannot be
installed fails the run, with npm's own words.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.system.alone import alone

FOLDER = Path(__file__).parents[2] / ".cache" / "npm"
PACKAGES = {
    "node": "22.23.3",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/ext-apps": "1.7.5",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@sparticuz/chromium": "153.0.0",
    "playwright-core": "1.65.1",
    "axe-core": "4.14.1",
}
INSTALL_TIMEOUT_S = 900
"""A busy machine takes minutes."""


@alone("npm")
def inspector() -> list[str]:
    """The words that run the MCP Inspector's command line."""
    _install()
    modules = FOLDER / "node_modules"
    program = modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    return [str(modules / "node/bin/node"), str(program), "--cli"]


@alone("npm")
def conformance() -> list[str]:
    """The words that run the official conformance tool."""
    _install()
    modules = FOLDER / "node_modules"
    return [str(modules / "node/bin/node"), str(modules / "@modelcontextprotocol/conformance/dist/index.js")]


def eslint_path() -> str:
    """A search path that has ESLint and Node alone."""
    packages = {"eslint": "10.15.0", "eslint-plugin-security": "4.1.0", "@typescript-eslint/parser": "8.73.0"}
    with alone("eslint"):
        _install_packages(FOLDER.parent / "eslint", {**packages, "typescript": "5.9.3"})
    node()
    return os.pathsep.join((str(FOLDER.parent / "eslint/node_modules/.bin"), str(FOLDER / "node_modules/node/bin")))


@alone("npm")
def node() -> str:
    """The program that runs JavaScript."""
    _install()
    return str(FOLDER / "node_modules/node/bin/node")


@alone("npm")
def script(path: Path) -> list[str]:
    """The words that run a script which imports the packages; they are found from where it is copied to."""
    _install()
    copied = FOLDER / path.name
    copied.write_bytes(path.read_bytes())
    return [str(FOLDER / "node_modules/node/bin/node"), str(copied)]


def _install() -> None:
    _install_packages(FOLDER, PACKAGES)
    if not _node_runs():
        raise RuntimeError(f"The Node of {FOLDER} does not run.")


def _install_packages(folder: Path, packages: Mapping[str, str]) -> None:
    if all(_installed(folder, name) == wanted for name, wanted in packages.items()):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("The system tests drive Node programs: they need npm (any version) on PATH.")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}@{version}" for name, version in packages.items()]
    command = [npm, "install", "--no-audit", "--no-fund", "--save-exact", "--prefix", str(folder), *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, cwd=folder, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def _installed(folder: Path, name: str) -> str | None:
    try:
        described = json.loads((folder / "node_modules" / name / "package.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(described["version"])


def _node_runs() -> bool:
    node = FOLDER / "node_modules" / "node" / "bin" / "node"
    if not node.exists():
        return False
    shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return shown.strip() == "v" + PACKAGES["node"]
