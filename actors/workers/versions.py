"""Reads versions of files in a parser process: contents in, their facts and fingerprints out.

A content that is not to be indexed, or that a language plug-in fails over, has no version.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

import msgspec

from actors.files.reading import digest_of
from actors.workers.per_file_failures import Failure, attempt
from codemap.changes.version import Version
from codemap.extract.fingerprints import version_of
from codemap.extract.skipped_files import HEAD_BYTES, SkipReason, normalize, skip_reason

_pack = msgspec.msgpack.Encoder().encode


def read_versions(sources: Iterable[tuple[str, bytes]], max_bytes: int, kept: Collection[SkipReason]) -> bytes:
    """Reads versions from contents: packed, in order, null where there is none."""
    return _pack([_version(path, content, max_bytes, kept) for path, content in sources])


def _version(path: str, content: bytes, max_bytes: int, kept: Collection[SkipReason]) -> Version | None:
    if skip_reason(path, content[:HEAD_BYTES], len(content), max_bytes=max_bytes, kept=kept) is not None:
        return None
    result = attempt(version_of, path, normalize(content))
    if not isinstance(result, Failure):
        return msgspec.structs.replace(result.value, digest=digest_of(content))
    sys.stderr.write(f"event=version-failed path={path!a} error={type(result.error).__name__}\n")
    return None
