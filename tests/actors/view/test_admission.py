"""Who may see the page, and what it may load."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

import actors.view.serve
from actors.front.transports.admission import Document, Entry, Refusal, Rules
from actors.front.transports.request_head import Head
from actors.view.admission import Visitors, policy_of

PORT = 4711
HOST = f"127.0.0.1:{PORT}"
RULES = Rules(frozenset(), frozenset(), None, ())
PAGE = "<!doctype html><style>a{}</style><script>run()</script>"
HANDSHAKE = {
    "upgrade": "websocket",
    "connection": "Upgrade",
    "sec-websocket-key": "x",
    "sec-websocket-version": "13",
    "sec-websocket-protocol": "mcp",
}


def head(target: str, method: str = "GET", host: str = HOST, **headers: str) -> Head:
    given = {"host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
    return Head(method, target, tuple(given.items()), b"")


def visitors() -> Visitors:
    return Visitors(PAGE, PORT)


def cookie_of(found: object) -> str:
    assert isinstance(found, Document)
    return dict(found.headers)["set-cookie"].partition(";")[0]


def status_of(found: object) -> int:
    assert isinstance(found, Refusal)
    return found.status


def test_the_key_is_good_once_and_the_cookie_from_then_on() -> None:
    house = visitors()
    first = house.judge(head(f"/?key={house.key}"), RULES)
    assert isinstance(first, Document)
    assert first.text == PAGE
    cookie = dict(first.headers)["set-cookie"]
    assert re.fullmatch(rf"codemap_view_{PORT}=[\w-]{{43}}; Path=/; HttpOnly; SameSite=Strict", cookie)
    assert house.key not in cookie
    assert status_of(house.judge(head(f"/?key={house.key}"), RULES)) == 401
    again = house.judge(head("/", cookie=f"other=1; {cookie_of(first)}"), RULES)
    assert isinstance(again, Document)
    assert "set-cookie" not in dict(again.headers)


@pytest.mark.parametrize("target", ["/", "/?key=", "/?key=wrong", "/?other=1", "/?key=a&key=b", "/?key=%ff"])
def test_nobody_else_sees_it(target: str) -> None:
    assert status_of(visitors().judge(head(target), RULES)) == 401


def test_the_key_is_not_spent_by_what_does_not_show_the_page() -> None:
    house = visitors()
    assert status_of(house.judge(head(f"/?key={house.key}", "HEAD"), RULES)) == 401
    assert status_of(house.judge(head(f"/?key={house.key}", "POST"), RULES)) == 405
    assert status_of(house.judge(head(f"/?key={house.key}", host="evil.example"), RULES)) == 421
    assert status_of(house.judge(head(f"/?key={house.key}", origin="http://evil.example"), RULES)) == 403
    assert isinstance(house.judge(head(f"/?key={house.key}"), RULES), Document)


def test_a_cookie_is_compared_whole() -> None:
    house = visitors()
    good = cookie_of(house.judge(head(f"/?key={house.key}"), RULES))
    for cookie in (good[:-1], good + "x", good.replace(str(PORT), "1"), "codemap_view_4711=", "\x7f;;=\udcff"):
        assert status_of(house.judge(head("/", cookie=cookie), RULES)) == 401


def test_only_the_page_itself_connects() -> None:
    house = visitors()
    cookie = cookie_of(house.judge(head(f"/?key={house.key}"), RULES))
    own = {"cookie": cookie, "origin": f"http://{HOST}"}
    assert isinstance(house.judge(head("/mcp", **own, **HANDSHAKE), RULES), Entry)
    assert status_of(house.judge(head("/mcp", **HANDSHAKE, origin=own["origin"]), RULES)) == 401
    assert status_of(house.judge(head("/mcp", **HANDSHAKE, cookie=cookie), RULES)) == 401
    foreign = own | {"origin": "http://127.0.0.1:1"}
    assert status_of(house.judge(head("/mcp", **foreign, **HANDSHAKE), RULES)) == 403
    assert status_of(house.judge(head("/mcp", host="evil.example", **own, **HANDSHAKE), RULES)) == 421
    assert status_of(house.judge(head("/mcp", **own), RULES)) == 426
    assert status_of(house.judge(head("/etc/passwd", cookie=cookie), RULES)) == 404


def test_the_page_may_load_nothing_but_what_stands_in_it() -> None:
    policy = dict(part.split(" ", 1) for part in policy_of(PAGE, PORT).split("; "))
    digest = b64encode(sha256(b"run()").digest()).decode()
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'sha256-{digest}'"
    assert policy["connect-src"] == f"'self' ws://127.0.0.1:{PORT} ws://localhost:{PORT}"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"


def test_the_page_that_ships_is_one_file() -> None:
    text = (Path(actors.view.serve.__file__).parent / "page.html").read_text(encoding="utf-8")
    assert re.findall(
        r"<(script|style|link|img|iframe)\b([^>]*)>", re.sub(r"<script>.*</script>", "", text, flags=re.DOTALL)
    ) == [
        ("link", ' rel="icon" href="data:,"'),
        ("style", ""),
    ]
    assert len(re.findall(r"<script>", text)) == len(re.findall(r"</script>", text)) == 1
    assert re.fullmatch(
        r"'sha256-[\w+/]{43}='", dict(p.split(" ", 1) for p in policy_of(text, 1).split("; "))["script-src"]
    )
