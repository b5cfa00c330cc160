"""The arrows between packages, read off the imports (DESIGN, section 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import cache
from pathlib import Path

import pytest

from tests.sources import read

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("codemap/**/*.py"), *ROOT.glob("actors/**/*.py")])
PURE_STDLIB = {
    "__future__", "abc", "array", "ast", "base64", "binascii", "bisect", "collections", "contextlib", "copy",
    "dataclasses", "difflib", "enum", "fnmatch", "functools", "gc", "hashlib", "heapq", "hmac", "importlib",
    "itertools", "json", "keyword", "math", "operator", "pkgutil", "posixpath", "re", "shlex", "string", "struct",
    "sys", "textwrap", "tomllib", "types", "typing", "unicodedata", "urllib", "weakref", "xml", "zlib",
}  # fmt: skip
PURE_PACKAGES = {
    "Stemmer", "codemap", "graspologic_native", "lz4", "msgspec", "numpy", "tree_sitter", "tree_sitter_language_pack",
}  # fmt: skip
FORBIDDEN_CALLS = {"open", "print", "input", "exec", "eval"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def packages(path: Path) -> set[str]:
    """The first parts of what a file imports."""
    return {module.split(".")[0] for module, _ in read(path).imports}


def test_the_pure_half_imports_nothing_with_effects() -> None:
    pure = [path for path in SOURCES if relative(path).startswith("codemap/")]
    wrong = {relative(path): packages(path) - PURE_STDLIB - PURE_PACKAGES for path in pure}
    assert not {name: tops for name, tops in wrong.items() if tops}
    assert not [relative(path) for path in pure if read(path).called & FORBIDDEN_CALLS]


LIBRARIES: Mapping[tuple[str, ...], Set[str]] = {
    ("codemap/extract/", "codemap/languages/"): {"tree_sitter", "tree_sitter_language_pack"},
    ("actors/front/",): {"mcp", "mcp_types"},
    ("codemap/graph/",): {"graspologic_native"},
    ("codemap/config/",): {"tomllib", "xml", "configparser", "yaml"},
}
"""The layers that know some libraries, and no others do."""


@pytest.mark.parametrize("layers", LIBRARIES, ids="".join)
def test_only_one_layer_knows_each_library(layers: tuple[str, ...]) -> None:
    others = [path for path in SOURCES if not relative(path).startswith(layers)]
    assert not [relative(path) for path in others if packages(path) & LIBRARIES[layers]]


RECORDS = ("codemap.lsp.server", "codemap.lsp.serving")
"""What a language says of its servers, as data."""


def test_only_one_layer_speaks_to_language_servers() -> None:
    for path in SOURCES:
        name = relative(path)
        protocol = {module for module in read(path).imported if module.startswith("codemap.lsp")}
        if name.startswith("codemap/languages/"):
            assert all(module.startswith(RECORDS) for module in protocol), name
        elif not name.startswith(("codemap/lsp/", "actors/language_servers/")):
            assert not protocol, name


MESSAGING, FILES, PROCESSES = "actors/messaging", "actors/files", "actors/processes"
MODEL, INDEX = "codemap/graph/model", "codemap/graph/index"
EVALUATE, RESOLVE = "codemap/graph/evaluate", "codemap/graph/resolve"
LIKELIHOOD = "codemap/graph/likelihood"
SYSTEM = {MESSAGING, FILES, PROCESSES}
DISK = {*SYSTEM, "actors/database", "actors/ports"}
MAP = {*DISK, "actors/listing", "actors/watch", "actors/workers", "actors/indexing", "actors/indexing/sources"}
SERVERS = {"actors/language_servers", "actors/language_servers/life", "actors/language_servers/programs"}
MAY_IMPORT: dict[str, set[str]] = {
    MESSAGING: set(),
    FILES: {MESSAGING},
    PROCESSES: {FILES},
    "actors/database": {FILES},
    "actors/ports": {*SYSTEM, "actors/database"},
    "actors/listing": DISK,
    "actors/watch": {*DISK, "actors/listing"},
    "actors/workers": DISK,
    "actors/indexing/sources": {MESSAGING},
    "actors/indexing": {*DISK, "actors/workers", "actors/indexing/sources"},
    "actors/cluster": {*DISK, "actors/workers", "actors/indexing", "actors/indexing/sources"},
    "actors/revisions": DISK,
    "actors/remote": {*DISK, "actors/indexing", "actors/revisions"},
    "actors/history": {*MAP, "actors/revisions"},
    "actors/language_servers/programs": {*SYSTEM, "actors/listing"},
    "actors/language_servers/life": {*MAP, "actors/language_servers/programs"},
    "actors/language_servers": {*MAP, *SERVERS},
    "actors/service": {*MAP, *SERVERS, "actors/cluster", "actors/remote", "actors/revisions", "actors/history"},
    "actors/front/transports": SYSTEM,
    "actors/view": {*SYSTEM, "actors/front/transports"},
    "actors/front": {
        *(
            *MAP,
            *SERVERS,
            "actors/cluster",
            "actors/remote",
            "actors/revisions",
            "actors/service",
            "actors/front/transports",
            "actors/view",
        ),
    },
    "actors/command_line/reviews": set(),
    "actors/command_line/display": set(),
    "actors/command_line": {
        *MAP,
        *SERVERS,
        "actors/cluster",
        "actors/remote",
        "actors/service",
        "actors/front",
        "actors/front/transports",
        "actors/view",
        "actors/command_line/reviews",
        "actors/command_line/display",
    },
    "actors/entry": {"actors/command_line"},
    MODEL: set(),
    INDEX: {MODEL},
    "codemap/graph/areas": {MODEL, INDEX},
    "codemap/graph/words": {MODEL, INDEX},
    EVALUATE: {MODEL},
    RESOLVE: {MODEL, EVALUATE},
    "codemap/graph/incremental": {MODEL, INDEX, EVALUATE, RESOLVE},
    LIKELIHOOD: {MODEL, INDEX, EVALUATE, RESOLVE},
    "codemap/graph/query": {MODEL, INDEX, LIKELIHOOD, "codemap/graph/areas", "codemap/graph/words"},
    "codemap/graph/verified": {MODEL, INDEX, "codemap/graph/query"},
    "codemap/graph/build": {
        *(MODEL, INDEX, EVALUATE, RESOLVE, "codemap/graph/areas", "codemap/graph/words"),
        *("codemap/graph/incremental", "codemap/graph/query"),
    },
    "codemap/graph/joined": {MODEL, "codemap/graph/build", "codemap/graph/verified"},
}
"""Room of `actors` and of the graph -> the other rooms of the same that it may import: a later one never stands in an
earlier one's."""
ROOMS = [p for p in SOURCES if relative(p).startswith(("actors/", "codemap/graph/"))]
MODULES_MAX = 20


