"""A file is not hashed again where its record says what it holds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import FileRecord
from actors.messaging.messages import FileStat
from actors.ports import Content
from actors.service.joined_maps import ALONE
from actors.service.places import Places
from codemap.persistent import PersistentMap

AT = FileStat(3, 1_000, 1_000, 7)
RECORD = FileRecord(AT, b"as indexed", is_settled=True)


@pytest.mark.parametrize(
    ("record", "at", "expected"),
    [
        (RECORD, AT, b"as indexed"),
        (RECORD, msgspec.structs.replace(AT, mtime_ns=2_000), digest_of(b"now")),
        (msgspec.structs.replace(RECORD, is_settled=False), AT, digest_of(b"now")),
        (msgspec.structs.replace(RECORD, digest=b""), AT, digest_of(b"now")),
        (None, AT, digest_of(b"now")),
    ],
)
def test_the_digest_of_a_file(record: FileRecord | None, at: FileStat, expected: bytes) -> None:
    files = PersistentMap({} if record is None else {"a.py": record})
    latest = SimpleNamespace(get=lambda: SimpleNamespace(files=files))
    places = Places(cast("Any", SimpleNamespace(latest=latest)), ALONE)
    assert places.digest_of("a.py", Content(at, b"now", is_settled=True)) == expected
