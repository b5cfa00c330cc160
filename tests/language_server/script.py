"""A language server that misbehaves as a scenario says, without I/O: bytes and time in, deeds out.

`serve.py` runs it as a process, the tests of the actors in virtual time. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.language_server.sources import Code, to_path

FRAME_TOO_LARGE = 256 * 1024 * 1024
FLOOD_BYTES = 10 * 1024 * 1024
FLOOD_NOTIFICATIONS = 20_000
DIAGNOSE = "scripted/diagnoseFiles"
PROVIDERS = (
    "definition",
    "references",
    "implementation",
    "hover",
    "documentSymbol",
    "workspaceSymbol",
    "callHierarchy",
    "rename",
)


@dataclass(frozen=True)
class Scenario:
    """What is wrong with it; by default nothing."""

    initialize: str = "answer"
    """`answer`, `never`, `error`, `exit`, `half` (of a frame), `garbage` (before the answer), `noise` (only)."""
    encoding: str = "utf-8"
    opens: bool = False
    """It answers only about open documents."""
    requests: dict[str, list[str]] = field(default_factory=dict)
    """Method -> what becomes of its requests, one after the other, then `answer`: `never`, `empty`, `twice`, `half`,
    `exit`, `error:CODE`, `slow:SECONDS`, `burn:SECONDS`, `after` (the next one is answered), `configuration` (is asked
    first), `stop` (itself), `noise`, `huge`, `flood`, `stderr`, `deaf`, `drip` (byte by byte), `dead` (the method and
    all others are empty from now on)."""
    on_cancel: str = "honour"
    """`honour`, `ignore` (the answer comes all the same), `empty` (it comes as an empty success)."""
    shutdown: str = "answer"
    """`answer`, `ignore`, `exit`."""
    on_exit: str = "exit"
    """`exit`, `ignore`."""
    on_eof: str = "exit"
    """`exit`, `ignore`."""
    ignores_sigterm: bool = False
    forks: str = ""
    """A child that would outlive it: `child`, `holder` (of its stdout), `session` (of its own), `orphan` (that too,
    whose parent has ended, and without its environment)."""
    loads_s: float = 0.0
    """It tells of loading for so long, and answers are then incomplete."""
    while_loading: str = "empty"
    """`empty` or `partial` (the first only)."""
    toggles: bool = False
    """It names no definition in the file that it is asked about: only others, of the same name."""
    dies_of: str = ""
    """Part of a URI of which it dies wherever it is named: in a request, as a document, as changed on disk."""
    dies_of_requests: tuple[str, ...] = ()
    """The same, in requests with these methods only; empty: wherever."""
    hangs: bool = False
    """It falls silent for ever instead."""
    diagnosing: str = ""
    """How it has diagnostics: `pull`, `push` (of open documents, with versions), `request` (of its own, after which it
    pushes); empty: not at all."""
    push_s: float = 0.0
    """How long it works before it pushes."""
    pushes_lost: int = 0
    """How many of its first pushes never come."""
    renames: str = ""
    """What is wrong with its edits: `twice` (one is there two times), `overlap`, `shift` (one, by a column), `loss` (of
    the edits of the last file), `outside` (one of them); empty: nothing."""
    lacks: tuple[str, ...] = ()
    """Capabilities that it does not announce."""
    diary: str = ""
    """A file into which, as a process, it writes the method of all that comes, a line each."""


# -- deeds ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Write:
    data: bytes
    is_dripped: bool = False


@dataclass(frozen=True)
class Complain:
    """To stderr."""

    data: bytes


@dataclass(frozen=True)
class Later:
    """`Script.wake` is to be called with the tag."""

    seconds: float
    tag: Any


@dataclass(frozen=True)
class Burn:
    seconds: float


@dataclass(frozen=True)
class Exit:
    code: int


@dataclass(frozen=True)
class Stop:
    """A SIGSTOP to itself."""


@dataclass(frozen=True)
class Deafen:
    """It reads no more."""


@dataclass(frozen=True)
class Fork:
    kind: str


Deed = Write | Complain | Later | Burn | Exit | Stop | Deafen | Fork


class Script:
    """One life of the server."""

    def __init__(self, scenario: Scenario, code: Code) -> None:
        self.scenario = scenario
        self.code = code
        self.code.encoding = scenario.encoding
        self.asked: list[str] = []
        """Methods of all that came, in order."""
        self._buffer = b""
        self._left = {method: list(deeds) for method, deeds in scenario.requests.items()}
        self._held: list[dict[str, Any]] = []
        self._waiting: dict[int, dict[str, Any]] = {}
        """Requests that wait for the client's answer to a request of ours, or for time, by their number."""
        self._own_number = 1000
        self._own: dict[int, int] = {}
        self._is_loading = scenario.loads_s > 0
        self._is_dead = False
        self._is_hung = False
        self._versions: dict[str, int] = {}
        self._lost = 0

    def receive(self, data: bytes) -> Iterable[Deed]:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, rest = self._buffer.partition(b"\r\n\r\n")
            length = int(head.partition(b":")[2])
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            yield from self._take(json.loads(rest[:length]))

    def end_of_input(self) -> Iterable[Deed]:
        if self.scenario.on_eof == "exit":
            yield Exit(0)

    def wake(self, tag: Any) -> Iterable[Deed]:
        if tag == "loaded":
            self._is_loading = False
            yield self._notify("$/progress", {"token": "load", "value": {"kind": "end"}})
            return
        if isinstance(tag, str) and tag.startswith("push "):
            yield from self._push(tag.removeprefix("push "))
            return
        request = self._waiting.pop(tag, None)
        if request is not None:
            yield from self._answer(request)

    def _dies_of(self, message: dict[str, Any], method: str) -> bool:
        if not self.scenario.dies_of or method == "initialize":
            return False
        methods = self.scenario.dies_of_requests
        return (not methods or method in methods) and self.scenario.dies_of in json.dumps(message)

    # -- messages ---------------------------------------------------------------------------------------------------

    def _take(self, message: dict[str, Any]) -> Iterable[Deed]:
        method = message.get("method")
        if method is None:
            yield from self._replied(message)
            return
        self.asked.append(method)
        if self._dies_of(message, method):
            self._is_hung = self.scenario.hangs
            if not self._is_hung:
                yield Complain(b"panicked at uris.rs:\n")
                yield Exit(101)
        if self._is_hung:
            return
        if "id" in message:
            yield from self._requested(message, method)
        else:
            yield from self._notified(method, message.get("params") or {})

    def _requested(self, message: dict[str, Any], method: str) -> Iterable[Deed]:
        if method == "initialize":
            yield from self._initialize(message)
        elif method == "shutdown":
            match self.scenario.shutdown:
                case "answer":
                    yield self._reply(message, None)
                case "exit":
                    yield Exit(0)
        elif method.startswith("$/"):
            yield self._refuse(message, -32601, "no such method")
        else:
            left = self._left.get(method, [])
            yield from self._do(left.pop(0) if left else "answer", message)

    def _initialize(self, message: dict[str, Any]) -> Iterable[Deed]:
        uri = message["params"].get("rootUri")
        if uri:
            self.code.root = to_path(uri)
        match self.scenario.initialize:
            case "never":
                return
            case "exit":
                yield Complain(b"cannot start: no such configuration\n")
                yield Exit(3)
            case "error":
                yield self._refuse(message, -32603, "not today")
            case "half":
                yield Write(framed(self._reply_body(message, self._abilities()))[:40])
            case "noise":
                yield Write(b"\xff\xfe not a protocol\r\n" * 100)
                yield Write(b"Content-Length: many\r\n\r\n")
            case "garbage":
                yield Write(b"Welcome! This is the server.\nlistening on stdio\n")
                yield self._reply(message, self._abilities())
            case _:
                yield self._reply(message, self._abilities())

    def _abilities(self) -> dict[str, Any]:
        capabilities: dict[str, Any] = {
            f"{name}Provider": True for name in PROVIDERS if name not in self.scenario.lacks
        }
        capabilities["positionEncoding"] = self.scenario.encoding
        capabilities["textDocumentSync"] = 1
        if self.scenario.diagnosing == "pull":
            capabilities["diagnosticProvider"] = {"interFileDependencies": True, "workspaceDiagnostics": False}
        return {"capabilities": capabilities, "serverInfo": {"name": "scripted", "version": "1.0"}}

    def _notified(self, method: str, params: dict[str, Any]) -> Iterable[Deed]:
        match method:
            case "initialized":
                if self.scenario.forks:
                    yield Fork(self.scenario.forks)
                if self._is_loading:
                    value = {"kind": "begin", "title": "loading"}
                    yield self._notify("$/progress", {"token": "load", "value": value})
                    yield Later(self.scenario.loads_s, "loaded")
            case "exit":
                if self.scenario.on_exit == "exit":
                    yield Exit(0)
            case "$/cancelRequest":
                yield from self._cancelled(params["id"])
            case "workspace/didChangeWatchedFiles":
                for change in params["changes"]:
                    self.code.changed(to_path(change["uri"]), change["type"])
            case "textDocument/didOpen":
                self.code.opened[to_path(params["textDocument"]["uri"])] = params["textDocument"]["text"]
                yield from self._shown(params["textDocument"])
            case "textDocument/didChange":
                self.code.opened[to_path(params["textDocument"]["uri"])] = params["contentChanges"][-1]["text"]
                yield from self._shown(params["textDocument"])
            case "textDocument/didClose":
                del self.code.opened[to_path(params["textDocument"]["uri"])]

    def _shown(self, document: dict[str, Any]) -> Iterable[Deed]:
        self._versions[document["uri"]] = document["version"]
        if self.scenario.diagnosing == "push":
            yield Later(self.scenario.push_s, f"push {document['uri']}")

    def _push(self, uri: str) -> Iterable[Deed]:
        """What it found; of a document that is no longer open, nothing."""
        self._lost += 1
        if self._lost > self.scenario.pushes_lost and to_path(uri) in self.code.opened:
            found = [] if self._is_dead or self._is_loading else self.code.diagnostics(to_path(uri))
            params = {"uri": uri, "version": self._versions[uri], "diagnostics": found}
            yield self._notify("textDocument/publishDiagnostics", params)

    def _cancelled(self, number: int) -> Iterable[Deed]:
        request = self._waiting.get(number)
        if request is None or self.scenario.on_cancel == "ignore":
            return
        del self._waiting[number]
        if self.scenario.on_cancel == "empty":
            yield self._reply(request, [])
        else:
            yield self._refuse(request, -32800, "cancelled")

    def _replied(self, message: dict[str, Any]) -> Iterable[Deed]:
        number = self._own.pop(message["id"], None)
        if number is not None and number in self._waiting:
            request = self._waiting.pop(number)
            if isinstance(message.get("result"), list) and len(message["result"]) == 2:
                yield from self._answer(request)

    # -- misbehaviour -----------------------------------------------------------------------------------------------

    def _do(self, deed: str, message: dict[str, Any]) -> Iterable[Deed]:
        name, _, argument = deed.partition(":")
        match name:
            case "answer":
                yield from self._answer(message)
                held, self._held = self._held, []
                for other in held:
                    yield from self._answer(other)
            case "after":
                self._held.append(message)
            case "never":
                self._waiting[message["id"]] = message
            case "empty":
                yield self._reply(message, [])
            case "null":
                yield self._reply(message, None)
            case "twice":
                yield from self._answer(message)
                yield self._reply(message, [])
            case "half":
                yield Write(framed(self._reply_body(message, self._result(message)))[:-10])
            case "exit":
                yield Complain(b"Traceback: something went wrong\n")
                yield Exit(int(argument or 1))
            case "error":
                yield self._refuse(message, int(argument), "as the scenario says")
            case "slow":
                self._waiting[message["id"]] = message
                yield Later(float(argument), message["id"])
            case "burn":
                yield Burn(float(argument))
                yield from self._answer(message)
            case "configuration":
                self._own_number += 1
                self._waiting[message["id"]] = message
                self._own[self._own_number] = message["id"]
                items = [{"section": "scripted"}, {"section": "other"}]
                body = {"id": self._own_number, "method": "workspace/configuration", "params": {"items": items}}
                yield Write(framed(body))
            case "stop":
                yield Stop()
            case "noise":
                yield Write(b"Content-Length: many\r\n\r\n{}")
            case "huge":
                yield Write(b"Content-Length: %d\r\n\r\n{" % FRAME_TOO_LARGE)
            case "flood":
                body = {"method": "window/logMessage", "params": {"type": 4, "message": "x" * 100}}
                yield Write(framed(body) * FLOOD_NOTIFICATIONS)
                yield from self._answer(message)
            case "stderr":
                yield Complain((b"warning: " + b"y" * 90 + b"\n") * (FLOOD_BYTES // 100))
                yield from self._answer(message)
            case "deaf":
                yield from self._answer(message)
                yield Deafen()
            case "drip":
                yield Write(framed(self._reply_body(message, self._result(message))), is_dripped=True)
            case "dead":
                self._is_dead = True
                yield from self._answer(message)
            case _:
                raise ValueError(deed)

    # -- answers ----------------------------------------------------------------------------------------------------

    def _answer(self, message: dict[str, Any]) -> Iterable[Deed]:
        if message["method"] == DIAGNOSE:
            for uri in message["params"]["files"]:
                yield from self._push(uri)
        yield self._reply(message, self._result(message))

    def _result(self, message: dict[str, Any]) -> Any:
        if message["method"] == "textDocument/diagnostic":
            file = to_path(message["params"]["textDocument"]["uri"])
            is_blind = self._is_dead or self._is_loading or file not in self.code.opened
            return {"kind": "full", "items": [] if is_blind else self.code.diagnostics(file)}
        if message["method"] == DIAGNOSE:
            return {}
        if message["method"] == "textDocument/rename" and (self._is_dead or self._is_loading):
            return None
        if self._is_dead:
            return []
        result = self._whole_result(message["method"], message.get("params") or {})
        if self._is_loading and isinstance(result, list):
            return result[:1] if self.scenario.while_loading == "partial" else []
        return result

    def _whole_result(self, method: str, params: dict[str, Any]) -> Any:
        code = self.code
        if method == "workspace/symbol":
            return code.symbols(params["query"])
        if method == "callHierarchy/incomingCalls":
            return code.callers(params["item"])
        if method == "callHierarchy/outgoingCalls":
            return code.callees(params["item"])
        file = to_path(params["textDocument"]["uri"])
        if self.scenario.opens and file not in code.opened:
            return []
        match method:
            case "textDocument/documentSymbol":
                return code.outline(file)
            case "textDocument/definition":
                found = code.definition(file, params["position"])
                uri = params["textDocument"]["uri"]
                return [one for one in found if one["uri"] != uri] if self.scenario.toggles else found
            case "textDocument/references":
                return code.references(file, params["position"], params["context"]["includeDeclaration"])
            case "textDocument/implementation":
                return code.implementation(file, params["position"])
            case "textDocument/hover":
                return code.hover(file, params["position"])
            case "textDocument/rename":
                return spoiled(code.rename(file, params["position"], params["newName"]), self.scenario.renames)
            case "textDocument/prepareCallHierarchy":
                return code.call_items(file, params["position"])
        raise ValueError(method)

    def _reply(self, message: dict[str, Any], result: Any) -> Write:
        return Write(framed(self._reply_body(message, result)))

    def _reply_body(self, message: dict[str, Any], result: Any) -> dict[str, Any]:
        return {"id": message["id"], "result": result}

    def _refuse(self, message: dict[str, Any], code: int, text: str) -> Write:
        return Write(framed({"id": message["id"], "error": {"code": code, "message": text}}))

    def _notify(self, method: str, params: dict[str, Any]) -> Write:
        return Write(framed({"method": method, "params": params}))


def framed(body: dict[str, Any]) -> bytes:
    data = json.dumps({"jsonrpc": "2.0", **body}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def spoiled(edit: dict[str, Any], how: str) -> dict[str, Any]:
    """The edits of a rename, one of them wrong."""
    if not edit["changes"] or not how:
        return edit
    uri, edits = max(edit["changes"].items())
    start, end = edits[-1]["range"]["start"], edits[-1]["range"]["end"]
    moved = {"start": start, "end": {**end, "character": end["character"] - 1}}
    match how:
        case "twice":
            wrong = {uri: [*edits, edits[-1]]}
        case "overlap":
            wrong = {uri: [*edits, {**edits[-1], "range": moved}]}
        case "shift":
            wrong = {uri: [*edits[:-1], {**edits[-1], "range": moved}]}
        case "loss":
            return {"changes": {one: some for one, some in edit["changes"].items() if one != uri}}
        case "outside":
            wrong = {"file:///elsewhere/a.py": [edits[-1]]}
        case _:
            raise ValueError(how)
    return {"changes": {**edit["changes"], **wrong}}
