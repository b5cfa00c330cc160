"""House rules that a machine can check (STYLE)."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONG_FILE_LINES = 300
ARCHITECTURE_MAX_BYTES = 30_000
TERMS_MAX = 20


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return sorted(path for line in listed.stdout.splitlines() if (path := ROOT / line).exists())


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


SOURCES = tracked("codemap/*.py", "actors/*.py")


def test_broad_excepts_stand_in_exactly_two_files() -> None:
    found = {
        name(path)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node)
    }
    assert found == {"actors/messaging/supervise.py", "actors/front/call.py"}


def _is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & {"Exception", "BaseException"})


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    doc = ast.get_docstring(ast.parse(source))
    assert doc, "no module docstring"
    if len(source.splitlines()) > LONG_FILE_LINES:
        assert re.search(r"\b(?:file|it) is\s+long\b", doc, re.IGNORECASE), (
            "a file of over 300 lines says why it is long"
        )


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_no_mutable_state_at_module_level(path: Path) -> None:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.List | ast.Set) or (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id in {"list", "dict", "set"}
        ):
            raise AssertionError(f"line {node.lineno}: mutable at module level")


def test_every_package_has_its_paragraph_in_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`([\w./-]+)/`", text))
    packages = {
        name(path.parent) for path in tracked("codemap/*__init__.py", "actors/*__init__.py", "bench/*__init__.py")
    }
    languages = {package for package in packages if package.startswith("codemap/languages/")}
    assert not packages - languages - listed


def test_architecture_is_read_in_one_sitting() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_bytes()) <= ARCHITECTURE_MAX_BYTES


def test_the_glossary_is_short() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Terms that are ours")[2].partition("\n## ")[0]
    terms = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert 0 < len(terms) <= TERMS_MAX


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_documents_name_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    examples = re.compile(r"```+\w*\n.*?\n```+|app/\S+|codemap/languages/lua/\S+|tests/languages/lua/\S+", re.DOTALL)
    named = set(re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|md|toml))(?:::\w+)?`", examples.sub("", text)))
    assert len(named) > 5
    assert not {path for path in named if not any((ROOT / top / path).exists() for top in ("", "codemap"))}


def test_tests_are_never_skipped() -> None:
    pattern = re.compile(r"pytest\.(?:mark\.)?(?:skip|xfail)|importor" + "skip")
    assert not [name(path) for path in tracked("tests/*.py") if pattern.search(path.read_text(encoding="utf-8"))]


def test_nothing_names_a_machine() -> None:
    pattern = re.compile(r"/(?:root|work)/[a-z]")
    for path in tracked("codemap", "actors", "bench", "tests", "*.md", "*.toml"):
        if path.suffix in {".py", ".md", ".toml"} and path != Path(__file__):
            assert not pattern.search(path.read_text(encoding="utf-8")), name(path)
