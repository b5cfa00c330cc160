"""Who may come in: hosts, origins, tokens, paths, handshakes, queries; and what a refusal gives away."""

from __future__ import annotations

import pytest

from actors.front.transports.admission import (
    METHODS,
    Entry,
    Page,
    Preflight,
    Refusal,
    Rules,
    Speech,
    judge,
    shared_with,
)
from actors.front.transports.request_head import Head
from actors.front.transports.tokens import Accepted, Rejected, digest_of

GOOD = {
    "host": "127.0.0.1:8765",
    "upgrade": "websocket",
    "connection": "keep-alive, Upgrade",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
    "sec-websocket-protocol": "mcp",
}


def check_token(presented: str) -> Accepted | Rejected:
    return {"right": Accepted(7.0), "old": Rejected.EXPIRED}.get(presented, Rejected.WRONG)


OPEN = Rules(frozenset({"map.example"}), frozenset({"https://ide.example"}), None, ("app", "lib"))
CLOSED = Rules(OPEN.hosts, OPEN.origins, check_token, OPEN.roots)


def request(target: str = "/mcp", *extra: tuple[str, str], method: str = "GET", **changed: str | None) -> Head:
    named = {name.replace("_", "-"): value for name, value in changed.items()}
    headers = [(name, value) for name, value in (GOOD | named).items() if value is not None]
    return Head(method, target, (*headers, *extra), b"")


def status(head: Head, rules: Rules = OPEN) -> int | None:
    verdict = judge(head, rules)
    return verdict.status if isinstance(verdict, Refusal) else None


def test_the_first_root_is_meant_where_none_is_named() -> None:
    assert judge(request(), OPEN) == Entry("app", "", None)
    assert judge(request("/mcp/lib"), OPEN) == Entry("lib", "", None)
    assert judge(request("/mcp/lib?envelope=scalpel"), OPEN) == Entry("lib", "scalpel", None)
    assert judge(request("/mcp/lib?envelope=native"), OPEN) == Entry("lib", "native", None)
    assert judge(request("/mcp?limits=pro"), OPEN) == Entry("app", "", None, "pro")
    assert judge(request("/mcp?limits=pro&envelope=ctxo"), OPEN) == Entry("app", "ctxo", None, "pro")
    assert judge(request("/mcp?schemas=off"), OPEN) == Entry("app", "", None, schemas="off")
    chosen = Entry("app", "", None, tools="map_search,map_code")
    assert judge(request("/mcp?tools=map_code,map_search,map_code"), OPEN) == chosen


def test_a_tool_that_is_not_there_is_refused_with_the_nearest() -> None:
    refused = judge(request("/mcp?tools=core,map_serch"), OPEN)
    assert refused == Refusal(400, "There is no tool 'map_serch'; the nearest is map_search.")
    assert judge(request("/mcp?tools=,"), OPEN) == Refusal(400, "No tools are named.")


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "localhost:1", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8765", "[::1]:8765", "[::1]"),
        *("10.1.2.3:80", "map.example", "Map.Example:443", "map.example."),
    ],
)
def test_known_hosts(host: str) -> None:
    assert status(request(host=host)) is None


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example", "localhostevil"),
        *("", ":8765", "[evil]:1", "map.example.evil.example", "xn--localhost"),
    ],
)
def test_other_names_are_a_rebinding(host: str) -> None:
    assert status(request(host=host)) == 421
    assert status(request("/healthz", host=host)) == 421


@pytest.mark.parametrize(
    "origin",
    ["https://ide.example", "HTTPS://IDE.example", "https://ide.example/", "http://127.0.0.1:8765"],
)
def test_known_origins(origin: str) -> None:
    assert status(request(origin=origin)) is None


@pytest.mark.parametrize(
    "origin",
    ["null", "", "https://evil.example", "http://ide.example", "https://ide.example.evil", "http://localhost:8765"],
)
def test_foreign_origins(origin: str) -> None:
    assert status(request(origin=origin)) == 403
    assert status(request("/metrics", origin=origin)) == 403


def test_doubled_headers_are_refused() -> None:
    assert status(request("/mcp", ("host", "localhost"))) == 400
    assert status(request("/mcp", ("origin", "https://ide.example"), origin="https://ide.example")) == 400
    doubled = request("/mcp", ("authorization", "Bearer right"), authorization="Bearer right")
    assert status(doubled, CLOSED) == 400


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Bearer old"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": "Basic right"}, 401),
        ({"authorization": "right"}, 401),
        ({"sec_websocket_protocol": "mcp, mcp.bearer.wrong"}, 401),
        ({"authorization": "Bearer right"}, None),
        ({"authorization": "bearer right"}, None),
        ({"sec_websocket_protocol": "mcp, mcp.bearer.right"}, None),
    ],
)
def test_tokens(headers: dict[str, str | None], wanted: int | None) -> None:
    assert status(request(**headers), CLOSED) == wanted


def test_a_token_goes_with_its_end() -> None:
    assert judge(request(authorization="Bearer right"), CLOSED) == Entry("app", "", 7.0, token=digest_of("right").hex())


def test_a_refused_token_gets_the_reason_and_never_repeated() -> None:
    for given, text in (("wrong", "The token is wrong."), ("old", "The token is expired.")):
        verdict = judge(request(authorization=f"Bearer {given}"), CLOSED)
        assert isinstance(verdict, Refusal)
        assert verdict.text == text
        assert dict(verdict.headers)["www-authenticate"].startswith('Bearer error="invalid_token"')


