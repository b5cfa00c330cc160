"""Searches files for a word, in a parser process: only files that contain its bytes are parsed.

Rules of the file:
- It ends by itself when its time is up, so that a process need not be killed for it.
- A file that cannot be read has no words; one that cannot be parsed has words that nothing is understood of.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import msgspec

from actors.files.reading import digest_of, read_file
from actors.messaging.messages import Scanned, Skipped
from actors.workers.per_file_failures import Failure, attempt
from codemap.extract.skipped_files import normalize
from codemap.extract.word_classification import words_in
from codemap.occurrences.words import Nature, Sighted, look, offsets, without_bom

_pack = msgspec.msgpack.Encoder().encode


def scan_files(root: str, paths: Sequence[bytes], max_bytes: int, word: str, time_s: float) -> bytes:
    """Searches files in order until the time is up: a packed `Scanned`."""
    until = time.monotonic() + time_s
    wanted = word.encode("utf-8", "surrogateescape")
    found: list[Sighted] = []
    for place, path in enumerate(map(os.fsdecode, paths)):
        if time.monotonic() > until:
            return _pack(Scanned(tuple(found), tuple(map(os.fsdecode, paths[place:]))))
        read = read_file(root, path, max_bytes)
        if isinstance(read, Skipped):
            continue
        _, content, _ = read
        source = normalize(content)
        if wanted in source and (words := _words(path, source, word)):
            found.append(Sighted(path, digest_of(content), words))
    return _pack(Scanned(tuple(found), ()))


def _words(path: str, source: bytes, word: str) -> bytes:
    result = attempt(words_in, path, source, word)
    if not isinstance(result, Failure):
        return result.value
    source = without_bom(source)
    return look(source, dict.fromkeys(offsets(source, word), Nature.ERROR))
