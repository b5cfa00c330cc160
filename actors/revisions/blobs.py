"""Reads contents by object ID, as git stores them: no filter, no conversion, no fetch.

Source: git-cat-file(1), "BATCH OUTPUT".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha1, sha256

from actors.ports import NoGit, Ports

_SHA1_DIGITS = 40
_SIZES = "--batch-check=%(objectname) %(objectsize)"


def object_id(content: bytes, digits: int) -> str:
    """Computes the object ID of a content in a repository whose IDs have so many digits."""
    state = (sha1 if digits == _SHA1_DIGITS else sha256)(b"blob %d\0" % len(content))
    state.update(content)
    return state.hexdigest()


async def contents_of(ports: Ports, ids: Collection[str], max_bytes: int) -> Mapping[str, bytes] | NoGit:
    """Reads the objects that exist and are not larger than `max_bytes`."""
    wanted = sorted(ids)
    if not wanted:
        return {}
    checked = await ports.ask_git(["cat-file", _SIZES], _lines(wanted))
    if isinstance(checked, NoGit):  # it ends at the first object that it would have to fetch
        checked = await ports.ask_git(["cat-file", "--batch-all-objects", "--unordered", _SIZES])
    if isinstance(checked, NoGit):
        return checked
    sizes = [line.split(b" ") for line in checked.text.splitlines()]
    found = {name.decode() for name, size in sizes if size.isdigit() and int(size) <= max_bytes}
    small = [one for one in wanted if one in found]
    return await objects_of(ports, small)


async def objects_of(ports: Ports, ids: Sequence[str]) -> Mapping[str, bytes] | NoGit:
    """Reads the objects that exist, files or commits of any size."""
    said = await ports.ask_git(["cat-file", "--batch=%(objectname) %(objectsize)"], _lines(ids))
    return said if isinstance(said, NoGit) else _read(said.text)


def _lines(ids: Sequence[str]) -> bytes:
    return "".join(f"{one}\n" for one in ids).encode()


def _read(text: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    at = 0
    while (end := text.find(b"\n", at)) >= 0:
        name, _, size = text[at:end].partition(b" ")
        at = end + 1
        if size.isdigit():
            found[name.decode()] = text[at : at + int(size)]
            at += int(size) + 1
    return found
