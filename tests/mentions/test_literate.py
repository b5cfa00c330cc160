"""Over the literate examples of all languages: every word of every name is in one account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.languages import language_of, languages
from tests import literate
from tests.mentions.accounting import checked

FOLDER = Path(__file__).parents[1] / "languages"
DOCUMENTS = sorted(FOLDER.glob("*/*.md"))


def repositories_in(document: Path) -> Iterator[dict[str, bytes]]:
    """The files of each case that a language reads."""
    for case in literate.cases(document.read_text(encoding="utf-8")):
        yield {path: source for path, source in case.files.items() if language_of(path) is not None}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_accounts_sum_to_all_words(document: Path) -> None:
    for files in repositories_in(document):
        snapshot = build_snapshot(files)
        names = sorted({name for file in snapshot.files for name in file.symbol_names})
        for name in names[:8]:
            checked(snapshot, files, name, next(iter(snapshot.named(name)), None))


def test_all_languages_have_examples() -> None:
    paths = [path for document in DOCUMENTS for files in repositories_in(document) for path in files]
    read = {language.name for path in paths if (language := language_of(path)) is not None}
    assert {language.name for language in languages()} == read
