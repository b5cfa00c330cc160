"""The account of all mentions of a name as one line: what may be uses by account, what surely is none as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codemap.mentions.account import HARMLESS
from codemap.mentions.other_texts import DOCUMENTS

_SAID = frozenset(("total", "accounted", "rest", "notIndexed", "unseenFiles", "how"))
_NO_USES = frozenset((*HARMLESS, DOCUMENTS))


def mention_line(mentions: Mapping[str, Any], words: Callable[[str], str], advice: Callable[[str], str]) -> str:
    """`all 2`, or `17 of 42; perhaps strings 4, unknown 3; others are no uses (--mentions)`; `5; strings 5` of what is
    not defined. Empty where there is more than these counts, or less. `words` spells the name of a member,
    `advice` what to ask next."""
    if not {"total", "accounted"} <= mentions.keys() <= _SAID:
        return ""
    total, accounted = mentions["total"], mentions["accounted"]
    rest = {**mentions.get("rest", {}), **mentions.get("notIndexed", {})}
    doubtful = {name: count for name, count in rest.items() if name not in _NO_USES}
    parts = [f"all {total}" if accounted == total else f"{accounted} of {total}" if accounted else f"{total}"]
    if doubtful:
        counts = ", ".join(f"{words(name)} {count}" for name, count in doubtful.items())
        parts.append(f"perhaps {counts}" if accounted else counts)
    if unseen := mentions.get("unseenFiles"):
        parts.append(f"unseen files {unseen}")
    if rest.keys() & HARMLESS:
        parts.append("others are no uses")
    is_open = doubtful or unseen or (accounted < total and not rest)
    how = advice(mentions["how"]).removeprefix("pass ") if is_open and mentions.get("how") else ""
    return "; ".join(parts) + (f" ({how})" if how else "")
