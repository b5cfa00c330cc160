"""Finds uses that may be of a renamed symbol and that neither the map nor the language server can decide.

Rules of the file:
- The server is asked what such a use means. Where it knows, its edits are complete there; where it does not, the use
  keeps the old name, and nobody would notice before it runs. A member of a value that it knows and that is no module
  is nothing that a module defines.
- Of a use with several candidates in the repository, one is left alone that is unlikely where another is likelier, or
  values of builtin types have such a member; of one on a value from outside, such a member.
- A member whose name is put together where it is asked for (`getattr(self, f"visit_{kind}")`) has no use to edit.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

import msgspec

from codemap.facts import Symbol
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.impact.prefix_dispatch import askers_of
from codemap.languages import by_name
from codemap.live_queries import At
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.computed_names import find_computed, select_asking
from codemap.tools.nav.rename.uses.flowing_uses import find_flowing_uses, find_on_self, is_imported_at
from codemap.tools.nav.rename.uses.module_values import may_be_values, select_bare, without_members
from codemap.tools.nav.rename.uses.only_members import find_only_uses, find_private_uses, has_other_texts, is_local
from codemap.tools.nav.rename.uses.other_uses import find_disputed, find_fitting
from codemap.tools.nav.rename.uses.run_examples import find_run_examples
from codemap.tools.nav.rename.uses.server_knowledge import (
    Knowledge,
    ask_knowledge,
    find_members_of_known_types,
    find_members_of_values,
)
from codemap.tools.nav.rename.uses.together import is_kin
from codemap.tools.nav.rename.uses.weighed_uses import Weighed, weigh_uses
from codemap.tools.tool import Asking

ASKED_MAX = 100
"""Uses that the server is asked about; of more, the first."""


class OpenUses(msgspec.Struct, frozen=True):
    undecided: tuple[At, ...] = ()
    decided: tuple[At, ...] = ()
    """These are of it, and the server leaves them alone: it knows so, or nobody else can have the name."""
    looked_up: tuple[At, ...] = ()
    """Of these, the strings."""
    computed: tuple[At, ...] = ()
    """The methods that may ask for the symbol by a name that is put together, and strings that may begin one."""
    disputed: tuple[At, ...] = ()
    """Uses that the map takes for those of another member, and that may be of it."""
    examples: tuple[At, ...] = ()
    """Examples in documents, which tests run."""
    strings: tuple[At, ...] = ()
    """Strings that may name it."""


def find_open_uses(
    snapshot: Snapshot,
    nodes: Sequence[int],
    possible: Sequence[At],
    defined: Set[At],
    ledger: Ledger | None,
    named: Sequence[At],
) -> Asking[OpenUses]:
    """Those of what is renamed together. `possible` are the uses by its name of which the map is not sure, `defined`
    the places that the server edits, `named` the strings that surely name it."""
    weighed = weigh_uses(snapshot, nodes) if possible else Weighed()
    wanted = [at for at in possible if at not in weighed.unlikely]
    if ledger is not None:
        wanted += _find_unknown(snapshot, nodes[0], ledger)
    asked = list(dict.fromkeys(at for at in wanted if at not in defined))[:ASKED_MAX]
    known = yield from ask_knowledge(snapshot, asked, defined, snapshot.name_of(nodes[0]))
    decided = tuple(at for at, one in zip(asked, known, strict=True) if one is Knowledge.OWN)
    unknown = (Knowledge.NOTHING, Knowledge.UNSURE, Knowledge.EITHER)
    undecided = [at for at, one in zip(asked, known, strict=True) if one in unknown]
    if snapshot.is_file(snapshot.parent_of(nodes[0]) or 0):
        of_values = yield from find_members_of_values(snapshot, undecided)
        undecided = [at for at in undecided if at not in of_values]
        undecided = yield from without_members(snapshot, nodes[0], undecided)
    elif is_local(snapshot, nodes[0]):
        undecided = yield from select_bare(undecided)
    else:
        undecided = [at for at in undecided if not is_imported_at(snapshot, at)]
        of_others = yield from find_members_of_known_types(snapshot, undecided)
        undecided = [at for at in undecided if at not in of_others]
    flowing = yield from find_flowing_uses(snapshot, nodes, undecided)
    undecided = [at for at in undecided if at not in flowing.own and at not in flowing.others]
    on_self = yield from find_on_self(snapshot, undecided)
    likely = [at for at in undecided if at in weighed.likely and at not in (*on_self, *flowing.contested)]
    if likely and (ledger is None or (yield from has_other_texts(snapshot, nodes[0], ledger, named))):
        likely = []
    undecided = [at for at in undecided if at not in likely]
    decided = (*decided, *flowing.own, *likely)
    looked_up: tuple[At, ...] = ()
    if len(asked) < ASKED_MAX:
        private = yield from find_private_uses(snapshot, nodes, undecided, ledger, named)
        only = yield from find_only_uses(snapshot, nodes, undecided, ledger, named)
        decided, looked_up = (*decided, *private, *only.uses, *only.strings), only.strings
        undecided = [at for at in undecided if at not in private and at not in only.uses]
    askers = list(dict.fromkeys(asker for node in nodes for asker in askers_of(snapshot, node)))
    if askers:
        askers = yield from select_asking(snapshot, askers, snapshot.name_of(nodes[0]), ledger)
    disputed = yield from find_disputed(snapshot, nodes, ledger, defined)
    disputed += yield from find_fitting(snapshot, nodes)
    begun = yield from find_computed(snapshot, nodes, ledger)
    if begun and snapshot.is_file(snapshot.parent_of(nodes[0]) or 0) and snapshot.kind_of(nodes[0]) not in CLASS_KINDS:
        begun = begun if (yield from may_be_values(snapshot, nodes[0])) else []
    computed = [*(_place_of(snapshot, asker) for asker in askers), *begun]
    examples = yield from find_run_examples(snapshot, nodes, ledger)
    decided = (*decided, *examples.own)
    return OpenUses(tuple(undecided), decided, looked_up, tuple(computed), tuple(disputed), examples.open)


def _find_unknown(snapshot: Snapshot, node: int, ledger: Ledger) -> list[At]:
    """Uses of the name of which the map knows nothing, and those on values from outside."""
    file, row = snapshot.row_of(node)
    is_builtin = file.name_of(row) in by_name()[file.lang].outside.builtin_members
    accounts = (Account.UNKNOWN,) if is_builtin else (Account.UNKNOWN, Account.OUTSIDE)
    found = [one for one in ledger.mentions if one.account in accounts and is_kin(snapshot, one.path, file)]
    found.sort(key=lambda one: (accounts.index(one.account), one.path != file.path))
    return [At(one.path, one.line, one.col) for one in found]


def _place_of(snapshot: Snapshot, node: int) -> At:
    file, row = snapshot.row_of(node)
    return At(file.path, file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL))
