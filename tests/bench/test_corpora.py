"""Pins of the corpora."""

from __future__ import annotations

import re

from bench.__main__ import RUNS
from bench.bars import MEASURES
from bench.corpora import corpora
from codemap.languages import by_name


def test_every_corpus_is_pinned() -> None:
    for key, corpus in corpora().items():
        if corpus.registry.startswith("debian"):  # its client checks what it fetches
            assert re.fullmatch(r"(\d+:)?\d+(\.\d+)+([+.]\w+)?-\S+", corpus.version), key
        else:
            assert re.fullmatch(r"[0-9a-f]{64}", corpus.sha256), key
            assert re.fullmatch(r"\d+(\.\d+)+", corpus.version), key


def test_runs_name_corpora_that_are_there() -> None:
    assert {key for run in RUNS.values() for key in run.corpora} <= set(corpora())


def test_every_language_has_a_corpus_and_servers_that_are_its_own() -> None:
    assert {corpus.language for corpus in corpora().values()} >= set(by_name()) - {"js"}
    for key, corpus in corpora().items():
        servers = {server.name for server in by_name()[corpus.language].servers}
        assert not corpus.server or corpus.server in servers, key


def test_measures_have_names_of_their_own() -> None:
    assert all(name == measure.name for name, measure in MEASURES.items())
    assert len(MEASURES) > 20
