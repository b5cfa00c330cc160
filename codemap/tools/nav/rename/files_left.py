"""Finds the files without edits that a rename may break: they are diagnosed with those that have edits.

Rules of the file:
- First those in which something has the old name, or may be meant by it: what has to be renamed as well is wrong there.
- Then, of a member where values fit a type by their members, those that use its type: a value of it may become one of
  an interface there, as `var s sql.Scanner = version` in Go, and nothing names the member. Last those that use what
  speaks of the type: a function that takes one, which is given something that only has its members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from codemap.graph.index.part_nodes import parts_of, whole_of
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.diagnostics.dependents import dependents_of, direct_users_of

INCLUDERS_MAX = 6
"""Files that include edited ones: a compiler takes seconds for each."""
_KEEPERS = (Account.OTHER_DEFINITIONS, Account.UNDECIDED, Account.UNKNOWN)


def files_left(snapshot: Snapshot, node: int, ledger: Ledger | None, edited: Collection[str]) -> list[str]:
    """The paths, those that are the likeliest to be wrong first; in the languages of the edited ones."""
    files = snapshot.by_path
    families = {files[path].family for path in edited if path in files}
    mentions = [] if ledger is None else [one for one in ledger.mentions if one.account in _KEEPERS]
    mentions.sort(key=lambda one: (_KEEPERS.index(one.account), one.path))
    found = dict.fromkeys(
        [*(one.path for one in mentions), *_users_of_type(snapshot, node), *_includers(snapshot, edited)]
    )
    return [path for path in found if path not in edited and path in files and files[path].family in families]


def _includers(snapshot: Snapshot, edited: Collection[str]) -> list[str]:
    """The files that use what edited ones define, then others that include them; of each, sources before headers, as
    nothing uses them."""
    files = snapshot.by_path
    included = [path for path in edited if path in files and by_name()[files[path].lang].scopes.sees == "includes"]
    found = dependents_of(snapshot, included, ()) if included else []
    near = direct_users_of(snapshot, included)
    found.sort(key=lambda path: (path not in near, float(snapshot.scores[files[path].base]), path))
    return found[:INCLUDERS_MAX]


def _users_of_type(snapshot: Snapshot, node: int) -> list[str]:
    """The files that use the type of a member or other members of it, then those that use what speaks of the type; of
    each those that do so most often first."""
    file, owner = snapshot.row_of(node)[0], snapshot.parent_of(node)
    if owner is None or not by_name()[file.lang].fits_by_members or snapshot.is_file(owner):
        return []
    whole = whole_of(snapshot, owner)
    if snapshot.kind_of(whole) in FUNCTION_KINDS:
        return []
    types = [whole, *parts_of(snapshot, whole)]
    members = [member for one in types for member in snapshot.children_of(one)]
    near, _ = _count_users(snapshot, [*types, *members])
    _, speaking = _count_users(snapshot, types)
    far, _ = _count_users(snapshot, sorted(speaking.difference(types, members)))
    return [path for counts in (near, far) for path, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]


def _count_users(snapshot: Snapshot, nodes: Sequence[int]) -> tuple[Counter[str], set[int]]:
    """Uses by file, and the definitions that use the nodes."""
    table, counts, users = snapshot.edges, Counter[str](), set[int]()
    for used in nodes:
        for row in table.in_rows(used):
            user = int(table.source[row])
            file = snapshot.file_of(user)
            if file is not None and int(table.kind[row]) != EdgeKind.CONTAINS:
                counts[file.path] += int(table.count[row])
                if not snapshot.is_file(user):
                    users.add(user)
    return counts, users
