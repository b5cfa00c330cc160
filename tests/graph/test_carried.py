"""The indexes of a snapshot after an edit are those that would be made anew."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.graph.build.build import ranked
from codemap.graph.index.columns import Columns, columns_of
from codemap.graph.index.name_index import name_index
from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.index.trigram_index import AMENDED_MAX, Amended, Lines
from codemap.graph.model.index_slots import IS_UNHURRIED
from codemap.graph.model.node_names import node_names
from codemap.graph.model.renumbering import KeptRun, split_runs
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.index_warming import warm
from codemap.graph.query.search import search
from codemap.graph.words import word_index as word_indexes
from codemap.graph.words.word_index import has_words, make_words, word_index
from tests.graph.test_incremental import run

NAMES = ("load", "Load", "LOAD", "reload", "load_all", "Loader", "zeta", "alpha", "été", "x")
QUERIES = (
    *NAMES,
    "lo",
    "ad",
    "load all",
    "lood",
    "loadr",
    "zetta",
    "b.py",
    "pack",
    "Loader.load",
    "test",
    "fresh0",
    "loading of alphas",
    "zeta loadr été",
    "test reload",
)
PATHS = ("a.py", "pack/b.py", "pack/c.py", "tests/d.py", "z.py")

texts = st.lists(st.sampled_from(NAMES), max_size=4).map(
    lambda names: "".join(f"class {name}:\n    def load(self): ...\n" if name[0].isupper() else
                          f"def {name}(): ...\n" for name in names)
)  # fmt: skip


def built(previous: Snapshot | None, sources: Mapping[str, str]) -> Snapshot:
    return run(previous, {path: text.encode() for path, text in sources.items()}, set(), {})


@given(st.fixed_dictionaries(dict.fromkeys(PATHS, texts)), st.lists(st.dictionaries(st.sampled_from(PATHS), texts)))
def test_what_is_carried_is_what_would_be_made(start: dict[str, str], edits: list[dict[str, str]]) -> None:
    snapshot = built(None, start)
    for edit in edits:
        for _ in warm(snapshot, for_words=True):
            pass
        snapshot = built(snapshot, edit)
        check(snapshot)
        snapshot = finish(ranked(snapshot))
        check(snapshot)


def check(snapshot: Snapshot) -> None:
    fresh = msgspec.structs.replace(snapshot)
    assert not vars(fresh)
    names = finish(node_names(snapshot.files))
    assert snapshot.node_names.names == names.names
    assert (snapshot.node_names.of_node == names.of_node).all()
    carried, made = columns_of(snapshot), columns_of(fresh)
    for field in Columns.__struct_fields__:
        left, right = np.asarray(getattr(carried, field)), np.asarray(getattr(made, field))
        assert left.dtype == right.dtype
        assert (left == right).all(), field
    for field in ("folders", "depths"):
        assert (getattr(path_distances_of(snapshot), field) == getattr(path_distances_of(fresh), field)).all()
    for query in QUERIES:
        assert search(snapshot, query, frozenset(), 10) == search(fresh, query, frozenset(), 10), query
        assert snapshot.named(query) == fresh.named(query)
    assert name_index(snapshot).lower == name_index(fresh).lower


def test_an_edit_is_carried_from_edit_to_edit() -> None:
    snapshot = built(None, dict.fromkeys(PATHS, "def load(): ...\n"))
    for _ in warm(snapshot, for_words=True):
        pass
    for number in range(3):
        snapshot = built(snapshot, {"pack/b.py": "def load(): ...\n" + f"def fresh{number}(): ...\n"})
        assert isinstance(name_index(snapshot).text, Amended)
        assert search(snapshot, f"fresh{number}", frozenset(), 9).total == 1
        assert not snapshot.named(f"fresh{number - 1}")
        check(snapshot)


def test_new_scores_leave_what_names_alone_decide() -> None:
    before = built(None, dict.fromkeys(PATHS, "def load(): ...\n"))
    for _ in warm(before, for_words=True):
        pass
    snapshot = built(before, {"z.py": "def load(): ...\ndef fresh(): load()\n"})
    after = finish(ranked(snapshot))
    for name in ("text", "lower"):
        assert getattr(name_index(after), name) is getattr(name_index(snapshot), name)
    assert search(after, "frehs", frozenset(), 9).total == 1


def test_names_that_edits_bring_and_take_are_what_misspelt_words_may_mean() -> None:
    snapshot = built(None, {"a.py": "def restore_session(): ...\n"})
    for _ in warm(snapshot, for_words=True):
        pass
    after = built(snapshot, {"a.py": "def restore_sessions(): ...\ndef load(): ...\n"})
    assert isinstance(name_index(after).text, Amended)
    assert name_index(after).resembling("restroe_sessions") == [(1, "restore_sessions")]
    assert name_index(after).resembling("sesion") == [(2, "sessions")]
    assert name_index(after).resembling("laod") == [(1, "load")]


def test_more_than_can_be_looked_through_is_indexed_anew() -> None:
    lines = Lines(["load", "zeta"])
    number = np.arange(2, dtype=np.int32) + AMENDED_MAX
    some = lines.amended(number, [(place, f"new{place}") for place in range(AMENDED_MAX)])
    assert some is not None
    assert some.containing("new7") == [7, *range(70, 80)]
    assert some.containing("zet") == [AMENDED_MAX + 1]
    assert some.amended(np.arange(AMENDED_MAX + 2, dtype=np.int32), [(0, "one")]) is None
    assert lines.amended(number, [(place, "new") for place in range(AMENDED_MAX + 1)]) is None


def test_files_between_changed_ones_move_together() -> None:
    assert list(split_runs((0, 2, 4, 6), (0, 3, 5, 7), [0])) == [0, KeptRun(slice(2, 6), 1)]
    assert list(split_runs((0, 2, 4, 6), (0, 2, 3, 5), [1])) == [KeptRun(slice(0, 2), 0), 1, KeptRun(slice(4, 6), -1)]
    assert list(split_runs((0, 2, 4, 6), (0, 2, 5, 9), [1, 2])) == [KeptRun(slice(0, 2), 0), 1, 2]


def test_words_of_files_that_came_went_and_changed_are_those_made_anew() -> None:
    snapshot = built(None, {path: f"def load_{path[0]}():\n    'Load the zeta.'\n" for path in PATHS})
    assert search(snapshot, "which zeta is loaded", frozenset(), 9).total == len(PATHS)
    changed = run(
        snapshot,
        {"new.py": b"def alpha():\n    'About zeta.'\n\n\ndef beta(): ...\n", "a.py": b"x = 1\n"},
        {"z.py"},
        {},
    )
    assert changed.first_external != snapshot.first_external
    check(changed)
    index = word_index(changed)
    assert index is not None
    assert index.changed == {"new.py", "a.py", "z.py"}
    compacted = finish(index.compact(changed))
    assert not compacted.changed
    for term in index.postings.terms:
        left, right = index.posted(term), compacted.posted(term)
        assert sorted(zip(*map(list, left), strict=True)) == list(zip(*map(list, right), strict=True))


def test_many_changed_files_are_read_when_a_question_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the repository is small enough, and in a command, for which nobody else waits."""
    snapshot = built(None, {f"f{number}.py": "def load(): ...\n" for number in range(9)})
    assert word_index(snapshot) is not None
    monkeypatch.setattr(word_indexes, "CHANGED_AT_ONCE", 3)
    small, large = (built(snapshot, {f"f{n}.py": f"def {name}(): ...\n" for n in range(5)}) for name in ("put", "take"))
    assert not has_words(small)
    assert word_index(small) is not None
    monkeypatch.setattr(word_indexes, "NODES_AT_ONCE", 0)
    assert word_index(large) is None
    read_ahead = built(large, {"f7.py": "def keep(): ...\n"})
    assert not has_words(read_ahead)
    for _ in make_words(read_ahead):
        pass
    assert has_words(read_ahead), "what is read when nobody asks"
    large.indexes.put(IS_UNHURRIED, True)
    index = word_index(large)
    assert index is not None
    assert len(index.posted("take").nodes) == 5


