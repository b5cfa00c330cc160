"""Finds the shared store that the settings name: which kind it is, and what is accepted of it.

Rules of the file:
- Only the user's flags and variables name a store, a key or trust (`codemap.settings`); nothing in a repository does.
- A store that cannot be used as it is named is not used at all, and why is reported: nothing ends for it.
- Passwords are never in an address: addresses are shown.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import SplitResult, urlsplit

import msgspec

from actors.remote.folder import Folder
from actors.remote.object_store import ObjectStore
from actors.remote.redis_server import RedisServer
from actors.remote.remote import NotUsable, Remote
from codemap.settings import Settings
from codemap.shared_facts.entries import KEY_MIN_BYTES, Content

KEY_VARIABLE = "CODEMAP_FACTS_KEY"
SECRET_VARIABLE = "CODEMAP_FACTS_TOKEN"

KEY_MAX_BYTES = 4096
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


class Sharing(msgspec.Struct, frozen=True):
    """A shared store, and how it is used."""

    remote: Remote
    key: bytes | None
    """The team's; None: entries are neither signed nor asked for a signature."""
    content: Content
    """What is shared of a file."""
    pushes: bool
    """Whether what is parsed here is written to it."""
    first_answer_s: float = 0.5
    """How long files wait for its first answer, counted from the start: a secure connection around the world takes
    that. Listing the files and starting the parser processes goes on meanwhile."""
    batch_s: float = 0.5
    """How long it may take for a batch beyond the time of parsing it."""


class NotShared(msgspec.Struct, frozen=True):
    """The store that is named cannot be used."""

    place: str
    why: str
    """A clause."""


def find_sharing(settings: Settings, environment: Mapping[str, str]) -> Sharing | NotShared | None:
    """Finds the shared store; None where none is wanted. Reads the file of the key; connects to nothing."""
    if not settings.facts_remote:
        return None
    try:
        return Sharing(
            _open(settings.facts_remote, environment.get(SECRET_VARIABLE, "")),
            _find_key(settings, environment),
            Content.NAMES if settings.facts_share == "names" else Content.FACTS,
            settings.facts_push == "on",
        )
    except (NotUsable, ValueError) as error:
        return NotShared(_shown(settings.facts_remote), str(error))


def _find_key(settings: Settings, environment: Mapping[str, str]) -> bytes | None:
    text = environment.get(KEY_VARIABLE, "").encode("utf-8", "surrogateescape")
    if settings.facts_key_file:
        text = _read_key(os.path.expanduser(settings.facts_key_file))
    key = text.strip()
    if key and len(key) < KEY_MIN_BYTES:
        raise NotUsable(f"the team's key is shorter than {KEY_MIN_BYTES} bytes")
    if not key and settings.facts_trusted != "on":
        raise NotUsable(
            f"there is no key to know its entries by: set facts_key_file or {KEY_VARIABLE}, or facts_trusted where "
            "everybody who can write to it is trusted"
        )
    return key or None


def _read_key(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or status.st_size > KEY_MAX_BYTES:
                raise NotUsable(f"{path} is no file of a key")
            return file.read(KEY_MAX_BYTES)
    except OSError as error:
        raise NotUsable(f"{path}: {error.strerror}") from error


def _open(address: str, secret: str) -> Remote:
    if os.path.isabs(address):
        return Folder(address)
    url = urlsplit(address)
    make = _KINDS.get(url.scheme)
    if make is None:
        raise NotUsable(f"an absolute path or one of {', '.join(f'{kind}://' for kind in _KINDS)} is expected")
    if url.username is not None or url.password is not None:
        raise NotUsable(f"it has a name or password in it, which belongs into {SECRET_VARIABLE}")
    return make(url, secret)


def _open_folder(url: SplitResult, _secret: str) -> Remote:
    if url.netloc or not url.path:
        raise NotUsable("file:///PATH is expected")
    return Folder(url.path)


def _open_http(url: SplitResult, secret: str) -> Remote:
    _check_address(url, "a host and a path are expected")
    _check_secret(url, secret, "https")
    from actors.remote.http_cache import HttpCache  # brings an HTTP library, which other kinds do without

    return HttpCache(url, secret)


def _open_redis(url: SplitResult, secret: str) -> Remote:
    _check_address(url, "a host, and the number of a database as path, are expected")
    _check_secret(url, secret, "rediss")
    return RedisServer(url, secret)


def _open_objects(url: SplitResult, secret: str) -> Remote:
    _check_address(url, "a bucket and a path are expected")
    if secret:
        raise NotUsable(f"{SECRET_VARIABLE} is for other stores; this one takes the variables of its cloud")
    return ObjectStore(url)


def _check_address(url: SplitResult, expected: str) -> None:
    if not url.hostname or url.query or url.fragment:
        raise NotUsable(expected)


def _check_secret(url: SplitResult, secret: str, secure: str) -> None:
    """Refuses to send a password over a connection that others can read."""
    if secret and url.scheme != secure and url.hostname not in _LOOPBACK:
        raise NotUsable(f"{SECRET_VARIABLE} is sent over {secure}:// only")


_KINDS: Mapping[str, Callable[[SplitResult, str], Remote]] = MappingProxyType(
    {
        "file": _open_folder,
        "http": _open_http,
        "https": _open_http,
        **dict.fromkeys(("redis", "rediss"), _open_redis),
        **dict.fromkeys(("s3", "gs", "az"), _open_objects),
    }
)


def _shown(address: str) -> str:
    """Removes a name and password from an address."""
    head, at, tail = address.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at else address
