"""A small blocking LSP client for batches of `textDocument/definition`: a language server as an oracle."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

OUTSTANDING_MAX = 64
"""Requests sent ahead of their answers."""
ANSWER_MAX_S = 300
"""The first answer waits for the whole of a large repository."""


class LanguageServer:
    """A running language server over one root; use as a context manager."""

    def __init__(self, command: Sequence[str], root: Path) -> None:
        self._root = root
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        self._next = 0
        self._answers: dict[int, Any] = {}
        self._logged: list[str] = []
        self._arrived = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> LanguageServer:
        request = self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": self._root.as_uri(),
                "workspaceFolders": [{"uri": self._root.as_uri(), "name": "root"}],
                "capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}, "window": {}},
            },
        )
        answer = self._await(request)
        self.encoding: str = answer["result"]["capabilities"].get("positionEncoding", "utf-16")
        self._send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def open(self, path: str, text: str, language_id: str) -> None:
        """Shows the server a document, for servers that answer for open ones only."""
        document = {"uri": (self._root / path).as_uri(), "languageId": language_id, "version": 1, "text": text}
        self._send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})

    def wait_logged(self, text: str) -> None:
        """Returns when it logged a message that holds this. Raises TimeoutError."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: any(text in line for line in self._logged), timeout=ANSWER_MAX_S):
                raise TimeoutError(f"it never said {text!r}")

    def definitions(self, places: Sequence[tuple[str, int, int]]) -> list[list[tuple[str, int, int]]]:
        """For each (path, 0-based line, 0-based column in `encoding`): (path, or uri outside the root, 0-based line,
        0-based column) of the targets. Raises TimeoutError."""
        results: list[list[tuple[str, int, int]]] = []
        pending: list[int] = []
        for path, line, column in places:
            document = {"uri": (self._root / path).as_uri()}
            position = {"line": line, "character": column}
            pending.append(self._request("textDocument/definition", {"textDocument": document, "position": position}))
            if len(pending) >= OUTSTANDING_MAX:
                results.append(self._targets(self._await(pending.pop(0))))
        results += [self._targets(self._await(number)) for number in pending]
        return results

    def _targets(self, answer: Any) -> list[tuple[str, int, int]]:
        found = answer.get("result") or []
        prefix = self._root.as_uri() + "/"
        targets = []
        for location in found if isinstance(found, list) else [found]:
            uri = location.get("uri") or location["targetUri"]
            span = location.get("range") or location["targetSelectionRange"]
            path = unquote(uri.removeprefix(prefix)) if uri.startswith(prefix) else uri
            targets.append((path, span["start"]["line"], span["start"]["character"]))
        return targets

    def _request(self, method: str, params: object) -> int:
        self._next += 1
        self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def _send(self, message: object) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _await(self, number: int) -> Any:
        with self._arrived:
            if not self._arrived.wait_for(lambda: number in self._answers, timeout=ANSWER_MAX_S):
                raise TimeoutError(f"no answer to request {number}")
            return self._answers.pop(number)

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not line:
                return
            message = json.loads(stream.read(length))
            if "method" in message and "id" in message:
                params = message.get("params")
                items = params.get("items", []) if isinstance(params, dict) else []
                result = [None] * len(items) if message["method"] == "workspace/configuration" else None
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})
            elif message.get("method") == "window/logMessage":
                with self._arrived:
                    self._logged.append(message["params"]["message"])
                    self._arrived.notify_all()
            elif "id" in message:
                with self._arrived:
                    self._answers[message["id"]] = message
                    self._arrived.notify_all()
