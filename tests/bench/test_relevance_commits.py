"""The commits of a clone, each with the map of its parent, which is that of a build from nothing."""

from __future__ import annotations

from pathlib import Path

from bench.relevance.commits import Clone
from codemap.graph.build.build import build_snapshot
from tests.actors.listing.test_git import run_git

STORE = "class Store:\n    def get(self):\n        return 1\n\n    def put(self):\n        return 2\n"
STATES: tuple[tuple[str, dict[str, str]], ...] = (
    ("begin with a store", {"store.py": STORE, "use.py": "from store import Store\nStore().get()\n"}),
    ("let get return three", {"store.py": STORE.replace("return 1", "return 3")}),
    ("add another file, which is no change of one", {"more.py": "x = 1\n"}),
    ("let put return four and use it", {"store.py": STORE.replace("return 2", "return 4"), "use.py": "import store\n"}),
)


def test_each_has_the_map_of_its_parent_and_what_it_changed(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "-b", "main")
    states: list[dict[str, bytes]] = []
    for message, files in STATES:
        for path, text in files.items():
            (tmp_path / path).write_text(text)
        run_git(tmp_path, "add", "-A")
        run_git(tmp_path, "commit", "-qm", message)
        states.append({file.name: file.read_bytes() for file in tmp_path.glob("*.py")})

    last, first = Clone(tmp_path).commits(5)

    assert (last.message, first.message) == (STATES[3][0], STATES[1][0])
    assert last.files == {"store.py", "use.py"}
    assert last.definitions == {"store.py#Store.get", "store.py#Store.put"}
    assert first.definitions == {"store.py#Store.get"}
    for commit, parent in ((last, states[2]), (first, states[0])):
        assert commit.sources == parent
        whole = build_snapshot(parent)
        assert (commit.snapshot.token, commit.snapshot.edges.target.tolist()) == (
            whole.token,
            whole.edges.target.tolist(),
        )
        assert commit.snapshot.scores.tolist() == whole.scores.tolist()
