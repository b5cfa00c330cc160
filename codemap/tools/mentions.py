"""Shows, beside the users of a name, what all its other mentions are, so that no text search is needed afterwards.

    "mentions": {"total": 24, "accounted": 20, "rest": {"strings": 1, "comments": 3}, "how": "pass mentions:true"}

`accounted` are those that the answer is about: the definition, sites of edges to it, uses that may mean it. Every other
mention in an indexed file is in `rest`, by account; those in other files are in `notIndexed`, by the reason.
`mentions:true` lists both with their lines; those that may be uses are listed anyway where they are few.

The text is looked through where somebody asks who uses a definition (direction `in`, or `mentions:true`), wherever
an answer would say that nobody does, and for a name that is searched. For one that has definitions no file is parsed,
and `how` is the call that lists the rest. Other answers have no mentions: what is around a node is answered from the
map alone, in the time of a search.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from typing import TypedDict

import msgspec

from codemap.envelope.answer import Answer, CutList, Spare
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.index.terms import SUBWORDS
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import name_in_sources
from codemap.live_queries import Found, Mentioned, WordsCounted
from codemap.mentions.account import ACCOUNTED, HARMLESS, LINES_MAX, Account, Elsewhere, Ledger, Mention
from codemap.mentions.other_texts import DOCUMENTS, OTHER_CODE
from codemap.mentions.word_counts import WordCounts
from codemap.occurrences.words import word_of
from codemap.tools.compact import GroupedRows, Row, group_by_file
from codemap.tools.other_code import in_other_code, say_named
from codemap.tools.tool import Asking

LISTED = "pass mentions:true"
FEW = 12
"""Mentions that may be uses and are listed without being asked for."""
COMPOUND_MIN = 2
"""Words of a name that no prose has by chance."""
_UNEXPLAINED = frozenset((Account.UNKNOWN, Account.NOT_UNDERSTOOD))
"""What may be a use though the map shows others."""
FILES_MAX = 20
"""Files that are read for an answer that must come as soon as one from the map."""

LISTS: tuple[CutList | Spare, ...] = (
    CutList(("mentionsRest", "*", "rows"), "mentions", "pass fileFilter", keep=1, is_grouped=True),
    CutList(("mentionsRest",), "accounts", "pass fileFilter", key=("account",)),
)


class Mentions(TypedDict, total=False):
    """The number of occurrences of the name, and what they are."""

    total: int
    accounted: int
    rest: dict[str, int]
    notIndexed: dict[str, int]
    unseenFiles: int
    how: str
    stay: GroupedRows
    """Of a rename, the lines that keep the name and may need another: strings that read like code; of a parameter, what
    names it around its function."""


class MentionRows(TypedDict):
    """The mentions of one account, rows by file."""

    account: str
    rows: GroupedRows


def ask_ledger(snapshot: Snapshot, node: int, passes: Callable[[str], bool]) -> Asking[Ledger | None]:
    """The mentions of a definition in the files that pass; None where it has no name of its own, or none is known."""
    if snapshot.is_external(node) or snapshot.is_file(node):
        return None
    (fact,) = yield (Mentioned(snapshot.id_of(node), word_of(name_in_sources(snapshot, node))),)
    if not isinstance(fact, Found) or not isinstance(fact.value, Ledger):
        return None
    ledger = fact.value
    if name_in_sources(snapshot, node) != snapshot.name_of(node):
        file, row = snapshot.row_of(node)
        ledger = with_sites(ledger, {(file.path, file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL))})
    return msgspec.structs.replace(
        ledger,
        mentions=tuple(one for one in ledger.mentions if passes(one.path)),
        elsewhere=tuple(one for one in ledger.elsewhere if passes(one.path)),
    )


def ask_count(name: str, how: str, passes: Callable[[str], bool]) -> Asking[Mentions]:
    """How often a name that definitions have occurs in the files that pass, and how often the map shows it; only the
    call that counts where more than `FILES_MAX` files have it. `how` is that call."""
    (fact,) = yield (WordsCounted(name, FILES_MAX),)
    if not isinstance(fact, Found) or not isinstance(fact.value, WordCounts):
        return {"how": how}
    files = [one for one in fact.value.files if passes(one.path)]
    view: Mentions = {"total": sum(one.total for one in files), "accounted": sum(one.explained for one in files)}
    if fact.value.unseen:
        view["unseenFiles"] = fact.value.unseen
    if fact.value.unseen or view["total"] > view["accounted"]:
        view["how"] = how
    return view


def with_sites(ledger: Ledger, sites: Collection[tuple[str, int, int]]) -> Ledger:
    """A copy for a definition that somebody else is sure is used at some sites (file, line, column)."""
    mentions = (
        one
        if one.account in ACCOUNTED or (one.path, one.line, one.col) not in sites
        else msgspec.structs.replace(one, account=Account.RESOLVED)
        for one in ledger.mentions
    )
    return msgspec.structs.replace(ledger, mentions=tuple(mentions))


def view_of(ledger: Ledger, how: str) -> Mentions:
    """Shows the mentions in an answer; `how` is the call that lists the rest."""
    counts = ledger.counts
    rest = {account.value: count for account, count in counts.items() if account not in ACCOUNTED}
    view: Mentions = {"total": len(ledger.mentions), "accounted": len(ledger.mentions) - sum(rest.values())}
    if rest:
        view["rest"] = rest
    if ledger.not_indexed:
        view["notIndexed"] = ledger.not_indexed
    if ledger.unseen:
        view["unseenFiles"] = ledger.unseen
    if (rest or ledger.elsewhere) and how:
        view["how"] = how
    return view


def rows_of(snapshot: Snapshot, ledger: Ledger) -> list[MentionRows]:
    """The rest with its lines, under the definitions around them."""
    listed = _list_accounts(snapshot, ledger, frozenset(Account) - ACCOUNTED)
    for why in ledger.not_indexed:
        shown = _show_elsewhere(one for one in ledger.elsewhere if one.why == why)
        listed.append({"account": why, "rows": group_by_file(shown)})
    return listed


def _list_few(snapshot: Snapshot, ledger: Ledger, *, is_empty: bool) -> list[MentionRows]:
    """What may be uses where they are few; nothing where they are many. Texts may be where the answer has none."""
    accounts = frozenset(Account) - ACCOUNTED - HARMLESS if is_empty else _UNEXPLAINED
    counts = ledger.counts
    return _list_accounts(snapshot, ledger, accounts) if sum(counts.get(one, 0) for one in accounts) <= FEW else []


def _list_keys(snapshot: Snapshot, node: int, ledger: Ledger) -> list[MentionRows]:
    """The strings of product code that have the name of a field or variable, where it is of several words and they are
    few: settings are read by their names. Not those on the line of a use."""
    is_held = snapshot.kind_of(node) in (SymbolKind.PROPERTY, SymbolKind.VARIABLE)
    if not is_held or len(SUBWORDS.findall(name_in_sources(snapshot, node))) < COMPOUND_MIN:
        return []
    said = {(one.path, one.line) for one in ledger.mentions if one.account in ACCOUNTED}
    strings = (one for one in ledger.mentions if one.account is Account.STRINGS and role_of(one.path) is Role.PRODUCT)
    keys = [one for one in strings if (one.path, one.line) not in said]
    only = msgspec.structs.replace(ledger, mentions=tuple(keys))
    return _list_accounts(snapshot, only, (Account.STRINGS,)) if len(keys) <= FEW else []


def _list_accounts(snapshot: Snapshot, ledger: Ledger, accounts: Collection[Account]) -> list[MentionRows]:
    found: dict[Account, dict[str, list[Mention]]] = {}
    for mention in ledger.mentions:
        if mention.account in accounts:
            found.setdefault(mention.account, {}).setdefault(mention.path, []).append(mention)
    return [
        {"account": account.value, "rows": group_by_file(_show_rows(snapshot, found[account]))}
        for account in Account
        if account in found
    ]


def with_mentions(
    found: Answer,
    snapshot: Snapshot,
    node: int,
    ledger: Ledger,
    *,
    how: str,
    listed: bool | None,
    fits: Collection[str] = ("none",),
) -> Answer:
    """The answer about a node that accounts for all mentions, and does not claim that there is no use where some may
    be one.

    `listed` is whether all are; None: a few that may be uses. `fits` are the reasons for an empty list that the text
    may refute.
    """
    data = dict(found.data)
    warnings, lists = found.warnings, found.lists
    rest = rows_of(snapshot, ledger) if listed else []
    if listed is None:
        rest = _list_few(snapshot, ledger, is_empty="emptyBecause" in data)
    shown = {one["account"] for one in rest}
    data["mentions"] = view_of(ledger, "" if shown >= {*ledger.counts, *ledger.not_indexed} - ACCOUNTED else how)
    if listed is None and Account.STRINGS not in shown:
        rest += _list_keys(snapshot, node, ledger)
    if listed or rest:
        data["mentionsRest"] = rest
        lists = (*lists, *LISTS)
    if data.get("emptyBecause") in fits and not ledger.is_sure:
        data["emptyBecause"] = "unresolved"
        warnings = (*warnings, *_say_doubt(ledger, how, shown))
    elif ledger.unseen:
        warnings = (*warnings, _say_unseen(ledger))
    if (named := in_other_code(ledger.elsewhere)) and OTHER_CODE not in shown:
        warnings = (*warnings, say_named(snapshot, node, named))
    return msgspec.structs.replace(found, data=data, lists=lists, warnings=warnings)


def _say_doubt(ledger: Ledger, how: str, shown: Set[str]) -> Iterator[str]:
    """Why it is not sure that there is no use: accounts, of which `mentions` has the counts; `shown` are those whose
    lines the answer has. That code of no language has the name is for another sentence to say, with its places."""
    doubtful = [account.value for account in ledger.counts if account not in ACCOUNTED and account not in HARMLESS]
    said = {DOCUMENTS} if OTHER_CODE in shown else {DOCUMENTS, OTHER_CODE}
    doubtful += [why for why in ledger.not_indexed if why not in said]
    lines = "" if shown >= {*doubtful} else f": {how}"
    if doubtful:
        yield f"No edge leads here, but mentions ({', '.join(doubtful)}) may be uses{lines}."
    if ledger.unseen:
        yield _say_unseen(ledger)


def _say_unseen(ledger: Ledger) -> str:
    return f"{ledger.unseen} file(s) were not searched for the name in time: ask again, or search their text."


def _show_elsewhere(files: Iterable[Elsewhere]) -> Iterable[Row]:
    for one in files:
        more = ["…"] if len(one.lines) == LINES_MAX else []
        yield Row(one.path, "", [*map(str, one.lines), *more])


def _show_rows(snapshot: Snapshot, by_path: dict[str, list[Mention]]) -> Iterable[Row]:
    for path, mentions in by_path.items():
        file = snapshot.by_path.get(path)
        lines = [mention.line for mention in mentions]
        around = {} if file is None or mentions[0].account is Account.CHANGED else file.innermost_rows(lines)
        places: dict[str, list[str]] = {}
        for line in dict.fromkeys(lines):
            row = around.get(line, 0)
            name = file.id_of(row).partition("#")[2] if file is not None and row else ""
            places.setdefault(name, []).append(str(line))
        for name, numbers in places.items():
            yield Row(path, name, numbers)
