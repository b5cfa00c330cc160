"""Cuts names out of the source by byte offsets, without decoding each occurrence.

A spelling has one character a byte: ASCII stands for itself, any other byte for a lone surrogate that no text has. So
equal spellings are equal names, and a spelling in ASCII is its own text.

Source: PEP 383, for the lone surrogates.
"""

from __future__ import annotations


def characters(source: bytes) -> str:
    return source.decode("ascii", "surrogateescape")


def decoded(spelling: str) -> str:
    """The text of a spelling; bytes that are not UTF-8 become U+FFFD."""
    if spelling.isascii():
        return spelling
    return spelling.encode("ascii", "surrogateescape").decode("utf-8", "replace")
