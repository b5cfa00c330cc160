"""The roles (product, test, example, generated or vendored) of the nodes and files of a snapshot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codemap.file_roles import Role, role_of, role_of_definition
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_paths
from codemap.graph.model.snapshot import Snapshot


def role_of_node(snapshot: Snapshot, node: int) -> Role:
    """The role of a definition or a file; external packages count as product code."""
    file = snapshot.file_of(node)
    return Role.PRODUCT if file is None else role_of_definition(file.path, file.qualified_name(node - file.base))


def _read_roles(snapshot: Snapshot) -> NDArray[np.int8]:
    return np.fromiter((role_of(file.path) for file in snapshot.files), np.int8, count=len(snapshot.files))


FILE_ROLES = Slot[NDArray[np.int8]](_read_roles, carry=reuse_for_paths, rescore=reuse)
"""The `Role` of each file, by file number."""
