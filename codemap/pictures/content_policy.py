"""What a page's Content-Security-Policy says of scripts and styles that are in the page itself.

Source: Content Security Policy Level 3, "hash-source".
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def hash_source(text: str) -> str:
    """The source expression that allows an inline script or style of exactly this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def inline_directives(page: str) -> tuple[str, ...]:
    """The directives that allow what is inline in a page, by its digests, and by default nothing."""
    allowed: dict[str, list[str]] = {"script": [], "style": []}
    for found in _INLINE.finditer(page):
        allowed[found[1]].append(hash_source(found[2]))
    return ("default-src 'none'", *(f"{kind}-src {' '.join(digests)}" for kind, digests in allowed.items()))
