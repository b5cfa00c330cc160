"""What facts the cases of the literate tests had when `FACTS_VERSION` was last raised.

The record, `facts_digest.txt`, has a line `<version> <digest of the lines below>`, then a line `<digest of sources>
<digest of facts>` for each case. It changes with the version alone: cases that came since are in none of its lines, so
a new case leaves it as it is. Two changes that raise the version to one number write different first lines, which
cannot be merged; where the lines below are merged nevertheless, they no longer have the digest of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec

from codemap.extract.extract import extract
from codemap.languages import language_of
from tests import literate

RECORD = Path(__file__).parent / "facts_digest.txt"
DIGEST_BYTES = 6


class Record(msgspec.Struct, frozen=True):
    version: int
    facts: Mapping[str, str]
    """Digest of the sources of a case -> that of their facts."""


def read(text: str) -> Record:
    """Raises ValueError where lines were changed by hand or by a merge."""
    first, _, below = text.partition("\n")
    version, _, digest = first.partition(" ")
    pairs = [line.split(" ") for line in below.splitlines()]
    if not version.isdecimal() or digest != _digest([below.encode()]) or any(len(pair) != 2 for pair in pairs):
        raise ValueError("of no one version: take it from the branch merged into, raise FACTS_VERSION, --update")
    return Record(int(version), dict(pairs))


def write(record: Record) -> str:
    below = "".join(f"{sources} {facts}\n" for sources, facts in sorted(record.facts.items()))
    return f"{record.version} {_digest([below.encode()])}\n{below}"


def update(record: Record, now: Record) -> Record:
    """The record of now where its version is higher, else that of before. Raises ValueError where facts changed and the
    version did not."""
    if now.version < record.version:
        raise ValueError(f"FACTS_VERSION was {record.version} before")
    if now.version > record.version:
        return now
    changed = [case for case in record.facts.keys() & now.facts.keys() if record.facts[case] != now.facts[case]]
    if changed:
        raise ValueError(f"the facts of {len(changed)} cases changed: raise FACTS_VERSION")
    return record


def take(version: int) -> Record:
    """That of the code as it is."""
    texts = (path.read_text(encoding="utf-8") for path in literate.documents())
    return Record(version, dict(facts_of(case) for text in texts for case in literate.cases(text)))


def facts_of(case: literate.Case) -> tuple[str, str]:
    """The digests of the sources of a case and of their facts."""
    sources = [part for path, source in case.files.items() for part in (path.encode(), source)]
    files = [(path, source) for path, source in case.files.items() if language_of(path) is not None]
    return _digest(sources), _digest([msgspec.msgpack.encode(extract(path, source)) for path, source in files])


def _digest(parts: list[bytes]) -> str:
    found = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()
