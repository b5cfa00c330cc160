"""Languages are plug-ins: a folder is all it takes, and every record is sound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import codemap.languages as registry
from codemap.graph.build.build import build_snapshot
from codemap.graph.query.dump import edge_lines
from codemap.languages import by_name, language_of, languages

TOY = '''
"""A made-up language over a grammar that no other plug-in uses: functions, calls, nothing else."""

from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.language import Language
from codemap.languages.project import Missing


class Modules:
    def resolve(self, specifier, importer):
        return Missing()

    def child(self, module, name):
        return None


def extract(root, b):
    for node in root.named_children:
        if node.type == "function_declaration":
            define(node, b)
        elif node.type == "function_call":
            call(node, b)


def define(node, b):
    name = node.child_by_field_name("name")
    text = name.text.decode()
    symbol = b.symbol(
        text, SymbolKind.FUNCTION, parent=b.owner, at=name.start_byte, start=node.start_byte, end=node.end_byte,
        flags=SymbolFlag.EXPORTED,
    )
    b.bind(text, SourceKind.SYMBOL, symbol)
    outer, b.owner = b.owner, symbol
    b.open_scope(ScopeKind.FUNCTION, symbol)
    body = node.child_by_field_name("body")
    if body is not None:
        extract(body, b)
    b.close_scope()
    b.owner = outer


def call(node, b):
    name = node.child_by_field_name("name")
    b.use(UseRole.CALL, b.name(name.text.decode()), name.start_byte)


LANGUAGE = Language(
    name="toy", title="Toy", family="toy", suffixes=(".toy",), grammar=lambda path: "lua", extract=extract,
    modules=lambda project: Modules(),
)
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "__init__.py").write_text(TOY)
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(tmp_path)])
    caches = (registry.languages, registry._by_suffix, registry.by_name)
    for cache in caches:
        cache.cache_clear()
    yield
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def test_a_folder_is_all_that_a_new_language_takes(toy: None) -> None:
    snapshot = build_snapshot({"a.toy": b"function one()\n  two()\nend\nfunction two()\nend\n"})
    assert edge_lines(snapshot) == ["toy:a.toy#one calls toy:a.toy#two exact 2:3"]


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