@cache
def room_of(name: str) -> str:
    """The room of a module: its folder, or itself where it lies in `actors`."""
    path = name.replace(".", "/")
    return max((room for room in MAY_IMPORT if f"{path}/".startswith(f"{room}/")), key=len, default="")


def test_rooms_import_one_way() -> None:
    for path in ROOMS:
        if relative(path) in ("actors/__init__.py", "codemap/graph/__init__.py"):
            continue
        own = room_of(relative(path).removesuffix(".py"))
        assert own, f"the table lacks the room of {relative(path)}"
        top = "codemap.graph." if own.startswith("codemap/") else "actors."
        rooms = {room_of(name) for name in read(path).imported if name.startswith(top)}
        assert rooms - {own} <= MAY_IMPORT[own], relative(path)


def test_the_table_of_rooms_has_no_circle() -> None:
    earlier: set[str] = set()
    for room, others in MAY_IMPORT.items():
        assert others - {room} <= earlier, room
        earlier.add(room)


def test_rooms_are_small() -> None:
    for folder in {path.parent for path in SOURCES}:
        assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= MODULES_MAX, folder


CIRCLE_MAX = 8
"""Modules of the one circle of imports, that of the rules of name resolution."""


def test_imports_go_in_no_circle_but_one() -> None:
    """Imports for type checkers and inside functions count as any others."""
    paths = {relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in SOURCES}
    found = circles({name: _modules_imported(path, paths.keys()) - {name} for name, path in paths.items()})
    of_rules = {circle for circle in found if all(name.startswith("codemap.graph.resolve.") for name in circle)}
    assert not found - of_rules
    assert len(of_rules) <= 1
    assert all(len(circle) <= CIRCLE_MAX for circle in of_rules)


def test_circles_are_strongly_connected_components() -> None:
    imported = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d", "f"}, "f": set[str]()}
    assert circles(imported) == {frozenset("abc"), frozenset("de")}


def circles(imported: Mapping[str, Set[str]]) -> set[frozenset[str]]:
    """Modules that import one another, directly or by way of others (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: set[frozenset[str]] = set()

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in imported[name]:
            if other not in number:
                visit(other)
            if other in stack:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.add(frozenset(stack[at:]))
            del stack[at:]

    for name in imported:
        if name not in number:
            visit(name)
    return found


def _modules_imported(path: Path, modules: Set[str]) -> set[str]:
    """The modules that a file names in its imports; a package only where it takes something else from it."""
    found: set[str] = set()
    for module, taken in read(path).imports:
        names = {f"{module}.{name}" for name in taken}
        found |= names if taken and names <= modules else {module, *names}
    return found & modules


WIRING = "actors/service/wiring.py"
"""The file that knows all actors; `front` reaches them through the service that it opens."""


def test_actors_do_not_import_one_another() -> None:
    """An actor is what a supervisor runs: the modules from which the wiring takes them."""
    wired = (ROOT / WIRING).read_text(encoding="utf-8")
    actors = {
        f"actors.{name}"
        for name in re.findall(r"from actors\.([\w.]+) import [^\n]*\b(?:parser_pool|resolver|store|watcher)\b", wired)
    }
    assert len(actors) == 4
    actors |= {"actors.language_servers.supervisor", "actors.language_servers.verifier"}
    for path in SOURCES:
        if relative(path) in {WIRING, "actors/language_servers/wiring.py", "actors/front/served_root.py"}:
            continue
        own = relative(path).removesuffix(".py").replace("/", ".")
        assert not (read(path).imported & actors) - {own}, own


def test_no_language_is_named_outside_its_folder() -> None:
    """Adding a language touches one folder: nothing else compares against a language's name."""
    from codemap.languages import languages

    names = {language.name for language in languages()} | {language.title for language in languages()}
    for path in SOURCES:
        if relative(path).startswith("codemap/languages/"):
            continue
        for line, texts in read(path).compared:
            assert not names & texts, f"{relative(path)}:{line}"


def test_importing_has_no_effects(tmp_path: Path) -> None:
    """Every module imports in a process that may not write, without output."""
    import subprocess
    import sys

    modules = [relative(p).removesuffix(".py").removesuffix("/__init__").replace("/", ".") for p in SOURCES]
    modules = [module for module in modules if not module.endswith("__main__")]
    code = f"import importlib\nfor m in {modules!r}: importlib.import_module(m)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not list(tmp_path.iterdir())
