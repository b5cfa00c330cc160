"""How a question in words is read: its concepts, what has to be there, and names as code writes them."""

from __future__ import annotations

import pytest

from codemap.graph.index.terms import subwords
from codemap.graph.words.question import concepts_of, names_in


@pytest.mark.parametrize(
    ("question", "required"),
    [
        ('flush "pending rows"', ["pending", "rows"]),
        ("flush “pending” rows", ["pending"]),
        ('flush "pending rows', []),
        ("flush `pending` rows", []),
        ("take ``other`` and remove ``path`` from it", []),
    ],
)
def test_what_stands_in_double_quotes_is_required(question: str, required: list[str]) -> None:
    assert [concept.word for concept in concepts_of(question) if concept.is_required] == required


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("how does QuerySet.filter_or_exclude chain", ["queryset", "filter_or_exclude"]),
        ("sorted(keys) of Store::get", ["sorted", "store", "get"]),
        ("the URL of HTTP requests. Next, all of them", []),
        ("what calls flushAll and _load", ["flushall", "_load"]),
    ],
)
def test_a_name_is_known_by_how_it_is_written(question: str, names: list[str]) -> None:
    assert names_in(question) == names


@pytest.mark.parametrize(
    ("word", "parts"),
    [("fetchURLs", ["fetch", "urls"]), ("IDs", ["ids"]), ("HTTPServer", ["http", "server"]), ("APIs_of", ["apis"])],
)
def test_the_plural_of_capitals_is_one_word(word: str, parts: list[str]) -> None:
    assert subwords(word) == parts


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("a11y_warnings", ["a11y", "warnings"]),
        ("useI18nRoutes", ["use", "i18n", "routes"]),
        ("K8sClient", ["k8s", "client"]),
        ("E2ETest", ["e2e", "test"]),
        ("LOCAL_L10N", ["local", "l10n"]),
        ("v1beta1", ["beta"]),
        ("utf8String", ["utf", "string"]),
        ("sha256sum", ["sha", "256", "sum"]),
    ],
)
def test_digits_between_two_letters_are_part_of_a_word(word: str, parts: list[str]) -> None:
    assert subwords(word) == parts
