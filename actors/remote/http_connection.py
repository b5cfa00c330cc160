"""One HTTP/1.1 connection of a client, used by one task at a time, for one request after another.

Source: RFC 9112; h11 judges what comes.
"""

from __future__ import annotations

import ssl
from contextlib import suppress

import h11
import msgspec
import trio

from actors.remote.remote import RemoteTrouble

_CHUNK_BYTES = 1 << 16


class Server(msgspec.Struct, frozen=True):
    """A server, and what every request to it says."""

    host: str
    port: int
    tls: ssl.SSLContext | None
    """None: in the clear."""
    headers: tuple[tuple[str, str], ...]


class Response(msgspec.Struct, frozen=True):
    status: int
    body: bytes


class HttpConnection:
    """An open connection; see `connect`."""

    def __init__(self, stream: trio.abc.Stream, server: Server) -> None:
        self._stream = stream
        self._server = server
        self._state = h11.Connection(h11.CLIENT)
        self.is_reusable = True
        """Whether another request can follow."""
        self.is_used = False
        """Whether a request was answered on it: the server may have closed it since."""

    async def request(self, method: str, target: str, body: bytes, most_bytes: int) -> Response:
        """Sends a request and reads its response. Raises RemoteTrouble, also for a longer body than `most_bytes`.

        When cancelled, or after that, the connection is of no more use.
        """
        self.is_reusable = False
        try:
            response = await self._exchange(method, target, body, most_bytes)
        except (trio.BrokenResourceError, trio.ClosedResourceError, OSError) as error:
            raise RemoteTrouble("the connection was lost") from error
        except h11.ProtocolError as error:
            raise RemoteTrouble(f"it does not speak HTTP: {error}") from error
        self.is_used = True
        with suppress(h11.ProtocolError):
            self._state.start_next_cycle()
            self.is_reusable = True
        return response

    async def _exchange(self, method: str, target: str, body: bytes, most_bytes: int) -> Response:
        headers = [*self._server.headers]
        if body:
            headers += [("Content-Length", str(len(body))), ("Content-Type", "application/octet-stream")]
        sent = self._state.send(h11.Request(method=method, target=target, headers=headers)) or b""
        sent += (self._state.send(h11.Data(body)) or b"") if body else b""
        sent += self._state.send(h11.EndOfMessage()) or b""
        await self._stream.send_all(sent)
        status, parts, size = 0, [], 0
        while True:
            event = self._state.next_event()
            match event:
                case h11.NEED_DATA:
                    self._state.receive_data(bytes(await self._stream.receive_some(_CHUNK_BYTES)))
                case h11.Response():
                    status = event.status_code
                case h11.Data():
                    size += len(event.data)
                    if size > most_bytes:
                        raise RemoteTrouble(f"it sent more than {most_bytes} bytes")
                    parts.append(bytes(event.data))
                case h11.EndOfMessage():
                    return Response(status, b"".join(parts))
                case h11.ConnectionClosed():
                    raise RemoteTrouble("the connection was lost")

    async def aclose(self) -> None:
        await trio.aclose_forcefully(self._stream)


async def connect(server: Server) -> HttpConnection:
    """Opens a connection. Raises RemoteTrouble."""
    try:
        stream: trio.abc.Stream = await trio.open_tcp_stream(server.host, server.port)
        if server.tls is not None:
            secured = trio.SSLStream(stream, server.tls, server_hostname=server.host, https_compatible=True)
            await secured.do_handshake()
            stream = secured
    except OSError as error:
        raise RemoteTrouble(f"it cannot be reached: {error.strerror or error}") from error
    except trio.BrokenResourceError as error:
        raise RemoteTrouble(f"no secure connection: {error.__cause__ or error}") from error
    return HttpConnection(stream, server)
