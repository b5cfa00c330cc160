"""Accepts facts that come from elsewhere: whole, sealed for this very source, and of the right form."""

from __future__ import annotations

from codemap.facts import FileFacts
from codemap.packed.packed_facts import BadFacts, unpack_facts
from codemap.shared_facts.entries import Content, Refusal, unseal


def accept_facts(name: str, content: Content, sealed: bytes, key: bytes | None) -> FileFacts | Refusal:
    """The facts in an entry, or why they do not count. `name` is that of the source, see `entry_name`."""
    body = unseal(name, content, sealed, key)
    if isinstance(body, Refusal):
        return body
    try:
        return unpack_facts(body)
    except BadFacts:
        return Refusal.DAMAGED
