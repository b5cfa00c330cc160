"""Warns of answers about a file in which not everything was understood: what is near an error may be wrong."""

from __future__ import annotations

from codemap.graph.model.indexed_file import IndexedFile


def warn_of_errors(file: IndexedFile | None) -> list[str]:
    """What an answer about a definition of a file cannot know, as the file has syntax errors; nothing where it has
    none."""
    if file is None or not file.error_bytes:
        return []
    share = min(99.9, int(1000 * max(0.0, 1 - file.error_bytes / max(1, file.size))) / 10)
    return [
        f"{file.path} is {share:g} % parsed: definitions near its syntax errors may be missing or nested wrongly, and "
        "uses in them are not known."
    ]
