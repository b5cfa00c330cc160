"""What data flow brings to the members that are used at some places: whose they are, where the map alone cannot say."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from codemap.facts import AROUND, EXPR_WIDTH, SITE_WIDTH, Binding, Op, Source, SourceKind, Use
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.likelihood.data_flow import FlowEvaluator, OutOfSteps
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import NOTHING, Meaning, join
from codemap.graph.resolve.members import find_attribute
from codemap.languages import by_name

STEPS_MAX = 400
"""Names that are looked at for one place."""
STEPS_IN_ALL = 8000
_ATTR, _NAME, _GLOBAL = int(Op.ATTR), int(Op.NAME), int(Op.GLOBAL)
_IMPORT = int(SourceKind.IMPORT)


class Flowing(msgspec.Struct, frozen=True):
    """A member of a value."""

    receiver: Meaning
    """The values that it may be of."""
    member: Meaning
    """What it denotes of these."""
    is_imported: bool
    """Whether the receiver is a name that is imported, or a member of one, and so on."""


class FlowingValues:
    """Of one snapshot, for one question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._evaluator = FlowEvaluator(snapshot)
        self._steps = STEPS_IN_ALL

    def at(self, path: str, line: int, col: int) -> Flowing | None:
        """None where no member of a value is used, or where flow is too long to follow."""
        indexed = self._snapshot.by_path.get(path)
        if indexed is None or by_name()[indexed.lang].scopes.shares_names or self._steps <= 0:
            return None
        ev = self._evaluator
        file = ev.files.numbered(indexed.number)
        found = None
        ev.steps = steps = min(STEPS_MAX, self._steps)
        try:
            for of, name in _find_members_at(file, line, col):
                receiver = ev.value_of(ev.expr(file, of))
                member = find_attribute(ev, receiver, file.names[name], file)
                known = found or Flowing(NOTHING, NOTHING, is_imported=True)
                is_imported = known.is_imported and _is_imported(file, of)
                found = Flowing(join(known.receiver, receiver), join(known.member, member), is_imported)
        except (OutOfSteps, RecursionError):
            self._evaluator = FlowEvaluator(self._snapshot)  # what it had begun to ask counts as not known in it
            return None
        finally:
            self._steps -= steps - max(0, ev.steps)
        return found


def _find_members_at(file: GraphFile, line: int, col: int) -> Iterator[tuple[int, int]]:
    """The receivers of the members that are used at a place, and the numbers of their names."""
    sites = np.frombuffer(file.facts.sites, dtype="<i4").reshape(-1, SITE_WIDTH)
    uses = np.frombuffer(file.facts.uses, dtype="<i4").reshape(-1, Use.WIDTH)
    for site in np.flatnonzero((sites[:, 0] == line) & (sites[:, 1] == col)).tolist():
        is_of = (uses[:, Use.FIRST] <= site) & (site < uses[:, Use.FIRST] + uses[:, Use.COUNT])
        for expr in uses[is_of, Use.EXPR].tolist():
            op, of, name = file.exprs[expr * EXPR_WIDTH : expr * EXPR_WIDTH + EXPR_WIDTH].tolist()
            while op in AROUND:
                op, of, name = file.exprs[of * EXPR_WIDTH : of * EXPR_WIDTH + EXPR_WIDTH].tolist()
            if op == _ATTR:
                yield of, name


def _is_imported(file: GraphFile, expr: int) -> bool:
    op, of, _ = file.exprs[expr * EXPR_WIDTH : expr * EXPR_WIDTH + EXPR_WIDTH].tolist()
    while op == _ATTR:
        op, of, _ = file.exprs[of * EXPR_WIDTH : of * EXPR_WIDTH + EXPR_WIDTH].tolist()
    if op != _NAME:
        return False
    first, count = file.bindings[of * Binding.WIDTH + Binding.FIRST], file.bindings[of * Binding.WIDTH + Binding.COUNT]
    kinds = {file.sources[source * Source.WIDTH + Source.KIND] for source in range(first, first + count)}
    return kinds == {_IMPORT}
