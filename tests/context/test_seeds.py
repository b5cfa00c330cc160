"""Which definitions a task means, and in which order."""

from __future__ import annotations

from codemap.context.seeds import read_task, reasons_of
from codemap.graph.build.build import build_snapshot
from codemap.graph.joined.join import join
from codemap.graph.joined.links import names_of
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish

FILES = {
    "app/store.py": (
        b"class Store:\n    def take(self, n):\n        return self.find(n)\n\n    def find(self, n):\n"
        b'        """Look an article up."""\n        return n\n'
    ),
    "app/api.py": b"from app.store import Store\n\n\ndef sell(store: Store):\n    return store.take(1)\n",
    "tests/test_store.py": b"from app.store import Store\n\n\ndef test_take():\n    assert Store().take(1)\n",
    "app/other.py": b"def find(): ...\n\n\ndef look_up(): ...\n",
}

USER = {
    "main.py": b"import store\n\ndef find():\n    return store.take()\n",
    "util.py": b'def find_again():\n    """Look an article up once more."""\n',
}
LIBRARY = {
    "setup.cfg": b"[metadata]\nname = store\n",
    "store/__init__.py": b'def take():\n    """Look an article up."""\n    return find()\n\ndef find(): ...\n',
    "store/util.py": b"def late(): ...\n",
}


def ids(text: str) -> list[str]:
    snapshot = build_snapshot(FILES)
    return [snapshot.id_of(seed.node).partition(":")[2] for seed in read_task(snapshot, text).seeds]


def test_the_innermost_frame_in_the_product_comes_first() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/w/tests/test_store.py", line 5, in test_take\n'
        '  File "/w/app/store.py", line 3, in take\n  File "/w/app/store.py", line 7, in find\nKeyError: 1\n'
    )
    assert ids(trace)[:3] == ["app/store.py#Store.find", "app/store.py#Store.take", "tests/test_store.py#test_take"]


def test_a_qualified_name_means_one_definition_and_a_bare_one_all_of_that_name() -> None:
    assert ids("`Store.find` is slow")[0] == "app/store.py#Store.find"
    assert {"app/store.py#Store.find", "app/other.py#find"} <= set(ids("`find` is slow")[:3])


def test_what_stands_in_backticks_and_is_no_definition_is_named() -> None:
    snapshot = build_snapshot(FILES)
    assert read_task(snapshot, "`Store.lend` and `take`").unknown == ("Store.lend",)


def test_words_lead_to_what_is_documented_so_and_to_what_is_connected_with_it() -> None:
    found = ids("look an article up in the store")
    assert found.index("app/store.py#Store.find") < found.index("app/other.py#look_up")


def test_frames_outside_the_repository_are_counted() -> None:
    snapshot = build_snapshot(FILES)
    task = read_task(snapshot, "/usr/lib/x/runner.py:12\napp/api.py:5")
    assert task.outside == 1
    assert snapshot.id_of(task.seeds[0].node) == "py:app/api.py#sell"


def joined() -> tuple[Snapshot, Snapshot]:
    """Two roots as one map for questions to the first, and that of the first alone."""
    snapshots = {"app": build_snapshot(USER), "lib": build_snapshot(LIBRARY)}
    names = {name: names_of(one) for name, one in snapshots.items()}
    return finish(join("app", snapshots, names, None)), snapshots["app"]


def test_frames_and_names_mean_other_roots_and_the_asked_one_first() -> None:
    snapshot, own = joined()

    def first(text: str) -> list[str]:
        seeds = read_task(snapshot, text, own=own).seeds
        return [snapshot.id_of(seed.node).partition(":")[2] for seed in seeds if seed.reasons]

    trace = (
        'Traceback (most recent call last):\n  File "/w/main.py", line 4, in find\n'
        '  File "/site/store/__init__.py", line 3, in take\n'
    )
    assert first(trace) == ["@lib/store/__init__.py#take", "main.py#find"]
    assert first("/w/util.py:1") == ["util.py#find_again"]
    assert first("/w/store/util.py:1") == ["@lib/store/util.py#late"]
    assert first("`take` is slow") == ["@lib/store/__init__.py#take"]
    assert first("`find` is slow") == ["main.py#find"]


def test_words_are_looked_for_in_the_asked_root_alone() -> None:
    snapshot, own = joined()
    task = read_task(snapshot, "look an article up", own=own)
    seed = task.seeds[0]
    assert (snapshot.id_of(seed.node), reasons_of(snapshot, task, seed)) == (
        "py:util.py#find_again",
        ("doc: look, article, up",),
    )
    assert all(not snapshot.id_of(seed.node).startswith("py:@lib") for seed in task.seeds)


def test_a_text_of_names_alone_means_what_is_called_so() -> None:
    assert set(ids("sell look_up")[:2]) == {"app/api.py#sell", "app/other.py#look_up"}
    snapshot = build_snapshot(FILES)
    reasons = {seed.node: seed.reasons for seed in read_task(snapshot, "sell, test_take").seeds}
    assert all(reasons[node] == ("named",) for node in snapshot.find_by_suffix("sell"))
    reasons = {seed.node: seed.reasons for seed in read_task(snapshot, "sell articles").seeds}
    assert all(not reasons[node] for node in snapshot.find_by_suffix("sell")), "a word of prose is no name"
