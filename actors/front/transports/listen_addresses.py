"""Parses addresses to listen at, and opens their sockets, with TLS or without.

Source: RFC 3986, section 3.2.2 (IPv6 in brackets).
"""

from __future__ import annotations

import resource
import ssl
from ipaddress import ip_address

import msgspec
import trio

from codemap.settings import BadSetting, Settings

DESCRIPTORS_MAX = 65_536
"""Limit of open descriptors to ask for: many systems allow it, few grant it unasked, and each client takes one."""
BACKLOG = 1024
"""Connections that may wait to be accepted: a burst of clients and of strangers."""
_PORT_MAX = 65_535


class Place(msgspec.Struct, frozen=True):
    """Where to listen."""

    host: str
    port: int
    """Port number; 0: any free one."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it; names other than localhost count as reachable by others."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_place(text: str, setting: str) -> Place:
    """Parses an address. Raises BadSetting."""
    host, colon, port = text.strip().rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    is_ambiguous = ":" in bare and bare == host
    if not colon or not bare or is_ambiguous or not (port.isascii() and port.isdigit()) or int(port) > _PORT_MAX:
        raise BadSetting(f"{setting} is {text!r}: it must be HOST:PORT, such as 127.0.0.1:8765 or [::1]:8765.")
    return Place(bare.lower(), int(port))


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """Makes the TLS context of the settings; None without TLS. Raises BadSetting."""
    if not settings.tls_certificate:
        if settings.tls_key:
            raise BadSetting("The setting tls_key needs tls_certificate beside it.")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(settings.tls_certificate, settings.tls_key or None, password=lambda: b"")
    except OSError as error:  # which ssl.SSLError is
        reason = error.strerror or type(error).__name__
        raise BadSetting(
            f"The TLS certificate {settings.tls_certificate} cannot be used with its key: {reason}."
        ) from None
    return context


def allow_descriptors() -> None:
    """Raises the process's limit of open files to what is allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS_MAX if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS_MAX)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Listeners(msgspec.Struct, frozen=True):
    """Open sockets."""

    listeners: tuple[trio.SocketListener | trio.SSLListener[trio.SocketStream], ...]
    urls: tuple[str, ...]
    """URL of each socket: scheme, host and port."""


async def open_listeners(place: Place, context: ssl.SSLContext | None, scheme: str) -> Listeners:
    """Opens the sockets; `scheme` is that of the URLs without TLS. Raises BadSetting when the address is not
    available."""
    try:
        plain = await trio.open_tcp_listeners(place.port, host=place.host, backlog=BACKLOG)
    except OSError as error:
        raise BadSetting(f"{place.host}:{place.port} cannot be listened at: {error.strerror or error}.") from None
    urls = tuple(_url(scheme if context is None else scheme + "s", one) for one in plain)
    if context is None:
        return Listeners(tuple(plain), urls)
    return Listeners(tuple(trio.SSLListener(one, context, https_compatible=True) for one in plain), urls)


def _url(scheme: str, listener: trio.SocketListener) -> str:
    host, port, *_ = listener.socket.getsockname()
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
