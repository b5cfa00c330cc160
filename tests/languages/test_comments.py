"""Comments say nothing: each literate case has the same edges with one before each comma, semicolon, closing bracket.

There a comment is one more child of a list, which is where handlers that count or pick children go wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tree_sitter_language_pack import get_parser

from codemap.graph.query.dump import edge_lines
from codemap.languages import language_of
from tests import literate
from tests.graph.from_scratch import built_from_scratch

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

BLOCKS = ("c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "rust", "typescript")
"""Folders of the languages whose comments may stand between any two tokens."""
LINES = ("python", "ruby")
"""Of those whose comments end with the line, which closes nothing in brackets."""
CLOSING = frozenset({")", "]", "}"})
LITERAL = re.compile("string|comment|template_|regex|jsx|char|heredoc|preproc|text|macro|token_tree|attribute")
"""In nodes of these types a comment would be text, or is read as tokens."""
_SITES = re.compile(r"\s+[\d:,]+\Z")

OTHERWISE = {
    "c/definitions.md::Pointers to functions that a macro declares",
    "csharp/generics.md::Which overload takes the arguments",
    "go/types.md::Type parameters: by what a type or a call states, or by the arguments",
    "kotlin/calls.md::Lambdas for Java's functional interfaces",
    "php/imports.md::Includes",
    "ruby/generated.md::A method that defines another does so for each name that it is called with",
    "rust/definitions.md::Items that a macro of the file makes of the names it is given",
    "typescript/calls.md::What is iterated is asked for its iterator",
}
"""FIXME: the comments change these; they should not."""


DOCUMENTS = [
    path
    for folder in (*BLOCKS, *LINES)
    for path in sorted(Path(__file__).parent.glob(f"{folder}/*.md"))
    if path.name != "broken.md"
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_comments_change_no_edges(document: Path) -> None:
    for case in literate.cases(document.read_text(encoding="utf-8")):
        name = f"{document.parent.name}/{document.name}::{case.title}"
        comment, before = (b" # c\n", CLOSING) if document.parent.name in LINES else (b" /* c */", CLOSING | {",", ";"})
        commented = {path: with_comments(path, source, comment, before) for path, source in case.files.items()}
        assert (edges(commented) == edges(case.files)) is (name not in OTHERWISE), name


def edges(files: literate.Files) -> list[str]:
    return sorted(_SITES.sub("", line) for line in edge_lines(built_from_scratch(files)))


def with_comments(path: str, source: bytes, comment: bytes, before: Set[str]) -> bytes:
    """The source with comments; as it is where it is broken, or the grammar takes it for broken then."""
    language = language_of(path)
    if language is None:
        return source
    parser: Parser = get_parser(language.grammar(path))  # type: ignore[arg-type]
    tree = parser.parse(source)
    found = source
    for at in sorted(places(tree.root_node, before), reverse=True):
        found = found[:at] + comment + found[at:]
    is_broken = tree.root_node.has_error or parser.parse(found).root_node.has_error
    return source if is_broken else found


def places(root: Node, before: Set[str]) -> Iterator[int]:
    waiting = [root]
    for node in waiting:
        if node.type in before:
            yield node.start_byte
        elif not LITERAL.search(node.type):
            waiting += node.children
