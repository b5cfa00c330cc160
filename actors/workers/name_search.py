"""Searches files for many names, in a parser process; or classifies the occurrences of some by syntax.

Rules of the file:
- It ends by itself when its time is up, so that a process need not be killed for it.
- A file that cannot be read is one that nobody has looked at; one that cannot be parsed has words that nothing is
  understood of.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import msgspec

from actors.files.reading import digest_of, read_file
from actors.messaging.messages import Skipped
from actors.workers.per_file_failures import Failure, attempt
from codemap.extract.skipped_files import SkipReason, is_binary, normalize
from codemap.extract.word_classification import words_of_names
from codemap.mentions.seeking import Names, Sought, SoughtIn, seek
from codemap.occurrences.words import Nature, look, offsets, without_bom, without_prose

_pack = msgspec.msgpack.Encoder().encode


def seek_names(
    root: str,
    paths: Sequence[bytes],
    max_bytes: int,
    names: Sequence[str],
    names_of_each: Sequence[Sequence[str]],
    time_s: float,
) -> bytes:
    """Searches every file for all names without parsing it, or each file for its own names with a parse: a packed
    `Sought`."""
    until = time.monotonic() + time_s
    sought = Names(names)
    found: list[SoughtIn] = []
    unseen: list[str] = []
    seen = 0
    for place, path in enumerate(map(os.fsdecode, paths)):
        if time.monotonic() > until:
            unseen += map(os.fsdecode, paths[place:])
            break
        read = read_file(root, path, max_bytes)
        if isinstance(read, Skipped):
            unseen += [path] if read.reason is not SkipReason.VANISHED else []
            continue
        content, source = read[1], normalize(read[1])
        seen += 1
        if names_of_each:
            found.append(SoughtIn(path, digest_of(content), _read(path, source, names_of_each[place])))
        elif not is_binary(source):
            one = seek(path, digest_of(content), source, sought)
            found += [] if one is None else [one]
    return _pack(Sought(found, unseen, seen))


def _read(path: str, source: bytes, names: Sequence[str]) -> dict[str, bytes]:
    result = attempt(words_of_names, path, source, names)
    source = without_bom(source)
    if not isinstance(result, Failure):
        return {name: without_prose(source, name, rows) for name, rows in result.value.items()}
    return {name: look(source, dict.fromkeys(offsets(source, name), Nature.ERROR)) for name in names}
