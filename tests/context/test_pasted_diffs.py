"""What a pasted diff changes, and what somebody wrote before it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codemap.context.pasted_diffs import split_diff
from codemap.context.seeds import read_task
from codemap.graph.build.build import build_snapshot

COMMIT = """\
commit cee26c21a0
Author: Ann <ann@example.org>
Date:   Mon Nov 2 10:00:00 2026

    Take no more than there is

"""
DIFF = """\
diff --git a/shop/store.py b/shop/store.py
index 69a0c55..70b1d66 100644
--- a/shop/store.py
+++ b/shop/store.py
@@ -1,4 +1,5 @@ class Store:
 def put(n):
-    return n
+    check(n)
+    return n + 1
\x20
 def take(n):
@@ -8,2 +9,1 @@
 def drop():
-    return None
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-def gone(): ...
"""
SOURCE = b"""\
def put(n):
    check(n)
    return n + 1

def take(n):
    return n

def check(n): ...
def drop(): ...
"""


def test_a_diff_is_divided_from_what_was_written() -> None:
    found = split_diff(COMMIT + DIFF)
    assert found.prose.strip() == "Take no more than there is"
    assert [(change.path, change.line) for change in found.changes] == [("shop/store.py", 2), ("shop/store.py", 9)]


def test_a_text_without_a_diff_stays_as_it_is() -> None:
    for text in ("Take no more than there is", "--- a rule ---\nand text", "diff --git alone", "@@ -1 +1 @@"):
        assert split_diff(text) == (text, [])


def test_the_definitions_that_it_changes_are_what_the_task_is_about() -> None:
    snapshot = build_snapshot({"shop/store.py": SOURCE, "shop/index.py": b"def index(): ...\ndef author(): ...\n"})
    task = read_task(snapshot, COMMIT + DIFF)
    named = [(snapshot.qualified_name_of(seed.node), seed.reasons) for seed in task.seeds]
    assert named[:2] == [("put", ("changed, line 2",)), ("drop", ("changed, line 9",))]
    assert not {"index", "author"} & {name for name, _ in named}, "what git writes around it is no word of the task"


@given(st.text(st.sampled_from("+-@ a1,\n/"), max_size=300))
def test_any_text_behind_a_head_is_read(text: str) -> None:
    for change in split_diff(f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{text}").changes:
        assert change.line > 0
