"""The questions of `questions.toml`, with their answers; what each field means stands at its top."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from bench.corpora import Corpus

FOLDER = Path(__file__).parent

Kind = Literal[
    "callers",
    "review",
    "hierarchy",
    "path",
    "importers",
    "tests",
    "dependencies",
    "description",
    "orientation",
]


class Repository(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pinned: Corpus
    language: str
    """As ripgrep calls it."""
    product: str
    """Arguments with which ripgrep looks at production code only."""
    aside: tuple[str, ...]
    """Glob patterns of what is no production code, by hand."""


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    repository: str
    kind: Kind
    asks: str
    established: str
    items: tuple[str, ...]
    grep: tuple[str, ...]
    subject: str = ""
    to: str = ""
    also: tuple[str, ...] = ()
    word: str = ""


class Questions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    repositories: Mapping[str, Repository]
    questions: tuple[Question, ...]


def questions() -> Questions:
    return msgspec.convert(tomllib.loads((FOLDER / "questions.toml").read_text(encoding="utf-8")), Questions)
