"""`nav_diagnostics` with real language servers: errors planted in a file and in what depends on it, and what is new."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from actors.front.call import call
from codemap.settings import Settings
from codemap.tools import TOOLS
from tests.system.live import PATIENCE_S, Asker, contents, live
from tests.system.test_impact import run_git

AGAIN_S = 0.5


class Project(msgspec.Struct, frozen=True):
    """Two files that depend on a third, and an edit of that."""

    server: str
    files: Mapping[str, str]
    changed: str
    edit: tuple[str, str]
    """What is replaced by what, which breaks the dependents."""
    harmless: tuple[str, str]
    own: str
    """What is appended: an error in the changed file itself."""
    broken: frozenset[str]
    dependents: int
    old: str
    """The file with an error that was there before."""


PYTHON = Project(
    server="ty",
    files={
        "store.py": "def load(key: str) -> int:\n    return len(key)\n\n\ndef keep() -> None: ...\n",
        "api.py": "from store import load\n\n\ndef read() -> int:\n    return load('a')\n",
        "main.py": "import store\n\nprint(store.load('a'))\nprint(store.absent)\n",
        "apart.py": "x: int = 1\n",
    },
    changed="store.py",
    edit=("def load(", "def read("),
    harmless=("return len(key)", "size = len(key)\n    return size"),
    own="\n\nwrong: int = 'a'\n",
    broken=frozenset(("api.py", "main.py")),
    dependents=2,
    old="main.py",
)
TYPESCRIPT = Project(
    server="typescript",
    files={
        "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler"}}\n',
        "src/store.ts": "export function load(key: string): number {\n  return key.length;\n}\n",
        "src/api.ts": "import { load } from './store';\nexport const one: number = load('a');\n",
        "src/main.ts": "import * as store from './store';\nstore.load('a');\nstore.absent;\n",
        "src/apart.ts": "export const x = 1;\n",
    },
    changed="src/store.ts",
    edit=("function load(", "function read("),
    harmless=("return key.length;", "const size = key.length;\n  return size;"),
    own="export const wrong: number = 'a';\n",
    broken=frozenset(("src/api.ts", "src/main.ts")),
    dependents=2,
    old="src/main.ts",
)
GO = Project(
    server="gopls",
    files={
        "go.mod": "module a.org/a\n\ngo 1.19\n",
        "store/store.go": "package store\n\nfunc Load(key string) int {\n\treturn len(key)\n}\n",
        "store/same.go": 'package store\n\nvar one = Load("a")\n',
        "api/api.go": 'package api\n\nimport "a.org/a/store"\n\nfunc Read() int {\n\treturn store.Load("a")\n}\n',
        "main.go": 'package main\n\nimport "a.org/a/store"\n\nfunc main() {\n\tstore.Load("a")\n\tstore.Absent()\n}\n',
    },
    changed="store/store.go",
    edit=("func Load(", "func Read("),
    harmless=("return len(key)", "size := len(key)\n\treturn size"),
    own='\nvar wrong int = "a"\n',
    broken=frozenset(("store/same.go", "api/api.go", "main.go")),
    dependents=3,
    old="main.go",
)
CPP = Project(
    server="clangd",
    files={
        "compile_commands.json": "",
        "store.h": "#pragma once\nint load(const char *key);\nint keep();\n",
        "store.cpp": '#include "store.h"\nint keep() { return 1; }\nint load(const char *key) { return key[0]; }\n',
        "api.cpp": '#include "store.h"\nint api_read() { return load("a"); }\n',
        "main.cpp": '#include "store.h"\nint main() { absent(); return load("a"); }\n',
    },
    changed="store.h",
    edit=("int load(const char *key)", "int read_it(const char *key)"),
    harmless=("int keep();", "int keep();\nint more();"),
    own="int wrong = nothing;\n",
    broken=frozenset(("api.cpp", "main.cpp")),
    dependents=3,
    old="main.cpp",
)


def write_project(root: Path, project: Project) -> None:
    for path, text in project.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    if "compile_commands.json" in project.files:
        commands = [
            {"directory": str(root), "file": path, "arguments": ["c++", "-std=c++17", "-c", path]}
            for path in project.files
            if path.endswith(".cpp")
        ]
        (root / "compile_commands.json").write_text(json.dumps(commands))


@asynccontextmanager
async def opened(root: Path, project: Project) -> AsyncIterator[Asker]:
    """A service over the project, committed."""
    write_project(root, project)
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "x")
    async with live(root, project.server) as asker:
        yield asker


async def diagnosed(asker: Asker, **arguments: Any) -> dict[str, Any]:
    """The payload of a call, repeated while the server is not ready, or is late with what it finds in a file."""
    [tool] = [tool for tool in TOOLS if tool.name == "nav_diagnostics"]
    with trio.fail_after(3 * PATIENCE_S):
        while True:
            await asker.service.rebuild()
            envelope = (await call(asker.service, Settings(), tool, {"tokenBudget": 9000, **arguments})).envelope
            assert envelope["ok"], envelope
            data: dict[str, Any] = envelope["data"]
            is_late = data.get("verdict") == "partly" and "published no diagnostics" in str(data)
            is_early = data.get("emptyBecause") == "serverNotReady"
            if not is_late and not is_early and not any("Repeat" in one for one in envelope["warnings"]):
                return data
            await trio.sleep(AGAIN_S)


@pytest.mark.parametrize("project", [PYTHON, TYPESCRIPT, GO, CPP], ids=lambda project: project.server)
async def test_planted_errors_are_found_and_only_new_ones_listed(tmp_path: Path, project: Project) -> None:
    async with opened(tmp_path, project) as asker:
        changed = tmp_path / project.changed
        text = changed.read_text()

        changed.write_text(text.replace(*project.harmless))
        data = await diagnosed(asker, files=[project.changed])
        assert set(data["diagnostics"]) == {project.old}, "only what was wrong before"
        data = await diagnosed(asker)
        assert (data["verdict"], data["compared"]["old"]) == ("clean", 1), data
        assert data["checked"] == {"changed": 1, "dependents": project.dependents}, data

        changed.write_text(text.replace(*project.edit))
        before = contents(tmp_path)
        data = await diagnosed(asker, base="HEAD")
        assert data["verdict"] == "errors"
        assert project.broken <= set(data["diagnostics"])
        assert "absent" not in str(data["diagnostics"]).lower()
        assert contents(tmp_path) == before

        changed.write_text(text + project.own)
        data = await diagnosed(asker, base="HEAD")
        assert project.changed in data["diagnostics"], data

        changed.write_text(text)
        data = await diagnosed(asker, files=[project.changed])
        assert set(data["diagnostics"]) == {project.old}