def test_without_a_token_nothing_is_said_of_what_is_there() -> None:
    targets = ("/", "/mcp", "/mcp/lib", "/mcp/none", "/metrics", "/%2e%2e/etc/passwd", "/mcp?envelope=none")
    assert {judge(request(target), CLOSED) for target in targets} == {
        Refusal(401, "A bearer token is needed.", (("www-authenticate", "Bearer"),))
    }
    assert judge(request("/healthz"), CLOSED) is Page.HEALTH


@pytest.mark.parametrize(
    "target",
    [
        *("/", "", "*", "/mc", "/mcp/", "/mcp//lib", "/mcp/none", "/mcp/../lib", "/mcp/lib/", "/mcp/lib/..", "/MCP"),
        *("/mcp/%6cib", "/mcp/lib%00", "/mcp/..%2f..%2fetc/passwd", "/mcp/app/../../etc/passwd", "//mcp", "/healthz/"),
        "http://localhost/mcp",
    ],
)
def test_nothing_is_at_other_paths(target: str) -> None:
    assert status(request(target)) == 404


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"upgrade": None}, 426),
        ({"upgrade": "h2c"}, 426),
        ({"connection": "close"}, 400),
        ({"sec_websocket_key": None}, 400),
        ({"sec_websocket_version": "8"}, 426),
        ({"sec_websocket_protocol": None}, 400),
        ({"sec_websocket_protocol": "chat"}, 400),
        ({"sec_websocket_protocol": "chat, mcp"}, None),
    ],
)
def test_handshakes(changed: dict[str, str | None], wanted: int | None) -> None:
    assert status(request(**changed)) == wanted


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods(method: str) -> None:
    assert status(request(method=method)) == 426
    assert status(request("/healthz", method=method)) == 405
    assert status(request("/metrics", method=method)) == 405


@pytest.mark.parametrize("query", ["envelope=xml", "envelope=", "envelope", "limits=none", "&&", "a=1&" * 20])
def test_queries_that_ask_for_what_is_not_there(query: str) -> None:
    assert status(request("/mcp?" + query)) == 400


def test_pages() -> None:
    assert judge(request("/healthz", upgrade=None), OPEN) is Page.HEALTH
    assert judge(request("/metrics", method="HEAD", upgrade=None), OPEN) is Page.METRICS
    assert judge(request("/metrics", authorization="Bearer right"), CLOSED) is Page.METRICS


WEB = Rules(OPEN.hosts, OPEN.origins, None, OPEN.roots, Speech.HTTP)
GUARDED_WEB = Rules(OPEN.hosts, OPEN.origins, check_token, OPEN.roots, Speech.HTTP)
PLAIN: dict[str, str | None] = dict.fromkeys((name.replace("-", "_") for name in GOOD if name != "host"), None)


@pytest.mark.parametrize("method", METHODS)
def test_requests_over_http(method: str) -> None:
    assert judge(request(method=method, **PLAIN), WEB) == Entry("app", "", None)
    assert judge(request("/mcp/lib?envelope=ctxo", method=method, **PLAIN), WEB) == Entry("lib", "ctxo", None)
    with_token: dict[str, str | None] = {**PLAIN, "authorization": "Bearer right"}
    assert judge(request(method=method, **with_token), GUARDED_WEB) == Entry(
        "app", "", 7.0, token=digest_of("right").hex()
    )
    assert status(request(method=method, **PLAIN), GUARDED_WEB) == 401


@pytest.mark.parametrize(
    ("target", "method", "changed", "wanted"),
    [
        ("/mcp", "PUT", {}, 405),
        ("/mcp", "OPTIONS", {}, 405),
        ("/mcp", "HEAD", {}, 405),
        ("/mcp", "GET", {"upgrade": "websocket"}, 400),
        ("/mcp", "GET", {"upgrade": "h2c"}, 400),
        ("/mcp/none", "POST", {}, 404),
        ("/mcp?envelope=none", "POST", {}, 400),
        ("/mcp", "POST", {"origin": "https://evil.example"}, 403),
        ("/mcp", "POST", {"host": "evil.example"}, 421),
        ("/mcp", "POST", {"origin": "http://evil.example", "host": "evil.example"}, 421),
        ("/healthz", "POST", {}, 405),
    ],
)
def test_what_is_refused_over_http(target: str, method: str, changed: dict[str, str | None], wanted: int) -> None:
    assert status(request(target, method=method, **(PLAIN | changed)), WEB) == wanted


ASKING: dict[str, str | None] = {**PLAIN, "access_control_request_method": "POST"}


def test_browsers_may_ask_for_pages_of_known_origins() -> None:
    known: dict[str, str | None] = {**ASKING, "origin": "https://ide.example"}
    asked = request(method="OPTIONS", access_control_request_headers="authorization,mcp-session-id", **known)
    verdict = judge(asked, GUARDED_WEB)
    assert isinstance(verdict, Preflight)
    assert dict(verdict.headers) == {
        "access-control-allow-origin": "https://ide.example",
        "vary": "Origin",
        "access-control-allow-methods": "POST, GET, DELETE",
        "access-control-allow-headers": "authorization, mcp-session-id",
        "access-control-expose-headers": "mcp-session-id",
    }
    assert status(request(method="OPTIONS", **(known | {"origin": "https://evil.example"})), GUARDED_WEB) == 403
    assert status(request(method="OPTIONS", **(known | {"host": "evil.example"})), GUARDED_WEB) == 421
    assert status(request(method="OPTIONS", **known), CLOSED) == 401, "not over websocket"


def test_without_a_page_nothing_is_said_to_browsers() -> None:
    assert shared_with(request(**PLAIN)) == ()
    assert status(request(method="OPTIONS", **ASKING), WEB) == 405
