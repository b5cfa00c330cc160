"""Finds the definitions that builds for other platforms have in the place of one, and what declares them for all."""

from __future__ import annotations

import re
from functools import cache

from codemap.facts import Symbol
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name


def find_counterparts(snapshot: Snapshot, node: int) -> list[int]:
    """Those of its qualified name in other files of the same package; none where its language has no such."""
    key = counterpart_key(snapshot, node)
    if key is None:
        return []
    return [one for one in snapshot.named(snapshot.name_of(node)) if counterpart_key(snapshot, one) == key]


def counterpart_key(snapshot: Snapshot, node: int) -> tuple[str, str, str] | None:
    """What all of them have in common: language, folder of the package, qualified name; None of any other definition.

    The last folder alone stands for the package: the others differ by platform.
    """
    file = snapshot.file_of(node)
    pattern = by_name()[file.lang].counterparts if file is not None else ""
    if file is None or not pattern or snapshot.is_file(node):
        return None
    folder = file.path.rpartition("/")[0].rpartition("/")[2]
    above: int | None = node
    while above is not None and not snapshot.is_file(above):
        if _compiled(pattern).search(snapshot.text_of(above, Symbol.SIGNATURE)):
            return file.lang, folder, snapshot.qualified_name_of(node)
        above = snapshot.parent_of(above)
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
