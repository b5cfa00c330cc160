"""Reads the texts of files in a commit, without any filter."""

from __future__ import annotations

from collections.abc import Sequence

from actors.ports import NoGit, Ports
from actors.revisions.blobs import contents_of
from actors.revisions.trees import tree_of
from codemap.extract.skipped_files import normalize


async def texts_at(ports: Ports, commit: str, files: Sequence[str]) -> dict[str, str] | NoGit:
    """Reads texts by path; files that the commit lacks, or that are too large, are left out. Undecodable bytes are
    replaced."""
    tree = await tree_of(ports, commit)
    if isinstance(tree, NoGit):
        return tree
    ids = {path: tree.files[path] for path in files if path in tree.files}
    blobs = await contents_of(ports, frozenset(ids.values()), ports.file_max_bytes)
    if isinstance(blobs, NoGit):
        return blobs
    return {path: text_of(blobs[one]) for path, one in ids.items() if one in blobs}


def text_of(content: bytes) -> str:
    return normalize(content).decode("utf-8", "replace").removeprefix("\ufeff")
