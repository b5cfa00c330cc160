"""What a page's Content-Security-Policy says of scripts and styles that are in the page itself.

Source: Content Security Policy Level 3, "hash-source".
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256


def hash_source(text: str) -> str:
    """The source expression that allows an inline script or style of exactly this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
