"""Node programs for the system tests, at pinned versions, in `.cache/npm` of the checkout.

Node itself comes from npm too, because the Inspector needs a newer one than most machines have. What cannot be
installed fails the run, with npm's own words.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.system.alone import alone

FOLDER = Path(__file__).parents[2] / ".cache" / "npm"
PACKAGES = {
    "node": "22.23.3",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
}
INSTALL_TIMEOUT_S = 240


@alone
def inspector() -> list[str]:
    """The words that run the MCP Inspector's command line."""
    _install()
    modules = FOLDER / "node_modules"
    program = modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    return [str(modules / "node/bin/node"), str(program), "--cli"]


@alone
def conformance() -> list[str]:
    """The words that run the official conformance tool."""
    _install()
    modules = FOLDER / "node_modules"
    return [str(modules / "node/bin/node"), str(modules / "@modelcontextprotocol/conformance/dist/index.js")]


@alone
def script(path: Path) -> list[str]:
    """The words that run a script which imports the packages; they are found from where it is copied to."""
    _install()
    copied = FOLDER / path.name
    copied.write_bytes(path.read_bytes())
    return [str(FOLDER / "node_modules/node/bin/node"), str(copied)]


def _install() -> None:
    if all(_installed(name) == wanted for name, wanted in PACKAGES.items()) and _node_runs():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("The system tests drive the MCP Inspector: they need npm (any version) on PATH.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    packages = [f"{name}@{wanted}" for name, wanted in PACKAGES.items()]
    command = [npm, "install", "--no-audit", "--no-fund", "--save-exact", "--prefix", str(FOLDER), *packages]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, cwd=FOLDER, check=False)
    if done.returncode or not _node_runs():
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def _installed(name: str) -> str | None:
    try:
        described = json.loads((FOLDER / "node_modules" / name / "package.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(described["version"])


def _node_runs() -> bool:
    node = FOLDER / "node_modules" / "node" / "bin" / "node"
    if not node.exists():
        return False
    shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return shown.strip() == "v" + PACKAGES["node"]
