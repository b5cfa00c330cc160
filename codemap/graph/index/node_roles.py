"""The roles (product, test, example, generated or vendored) of the nodes and files of a snapshot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codemap.file_roles import Role, has_tests_inside, role_of, role_of_definition
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_paths
from codemap.graph.model.snapshot import Snapshot


def role_of_node(snapshot: Snapshot, node: int) -> Role:
    """The role of a definition or a file; external packages count as product code."""
    file = snapshot.file_of(node)
    return Role.PRODUCT if file is None else role_of_definition(file.path, file.qualified_name(node - file.base))


def roles_of_nodes(snapshot: Snapshot, nodes: Ints) -> NDArray[np.int8]:
    """The same of many nodes, none of them external. Cost: a look at each name where files hold tests beside code."""
    files = columns_of(snapshot).file[nodes]
    found = FILE_ROLES.of(snapshot)[files]
    for place in np.flatnonzero((found == int(Role.PRODUCT)) & _MAY_HOLD_TESTS.of(snapshot)[files]).tolist():
        found[place] = role_of_node(snapshot, int(nodes[place]))
    return found


def are_in_files_of(snapshot: Snapshot, nodes: Ints, role: Role) -> Mask:
    """Which nodes, none of them external, are in files of a role, whatever the role of each node itself."""
    found: Mask = FILE_ROLES.of(snapshot)[columns_of(snapshot).file[nodes]] == int(role)
    return found


def _read_roles(snapshot: Snapshot) -> NDArray[np.int8]:
    return np.fromiter((role_of(file.path) for file in snapshot.files), np.int8, count=len(snapshot.files))


FILE_ROLES = Slot[NDArray[np.int8]](_read_roles, carry=reuse_for_paths, rescore=reuse)
"""The `Role` of each file, by file number."""


def _find_mixed(snapshot: Snapshot) -> Mask:
    return np.fromiter((has_tests_inside(file.path) for file in snapshot.files), np.bool_, count=len(snapshot.files))


_MAY_HOLD_TESTS = Slot[Mask](_find_mixed, carry=reuse_for_paths, rescore=reuse)
"""Whether definitions of a file may have another role than it, by file number."""
