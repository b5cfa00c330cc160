"""The oracles, pinned, and what they said: made once, kept under `.cache/accuracy/oracles`.

What is kept is known by the versions of the package and the tool and by the sources that make an oracle of it.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec

from bench.accuracy.corpora import CACHE, FOLDER, FetchError, Package, fetch, tool
from bench.accuracy.edges import Oracle
from bench.accuracy.python_oracle import python_oracle

TY, TYPESCRIPT = "0.0.104", "5.9.3"
_SOURCES = ("edges.py", "lsp.py", "properties.py", "python_oracle.py", "python_sites.py", "typescript_oracle.mjs")


def oracle_of(name: str, package: Package) -> Oracle:
    """What the oracle of its language says of a package. Raises FetchError, TimeoutError."""
    root = fetch(name, package)
    ask = _python if package.group == "Python" else _typescript
    return kept_oracle(name, package, f"{TY} {TYPESCRIPT}", lambda: ask(root))


def kept_oracle(name: str, package: Package, tools: str, ask: Callable[[], Oracle]) -> Oracle:
    """What an oracle, known by its tools, said of a package; asked now where it was not yet."""
    digest = hashlib.sha256(tools.encode())
    for source in _SOURCES:
        digest.update((FOLDER / source).read_bytes())
    kept = CACHE / "oracles" / f"{name}-{package.version}-{digest.hexdigest()[:16]}.json"
    if not kept.exists():
        found = msgspec.json.encode(ask())
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(found)
    return msgspec.json.decode(kept.read_bytes(), type=Oracle)


def _python(root: Path) -> Oracle:
    # Every branch that tests the platform is alive: none of them is the wrong one.
    (root / "ty.toml").write_text('[environment]\npython-platform = "all"\n')
    command = (str(tool("pypi", "ty", TY) / "bin" / "ty"), "server")
    return python_oracle(root.resolve(), command)


def _typescript(root: Path) -> Oracle:
    typescript = tool("npm", "typescript", TYPESCRIPT) / "node_modules" / "typescript"
    script = FOLDER / "typescript_oracle.mjs"
    done = subprocess.run(
        ["node", "--max-old-space-size=6000", str(script), str(typescript), str(root)], capture_output=True, check=False
    )
    if done.returncode:
        raise FetchError(f"the TypeScript oracle failed: {done.stderr.decode()[-500:]}")
    return msgspec.json.decode(done.stdout, type=Oracle)
