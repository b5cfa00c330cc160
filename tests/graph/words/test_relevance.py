"""Which definitions a question in words finds, and in which order."""

from __future__ import annotations

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.search import search, why
from codemap.graph.words import relevance

SOURCES = {
    "app/store.py": b'''
class Session:
    """Changes that are kept together."""

    pending_limit = 10

    def flush(self, rows):
        """Write what is pending to the disk."""

    def close(self):
        """Give the connection back."""


class Cache:
    def flush(self, rows):
        """Forget all rows."""


def write_everything(target):
    return target.disk.pending()
''',
    "app/linkify.py": b"def convert(text):\n    return text.upper()\n",
    "app/plain.py": b"def convert(text):\n    return text.lower()\n",
    "app/keys.py": b'''
def roundTrip(key):
    return key


class Round:
    """A round of keys that goes on a trip."""

    def trip(self, key):
        """The round trip of a key."""
''',
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return build_snapshot(SOURCES)


def found(snapshot: Snapshot, query: str) -> list[str]:
    return [snapshot.id_of(node).partition(":")[2] for node in search(snapshot, query, frozenset(), 20).nodes]


def test_a_word_finds_names_that_write_it_as_two() -> None:
    source = b"""
def compact_mem_table(rows):
    return rows

def table_of_mem(rows):
    return rows

def describe(rows):
    \"\"\"Says when a memtable is compacted.\"\"\"
"""
    snapshot = build_snapshot({"app/db.py": source})
    found_ = search(snapshot, "when is the memtable compacted", frozenset(), 20)
    names = [snapshot.name_of(node) for node in found_.nodes]
    assert names[0] == "compact_mem_table"
    assert why(snapshot, found_, 0) == "name: memtable, compacted"
    assert "table_of_mem" not in names


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("how are cookies sent", "sendCookie"),
        ("where the cookie is chosen", "chooseCookie"),
        ("which children have cookies", "childCookie"),
    ],
)
def test_an_irregular_form_finds_names_with_its_word(question: str, name: str) -> None:
    source = b"def cookie(a): ...\ndef sendCookie(a): ...\ndef chooseCookie(a): ...\ndef childCookie(a): ...\n"
    assert found(build_snapshot({"jar.py": source}), question)[0] == f"jar.py#{name}"


def test_one_of_several_overloads_stands_for_all_of_them() -> None:
    source = b"""
fun sendEvent(one: Int) {}
fun sendEvent(text: String) {}
fun sendEvent(later: Event) {}
class Event { fun send() {} }
"""
    snapshot = build_snapshot({"Events.kt": source})
    found_ = search(snapshot, "send an event later", frozenset(), 20)
    assert [snapshot.id_of(node) for node in found_.nodes if snapshot.name_of(node) == "sendEvent"] == [
        "kt:Events.kt#sendEvent~3"
    ]
    assert why(snapshot, found_, 0) == "name: send, event; signature: later; 3 of this name"


def test_a_rare_word_does_not_keep_out_what_has_all_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance, "CANDIDATES", 8)
    monkeypatch.setattr(relevance, "OF_MOST", 4)
    common = [f"def connection{n}(): ...\ndef read_row{n}(): ...\n" for n in range(8)]
    source = "".join(common) + "def read_connection(): ...\ndef pick(): ...\n"
    ids = found(build_snapshot({"app/db.py": source.encode()}), "pick the connection that reads")
    assert {"app/db.py#pick", "app/db.py#read_connection"} <= set(ids[:2])


def test_a_word_finds_the_number_that_it_is_shortened_to() -> None:
    snapshot = build_snapshot(
        {"checks.py": b"def a11y_check(node):\n    return node\n\ndef check(node):\n    return node\n"}
    )
    assert found(snapshot, "check that elements are accessible")[0] == "checks.py#a11y_check"


