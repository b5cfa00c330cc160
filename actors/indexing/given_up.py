"""Files that belong into the map and are not in it, as nothing could be made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from actors.indexing.latest import FileRecord, Published
from codemap.extract.skip import GIVEN_UP

S = TypeVar("S")


def given_up(published: Published[S]) -> Mapping[str, FileRecord]:
    """The records of these files, in the order of their paths."""
    return {path: record for path, record in sorted(published.files.items()) if record.skipped in GIVEN_UP}


def why_lost(published: Published[S] | None) -> str:
    """Why a map has no file though there are some, as a clause; empty where it has one, or there are none.

    A map of nothing is then no answer: what is looked for may stand in any of them.
    """
    if published is None or published.is_partial or any(one.skipped is None for one in published.files.values()):
        return ""
    lost = given_up(published)
    if not lost:
        return ""
    path, record = next(iter(lost.items()))
    return f"every file was given up, {len(lost)} in all; {path}, the first of them: {record.detail or record.skipped}"
