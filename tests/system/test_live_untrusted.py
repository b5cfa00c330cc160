"""What a repository brings is not run by any server, and no server installs or writes anything.

The repository has a `.git` of its own in which nothing is tracked, as an archive may.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import trio

from actors.messaging.messages import Lane
from codemap.live_queries import Definition, Hover, LiveQuestion, Place, References
from tests.system import live as asking
from tests.system.live import AGAIN_S, PATIENCE_S, Asker, contents, live, only, places

SERVERS = {
    "ty": "app.py",
    "basedpyright": "app.py",
    "pyright": "app.py",
    "typescript": "app.ts",
    "typescript-language-server": "app.ts",
    "clangd": "app.c",
    "gopls": "app.go",
}
DEFINED = {"app.py": "def alpha", "app.ts": "function alpha", "app.c": "int alpha", "app.go": "func alpha"}
SOURCES = {
    "app.py": "def alpha() -> int: ...\n\n\nalpha()\n",
    "app.ts": "export function alpha() {}\n\n\nalpha();\n",
    "app.c": "int alpha(void) { return 1; }\n\nint beta(void) {\n  return alpha();\n}\n",
    "app.go": "package app\n\nfunc alpha() {}\n\nfunc beta() { alpha() }\n",
    "with_c.go": 'package app\n\n// #cgo CFLAGS: -O2\nimport "C"\n',
    "go.mod": "module app\n\ngo 1.19\n",
    "uv.lock": "version = 1\n",
    "pyproject.toml": '[project]\nname = "app"\nversion = "1"\n[tool.pyright]\nvenvPath = "."\nvenv = ".venv"\n',
    "package.json": '{"name": "app", "dependencies": {"lodash": "4"}}\n',
    "tsconfig.json": '{"compilerOptions": {"plugins": [{"name": "plugin"}, {"name": "./tools"}], "types": ["node"]}}\n',
    "node_modules/typescript/package.json": '{"name": "typescript", "version": "5.9.3"}\n',
    "node_modules/plugin/package.json": '{"name": "plugin", "main": "index.js"}\n',
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".clangd": "CompileFlags:\n  Compiler: tools/cc\n  Add: [-ftime-trace]\n",
    ".python-version": "../tools\n",
}
TRAPS = (
    *(".venv/bin/python", ".venv/bin/python3", ".venv/bin/ty", ".venv/bin/basedpyright", ".venv/bin/uv"),
    *("node_modules/.bin/tsc", "node_modules/.bin/typescript-language-server", "node_modules/.bin/pyright"),
    *("tools/node", "tools/python3", "tools/go", "tools/cc", "tools/gopackagesdriver", "tools/git", "tools/gcc"),
)
"""Programs that tell when they are run."""
SCRIPT_TRAPS = (
    "node_modules/typescript/lib/tsserver.js",
    ".yarn/sdks/typescript/lib/tsserver.js",
    "node_modules/plugin/index.js",
    "tools/index.js",
    ".pnp.cjs",
)
ON_PATH = ("npm", "npx", "uv", "pip", "git-lfs", "gcc", "cc")
"""Programs that install or compile, should a server think of one."""
SHIMS = ("node", "go", "python3")
"""Programs of a version manager, which run what the folder that they are started in has."""
LEFT_OUT = 'files that import "C" are left out until the repository is trusted (codemap trust)'
WRITING = ("--serialize-diagnostics {}/diagnostics", "-Xclang -stats-file={}/stats", "-fmodules-cache-path={}/modules")
"""What a compilation database may have clangd write."""


@pytest.mark.parametrize("server", SERVERS)
async def test_nothing_of_the_repository_is_run_and_nothing_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    root, sprung = tmp_path / "repository", tmp_path / "sprung"
    _write(root, sprung)
    programs = _with_shims(only(server), tmp_path)  # is installed before what installs is a trap
    monkeypatch.setattr(asking, "only", lambda *_servers: programs)
    for name in ON_PATH:
        _trap(tmp_path / "bin" / name, sprung)
    folders = [tmp_path / "shims", Path("tools"), root / "tools", tmp_path / "bin"]
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
    monkeypatch.setenv("NODE_OPTIONS", f"--require {root}/.pnp.cjs")
    monkeypatch.setenv("TY_UV", "1")
    monkeypatch.chdir(root)
    before = contents(root)
    file = SERVERS[server]
    last = max(number for number, line in enumerate(SOURCES[file].splitlines(), 1) if "alpha" in line)
    async with live(root, server) as asker:
        alpha = asker.at(file, "alpha", DEFINED[file])
        uses = await _value(asker, References(alpha))
        [use] = [place for place in uses if place.line == last]
        found = await _value(asker, Definition(use.at))
        assert [place.split()[0] for place in places(found)] == [f"{file}:{alpha.line}"]
    assert not sprung.exists(), sprung.read_text()
    assert contents(root) == before


@pytest.mark.parametrize("server", ["basedpyright", "pyright", "typescript-language-server", "clangd", "gopls"])
async def test_what_a_trusted_repository_brings_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    """So the traps do spring, or what clangd writes is there."""
    root, sprung = tmp_path / "repository", tmp_path / "sprung"
    _write(root, sprung)
    (root / "pyproject.toml").unlink()
    programs = _with_shims(only(server), tmp_path)
    monkeypatch.setattr(asking, "only", lambda *_servers: programs)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "shims"), os.environ["PATH"]]))
    file = SERVERS[server]
    async with live(root, server, trust="on") as asker:
        with trio.move_on_after(PATIENCE_S):
            await asker.service.live(Hover(asker.at(file, "alpha", DEFINED[file])), Lane.FOREGROUND)
    assert sprung.exists() or (root / "stats").exists()


async def _value(asker: Asker, question: LiveQuestion) -> list[Place]:
    """The answer; it may lack what only files that import C have."""
    with trio.fail_after(PATIENCE_S):
        fact = await asker.found(question)
        while "still" in fact.incomplete:
            await trio.sleep(AGAIN_S)
            fact = await asker.found(question)
    assert fact.incomplete in ("", LEFT_OUT)
    return list(fact.value)


def _write(root: Path, sprung: Path) -> None:
    for name, text in SOURCES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name in TRAPS:
        _trap(root / name, sprung)
    for name in SCRIPT_TRAPS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"require('fs').appendFileSync('{sprung}', '{name}\\n');\n")
    command = {
        "directory": str(root),
        "file": "app.c",
        "command": f"cc -fmodules {' '.join(WRITING)} -c app.c".replace("{}", str(root)),
    }
    (root / "compile_commands.json").write_text(json.dumps([command]))
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "-C", root, "config", "core.fsmonitor", str(root / "tools/git")], check=True)


def _with_shims(named: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The setting with programs that first look into the folder where they are started; others stand on PATH."""
    pairs = dict(pair.split("=", 1) for pair in named)
    for name in SHIMS:
        real = pairs.get(name) or shutil.which(name)
        shim = folder / "shims" / name
        shim.parent.mkdir(exist_ok=True)
        shim.write_text(f'#!/bin/sh\n[ -x tools/{name} ] && exec tools/{name} "$@"\nexec {real} "$@"\n')
        shim.chmod(0o755)
        if name in pairs:
            pairs[name] = str(shim)
    return tuple(f"{name}={path}" for name, path in pairs.items())


def _trap(path: Path, sprung: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {sprung}\nexit 1\n')
    path.chmod(0o755)
