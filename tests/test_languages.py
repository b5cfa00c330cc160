"""Languages are plug-ins: a folder is all it takes, and every record is sound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import codemap.languages as registry
from codemap.graph.build.build import build_snapshot
from codemap.graph.query.dump import edge_lines
from codemap.languages import by_name, language_of, languages
from tests.literate import cases

CONTRIBUTING = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
(LUA,) = re.findall(r"^```python\n(.*?)^```$", CONTRIBUTING, re.DOTALL | re.MULTILINE)
"""The language that the document works through."""
(CASES,) = re.findall(r"^````markdown\n(.*?)^````$", CONTRIBUTING, re.DOTALL | re.MULTILINE)


@pytest.fixture
def lua(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "lua").mkdir()
    (tmp_path / "lua" / "__init__.py").write_text(LUA)
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(tmp_path)])
    caches = (registry.languages, registry._by_suffix, registry.by_name)
    for cache in caches:
        cache.cache_clear()
    yield
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def test_a_folder_is_all_that_a_new_language_takes(lua: None) -> None:
    (case,) = cases(CASES)
    (table,) = case.tables
    expected = [" ".join(line.split()) for line in CASES.split("\n")[table.start : table.end]]
    assert edge_lines(build_snapshot(case.files)) == expected


def test_records_do_not_collide() -> None:
    suffixes = [suffix for language in languages() for suffix in language.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert len(by_name()) == len(languages())


def test_a_family_is_the_name_of_one_of_its_languages() -> None:
    """External packages carry the family in their IDs, so it must read as a language."""
    assert {language.family for language in languages()} <= set(by_name())


@pytest.mark.parametrize("name", ["a.unknown", "Makefile", "py", ".py", ""])
def test_a_file_of_no_language_has_none(name: str) -> None:
    assert language_of(name) is None


def test_the_longest_known_ending_decides() -> None:
    for language in languages():
        for suffix in language.suffixes:
            assert language_of(f"dir.d/x.y{suffix}") is language
            assert language_of(f"X{suffix.upper()}") is language
