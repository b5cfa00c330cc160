"""Kinds and fields that the plug-ins name are those of their grammars: what a grammar lacks is never met."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_sitter import Query
from tree_sitter_language_pack import get_language

from codemap.extract.complexity import pattern_of
from codemap.fact_building.node_dispatch import by_kind
from codemap.languages import languages
from codemap.languages.ecmascript.extract import _HANDLERS as ECMASCRIPT
from codemap.languages.language import Language
from codemap.languages.python.annotations import TYPES
from codemap.languages.python.extract import _VALUES

FOLDER = Path(__file__).parents[2] / "codemap" / "languages"
ECMASCRIPT_GRAMMARS = ("typescript", "tsx", "javascript")
GRAMMARS = {
    "c": ("c", "cpp"),
    "class_based": ("java", "kotlin", "csharp"),
    "cpp": ("cpp",),
    "csharp": ("csharp",),
    "ecmascript": ECMASCRIPT_GRAMMARS,
    "go": ("go",),
    "java": ("java",),
    "javascript": ("javascript",),
    "jvm": ("java", "kotlin"),
    "kotlin": ("kotlin",),
    "php": ("php",),
    "python": ("python",),
    "ruby": ("ruby",),
    "rust": ("rust",),
    "typescript": ("typescript", "tsx"),
}
"""Folder -> the grammars whose trees its files visit."""


def test_every_language_is_here() -> None:
    assert {path.parent.name for path in FOLDER.glob("*/__init__.py")} == GRAMMARS.keys()


def kinds(folder: str) -> set[str]:
    found = {"ERROR"}
    for language in map(get_language, GRAMMARS[folder]):
        found |= {language.node_kind_for_id(kind) or "" for kind in range(language.node_kind_count)}
    return found


def fields(folder: str) -> set[str]:
    found: set[str] = set()
    for language in map(get_language, GRAMMARS[folder]):
        found |= {language.field_name_for_id(number) or "" for number in range(1, language.field_count + 1)}
    return found


def texts(node: ast.AST | None) -> Iterator[str]:
    """The texts that a constant, a collection of some, or a pattern of `match` has."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from texts(part)
        case ast.MatchValue(value=value):
            yield from texts(value)
        case ast.MatchOr(patterns=patterns):
            for pattern in patterns:
                yield from texts(pattern)
        case _:
            pass


def is_kind(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "type"


def named(tree: ast.AST) -> Iterator[tuple[int, str, bool]]:
    """(line, text, whether it names a field) of every kind and field that stands in some code."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="child_by_field_name" | "children_by_field_name"), args=[first, *_]):
                yield from ((node.lineno, text, True) for text in texts(first))
            case ast.Call(func=ast.Attribute(value=ast.Name("w"), attr="field"), args=[_, second]):
                yield from ((node.lineno, text, True) for text in texts(second))
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]) if is_kind(left):
                yield from ((node.lineno, text, False) for text in texts(right))
            case ast.Compare(left=left, comparators=[ast.Tuple() | ast.Set() as right]) if is_kind(left):
                yield from ((node.lineno, text, False) for text in texts(right))
            case ast.Match(subject=subject, cases=cases) if is_kind(subject):
                yield from ((node.lineno, text, False) for case in cases for text in texts(case.pattern))
            case _:
                pass


@pytest.mark.parametrize("folder", GRAMMARS)
def test_kinds_and_fields_in_code_are_the_grammars(folder: str) -> None:
    known = {True: fields(folder), False: kinds(folder)}
    found = [
        (path.name, *one)
        for path in sorted((FOLDER / folder).glob("**/*.py"))
        for one in named(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert [one for one in found if one[2] not in known[one[3]]] == []


def test_handlers_of_shared_tables_have_a_kind() -> None:
    assert ECMASCRIPT.keys() <= kinds("ecmascript")
    assert {**_VALUES, **TYPES}.keys() <= kinds("python")


def test_a_table_with_a_kind_that_the_grammar_lacks_is_refused() -> None:
    with pytest.raises(KeyError, match="go: func_declaration"):
        by_kind("go", {"func_declaration": print}, otherwise=print, token=print)


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.title)
def test_what_makes_code_complex_is_in_the_grammars(language: Language) -> None:
    table = language.complexity
    entries = [one for name in table.__struct_fields__ if isinstance(one := getattr(table, name), tuple)]
    assert all((table.functions, table.branches, table.operators, table.parameters))
    for grammar in {language.grammar(f"a{suffix}") for suffix in language.suffixes}:
        for entry in {one for some in entries for one in some} - {"parenthesized_expression"}:
            Query(get_language(grammar), pattern_of(entry))  # type: ignore[arg-type]  # raises where it lacks one
