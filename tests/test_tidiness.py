"""House rules that a machine can check (STYLE)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.sources import read

ROOT = Path(__file__).parent.parent
LONG_FILE_LINES = 300
BROAD = {"Exception", "BaseException"}
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
    found = {name(path) for path in SOURCES if read(path).catches_all or read(path).caught & BROAD}
    assert found == {"actors/messaging/supervise.py", "actors/front/call.py"}


def test_every_module_says_what_it_is_for() -> None:
    assert not [name(path) for path in SOURCES if not read(path).doc]


def test_a_long_file_says_why_it_is_long() -> None:
    says_so = re.compile(r"\b(?:file|it) is\s+long\b", re.IGNORECASE)
    long = [path for path in SOURCES if read(path).lines > LONG_FILE_LINES]
    assert not [name(path) for path in long if not says_so.search(read(path).doc)]


def test_no_mutable_state_at_module_level() -> None:
    assert not [f"{name(path)}:{line}" for path in SOURCES for line in read(path).mutable]


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
