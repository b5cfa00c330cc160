"""The arrows between packages, read off the imports and held against `rooms.txt`."""

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
    ("codemap/extract/", "codemap/fact_building/", "codemap/languages/"): {"tree_sitter", "tree_sitter_language_pack"},
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


TABLE = ROOT / "tests" / "rooms.txt"
"""Every room and the rooms of its half that it imports, each below all that it imports; `#` begins a heading."""
FACES = ("actors", "codemap", "codemap.graph")
"""Packages that hold rooms and nothing else."""
MODULES_MAX = 20


@cache
def rooms() -> Mapping[str, Set[str]]:
    """The table, in its order."""
    table: dict[str, Set[str]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            room, _, others = line.partition(":")
            half = room.partition("/")[0]
            assert room not in table, room
            table[room] = {f"{half}/{other}" for other in others.split()}
    return table


@cache
def room_of(name: str) -> str:
    """The room of a module: the smallest of the table that it lies in; a package's face may be a room of its own."""
    path = name.replace(".", "/")
    if f"{path}/__init__" in rooms():
        return f"{path}/__init__"
    return max((room for room in rooms() if f"{path}/".startswith(f"{room}/")), key=len, default="")


def test_the_table_of_rooms_is_what_the_imports_say() -> None:
    """Each arrow between rooms is one that somebody wrote down, and none is left that no import needs any more."""
    paths = modules()
    found: dict[str, set[str]] = {room: set() for room in rooms()}
    for name, path in paths.items():
        if name in FACES:
            continue
        room = room_of(name)
        assert room, f"the table lacks the room of {name}"
        half = name.partition(".")[0]
        others = {other for other in _modules_imported(path, paths.keys()) if other.startswith(f"{half}.")}
        found[room] |= {other for other in map(room_of, others) if other != room}
    assert found == rooms()


def test_rooms_import_only_what_stands_above_them() -> None:
    above: set[str] = set()
    for room, others in rooms().items():
        assert others <= above, room
        above.add(room)


def test_rooms_are_small() -> None:
    for folder in {path.parent for path in SOURCES}:
        assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= MODULES_MAX, folder


CIRCLE_MAX = 3
"""Modules of the one circle of imports: to call a value may run a protocol, whose method is called, with type arguments
that are inferred from what calls and protocols give."""


def test_imports_go_in_no_circle_but_one() -> None:
    """Imports for type checkers and inside functions count as any others."""
    paths = modules()
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


@cache
def modules() -> Mapping[str, Path]:
    """Every module by its name."""
    return {relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in SOURCES}


def _modules_imported(path: Path, modules: Set[str]) -> set[str]:
    """The modules that a file names in its imports; a package only where it takes something else from it."""
    found: set[str] = set()
    for module, taken in read(path).imports:
        names = {f"{module}.{name}" for name in taken}
        found |= names if taken and names <= modules else {module, *names}
    return found & modules


def test_what_decides_facts_is_in_the_key_of_stored_facts() -> None:
    from actors.database.store_location import EXTRACTING

    paths = modules()
    asked = {name for name in paths if name.startswith(("codemap.extract.", "codemap.languages.", "codemap.packed."))}
    needed = set[str]()
    while asked:
        needed |= asked
        asked = {other for name in asked for other in _modules_imported(paths[name], paths.keys())} - needed
    keyed = {f"codemap.{path.removesuffix('.py')}" for path in EXTRACTING}
    assert {room for name in needed if (room := ".".join(name.split(".")[:2])) != "codemap"} == keyed


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
