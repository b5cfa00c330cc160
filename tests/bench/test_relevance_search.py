"""How search is held against what people mean: what is drawn, what is masked, what counts as right."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.corpora import corpora
from bench.relevance.baselines import Bm25
from bench.relevance.drawn import Asked, names, sentences
from bench.relevance.overview import documented
from bench.relevance.peers import Compared, first_accepted
from bench.relevance.peers import report as report_of_peers
from bench.relevance.repositories import Definition, Mapped, Question, cloned, indexed, repositories
from bench.relevance.search import Scored, report
from codemap.facts import Symbol

SOURCES = {
    "src/store.py": b'''
class SessionStore:
    """Sessions that live longer than the process."""

    def flush_pending_rows(self, limit):
        """Write everything that waits to the table.

        Twice, where it must be.
        """
        return limit

    def close(self):
        """Short."""
''',
    "src/escape.c": b"""
/* Replace what a shell would expand by plain text. */
int quote_argument(char *text) { return 0; }
""",
    "tests/test_store.py": b'def test_flush_of_store():\n    """Everything that waits is written to the table."""\n',
}


@pytest.fixture(scope="module")
def mapped() -> Mapped:
    return Mapped(Path(), SOURCES, indexed(SOURCES))


def test_questions_are_measured_on_other_repositories_than_rules_were_made_on() -> None:
    known = repositories()
    measured = [one for one in known.values() if not one.made_on]
    assert len(measured) == 27
    assert sum(len(one.questions) for one in measured) == 139
    for name, one in known.items():
        assert one.questions, name
        assert (one.pinned is not None) != (one.corpus in corpora() or one.corpus in documented()), name
        assert all(question.accepted and question.source for question in one.questions), name
        assert all("#" in accepted for question in one.questions for accepted in question.accepted), name
    made_on = {one.pin().name for one in known.values() if one.made_on}
    assert made_on.isdisjoint(one.pin().name for one in measured)


def test_questions_on_clones_are_of_other_repositories_than_what_is_measured() -> None:
    known = cloned(Path("clones"))
    measured = {one.pin().name.rpartition("/")[2].lower() for one in repositories().values() if not one.made_on}
    assert sum(len(one.questions) for one in known.values()) == 446
    assert sum(len(one.questions) for one in known.values() if not one.made_on) == 87, "kept apart from rules"
    for name, one in known.items():
        assert one.place() == (f"{one.github} {one.commit[:8]}", Path("clones") / name)
        assert one.github.rpartition("/")[2].lower() == name.lower()
        assert not any(name.lower() in other.split("-") for other in measured), name
        assert all("#" in accepted for question in one.questions for accepted in question.accepted), name


@pytest.mark.parametrize(
    ("accepted", "is_accepted"),
    [
        ("store.py#Store.get", True),
        ("app/store.py#get", True),
        ("store.py#tore.get", False),
        ("ore.py#Store.get", False),
        ("store.py#Store", False),
    ],
)
def test_a_result_is_accepted_by_the_ends_of_its_path_and_name(accepted: str, *, is_accepted: bool) -> None:
    assert Definition("app/store.py", "get", "app.Store.get").is_accepted(accepted) == is_accepted


def test_sentences_are_of_the_product_and_masked_in_the_sources(mapped: Mapped) -> None:
    told, sources = sentences(mapped)
    assert {one.definition.name for one in told} == {"SessionStore", "flush_pending_rows", "quote_argument"}
    assert sources["tests/test_store.py"] == SOURCES["tests/test_store.py"]
    snapshot = indexed(sources)
    masked = Mapped(Path(), sources, snapshot)
    docs = {masked.definition(node).name: snapshot.text_of(node, Symbol.DOC) for node in masked.product()}
    assert {name for name, doc in docs.items() if doc} == {"close"}
    assert b"Twice" not in sources["src/store.py"]
    assert b"shell" not in sources["src/escape.c"]
    assert sources["src/store.py"].count(b"\n") == SOURCES["src/store.py"].count(b"\n")


def test_each_name_that_is_drawn_has_one_right_answer(mapped: Mapped) -> None:
    asked = names(mapped)
    by_form: dict[str, list[Asked]] = {}
    for one in asked:
        by_form.setdefault(one.form, []).append(one)
    assert set(by_form) == {"exact", "partial", "qualified", "misspelt"}
    definitions = [mapped.definition(node) for node in range(mapped.snapshot.first_external)]
    for one in asked:
        right = {definition.qualified for definition in definitions if one.is_right(definition)}
        assert len(right) == 1, one.query
    assert [one.query for one in asked] == [one.query for one in names(mapped)]
    assert "test_flush_of_store" not in {one.query for one in asked}


def test_plain_bm25_counts_rare_words_more_and_long_texts_less() -> None:
    texts = ["open the file", "open the socket", "open the file " + "and read on " * 20]
    assert Bm25(texts).best("open socket", 3) == [1, 0, 2]
    assert Bm25(texts).best("theFile", 1) == [0]
    assert Bm25(texts).best("nothing", 3) == []


def test_what_the_rules_were_made_on_stands_in_a_table_of_its_own() -> None:
    one = Scored("a", False, 5, 0.6, 0.8, 0.0, (0.4, 0.6), (0.2, 0.4), (1.0, 1.0, 1.0, 0.8), 60, 0.6, 0.5)
    other = Scored("b", True, 5, 1.0, 1.0, 0.0, (0.4, 0.6), (0.2, 0.4), (1.0, 1.0, 1.0, 1.0), 40, 0.5, 0.5)
    measured, made_on = report([one, other]).split("## The rules were made on")
    assert "| a | 5 | 0.60 | 0.80 | 0.00 | 0.40 | 0.60 | 0.20 | 0.40 |" in measured
    assert "| all | 1.00 | 1.00 | 1.00 | 0.80 | 0.95 | 60 | 0.60 | 0.50 | 1.20 |" in measured
    assert "| b | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 | 40 | 0.50 | 0.50 | 1.00 |" in made_on


def test_a_peer_is_held_to_the_same_accepted_definitions() -> None:
    question = Question("how is it saved", "README", ("app/store.py#Store.save",))
    found = [("app/api.py", "save"), ("src/app/store.py", "Store.save"), ("app/store.py", "Store.save")]
    assert first_accepted(question, found) == 2
    assert first_accepted(question, found[:1]) == 0
    table = report_of_peers([Compared("a", False, (1, 0), (2, 1)), Compared("b", True, (1,), (0,))])
    measured, made_on = table.split("## The rules of codemap were made on")
    assert "| a | 2 | 0.50 | 0.50 | 0.50 | 1.00 |" in measured
    assert "| all | 1 | 1.00 | 1.00 | 0.00 | 0.00 |" in made_on
