"""The accounts of occurrences, and the ledger of all occurrences of a name: each belongs to exactly one account."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

import msgspec

from codemap.mentions.other_texts import DOCUMENTS


class Account(StrEnum):
    """In the order in which a reader wants to see them."""

    DEFINITION = "definition"
    """Of what was asked about."""
    RESOLVED = "resolved"
    """Site of an edge to it."""
    UNDECIDED = "undecided"
    """Site of an undecided use that may mean it."""
    NOT_UNDERSTOOD = "notUnderstood"
    """In a syntax error, in a macro, or explained by nothing."""
    STRINGS = "strings"
    UNKNOWN = "unknown"
    """A use of which nothing is known: a member of a value of unknown type, a name that nothing seen binds, an
    undecided use of another form."""
    CHANGED = "changedFiles"
    """In files that are on disk otherwise than they were indexed."""
    NAMES = "names"
    """Names of arguments, fields, keys, labels, modules; keywords."""
    OUTSIDE = "outside"
    """Uses of what surely is outside the repository: through an import of it, or built in."""
    OTHER_USES = "otherUses"
    """Uses of other definitions."""
    OTHER_DEFINITIONS = "otherDefinitions"
    PARAMETERS = "parameters"
    LOCALS = "locals"
    COMMENTS = "comments"


ACCOUNTED = frozenset((Account.DEFINITION, Account.RESOLVED, Account.UNDECIDED))
"""What an answer about the definition shows."""

HARMLESS = frozenset(
    (
        Account.OTHER_USES,
        Account.OTHER_DEFINITIONS,
        Account.PARAMETERS,
        Account.LOCALS,
        Account.COMMENTS,
        Account.OUTSIDE,
    )
)
"""With these, there is surely no further use of it."""


LINES_MAX = 200
"""Lines that are kept of a file that is not indexed."""


class Mention(msgspec.Struct, frozen=True, gc=False):
    path: str
    line: int
    col: int
    account: Account


class Elsewhere(msgspec.Struct, frozen=True, gc=False):
    """The occurrences of a name in a file that is not indexed."""

    path: str
    why: str
    """Why it is not indexed: a reason to skip source code, or one of `codemap.mentions.other_texts`."""
    count: int
    lines: tuple[int, ...]
    """Ascending, `LINES_MAX` at most."""


class Ledger(msgspec.Struct, frozen=True):
    """All occurrences of a name, in the order of their places."""

    mentions: tuple[Mention, ...]
    unseen: int = 0
    """Files that there was no time to look at."""
    elsewhere: tuple[Elsewhere, ...] = ()
    """Those in files that are not indexed."""

    @property
    def counts(self) -> dict[Account, int]:
        """Of the accounts that have any, in the order of `Account`."""
        found = dict.fromkeys(Account, 0)
        for mention in self.mentions:
            found[mention.account] += 1
        return {account: number for account, number in found.items() if number}

    @property
    def not_indexed(self) -> dict[str, int]:
        """Counts those in files that are not indexed, by the reason."""
        found: Counter[str] = Counter()
        for one in self.elsewhere:
            found[one.why] += one.count
        return dict(sorted(found.items()))

    @property
    def is_sure(self) -> bool:
        """Whether whatever is not shown is surely no use of the definition."""
        return (
            not self.unseen
            and all(one.account in ACCOUNTED or one.account in HARMLESS for one in self.mentions)
            and all(one.why == DOCUMENTS for one in self.elsewhere)
        )
