"""Packs what is published beside a snapshot (records of files, warnings) for the store.

Rules of the file:
- Contents of configuration files are not kept: their digests are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import FileRecord, Published
from codemap.extract.skipped_files import SkipReason
from codemap.packed.unpacking import unpack


class Meta(msgspec.Struct, frozen=True, array_like=True):
    """The stored form. Paths and sentences are joined by NUL."""

    files: bytes
    records: tuple[FileRecord, ...]
    configs: bytes
    config_records: tuple[FileRecord, ...]
    config_digests: tuple[bytes, ...]
    """Digests of the contents; empty where there was none."""
    unlisted: bytes
    reasons: tuple[SkipReason, ...]
    others: bytes
    other_counts: tuple[int, ...]
    warnings: bytes
    built_ns: int


def meta_of(published: Published[Any]) -> Meta:
    """Converts a published state to the stored form."""
    contents = published.configs
    return Meta(
        files=join(published.files),
        records=tuple(published.files.values()),
        configs=join(published.config_files),
        config_records=tuple(published.config_files.values()),
        config_digests=tuple(digest_of(contents[path]) if path in contents else b"" for path in published.config_files),
        unlisted=join(published.unlisted),
        reasons=tuple(published.unlisted.values()),
        others=join(published.others),
        other_counts=tuple(published.others.values()),
        warnings=join(published.warnings),
        built_ns=published.built_ns,
    )


def join(texts: Iterable[str]) -> bytes:
    """Joins texts, each followed by a NUL; paths that are not UTF-8 contain surrogates."""
    return "".join(f"{text}\0" for text in texts).encode("utf-8", "surrogatepass")


def split(joined: bytes) -> list[str]:
    """Splits what `join` has joined."""
    return joined.decode("utf-8", "surrogatepass").split("\0")[:-1]


_decoder = msgspec.msgpack.Decoder(Meta)


def encoded(meta: Meta) -> bytes:
    return msgspec.msgpack.encode(meta)


def decoded(body: bytes) -> Meta:
    """Raises ValueError."""
    return unpack(_decoder, body)
