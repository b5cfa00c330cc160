"""How likely each node is what a question is about, before the question: by what it is, and by what leans on it.

Held by its snapshot, made when first asked for: a few nanoseconds a symbol.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import Columns, columns_of
from codemap.graph.index.name_index import NameIndex, name_index
from codemap.graph.index.node_roles import FILE_ROLES, IN_TESTS
from codemap.graph.model.edges import Mask
from codemap.graph.model.index_slots import Slot, reuse_for_contents
from codemap.graph.model.snapshot import Snapshot

Floats = NDArray[np.float32]

_OF_KIND = np.ones(len(SymbolKind), dtype=np.float32)
_OF_KIND[[SymbolKind.FILE, SymbolKind.MODULE]] = 0.4, 0.5
_OF_KIND[[SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.TYPE_ALIAS]] = 0.5, 0.35, 0.6
"""A variable or a property bears a word by chance more often than a definition does."""
_OF_KIND[[SymbolKind.INTERFACE, SymbolKind.ENUM]] = 0.56, 0.7
"""An interface says what is done, and an enumeration with what; a question asks for what does it."""
_OF_KIND[SymbolKind.FUNCTION] = 1.1
_BEARS = np.float32(-0.5)
"""The power of that which is taken back where a name bears two words: that is no chance any more."""
_IS_BEARER = np.zeros(len(SymbolKind), dtype=np.bool_)
_IS_BEARER[[SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.TYPE_ALIAS]] = True
_IS_FUNCTION = np.zeros(len(SymbolKind), dtype=np.bool_)
_IS_FUNCTION[[SymbolKind.FUNCTION, SymbolKind.METHOD]] = True
_OF_ROLE = np.ones(len(Role), dtype=np.float32)
_OF_ROLE[[Role.TEST, Role.EXAMPLE, Role.GENERATED, Role.VENDORED]] = 0.2, 0.4, 0.3, 0.4
_PRIVATE = np.float32(0.9)
_DECLARED = np.float32(0.85)
_LOCAL = np.float32(0.8)
"""Of what is defined inside a function: it helps there, and the function is the answer."""
_LEFT_BEHIND = np.float32(0.6)
"""Of what its path calls deprecated."""
_HUB = np.float32(0.8)
"""What the root of a hub score of one adds."""


def prior(index: NameIndex, nodes: NDArray[np.intp], named: Floats, *, with_tests: bool) -> Floats:
    """The factors of some nodes whose names have so many of a question's concepts.

    Tests count as much as the product where a question asks for them.
    """
    kinds = index.columns.kind[nodes]
    bearers = np.flatnonzero((named >= 2) & _IS_BEARER[kinds])
    found: Floats = (PRIOR_WITH_TESTS if with_tests else PRIOR).of(index.snapshot)[nodes]
    found[bearers] *= _OF_KIND[kinds[bearers]] ** _BEARS
    return found


def _of_all_nodes(snapshot: Snapshot, of_test: np.float32) -> Floats:
    columns = columns_of(snapshot)
    found = _OF_KIND[columns.kind]
    found[(columns.flags & SymbolFlag.EXPORTED) == 0] *= _PRIVATE
    found[(columns.flags & SymbolFlag.DECLARATION) != 0] *= _DECLARED
    found[_is_local(columns)] *= _LOCAL
    found *= 1 + _HUB * np.sqrt(snapshot.scores[: snapshot.first_external])
    of_role = _OF_ROLE.copy()
    of_role[Role.TEST] = of_test
    of_file = of_role[FILE_ROLES.of(snapshot)]
    of_file[name_index(snapshot).paths.are_left_behind] *= _LEFT_BEHIND
    found *= of_file[columns.file]
    found[IN_TESTS.of(snapshot)] *= of_test
    return found


PRIOR = Slot[Floats](partial(_of_all_nodes, of_test=_OF_ROLE[Role.TEST]), carry=reuse_for_contents)
PRIOR_WITH_TESTS = Slot[Floats](partial(_of_all_nodes, of_test=np.float32(1)), carry=reuse_for_contents)


def _is_local(columns: Columns) -> Mask:
    """Whether each node is defined inside a function, or is a member of what is."""
    owner = columns.parent
    found = (owner >= 0) & _IS_FUNCTION[columns.kind[owner]]
    is_local: Mask = found | (found[owner] & (owner >= 0))
    return is_local
