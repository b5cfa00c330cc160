"""Snapshots from nothing, which incremental ones must equal: as `build_snapshot`, over files that repeat."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from codemap.graph.build.build import build, extracted
from codemap.graph.model.indexed_file import Extracted
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.languages import language_of

KEPT_MAX = 1000
"""Files whose facts are kept. None is handed to an incremental build, which is to tell equal facts without their being
the same object."""


def built_from_scratch(sources: Mapping[str, bytes]) -> Snapshot:
    """The snapshot of some files; each content is parsed once in a run."""
    changed = {path: _extracted(path, source) for path, source in sources.items() if language_of(path) is not None}
    configs = {path: source for path, source in sources.items() if path not in changed}
    return finish(build(None, changed, frozenset(), configs, built_at="2000-01-01T00:00:00Z"))


@lru_cache(KEPT_MAX)
def _extracted(path: str, source: bytes) -> Extracted:
    return extracted(path, source)
