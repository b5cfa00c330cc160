"""Bearer tokens: makes them, stores their digests, and compares them in constant time.

A file of tokens has one a line: `sha256:<digest>` as `codemap token` writes it, or a token in plain text as secret
mounts have it; after it, if it is to end, the word `until` and a UTC time, as in `until 2026-12-31T00:00:00Z`. `#`
begins a comment. The variable `CODEMAP_TOKEN` has one plain token. A token is never on a command line or in a log.

Rules of the file:
- Every token is compared with, whichever matches, by digests of equal length.
- A file that cannot be read, or that others may change, gives no token: nobody comes in rather than everybody.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from enum import Enum
from hashlib import sha256

import msgspec

from actors.files.private_file import config_file
from actors.messaging.log import Severity, log

VARIABLE = "CODEMAP_TOKEN"
PREFIX = "codemap_"
"""Prefix by which scanners of leaked secrets recognise our tokens."""
RANDOM_BYTES = 32
LENGTH_MIN = 16
"""Least length: shorter tokens can be guessed."""
SECONDS_A_DAY = 86_400
_FILE_MAX_BYTES = 64 * 1024
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+\Z")
"""Source: RFC 6750, section 2.1, `b64token`."""
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})\Z")


class BadTokens(Exception):
    """Raised when tokens cannot be used as given; the message is a sentence for whoever set them up."""


class Known(msgspec.Struct, frozen=True):
    """A token that is accepted."""

    digest: bytes
    until_s: float | None
    """When it expires, seconds since the epoch; None: never."""


class Rejected(Enum):
    WRONG = "wrong"
    EXPIRED = "expired"


class Accepted(msgspec.Struct, frozen=True):
    until_s: float | None


def new_token() -> str:
    """Makes a token that cannot be guessed."""
    return PREFIX + secrets.token_urlsafe(RANDOM_BYTES)


def digest_of(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogateescape")).digest()


def check(presented: str, known: tuple[Known, ...], now_s: float) -> Accepted | Rejected:
    """Checks whether a token is known, and until when; `now_s` is seconds since the epoch."""
    digest = digest_of(presented)
    found: Known | None = None
    for one in known:
        if hmac.compare_digest(one.digest, digest):
            found = one
    if found is None:
        return Rejected.WRONG
    if found.until_s is not None and found.until_s <= now_s:
        return Rejected.EXPIRED
    return Accepted(found.until_s)


def parse(text: str, place: str) -> tuple[Known, ...]:
    """Parses the tokens of a file. Raises BadTokens, which never quotes a token."""
    known: list[Known] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        match words:
            case [token]:
                until_s = None
            case [token, "until", moment]:
                until_s = _moment(moment, f"{place}, line {number}")
            case _:
                raise BadTokens(f"{place}, line {number}: a line is a token, or a token, the word until and a time.")
        known.append(Known(_digest(token, f"{place}, line {number}"), until_s))
    return tuple(known)


def line_of(token: str, until_s: float | None) -> str:
    """Makes the line of a file for a token, which does not reveal the token."""
    until = "" if until_s is None else f" until {datetime.fromtimestamp(until_s, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"sha256:{digest_of(token).hex()}{until}\n"


def default_file(environment: MutableMapping[str, str]) -> str:
    """Path where `codemap token` keeps digests by default."""
    return config_file(environment, "tokens")


def add_to_file(path: str, line: str) -> None:
    """Appends a line to a file that only its user may read; creates it if needed. Raises OSError."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "a", encoding="ascii") as file:
        file.write(line)


class TokenSource:
    """The accepted tokens: that of the environment, and those of a file, read again when it has changed."""

    def __init__(
        self, path: str, environment: MutableMapping[str, str], *, is_needed: Callable[[str], bool] = os.path.lexists
    ) -> None:
        """Removes the variable from the environment, so that no child process gets it. Raises BadTokens.

        `is_needed`: whether the file counts.
        """
        self._path = path if is_needed(path) else None
        self._own: tuple[Known, ...] = ()
        self._identity: tuple[int, int, int] | None = None
        self._read: tuple[Known, ...] = ()
        plain = environment.pop(VARIABLE, "").strip()
        if plain:
            self._own = (Known(_digest(plain, f"The variable {VARIABLE}"), None),)
        if self._path is not None:
            self._identity, self._read = _read(self._path)

    @property
    def is_empty(self) -> bool:
        """Whether no token was ever set up: not the same as none being valid any more."""
        return self._path is None and not self._own

    def check(self, presented: str) -> Accepted | Rejected:
        return check(presented, (*self._own, *self._current()), time.time())

    def _current(self) -> tuple[Known, ...]:
        if self._path is None:
            return ()
        try:
            if _identity(os.stat(self._path)) != self._identity:
                self._identity, self._read = _read(self._path)
        except (BadTokens, OSError) as error:
            if self._read or self._identity is not None:
                log("tokens-unreadable", Severity.ERROR, reason=str(error))
            self._identity, self._read = None, ()
        return self._read


def _read(path: str) -> tuple[tuple[int, int, int], tuple[Known, ...]]:
    try:
        with open(path, encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            text = file.read(_FILE_MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadTokens(f"The tokens of {path} cannot be read: {reason}.") from None
    if len(text) > _FILE_MAX_BYTES:
        raise BadTokens(f"{path} is larger than {_FILE_MAX_BYTES} bytes.")
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISREG(status.st_mode) and mode & 0o022:
        raise BadTokens(f"Others may write to {path}: chmod 600 it.")
    if mode & 0o077 and any(not _DIGEST.match(word) for word in _first_words(text)):
        raise BadTokens(f"Others may read the tokens in {path}: chmod 600 it.")
    return _identity(status), parse(text, path)


def _first_words(text: str) -> list[str]:
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return [words[0] for words in lines if words]


def _identity(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_size


def _digest(token: str, place: str) -> bytes:
    if digest := _DIGEST.match(token):
        return bytes.fromhex(digest[1])
    if not _TOKEN.match(token):
        raise BadTokens(f"{place}: a token has letters, digits and . _ ~ + / = - only.")
    if len(token) < LENGTH_MIN:
        raise BadTokens(f"{place}: the token is shorter than {LENGTH_MIN} characters; `codemap token` makes one.")
    return digest_of(token)


def _moment(text: str, place: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadTokens(f"{place}: {text!r} is no time such as 2026-12-31T00:00:00Z.") from None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
