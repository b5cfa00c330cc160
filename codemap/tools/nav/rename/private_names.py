"""Decides uses of a private member on values of which nothing is known: they mean the only member of that name.

    other._headers = self._headers       # only Response has `_headers`

Rules of the file:
- A name that begins as private ones do (`Language.private_prefix`) is used by the code that defines it: what is outside
  of the repository keeps its own to itself. Those that are documented all the same are not private
  (`Language.public_names`).
- All definitions of the name are renamed together, whatever they are in; no string and no keyword may be the name; and
  the value is not known to come from outside.
"""

from __future__ import annotations

from collections.abc import Sequence

from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.together import class_of

_DECIDED = (Account.UNDECIDED, Account.UNKNOWN)
_OPEN = (Account.STRINGS, Account.NAMES, Account.NOT_UNDERSTOOD, Account.CHANGED)


def find_private_uses(
    snapshot: Snapshot, nodes: Sequence[int], uses: Sequence[At], ledger: Ledger | None, named: Sequence[At]
) -> list[At]:
    """Those of `uses` that mean one of `nodes`, which are renamed together. `named` are the strings that surely name
    it."""
    home, row = snapshot.row_of(nodes[0])
    name, language = home.name_of(row), by_name()[home.lang]
    prefix = language.private_prefix
    is_private = bool(prefix) and name.startswith(prefix) and not name.startswith(2 * prefix)
    if ledger is None or not is_private or name in language.public_names or class_of(snapshot, nodes[0]) is None:
        return []
    others = (node for node in snapshot.named(name) if node not in nodes and not _is_local(snapshot, node))
    if any(snapshot.row_of(node)[0].family == home.family for node in others):
        return []
    places = {At(one.path, one.line, one.col): one.account for one in ledger.mentions if one.path in snapshot.by_path}
    kin = (at for at in places if snapshot.by_path[at.file].family == home.family)
    if ledger.unseen or any(places[at] in _OPEN and at not in named for at in kin):
        return []
    return [at for at in uses if places.get(at) in _DECIDED]


def _is_local(snapshot: Snapshot, node: int) -> bool:
    owner = snapshot.parent_of(node)
    return owner is not None and snapshot.kind_of(owner) in FUNCTION_KINDS
