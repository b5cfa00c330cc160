"""Which functions take a fixture, after edits: what was read of files that are as they were is kept."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.facts import FileFacts
from codemap.graph.build.build import ranked
from codemap.graph.frameworks import injected_parameters
from codemap.graph.frameworks.injected_parameters import INJECTED, INJECTED_USERS
from codemap.graph.model.indexed_file import PackedFile, read_facts
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from tests.graph.test_incremental import run

PATHS = ("app.py", "tests/conftest.py", "tests/test_a.py", "tests/unit/conftest.py", "tests/unit/test_b.py")
PARTS = (
    "import pytest\n",
    "class Base:\n    def test_inherited(self, client): ...\n",
    "@pytest.fixture\ndef client(): ...\n",
    "@pytest.fixture\ndef _server(client): ...\n",
    "class TestIt(Base):\n    @pytest.fixture\n    def client(self): ...\n    def test(self, client): ...\n",
    "def test_one(client, server): ...\n",
    "def helper(): ...\n",
)
texts = st.lists(st.sampled_from(PARTS), max_size=4).map("".join)


def built(previous: Snapshot | None, sources: Mapping[str, str]) -> Snapshot:
    return run(previous, {path: text.encode() for path, text in sources.items()}, set(), {})


def users(snapshot: Snapshot) -> dict[str, tuple[list[str], bool]]:
    found = INJECTED_USERS.of(snapshot)
    return {
        snapshot.id_of(node): ([snapshot.id_of(user) for user in its.nodes.tolist()], its.is_guess)
        for node, its in found.items()
    }


@given(st.fixed_dictionaries(dict.fromkeys(PATHS, texts)), st.lists(st.dictionaries(st.sampled_from(PATHS), texts)))
def test_users_after_edits_are_those_that_would_be_found_anew(
    start: dict[str, str], edits: list[dict[str, str]]
) -> None:
    snapshot = built(None, start)
    for edit in edits:
        INJECTED.of(snapshot)
        snapshot = built(snapshot, edit)
        fresh = msgspec.structs.replace(snapshot)
        assert users(snapshot) == users(fresh)
        assert INJECTED.of(snapshot) == INJECTED.of(fresh)
        snapshot = finish(ranked(snapshot))
        assert users(snapshot) == users(fresh)


def test_only_changed_files_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    start = dict.fromkeys(PATHS, "".join((PARTS[0], PARTS[2], PARTS[5])))
    snapshot = built(None, start)
    INJECTED.of(snapshot)
    read: list[FileFacts | PackedFile] = []

    def note(held: FileFacts | PackedFile) -> FileFacts:
        read.append(held)
        return read_facts(held)

    monkeypatch.setattr(injected_parameters, "read_facts", note)
    snapshot = built(snapshot, {"app.py": PARTS[6], "tests/test_a.py": PARTS[5]})
    INJECTED.of(snapshot)
    assert {file.path for file in snapshot.files if any(file.held is one for one in read)} == {"tests/test_a.py"}
