"""The address of a cluster's scheduler, as the user names it in place of a number of parser processes.

`dask://HOST:PORT` is a scheduler on this machine that speaks without encryption, `tls://HOST:PORT` one anywhere.

Rules of the file:
- A message of Dask can hold code (pickles), which whoever receives it runs. So beyond this machine only a connection
  is used on which both ends have shown certificates of the user's.

Source: Dask.distributed, "TLS/SSL" and "Protocol".
"""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

PLAIN, ENCRYPTED = "dask", "tls"
SCHEMES = (PLAIN, ENCRYPTED)

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


class BadAddress(ValueError):
    """The address will not do; the message says why and what would, as a clause."""


class ClusterAddress(msgspec.Struct, frozen=True):
    host: str
    """Without brackets."""
    port: int
    is_encrypted: bool

    @property
    def shown(self) -> str:
        """The address as the user writes it."""
        return f"{ENCRYPTED if self.is_encrypted else PLAIN}://{self._place}"

    @property
    def of_library(self) -> str:
        """The address as Dask writes it."""
        return f"{'tls' if self.is_encrypted else 'tcp'}://{self._place}"

    @property
    def _place(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_address(text: str) -> ClusterAddress:
    """Reads an address. Raises BadAddress."""
    expected = f"{PLAIN}://HOST:PORT on this machine or {ENCRYPTED}://HOST:PORT is expected"
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError:
        raise BadAddress(expected) from None
    if url.scheme not in SCHEMES or not host or not port or url.username or url.path.strip("/") or url.query:
        raise BadAddress(expected)
    address = ClusterAddress(host, port, url.scheme == ENCRYPTED)
    if not address.is_encrypted and host not in LOOPBACK:
        raise BadAddress(
            "messages of Dask can hold code, so beyond this machine they are taken over TLS only; start scheduler and "
            "workers with --tls-ca-file, --tls-cert and --tls-key, name the same files in Dask's configuration here "
            f"(DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT, …__CLIENT__KEY), and say {ENCRYPTED}://{url.netloc}"
        )
    return address
