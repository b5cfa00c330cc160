"""Errors as servers really send them, and what each means."""

from __future__ import annotations

import pytest

from codemap.lsp.errors import MESSAGE_MAX, Fault, ServerError, classify


@pytest.mark.parametrize(
    ("code", "message", "fault"),
    [
        (-32801, "content modified", Fault.CONTENT_MODIFIED),
        (-32802, "server cancelled the request", Fault.CONTENT_MODIFIED),
        (-32800, "request was cancelled by client", Fault.CANCELLED),
        (0, "context canceled", Fault.CANCELLED),
        (0, "identifier: context canceled", Fault.CANCELLED),
        (-32601, "Unhandled method textDocument/implementation", Fault.UNSUPPORTED),
        (-32002, "Server not initialized", Fault.NOT_READY),
        (0, "no identifier found", Fault.NO_SYMBOL),
        (0, "no object for ident x", Fault.NO_SYMBOL),
        (0, "x is not a type or function: not a function", Fault.NO_SYMBOL),
        (-32803, "identifier not found", Fault.NO_SYMBOL),
        (0, "no package metadata for file file:///a.go", Fault.SERVER),
        (0, "go list failed", Fault.SERVER),
        (-32803, "file not found: a.rs", Fault.SERVER),
        (-32603, "no identifier found", Fault.SERVER),
        (
            -32603,
            "Request textDocument/references failed with message: this._token.cancel is not a function",
            Fault.BROKEN,
        ),
        (1, "<semantic> TypeScript Server Error (5.9.3)\nDebug Failure. False expression", Fault.SERVER),
        (-32602, "trying to get AST for non-added document", Fault.SERVER),
        (-32600, "InvalidRequest", Fault.SERVER),
        (-32603, "", Fault.SERVER),
    ],
)
def test_what_an_error_means(code: int, message: str, fault: Fault) -> None:
    assert classify(code, message).fault is fault


def test_the_message_is_its_first_line() -> None:
    assert classify(1, "\n<semantic> Error\n    at x (y.js:1)\n") == ServerError(Fault.SERVER, "<semantic> Error", 1)
    assert classify(-32603, " \n ").message == "error -32603"
    assert len(classify(1, "x" * 10_000).message) == MESSAGE_MAX
