"""A session with a language server, without I/O: questions and bytes in, events and bytes out.

Whoever owns the session moves the bytes, keeps the time, and calls `tick` after each call that may have changed its
state. Files are named relative to the repository, absolutely outside of it.

Source: LSP 3.17; h11 for the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from codemap.live import LiveQuestion
from codemap.lsp.events import Event
from codemap.lsp.positions import Encoding
from codemap.lsp.server import Server
from codemap.lsp.state import State


class Session:
    """One life of one server."""

    def __init__(
        self,
        server: Server,
        *,
        root: str,
        process_id: int,
        version: str,
        configuration: Mapping[str, Any] = {},
        repository: str = "",
    ) -> None:
        """`root`: absolute real path of the project; `repository`: of the folder that files are relative to, the root
        where empty. `version`: codemap's own. `configuration` is merged over the record's, member by member.
        """
        raise NotImplementedError

    # -- what is known of the server --------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        raise NotImplementedError

    @property
    def encoding(self) -> Encoding:
        """UTF-16 until the server chose."""
        raise NotImplementedError

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """As answered to `initialize`; empty before."""
        raise NotImplementedError

    @property
    def server_name(self) -> str:
        """As it calls itself, or as the record does."""
        raise NotImplementedError

    @property
    def server_version(self) -> str:
        """Empty where it does not say."""
        raise NotImplementedError

    @property
    def progress(self) -> str:
        """What it says of its loading: `indexing 40 %`; empty where it says nothing."""
        raise NotImplementedError

    @property
    def pending(self) -> Mapping[int, LiveQuestion]:
        """The questions without an answer, by number, oldest first."""
        raise NotImplementedError

    @property
    def tombstones(self) -> int:
        """How many cancelled requests have not ended yet."""
        raise NotImplementedError

    @property
    def opened(self) -> frozenset[str]:
        """The documents that are open now."""
        raise NotImplementedError

    def supports(self, question: LiveQuestion) -> bool:
        """Whether `ask` would send it. False before the server is initialized."""
        raise NotImplementedError

    # -- what is said to it ------------------------------------------------------------------------------------------
    # All of these raise WrongState where the table of states does not allow them.

    def initialize(self) -> int:
        """The number of the request. Answered by `Initialized` or `InitializeFailed`."""
        raise NotImplementedError

    def ask(self, question: LiveQuestion, line: str = "") -> int:
        """The number of the request; `Answered` or, once cancelled, `Buried` comes with it.

        `line` is the text of the question's line as on disk, without its ending; questions without a position need
        none. Raises Unsupported.
        """
        raise NotImplementedError

    def cancel(self, number: int) -> None:
        """Give a question up: `Buried` comes when it ends, if it ends. Nothing where it was answered already.

        By message where the record says so. By file, the owner of the session touches the file of this number.
        """
        raise NotImplementedError

    def open(self, file: str, text: str) -> None:
        """Show it a document. An open one is changed instead."""
        raise NotImplementedError

    def change(self, file: str, text: str) -> None:
        """Replace the text of an open document. Raises KeyError where it is not open."""
        raise NotImplementedError

    def close(self, file: str) -> None:
        """Leave a document to the disk again. Raises KeyError where it is not open."""
        raise NotImplementedError

    def files_changed(self, created: Iterable[str], changed: Iterable[str], deleted: Iterable[str]) -> None:
        """Tell it what happened on the disk; the state may fall back to LOADING."""
        raise NotImplementedError

    def probe(self) -> int | None:
        """The number of a request that costs nothing, answered by `Alive`; None where there is none now."""
        raise NotImplementedError

    def shutdown(self) -> int:
        """The number of the request; answered by `ShutDown`."""
        raise NotImplementedError

    def exit(self) -> None:
        raise NotImplementedError

    # -- bytes and time ----------------------------------------------------------------------------------------------

    def receive(self, chunk: bytes) -> list[Event]:
        """What these bytes completed, in order. Replies to the server's own requests are queued.

        Raises ProtocolViolation; the session must then not be used any more.
        """
        raise NotImplementedError

    def data_to_send(self) -> bytes:
        """All that was queued since the last call: whole frames."""
        raise NotImplementedError

    def tick(self, now: float) -> list[Event]:
        """Let time act on readiness: `BecameReady` where it waited long enough.

        `now` is in seconds of any clock that does not go back. A wait begins with the first tick after what caused it.
        """
        raise NotImplementedError

    @property
    def deadline(self) -> float | None:
        """When `tick` must be called at the latest, on its clock; None where only the server's words can matter."""
        raise NotImplementedError
