"""The account of all mentions of a name as one line, which is short where nothing is left to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_SAID = frozenset(("total", "accounted", "rest", "notIndexed", "unseenFiles", "how"))


def mention_line(mentions: Mapping[str, Any], words: Callable[[str], str], advice: Callable[[str], str]) -> str:
    """`all 2`, or `17 of 42 accounted; comments 25; not indexed: documents 28 (pass --mentions)`; empty where there is
    more than these counts, or less. `words` spells the name of a member, `advice` what
    to ask next."""
    if not {"total", "accounted"} <= mentions.keys() <= _SAID:
        return ""
    total, accounted = mentions["total"], mentions["accounted"]
    parts = [f"all {total}" if accounted == total else f"{accounted} of {total} accounted"]
    if rest := mentions.get("rest"):
        parts.append(_list(rest, words))
    if beyond := mentions.get("notIndexed"):
        parts.append(f"not indexed: {_list(beyond, words)}")
    if unseen := mentions.get("unseenFiles"):
        parts.append(f"unseen files {unseen}")
    how = f" ({advice(mentions['how'])})" if mentions.get("how") else ""
    return "; ".join(parts) + how


def _list(counts: Mapping[str, int], words: Callable[[str], str]) -> str:
    return ", ".join(f"{words(name)} {count}" for name, count in counts.items())
