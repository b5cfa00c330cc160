"""What a repository brings is not run by any server, and no server installs or writes anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import trio

from actors.messages import Lane
from codemap.live import At, Definition, Hover, References
from tests.system.live import PATIENCE_S, contents, live, only, places

SERVERS = {
    "ty": "app.py",
    "basedpyright": "app.py",
    "pyright": "app.py",
    "typescript": "app.ts",
    "typescript-language-server": "app.ts",
}
SOURCES = {
    "app.py": "def alpha() -> int: ...\n\n\nalpha()\n",
    "app.ts": "export function alpha() {}\n\n\nalpha();\n",
    "uv.lock": "version = 1\n",
    "pyproject.toml": '[project]\nname = "app"\nversion = "1"\n[tool.pyright]\nvenvPath = "."\nvenv = ".venv"\n',
    "package.json": '{"name": "app", "dependencies": {"lodash": "4"}}\n',
    "tsconfig.json": '{"compilerOptions": {"plugins": [{"name": "plugin"}], "types": ["node"]}}\n',
    "node_modules/typescript/package.json": '{"name": "typescript", "version": "5.9.3"}\n',
    "node_modules/plugin/package.json": '{"name": "plugin", "main": "index.js"}\n',
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
}
TRAPS = (
    *(".venv/bin/python", ".venv/bin/python3", ".venv/bin/ty", ".venv/bin/basedpyright", ".venv/bin/uv"),
    *("node_modules/.bin/tsc", "node_modules/.bin/typescript-language-server", "node_modules/.bin/pyright"),
)
"""Programs that tell when they are run."""
SCRIPT_TRAPS = (
    "node_modules/typescript/lib/tsserver.js",
    ".yarn/sdks/typescript/lib/tsserver.js",
    "node_modules/plugin/index.js",
)
ON_PATH = ("npm", "npx", "uv", "pip", "git-lfs")
"""Programs that install, should a server think of one."""


@pytest.mark.parametrize("server", SERVERS)
async def test_nothing_of_the_repository_is_run_and_nothing_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    root, sprung = tmp_path / "repository", tmp_path / "sprung"
    _write(root, sprung)
    only(server)  # is installed before what installs is a trap
    for name in ON_PATH:
        _trap(tmp_path / "bin" / name, sprung)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TY_UV", "1")
    before = contents(root)
    file = SERVERS[server]
    async with live(root, server) as asker:
        alpha = asker.at(file, "alpha", "def alpha" if file.endswith(".py") else "function alpha")
        [use] = [place for place in await asker.value(References(alpha)) if place.line == 4]
        assert [place.split()[0] for place in places(await asker.value(Definition(use.at)))] == [f"{file}:1"]
    assert not sprung.exists(), sprung.read_text()
    assert contents(root) == before


@pytest.mark.parametrize("server", ["basedpyright", "pyright", "typescript-language-server"])
async def test_what_a_trusted_repository_brings_is_run(tmp_path: Path, server: str) -> None:
    """So the traps do spring."""
    root, sprung = tmp_path / "repository", tmp_path / "sprung"
    _write(root, sprung)
    (root / "pyproject.toml").unlink()
    file = SERVERS[server]
    async with live(root, server, trust="on") as asker:
        with trio.move_on_after(PATIENCE_S):
            await asker.service.live(Hover(At(file, 1, 17)), Lane.FOREGROUND)
    assert sprung.exists()


def _write(root: Path, sprung: Path) -> None:
    """A repository that has committed its environments."""
    for name, text in SOURCES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name in TRAPS:
        _trap(root / name, sprung)
    for name in SCRIPT_TRAPS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"require('fs').appendFileSync('{sprung}', '{name}\\n');\n")
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "-C", root, "add", "-f", "."], check=True)


def _trap(path: Path, sprung: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {sprung}\nexit 1\n')
    path.chmod(0o755)