def test_many_changed_files_are_read_before_a_question_and_sorted_in(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = built(None, {f"f{number}.py": "def load(): ...\n" for number in range(9)})
    assert word_index(snapshot) is not None
    monkeypatch.setattr(word_indexes, "CHANGED_AT_ONCE", 3)
    monkeypatch.setattr(word_indexes, "CHANGED_MAX", 4)
    monkeypatch.setattr(word_indexes, "NODES_AT_ONCE", 0)
    after = built(snapshot, {f"f{number}.py": "def store(): ...\n" for number in range(5)})
    assert word_index(after) is None
    found = search(after, "where is load stored", frozenset(), 20)
    assert found.is_too_early
    for _ in warm(after, for_words=False):
        pass
    index = word_index(after)
    assert index is not None
    assert not index.changed
    monkeypatch.undo()
    check(after)


def test_ranks_are_those_of_all_nodes_where_an_external_package_came_or_went() -> None:
    plain, outside = "def load(): ...\n", "def load(): ...\nimport vendor\n"
    without = built(None, {"a.py": plain})
    assert len(columns_of(without).rank) == without.node_count
    after = built(without, {"a.py": outside})
    assert after.node_count == without.node_count + 1
    assert len(columns_of(after).rank) == len(columns_of(after).by_rank) == after.node_count
    again = built(after, {"a.py": plain})
    assert len(columns_of(again).rank) == again.node_count
