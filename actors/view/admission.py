"""Who may see the page, and what it may load. No I/O: the head of a request in, a verdict out.

A key in the URL is good for one request; the answer sets a cookie, by which the page itself, its connection and later
visits are known. As at every door, a foreign Host or Origin learns nothing.

Source: RFC 6265bis, `SameSite`, `HttpOnly`; Content Security Policy Level 3.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from actors.front.transports.admission import (
    PATH,
    Document,
    Entry,
    Preflight,
    Refusal,
    Rules,
    refuse_foreign,
    refuse_other_methods,
    refuse_without_handshake,
)
from actors.front.transports.request_head import Head
from codemap.pictures.content_policy import inline_directives

KEY = "key"
KEY_BYTES = 32
_STRANGER = "This page is for who began it: `codemap view` gives a URL that is good for one visit."
_HEADERS = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)


class Visitors:
    """Who may see one page: the first who brings the key, and whoever has the cookie that he was given."""

    def __init__(self, page: str, port: int) -> None:
        """`port` is where the page is served: cookies are kept for a host, whatever the port."""
        self.key = secrets.token_urlsafe(KEY_BYTES)
        self._page = page
        self._secret = secrets.token_urlsafe(KEY_BYTES)
        self._cookie = f"codemap_view_{port}"
        self._is_spent = False
        self._headers = (("content-security-policy", policy_of(page, port)), *_HEADERS)

    def judge(self, head: Head, rules: Rules) -> Entry | Document | Preflight | Refusal:
        """What is to be done with a request."""
        if refusal := refuse_foreign(head, rules):
            return refusal
        path, _, query = head.target.partition("?")
        is_known = self._is_known(head)
        if path == PATH:
            if not is_known or not head.values("origin"):
                return Refusal(401, _STRANGER)
            return refuse_without_handshake(head) or Entry("", "", None)
        if path != "/":
            return Refusal(404, "There is nothing at this path.")
        if refusal := refuse_other_methods(head):
            return refusal
        if is_known:
            return Document(self._page, self._headers)
        if head.method == "HEAD" or not self._spend(query):
            return Refusal(401, _STRANGER)
        cookie = f"{self._cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
        return Document(self._page, (*self._headers, ("set-cookie", cookie)))

    def _spend(self, query: str) -> bool:
        given = parse_qs(query, max_num_fields=4).get(KEY, [])
        if self._is_spent or len(given) != 1 or not _is_same(given[0], self.key):
            return False
        self._is_spent = True
        return True

    def _is_known(self, head: Head) -> bool:
        for value in head.values("cookie"):
            try:
                found = SimpleCookie(value).get(self._cookie)
            except CookieError:
                continue
            if found is not None and _is_same(found.value, self._secret):
                return True
        return False


def policy_of(page: str, port: int) -> str:
    """The Content-Security-Policy of a page: what is in it by its digest, and its own connection."""
    return "; ".join(
        (
            *inline_directives(page),
            f"connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _is_same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode())
