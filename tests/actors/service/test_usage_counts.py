"""What is counted of calls."""

from __future__ import annotations

import json
from typing import Any

from actors.indexing.latest_snapshot import FileRecord, Published
from actors.messaging.messages import FileStat
from actors.service.usage_counts import Usage
from codemap.envelope.answer import Answer, Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.reply import Reply
from codemap.persistent import PersistentMap

SIZES = {"a.py": 130, "b.py": 6, "c.py": 1000}


def published() -> Published[None]:
    files = {path: FileRecord(FileStat(size, 0), b"", is_settled=True) for path, size in SIZES.items()}
    return Published(1, None, PersistentMap(files), {}, PersistentMap(), {}, {}, (), 0)


def sent(payload: dict[str, Any]) -> Reply:
    return Reply(json.dumps(payload), payload, is_error=False)


def test_calls_are_counted_by_tool_and_in_all() -> None:
    usage = Usage()
    both = Answer({"file": "a.py", "at": [{"id": "py:b.py#x"}, {"file": "a.py"}, {"file": "/c"}]})
    grouped = Answer({"rows": {"b.py": ["x 1"]}}, rests_on=frozenset(("b.py",)))
    long, short = sent({"ok": True, "data": both.data}), sent({"rows": 1})
    failed = Failure(ErrorCode.BAD_ARGS, "No.")
    usage.record("map_search", long, both, published())
    usage.record("map_search", long, failed, published())
    usage.record("map_path", short, grouped, published())
    usage.record("map_path", short, grouped, None)
    report = usage.report()
    tokens = -(-len(long.text) // 4)
    assert report["tools"] == {
        "map_path": {"calls": 2, "errors": 0, "tokensSent": 6, "wholeFilesUpperBound": 2},
        "map_search": {"calls": 2, "errors": 1, "tokensSent": 2 * tokens, "wholeFilesUpperBound": 33 + 2},
    }
    whole = report["calls"], report["errors"], report["tokensSent"], report["wholeFilesUpperBound"]
    assert whole == (4, 1, 2 * tokens + 6, 37)
    assert report["since"].endswith("Z")
    assert list(report["tools"]) == ["map_path", "map_search"]


def test_nothing_was_used_at_first() -> None:
    report = Usage().report()
    assert report["tools"] == {}
    assert report["calls"] == report["wholeFilesUpperBound"] == 0
