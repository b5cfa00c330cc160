"""Command lines for Python processes of codemap, isolated so that no repository decides what they import.

codemap is often started in a repository, and `PYTHONPATH` often names one: a `types.py` there would come before the
standard library's. So every Python runs with `-I` and outside the repository, and is given the folders of codemap's own
packages, which come last.

Rules of the file:
- The standard library only, and of that what an interpreter has loaded when it starts.

Source: python(1), "-I", "-S"; sys.flags.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

STARTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "isolated.py")
"""The program file that `python_function` runs."""

ELSEWHERE = "/"
"""Working folder of processes that need none: no repository, and never removed."""

OWN_PACKAGES = (
    *("actors", "codemap"),
    *("Stemmer", "anyio", "attr", "graspologic_native", "h11", "lz4", "mcp", "msgspec", "numpy", "outcome"),
    *("pygments", "tree_sitter", "tree_sitter_language_pack", "trio", "trio_websocket", "wsproto"),
)
"""What codemap imports beside the standard library; a test compares it with what the package requires."""


_UTF8 = "-Xutf8"
"""Every process decodes file names alike, whatever the locale says."""


def python(program: str, *words: str) -> list[str]:
    """The command line that runs a file of codemap that imports the standard library only."""
    return [sys.executable, "-I", "-S", _UTF8, program, *words]


def python_function(name: str, *words: str, packages: Iterable[str] | None = None) -> list[str]:
    """The command line that runs a function of codemap (`package.module:function`), with `words` for arguments.

    `packages` are those that it may import; None: codemap's own.
    """
    folders = own_folders(OWN_PACKAGES if packages is None else packages)
    return [sys.executable, "-I", _UTF8, *_kept_options(), STARTED, str(len(folders)), *folders, name, *words]


def own_folders(packages: Iterable[str]) -> list[str]:
    """Lists the folders that packages are imported from: absolute, each once."""
    from importlib.util import find_spec

    found: dict[str, None] = {}
    for name in packages:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            module = os.path.dirname(spec.origin) if spec.submodule_search_locations is not None else spec.origin
            found[os.path.dirname(os.path.abspath(module))] = None
    return list(found)


def without_python(environment: Mapping[str, str]) -> dict[str, str]:
    """Removes from an environment the variables that Python itself reads."""
    return {name: value for name, value in environment.items() if not name.startswith("PYTHON")}


def _kept_options() -> Sequence[str]:
    """What the user asked of this interpreter that has nothing to do with imports; `-I` forgets it."""
    prefix = [f"-Xpycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return [*(["-B"] if sys.flags.dont_write_bytecode else []), *prefix]
