"""Weighs the undecided uses of a name: which are likely of what is renamed, and which are rather of something else.

Rules of the file:
- Uses of one name in a function may be of several variables: those of each are weighed apart.
- A use is of what is renamed where that is highly likely, and nothing else of its name is. Where builtin types have
  such a member, too, it may always be of a value of theirs; and where a keyword or a string is the name, a value may
  have got the member by that.
- It is of something else where that is likelier, or where builtin types have such a member.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

import msgspec

from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import Ranking
from codemap.graph.likelihood.receivers import FileReceivers
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At

_WEIGHED_MAX = 200
"""Undecided uses whose candidates are weighed."""
_STEPS = 20_000
"""Names that data flow looks at, for all of them."""


class Weighed(msgspec.Struct, frozen=True):
    likely: Set[At] = frozenset()
    unlikely: Set[At] = frozenset()


def weigh_uses(snapshot: Snapshot, nodes: Sequence[int]) -> Weighed:
    """The undecided uses of `nodes`, which are renamed together."""
    ranking = Ranking(snapshot, nodes[0], _STEPS)
    own = set(nodes)
    file, named = snapshot.row_of(nodes[0])
    is_builtin = file.name_of(named) in by_name()[file.lang].outside.builtin_members
    known: dict[str, FileReceivers] = {}
    likely: set[At] = set()
    unlikely: set[At] = set()
    rows = dict.fromkeys(row for node in nodes for row in unresolved_rows_in(snapshot, node).tolist())
    for place, row in enumerate(rows):
        use = snapshot.unresolved_use(row)
        file, source = snapshot.row_of(use.source)
        known[file.path] = receivers = known.get(file.path) or FileReceivers(file.facts)
        for sites in receivers.sites_by_value(source, use, frozenset(snapshot.sites(use))):
            ranked = ranking.of(use, sites) if place < _WEIGHED_MAX else ranking.unranked(use)
            graded = list(zip(ranked.nodes, ranked.likelihoods, strict=True))
            best = min(likelihood for one, likelihood in graded if one in own)
            other = min((likelihood for one, likelihood in graded if one not in own), default=Likelihood.LOW)
            places = {At(file.path, line, col) for line, col in sites}
            if best is Likelihood.HIGH and other is not Likelihood.HIGH and not is_builtin:
                likely |= places
            elif not own.issuperset(ranked.nodes) and best > (Likelihood.HIGH if is_builtin else other):
                unlikely |= places
    return Weighed(likely, unlikely - likely)
