"""A session with a language server, without I/O: questions and bytes in, events and bytes out.

Whoever owns the session moves the bytes, keeps the time, and calls `tick` after each call that may have changed its
state. Files are named relative to the repository, absolutely outside of it. The file is long because it holds both what
the owner of a session may do and what a server may say.

Source: LSP 3.17; h11 for the form.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar, assert_never

import msgspec

from codemap.live_queries import CallsFrom, CallsTo, Diagnostics, LiveQuestion
from codemap.lsp import protocol_structs, readiness
from codemap.lsp.errors import Fault, ServerError, Unsupported, classify
from codemap.lsp.events import (
    Alive,
    Answered,
    BecameReady,
    BecameUnready,
    Buried,
    ConfigurationComplained,
    Event,
    Initialized,
    InitializeFailed,
    Logged,
    Progressed,
    ShutDown,
    Stray,
)
from codemap.lsp.frames import FrameReader, frame
from codemap.lsp.initialize import initialize_parameters
from codemap.lsp.messages import (
    Failure,
    Notification,
    Request,
    Response,
    decode,
    notification,
    read,
    request,
    response,
)
from codemap.lsp.positions import Encoding
from codemap.lsp.progress import Token, Work, advance
from codemap.lsp.published_diagnostics import Published
from codemap.lsp.replies import merged, reply_to
from codemap.lsp.requests import file_of, is_announced, method_of, parameters
from codemap.lsp.results import Unplaced, read_diagnostics, read_result
from codemap.lsp.server import Cancel, Pulled, Pushed, PushedOnRequest, Server
from codemap.lsp.state import State, Step, after, may
from codemap.lsp.uris import to_absolute, to_path, to_relative, to_uri

T = TypeVar("T")

FILES_BATCH_MAX = 500
"""Changed files in one notification; a server is deaf while it takes them in, up to a second for 100 (measured)."""
PROBE = "$/codemap/ping"
"""No server has it, and every server must say so at once: LSP 3.17, `$` notifications and requests."""

_LEVELS: Mapping[int, str] = MappingProxyType({1: "error", 2: "warning", 3: "info", 4: "log", 5: "debug"})
_CREATED, _CHANGED, _DELETED = 1, 2, 3
_ERROR = 1


class Session:
    """One life of one server."""

    def __init__(
        self,
        server: Server,
        *,
        root: str,
        process_id: int,
        version: str,
        configuration: Mapping[str, Any] = MappingProxyType({}),
        repository: str = "",
    ) -> None:
        """`root`: absolute real path of the project; `repository`: of the folder that files are relative to, the root
        where empty. `version`: codemap's own. `configuration` is merged over the record's, member by member.
        """
        self._server = server
        self._root = root
        self._repository = repository or root
        self._process_id = process_id
        self._version = version
        self._configuration = merged(server.configuration, configuration)

        self._state = State.NEW
        self._initialized = protocol_structs.InitializeResult({})
        self._encoding = Encoding.UTF_16
        self._registered: dict[str, str] = {}  # id of a registration -> method
        self._missing: set[str] = set()  # methods that it turned out not to have
        self._gate = readiness.Gate(server.readiness)
        self._timed: readiness.Wait | None = None  # the wait that `_deadline` is for
        self._deadline: float | None = None
        self._work: dict[Token, Work] = {}
        self._complaints: set[str] = set()  # configuration files with errors

        self._last = 0  # number of the last request
        self._pending: dict[int, LiveQuestion] = {}
        self._buried: set[int] = set()
        self._probes: set[int] = set()
        self._initialize = self._shutdown = 0
        self._versions: dict[str, int] = {}  # of all documents that were ever open
        self._open: set[str] = set()
        self._published = Published()
        self._concluded: list[Event] = []
        """What is to be said at the next tick."""

        self._reader = FrameReader()
        self._outgoing: list[bytes] = []

    # -- what is known of the server --------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        return self._state

    @property
    def encoding(self) -> Encoding:
        """UTF-16 until the server chose."""
        return self._encoding

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """As answered to `initialize`; empty before."""
        return MappingProxyType(self._initialized.capabilities)

    @property
    def server_name(self) -> str:
        """As it calls itself, or as the record does."""
        named = self._initialized.server_info
        return (named and named.name) or self._server.name

    @property
    def server_version(self) -> str:
        """Empty where it does not say."""
        named = self._initialized.server_info
        return (named and named.version) or ""

    @property
    def progress(self) -> str:
        """What it says of its work, of the piece begun last: `indexing 40 %`; empty where it says nothing."""
        return next((work.text for work in reversed(self._work.values())), "")

    @property
    def pending(self) -> Mapping[int, LiveQuestion]:
        """The questions without an answer, by number, oldest first."""
        return MappingProxyType(self._pending)

    @property
    def tombstones(self) -> int:
        """How many cancelled requests have not ended yet."""
        return len(self._buried)

    @property
    def opened(self) -> frozenset[str]:
        """The documents that are open now."""
        return frozenset(self._open)

    def supports(self, question: LiveQuestion) -> bool:
        """Whether the server has the request for it, as far as it is known. False before it is initialized."""
        method = self._method_of(question)
        if isinstance(question, Diagnostics) and not isinstance(self._server.diagnosing, Pulled):
            return bool(self._initialized.capabilities) and method not in self._missing
        is_there = is_announced(method, self._initialized.capabilities) or method in self._registered.values()
        return is_there and method not in self._missing

    # -- what is said to it -----------------------------------------------------------------------------------------
    # These raise WrongState where the table of states does not allow them.

    def initialize(self) -> int:
        """The number of the request. Answered by `Initialized` or `InitializeFailed`."""
        self._step(Step.INITIALIZE)
        options = self._server.initialization_options
        body = initialize_parameters(self._root, self._process_id, self._version, options)
        self._initialize = self._request("initialize", body)
        return self._initialize

    def ask(self, question: LiveQuestion, line: str = "") -> int:
        """The number of the request; `Answered` or, once cancelled, `Buried` comes with it.

        `line` is the text of the question's line as on disk, without its ending; questions without a position need
        none. Raises Unsupported.
        """
        self._step(Step.TALK)
        method = self._method_of(question)
        if not self.supports(question):
            raise Unsupported(f"{self.server_name} has no {method}")
        if isinstance(question, Diagnostics):
            return self._ask_diagnostics(question, method)
        if (file := file_of(question)) and not isinstance(question, CallsTo | CallsFrom):
            self._language_of(file)
        number = self._request(method, parameters(question, line, self._encoding, self._repository))
        self._pending[number] = question
        return number

    def _method_of(self, question: LiveQuestion) -> str:
        if isinstance(question, Diagnostics) and isinstance(self._server.diagnosing, PushedOnRequest):
            return self._server.diagnosing.method
        return method_of(question)

    def _ask_diagnostics(self, question: Diagnostics, method: str) -> int:
        """The document must be open: of others, servers answer that there are none. Raises Unsupported."""
        file = question.file
        self._language_of(file)
        if file not in self._open:
            raise Unsupported(f"{self.server_name} has not been shown {posixpath.basename(file)}")
        match self._server.diagnosing:
            case Pulled():
                provider = self._initialized.capabilities.get("diagnosticProvider")
                identifier = provider.get("identifier") if isinstance(provider, dict) else None
                named = {} if identifier is None else {"identifier": identifier}
                number = self._request(method, parameters(question, "", self._encoding, self._repository) | named)
            case PushedOnRequest():
                self._published.forget(file)
                number = self._request(method, {"files": [self._uri(file)]})
            case Pushed():
                self._last += 1
                number = self._last
        self._pending[number] = question
        if isinstance(self._server.diagnosing, Pushed):
            self._conclude_pushed(file)
        return number

    def _conclude_pushed(self, file: str) -> None:
        """Answers who waits for what the server publishes of a file, where that is of its present version."""
        found = self._published.of(file, self._versions.get(file, 0))
        if found is None:
            return
        for number, asked in list(self._pending.items()):
            if isinstance(asked, Diagnostics) and asked.file == file:
                del self._pending[number]
                self._concluded.append(Answered(number, self._diagnosed(asked, found)))

    def _diagnosed(self, question: Diagnostics, found: msgspec.Raw) -> Unplaced | ServerError:
        try:
            items = decode(found, list[protocol_structs.Diagnostic])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return ServerError(Fault.MALFORMED, str(error))
        value = read_diagnostics(items, to_absolute(question.file, self._repository))
        return Unplaced(question, value, self._encoding, self._repository)

    def cancel(self, number: int) -> None:
        """Give a question up: `Buried` comes when it ends, if it ends. Nothing where it was answered already.

        By message where the record says so. By file, the owner of the session touches the file of this number. In
        every state; while the server closes it is sent nothing.
        """
        given_up = self._pending.pop(number, None)
        if given_up is None:
            return
        if isinstance(given_up, Diagnostics) and isinstance(self._server.diagnosing, Pushed):
            self._concluded.append(Buried(number))  # there is no request
            return
        self._buried.add(number)
        if self._server.cancel is Cancel.MESSAGE and may(self._state, Step.TALK):
            self._notify("$/cancelRequest", {"id": number})

    def open(self, file: str, text: str) -> None:
        """Show it a document; where that is open already, its new text. Raises Unsupported for a file of others."""
        self._step(Step.TALK)
        if file in self._open:
            self.change(file, text)
            return
        language = self._language_of(file)
        if not self._versions:
            self._follow(readiness.first_opened(self._gate))
        self._open.add(file)
        version = self._count_version(file)
        document = {"uri": self._uri(file), "languageId": language, "version": version, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})

    def change(self, file: str, text: str) -> None:
        """Replace the text of an open document. Raises KeyError where it is not open."""
        self._step(Step.TALK)
        if file not in self._open:
            raise KeyError(file)
        self._published.outdate()
        document = {"uri": self._uri(file), "version": self._count_version(file)}
        self._notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def close(self, file: str) -> None:
        """Leave a document to the disk again. Raises KeyError where it is not open."""
        self._step(Step.TALK)
        self._open.remove(file)
        self._notify("textDocument/didClose", {"textDocument": {"uri": self._uri(file)}})

    def files_changed(self, created: Iterable[str], changed: Iterable[str], deleted: Iterable[str]) -> None:
        """Tell it what happened on the disk; the state may fall back to LOADING."""
        self._step(Step.TALK)
        came_or_went = [*self._changes(created, _CREATED), *self._changes(deleted, _DELETED)]
        changes = [*came_or_went, *self._changes(changed, _CHANGED)]
        if changes:
            self._published.outdate()
        for start in range(0, len(changes), FILES_BATCH_MAX):
            batch = changes[start : start + FILES_BATCH_MAX]
            self._notify("workspace/didChangeWatchedFiles", {"changes": batch})
        if came_or_went:
            self._follow(readiness.files_moved(self._gate))

    def probe(self) -> int | None:
        """The number of a request that costs nothing, answered by `Alive`; None where the state allows none."""
        if not may(self._state, Step.TALK):
            return None
        number = self._request(PROBE)
        self._probes.add(number)
        return number

    def shutdown(self) -> int:
        """The number of the request; answered by `ShutDown`."""
        self._step(Step.SHUTDOWN)
        self._shutdown = self._request("shutdown")
        return self._shutdown

    def exit(self) -> None:
        self._step(Step.EXIT)
        self._notify("exit")

    # -- bytes and time ---------------------------------------------------------------------------------------------

    def receive(self, chunk: bytes) -> list[Event]:
        """What these bytes completed, in order. Replies to the server's own requests are queued.

        Raises ProtocolViolation; the session must then not be used any more.
        """
        events: list[Event] = []
        for body in self._reader.feed(chunk):
            message = read(body)
            match message:
                case Response() | Failure():
                    events += self._answered(message)
                case Request():
                    self._asked(message)
                case Notification():
                    events += self._notified(message)
                case _:
                    assert_never(message)
        return events

    def data_to_send(self) -> bytes:
        """All that was queued since the last call: whole frames."""
        queued = b"".join(self._outgoing)
        self._outgoing.clear()
        return queued

    def tick(self, now: float) -> list[Event]:
        """Let time act on readiness: `BecameReady` where it waited long enough; and report what needs no message.

        `now` is in seconds of any clock that does not go back. A wait begins with the first tick after what caused it.
        """
        concluded, self._concluded = self._concluded, []
        wait = self._gate.wait
        if wait is not self._timed:
            self._timed = wait
            self._deadline = None if wait is None else now + wait.seconds
        if self._deadline is None or now < self._deadline:
            return concluded
        self._timed = self._deadline = None
        return [*concluded, *self._follow(readiness.waited(self._gate))]

    @property
    def deadline(self) -> float | None:
        """When `tick` must be called at the latest, on its clock; None where only the server's words can matter."""
        return self._deadline

    # -- what the server says ---------------------------------------------------------------------------------------

    def _answered(self, answer: Response | Failure) -> list[Event]:
        number = answer.id if isinstance(answer.id, int) else 0
        if number in self._buried:
            self._buried.remove(number)
            return [Buried(number)]
        if number in self._probes:
            self._probes.remove(number)
            return [Alive(number)]
        if question := self._pending.pop(number, None):
            return [Answered(number, self._result(question, answer))]
        if number and number == self._initialize:
            self._initialize = 0
            return self._welcomed(answer)
        if number and number == self._shutdown:
            self._shutdown = 0
            return [ShutDown()]
        return [Stray(str(answer.id))]

    def _result(self, question: LiveQuestion, answer: Response | Failure) -> Unplaced | ServerError:
        if isinstance(answer, Failure):
            error = classify(answer.error.code, answer.error.message)
            if error.fault is Fault.UNSUPPORTED:
                self._missing.add(self._method_of(question))
            return error
        if isinstance(question, Diagnostics) and isinstance(self._server.diagnosing, PushedOnRequest):
            found = self._published.of(question.file, self._versions.get(question.file, 0))
            if found is None:
                return ServerError(Fault.SERVER, "it published no diagnostics of the present version")
            return self._diagnosed(question, found)
        try:
            value = read_result(question, answer.result, self._repository)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return ServerError(Fault.MALFORMED, str(error))
        return Unplaced(question, value, self._encoding, self._repository)

    def _welcomed(self, answer: Response | Failure) -> list[Event]:
        """The answer to `initialize`."""
        if isinstance(answer, Failure):
            return self._turned_away(classify(answer.error.code, answer.error.message))
        try:
            self._initialized = decode(answer.result, protocol_structs.InitializeResult)
            self._encoding = Encoding(self._initialized.capabilities.get("positionEncoding") or Encoding.UTF_16)
        except (msgspec.DecodeError, ValueError) as error:
            return self._turned_away(ServerError(Fault.MALFORMED, str(error)))
        self._step(Step.ANSWERED)
        self._notify("initialized", {})
        return [Initialized(), *self._follow(readiness.initialized(self._gate))]

    def _turned_away(self, error: ServerError) -> list[Event]:
        self._step(Step.FAILED)
        return [InitializeFailed(error)]

    def _asked(self, asked: Request) -> None:
        """Every request is replied to at once, whatever the state."""
        result = reply_to(asked, self._configuration, self._root)
        self._outgoing.append(frame(response(asked.id, result)))
        if asked.method.endswith("registerCapability") and (
            params := _lenient(asked.params, protocol_structs.RegistrationParams)
        ):
            for registration in params.registrations:
                self._registered[registration.id] = registration.method
            for registration in params.unregisterations:
                self._registered.pop(registration.id, None)

    def _notified(self, notification: Notification) -> list[Event]:
        """A notification that is none of ours, or not as it should be, says nothing."""
        match notification.method:
            case "window/logMessage" | "window/showMessage":
                log = _lenient(notification.params, protocol_structs.LogParams)
                return [] if log is None else self._logged(log)
            case "$/progress":
                progress = _lenient(notification.params, protocol_structs.ProgressParams)
                return [] if progress is None else self._progressed(progress)
            case "textDocument/publishDiagnostics":
                diagnostics = _lenient(notification.params, protocol_structs.DiagnosticsParams)
                return [] if diagnostics is None else self._complained(diagnostics)
            case method:
                status = _lenient(notification.params, dict[str, Any])
                return [] if status is None else self._follow(readiness.stated(self._gate, method, status))

    def _logged(self, log: protocol_structs.LogParams) -> list[Event]:
        ready = self._follow(readiness.logged(self._gate, log.message))
        return [Logged(_LEVELS.get(log.type, "log"), log.message), *ready]

    def _progressed(self, progress: protocol_structs.ProgressParams) -> list[Event]:
        done = _lenient(progress.value, protocol_structs.WorkDone)
        if done is None:
            return []
        before = self.progress
        self._work = advance(self._work, progress.token, done)
        said: list[Event] = [] if self.progress == before else [Progressed(self.progress)]
        match done.kind:
            case "begin":
                return said + self._follow(readiness.began(self._gate, progress.token, done.title))
            case "end":
                return said + self._follow(readiness.ended(self._gate, progress.token))
            case _:
                return said

    def _complained(self, params: protocol_structs.DiagnosticsParams) -> list[Event]:
        """Diagnostics of sources are kept for who asks; those of configuration files say why all else is wrong."""
        path = to_path(params.uri)
        file = to_relative(path, self._repository)
        if file in self._open and not isinstance(self._server.diagnosing, Pulled):
            self._published.keep(file, params.version, params.diagnostics)
            if isinstance(self._server.diagnosing, Pushed):
                self._conclude_pushed(file)
        if not self._server.is_configured_by(path):
            return []
        diagnostics = _lenient(params.diagnostics, list[protocol_structs.Diagnostic]) or []
        errors = [diagnostic.message for diagnostic in diagnostics if diagnostic.severity == _ERROR]
        if not errors and path not in self._complaints:
            return []
        (self._complaints.add if errors else self._complaints.discard)(path)
        return [ConfigurationComplained(to_relative(path, self._repository), "\n".join(errors))]

    # -- within -----------------------------------------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        self._state = after(self._state, step)

    def _follow(self, gate: readiness.Gate) -> list[Event]:
        """The state follows the gate; before `initialize` is answered, and after `shutdown`, it does not."""
        self._gate = gate
        match self._state:
            case State.LOADING if gate.is_open:
                self._step(Step.SETTLE)
                self._published.outdate()  # it may have known less
                return [BecameReady()]
            case State.READY if not gate.is_open:
                self._step(Step.UNSETTLE)
                return [BecameUnready()]
            case _:
                return []

    def _request(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        self._last += 1
        self._outgoing.append(frame(request(self._last, method, params)))
        return self._last

    def _notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        self._outgoing.append(frame(notification(method, params)))

    def _uri(self, file: str) -> str:
        return to_uri(to_absolute(file, self._repository))

    def _changes(self, files: Iterable[str], type_: int) -> list[dict[str, Any]]:
        return [{"uri": self._uri(file), "type": type_} for file in files]

    def _count_version(self, file: str) -> int:
        version = self._versions[file] = self._versions.get(file, 0) + 1
        return version

    def _language_of(self, file: str) -> str:
        """The `languageId` of a file. Asked about a file that is not theirs, some servers end (measured)."""
        endings = [ending for ending in self._server.language_ids if file.endswith(ending)]
        if not endings:
            raise Unsupported(f"{self.server_name} is not asked about {posixpath.basename(file)}")
        return self._server.language_ids[max(endings, key=len)]


def _lenient(raw: msgspec.Raw, type_: type[T]) -> T | None:
    try:
        return decode(raw, type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
