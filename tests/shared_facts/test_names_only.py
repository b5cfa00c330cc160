"""What `--facts-share names` leaves out, and what does not depend on it."""

from __future__ import annotations

import msgspec

from codemap.facts import Symbol, rows
from codemap.graph.build.build import build, extracted
from codemap.graph.model.indexed_file import Extracted
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.export import exported_edges, exported_nodes
from codemap.occurrences.word_marks import marks_of
from codemap.packed.packed_facts import expanded, pack_facts
from codemap.shared_facts.names_only import names_only, with_marks

TEXTS = (Symbol.SIGNATURE, Symbol.DOC)
SOURCES = {
    "app/store.py": '''
LIMIT = "a constant that stands in its signature"


class Store:
    """Keeps what a prosaic sentence says."""

    def save(self, key: str, value: int = 4711) -> "Store":
        """Another sentence."""
        raise ValueError("a message of the body")
''',
    "app/use.py": '''
from app.store import LIMIT, Store


def use(store: Store) -> None:
    """A third one."""
    store.save(LIMIT).save("k", 2)
''',
    "web/page.ts": """
/** What it shows. */
export class Page { show(text: string = "shown words"): Page { return this.show(text) } }
""",
}
PROSE = ("sentence", "prosaic", "stands", "message", "shown", "4711", "third")


def built(files: dict[str, Extracted]) -> Snapshot:
    return finish(build(None, files, frozenset(), {}, built_at=""))


def test_nothing_of_the_prose_is_left_and_edges_are_the_same() -> None:
    whole = {path: extracted(path, source.encode()) for path, source in SOURCES.items()}
    bare = {path: msgspec.structs.replace(one, facts=names_only(one.facts)) for path, one in whole.items()}
    for path, one in bare.items():
        said = expanded(pack_facts(one.facts)).decode("latin-1")
        assert not [word for word in PROSE if word in said], path
        assert not one.facts.marks
        table = rows(one.facts.symbols)
        assert {table[at + column] for at in range(0, len(table), Symbol.WIDTH) for column in TEXTS} == {-1}
    full, poor = built(whole), built(bare)
    assert list(exported_edges(full)) == list(exported_edges(poor))
    assert len(list(exported_edges(full))) > 8
    assert [(node.id, node.line) for node in exported_nodes(full)] == [
        (node.id, node.line) for node in exported_nodes(poor)
    ]


def test_what_the_prose_is_looked_for_in_is_there_before() -> None:
    """The test above cannot hold for want of prose."""
    said = b"".join(expanded(pack_facts(extracted(path, source.encode()).facts)) for path, source in SOURCES.items())
    assert not [word for word in PROSE if word.encode() not in said]


def test_marks_are_made_from_the_source_again() -> None:
    for path, source in SOURCES.items():
        facts = extracted(path, source.encode()).facts
        assert with_marks(names_only(facts), marks_of(source.encode())).marks == facts.marks