def test_a_name_inside_a_test_does_not_answer_a_question_about_the_product() -> None:
    product = b"class RedisBackend:\n    def result(self, key):\n        return self.client.get(key)\n"
    test = b"class TestResultConsumer:\n    class Backend:\n        redis = None\n"
    snapshot = build_snapshot({"app/backends.py": product, "tests/test_redis.py": test})
    ids = found(snapshot, "result backend for redis")
    assert ids[0].startswith("app/backends.py#RedisBackend")
    assert "tests/test_redis.py#TestResultConsumer.Backend.redis" in ids[1:]


def test_quoted_words_are_in_every_result(snapshot: Snapshot) -> None:
    loose, strict = found(snapshot, "flush disk rows"), found(snapshot, 'flush "disk" rows')
    assert strict == ["app/store.py#Session.flush", "app/store.py#write_everything"]
    assert {"app/store.py#Cache.flush", *strict} <= set(loose)


def test_several_quoted_words_are_all_in_every_result(snapshot: Snapshot) -> None:
    assert found(snapshot, 'flush "pending disk" rows') == [
        "app/store.py#Session.flush",
        "app/store.py#write_everything",
    ]
    assert found(snapshot, '"forget" "rows" of flush') == ["app/store.py#Cache.flush"]


@pytest.mark.parametrize("quoted", ['flush "nowhere" rows', 'flush "forget" "disk" rows'])
def test_what_no_definition_has_all_of_is_not_required(snapshot: Snapshot, quoted: str) -> None:
    assert found(snapshot, quoted) == found(snapshot, quoted.replace('"', ""))
    assert found(snapshot, quoted)


def test_names_around_a_definition_tell_it_from_its_likes(snapshot: Snapshot) -> None:
    assert found(snapshot, "flush rows of cache now")[0] == "app/store.py#Cache.flush"
    assert found(snapshot, "convert text by linkify rules")[0] == "app/linkify.py#convert"


def test_what_the_owner_says_tells_a_definition_from_its_likes() -> None:
    body = b"    def take(self, row):\n        self.kept[row] = row\n        return row\n"
    row = b'class Row:\n    """Takes clients."""\n' + body
    throttle = b'class Second:\n    """Throttles the clients."""\n' + body
    snapshot = build_snapshot({"app.py": row + throttle})
    methods = [one for one in found(snapshot, "take a row and throttle clients") if one.endswith("take")]
    assert methods == ["app.py#Second.take", "app.py#Row.take"]
    assert found(snapshot, 'take a row and "throttle" clients') == ["app.py#Second"], (
        "the method does not have the word"
    )


def test_what_has_many_lines_comes_before_what_has_few() -> None:
    few, many = (b"".join(b"    row.part_%d()\n" % n for n in range(count)) for count in (15, 150))
    snapshot = build_snapshot({"a.py": b"def send_row(row):\n" + few, "b.py": b"def send_row(row):\n" + many})
    assert found(snapshot, "send a row to everybody") == ["b.py#send_row", "a.py#send_row"]


def test_what_stands_among_others_about_the_question_comes_first() -> None:
    alone = b"def send(row):\n    return row.retry\n"
    among = alone + b"def wait(row):\n    return row.retry\n\ndef count(row):\n    return row.retry\n"
    snapshot = build_snapshot({"a.py": alone + b"def x(row): ...\ndef y(row): ...\n", "b.py": among})
    assert [one for one in found(snapshot, "send and retry") if "send" in one] == ["b.py#send", "a.py#send"]


def test_a_name_as_code_writes_it_comes_first(snapshot: Snapshot) -> None:
    assert found(snapshot, "what key does round trip give")[0] == "app/keys.py#Round"
    assert found(snapshot, "what key does roundTrip give")[0] == "app/keys.py#roundTrip"
    assert found(snapshot, "what does the round trip( give for a key")[0] == "app/keys.py#Round.trip"


def test_a_reason_names_the_place_of_each_word(snapshot: Snapshot) -> None:
    result = search(snapshot, "flush session disk rows", frozenset(), 20)
    ids = [snapshot.id_of(node).partition("#")[2] for node in result.nodes]
    assert (
        why(snapshot, result, ids.index("Session.flush")) == "name: flush; signature: rows; doc: disk; owner: session"
    )
