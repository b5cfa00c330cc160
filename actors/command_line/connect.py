"""`codemap connect`: forwards a client on stdin and stdout to the service of its repository, which all clients share.

When the service dies, the client does not notice: it is started again, greeted as the client greeted it, and asked
again what it had not answered, as every tool may be asked twice. A request that two services did not survive is
answered with an error instead. A service that ended while nothing was asked is started again by the next message.

Rules of the file:
- The standard library only: this is the process that must answer in tens of milliseconds.
- Two threads: one reads the client, one the service. A slow client makes the service wait, not us forget.

Source: MCP, "Transports: stdio"; JSON-RPC 2.0.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from actors.messaging.output import complain

_CHUNK_BYTES = 65_536
TRIES_MAX = 2
"""Services that may die during a request before the request counts as the cause."""
STARTS_MAX = 3
"""Services that may end before the handshake until no more are started."""
DEATHS_MAX, PERIOD_S = 5, 60.0
"""After so many deaths within the period, only requests start the service again, not subscriptions."""
_ANSWER = b'{"jsonrpc":"2.0","id":'
_SERVER_ERROR = -32000


class Front:
    """One client and its connection to the service; see `run`."""

    def __init__(self, source: int, sink: int, service: socket.socket, reopen: Callable[[], socket.socket]) -> None:
        """`reopen` opens another connection to the service and starts it if needed. It raises OSError."""
        self._source = source
        self._sink = sink
        self._reopen = reopen
        self._service: socket.socket | None = None
        self._hearing: threading.Thread | None = None
        self._first: socket.socket | None = service
        self._link = threading.RLock()
        """Held to send to the service, and to change which it is."""
        self._output = threading.Lock()
        self._greeting: dict[str, bytes] = {}
        self._waiting: dict[int | str, tuple[bytes, int]] = {}
        """Requests without an answer, with how many services have been asked them."""
        self._watching: dict[str, bytes] = {}
        """Requests to watch a resource, by its URI: state that a new service does not have."""
        self._unheard: set[int | str] = set()
        """Requests whose answers the client has had already."""
        self._deaths: list[float] = []
        self._is_over = False

    def run(self) -> None:
        """Forwards messages until the client ends its input and everything is answered, or it reads no more."""
        with self._link:
            self._connect()
        rest = b""
        while chunk := self._read():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._say(line + b"\n")
        if rest:
            self._say(rest + b"\n")
        with self._link:
            self._is_over = True
            if self._service is not None:
                with suppress(OSError):
                    self._service.shutdown(socket.SHUT_WR)
            hearing = self._hearing
        if hearing is not None:
            hearing.join()

    def _read(self) -> bytes:
        """Reads the next bytes of the client; empty when it ends, or reads no answers any more."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._sink, 0)
        ready = dict(poll.poll())
        if self._source not in ready:
            return b""
        return os.read(self._source, _CHUNK_BYTES)

    def _say(self, line: bytes) -> None:
        with self._link:
            is_noted = self._note(line)
            if self._service is None:
                try:
                    self._connect()
                except OSError as error:
                    self._give_up(error)
                if is_noted:
                    return  # it was sent with all that waits
            assert self._service is not None
            with suppress(OSError):  # who hears finds that the service is gone, and asks again what waits
                self._service.sendall(line)

    def _note(self, line: bytes) -> bool:
        """Remembers a line that would have to be repeated to a new service; whether it is one."""
        try:
            message = json.loads(line)
        except ValueError:
            return False
        if not isinstance(message, dict):
            return False
        method, request_id, params = message.get("method"), message.get("id"), message.get("params")
        if method in ("initialize", "notifications/initialized"):
            self._greeting[method] = line
        if isinstance(params, dict):
            self._note_params(str(method), params, line)
        if method is None or not isinstance(request_id, (int, str)):
            return method == "notifications/initialized"
        self._waiting[request_id] = (line, 0 if self._service is None else 1)
        return True

    def _note_params(self, method: str, params: dict[str, Any], line: bytes) -> None:
        if method == "notifications/cancelled":
            self._waiting.pop(params.get("requestId", ""), None)
        elif method == "resources/subscribe":
            self._watching[str(params.get("uri"))] = line
        elif method == "resources/unsubscribe":
            self._watching.pop(str(params.get("uri")), None)

    def _connect(self) -> None:
        """Connects to a service and repeats what waits. Raises OSError when none runs, and none can be started."""
        for _ in range(STARTS_MAX):
            service = self._first or self._reopen()
            self._first = None
            try:
                rest = self._greet(service)
                service.sendall(b"".join(self._recalled()))
            except OSError:
                service.close()
                self._refuse_deadly()
                continue
            self._service = service
            self._hearing = threading.Thread(target=self._hear, args=(service, rest), daemon=True)
            self._hearing.start()
            return
        raise ConnectionError(f"{STARTS_MAX} of them ended as soon as they had begun; see the log")

    def _greet(self, service: socket.socket) -> bytes:
        """Repeats the client's handshake and waits for the answer, as earlier requests would be refused.

        Returns what came after the answer. Raises OSError.
        """
        greeting = self._greeting.get("initialize")
        if greeting is None or json.loads(greeting)["id"] in self._waiting:
            return b""
        service.sendall(greeting)
        heard = b""
        while b"\n" not in heard:
            chunk = service.recv(_CHUNK_BYTES)
            if not chunk:
                raise ConnectionResetError("the service ended while it was greeted")
            heard += chunk
        return heard.partition(b"\n")[2]

    def _recalled(self) -> list[bytes]:
        """Lists everything to repeat to a new service after the handshake, in order."""
        lines: list[bytes] = []
        if "notifications/initialized" in self._greeting:
            lines.append(self._greeting["notifications/initialized"])
        for line in self._watching.values():
            number = json.loads(line)["id"]
            if number not in self._waiting:
                self._unheard.add(number)
                lines.append(line)
        for number, (line, tries) in list(self._waiting.items()):
            self._waiting[number] = (line, tries + 1)
            lines.append(line)
        return lines

    def _refuse_deadly(self) -> None:
        """Answers with an error the requests that services did not survive."""
        for number, (_, tries) in list(self._waiting.items()):
            if tries >= TRIES_MAX:
                del self._waiting[number]
                self._fail(number, f"The service ended {tries} times while this was under way; see its log.")

    def _hear(self, service: socket.socket, chunk: bytes) -> None:
        """Forwards what the service sends, `chunk` first, until it is gone; then opens another where one is needed."""
        rest = b""
        try:
            while True:
                *lines, rest = (rest + chunk).split(b"\n")
                news = [line + b"\n" for line in lines if self._is_news(line)]
                if news:
                    self._tell(b"".join(news))
                chunk = service.recv(_CHUNK_BYTES)
                if not chunk:
                    break
        except OSError:
            pass
        with self._link:
            service.close()
            self._service = None
            now = time.monotonic()
            self._deaths = [at for at in self._deaths if at > now - PERIOD_S] + [now]
            if len(self._deaths) > DEATHS_MAX:
                self._watching.clear()
            self._refuse_deadly()
            if not self._is_over and (self._waiting or self._watching):
                try:
                    self._connect()
                except OSError as error:
                    self._give_up(error)

    def _is_news(self, line: bytes) -> bool:
        """Whether a line is for the client; notes what it answers."""
        if line.startswith(_ANSWER):
            ends = [at for at in (line.find(b',"result":'), line.find(b',"error":')) if at >= 0]
            number = json.loads(line[len(_ANSWER) : min(ends)])
        elif b'"error"' in line[:64]:
            number = json.loads(line).get("id")
        else:
            return True
        if number in self._unheard:
            self._unheard.discard(number)
            return False
        self._waiting.pop(number, None)
        return True

    def _fail(self, number: int | str, why: str) -> None:
        error = {"jsonrpc": "2.0", "id": number, "error": {"code": _SERVER_ERROR, "message": why}}
        self._tell(json.dumps(error).encode() + b"\n")

    def _tell(self, text: bytes) -> None:
        with self._output:
            try:
                while text:
                    text = text[os.write(self._sink, text) :]
            except OSError:
                os._exit(0)  # nobody reads: the ordinary end

    def _give_up(self, error: OSError) -> None:
        why = f"There is no service, and none can be started: {error}."
        for number in list(self._waiting):
            self._fail(number, why)
        complain(why)
        os._exit(1)


def hand_on(service: socket.socket, reopen: Callable[[], socket.socket]) -> int:
    """Serves the client on stdin and stdout until it goes; returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    Front(0, 1, service, reopen).run()
    return 0
