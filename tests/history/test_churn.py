"""How often things change."""

from __future__ import annotations

from codemap.graph.build.build import build_snapshot
from codemap.history.churn import commits_of_files
from codemap.history.past import Past
from tests.history.repository import Repository


def test_files_that_were_one_count_the_commits_of_before_and_each_its_own() -> None:
    """As the history of each says; branches gave the file two names."""
    repository = Repository()
    repository.commit("a", {"m.py": "f\ng\n"})
    repository.commit("b", {"m.py": "f1\ng\n"})
    repository.commit("c", {"one.py": "f1\ng\n"}, parents="b", renamed={"one.py": "m.py"})
    repository.commit("d", {"two.py": "f1\ng\n"}, parents="b", renamed={"two.py": "m.py"})
    repository.commit("e", {"one.py": "f1\ng\n", "two.py": "f1\ng\n"}, parents="cd")
    repository.commit("0", {"one.py": "f2\ng\n", "two.py": "f1\ng\n"})
    past = Past(repository.history())
    files = build_snapshot({"one.py": b"f2\ng\n", "two.py": b"f1\ng\n"}).files

    assert commits_of_files(past, files) == {"one.py": 4, "two.py": 3}
    assert {path: len(past.of_file(path)[0]) for path in ("one.py", "two.py")} == commits_of_files(past, files)
