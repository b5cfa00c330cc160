"""Reports files that belong in the map and are missing, as they could not be parsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from actors.indexing.latest_snapshot import FileRecord, Published
from codemap.extract.skipped_files import GIVEN_UP

S = TypeVar("S")


def given_up(published: Published[S]) -> Mapping[str, FileRecord]:
    """Lists the records of these files, in the order of their paths."""
    return {path: record for path, record in sorted(published.files.items()) if record.skipped in GIVEN_UP}


def why_lost(published: Published[S] | None) -> str:
    """Says as a clause why a map is empty although there are files; empty where it is not, or there are none.

    Such a map cannot answer: any of the files may contain what is looked for.
    """
    if published is None or published.is_partial or any(one.skipped is None for one in published.files.values()):
        return ""
    lost = given_up(published)
    if not lost:
        return ""
    path, record = next(iter(lost.items()))
    return f"every file was given up, {len(lost)} in all; {path}, the first of them: {record.detail or record.skipped}"
