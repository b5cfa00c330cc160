"""Answers `map_search` for a text in quotes: where it stands, with the definitions around it and its lines.

Keys of settings, names of routes and tasks, messages: what programs say in strings has no definition, and who asks for
it would have to search files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from codemap.envelope.answer import Answer, Failure, Spare
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Found, Mentioned
from codemap.mentions.account import ACCOUNTED, Account, Elsewhere, Ledger, Mention
from codemap.mentions.other_texts import DOCUMENTS
from codemap.tools.code_lines import ask_code
from codemap.tools.mentions import FILES_MAX, LISTS, rows_of, view_of
from codemap.tools.params import MapListParams
from codemap.tools.row_selection import Place, Sifted, folded_counts, place_of_path, sift
from codemap.tools.tool import Asking

_QUOTED = re.compile(r'\s*"([^"\n]*\w[^"\n]*)"\s*')
_ASIDE = frozenset((Account.COMMENTS, Account.LOCALS, Account.PARAMETERS))
_FOLDED = Spare(("mentionsFolded",), "folded counts", "pass tests:only")


def text_in(query: str) -> str:
    """The text that a whole query has in double quotes; empty where it has none."""
    found = _QUOTED.fullmatch(query)
    return found[1] if found else ""


def ask_text(snapshot: Snapshot, text: str, params: MapListParams, files_max: int = 0) -> Asking[Answer | None]:
    """Where a text stands whose words do not go on at its ends, besides uses of definitions that it names; None where
    that is nowhere, or in more than `files_max` files, if that is not 0.

    What surely is no key or message, as local variables and comments, is counted, and listed where nothing else is.
    """
    whole = yield from _ask_ledger(text, files_max)
    shown = _list_shown(whole, params)
    if not shown.rows:
        return None
    said = [one for one in shown.rows if not _is_aside(one)] or shown.rows
    ledger = msgspec.structs.replace(
        whole,
        mentions=tuple(one for one in said if isinstance(one, Mention)),
        elsewhere=tuple(one for one in said if isinstance(one, Elsewhere)),
    )
    data: dict[str, object] = {"mentions": view_of(whole, ""), "mentionsRest": rows_of(snapshot, ledger)}
    if shown.folded:
        data["mentionsFolded"] = folded_counts(shown.folded)
    return (yield from ask_code(snapshot, Answer(data, (*LISTS, _FOLDED)), ("mentionsRest",)))


def with_hint(failure: Failure, text: str) -> Asking[Failure]:
    """The failure to find a node called so, with the call that lists where the text stands, if it does and that is
    found out at once."""
    ledger = yield from _ask_ledger(text, FILES_MAX)
    files = {one.path for one in ledger.mentions} | {one.path for one in ledger.elsewhere}
    if not files:
        return failure
    call = msgspec.json.encode({"query": f'"{text}"'}).decode()
    hint = f"The text stands in {len(files)} file(s): call map_search {call}."
    return msgspec.structs.replace(failure, hint=hint)


def with_text(found: Answer, text: Answer | None) -> Answer:
    """An answer with where a text stands besides."""
    if text is None:
        return found
    lists = (*(one for one in text.lists if one not in found.lists), *found.lists)
    warnings = (*found.warnings, *(one for one in text.warnings if one not in found.warnings))
    return msgspec.structs.replace(found, data={**found.data, **text.data}, lists=lists, warnings=warnings)


def _ask_ledger(text: str, files_max: int) -> Asking[Ledger]:
    """All occurrences of a text; empty where they are not known, or in more than so many files, if that is not 0."""
    (fact,) = yield (Mentioned("", text, files_max),)
    return fact.value if isinstance(fact, Found) and isinstance(fact.value, Ledger) else Ledger(())


def _list_shown(ledger: Ledger, params: MapListParams) -> Sifted[Mention | Elsewhere]:
    def place(one: Mention | Elsewhere) -> Place:
        return place_of_path(one.path, one.count if isinstance(one, Elsewhere) else 1)

    others = (one for one in ledger.mentions if one.account not in ACCOUNTED)
    every: Sequence[Mention | Elsewhere] = (*others, *ledger.elsewhere)
    return sift(every, place, params)


def _is_aside(one: Mention | Elsewhere) -> bool:
    return one.why == DOCUMENTS if isinstance(one, Elsewhere) else one.account in _ASIDE
