"""SECURITY.md: every claim names tests that hold it, and these exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_CLAIM = re.compile(r"^\| (?P<claim>.+?) \| (?P<held>.+?) \|$", re.MULTILINE)


def claims() -> list[tuple[str, str]]:
    """The rows of all tables that have `held by` as their second column: the claim, and what holds it."""
    found = []
    for table in re.findall(r"(?m)^\| claim \| held by \|\n\|---\|---\|\n((?:\|.*\n)+)", TEXT):
        found += [(row["claim"], row["held"]) for row in _CLAIM.finditer(table)]
    return found


@pytest.mark.parametrize(("claim", "held"), claims(), ids=[claim[:40] for claim, _ in claims()])
def test_every_claim_names_the_tests_that_hold_it(claim: str, held: str) -> None:
    assert _NAMED.search(held), "a claim without a test"
    assert not _NAMED.sub("", held).strip(", "), "what holds it is tests, and nothing else"


@pytest.mark.parametrize(("file", "name"), sorted(set(_NAMED.findall(TEXT))))
def test_every_named_test_exists(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_all_of_the_page_is_read() -> None:
    assert len(claims()) == TEXT.count("`tests/") - sum(held.count("`tests/") - 1 for _, held in claims())
    assert "codemap trust" in TEXT
