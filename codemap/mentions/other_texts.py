"""Sorts files that no language knows: documents, other texts that may use definitions by their names, and data."""

from __future__ import annotations

import re

DOCUMENTS = "documents"
"""Texts for people, which use no definition when a program runs."""
OTHER_TEXTS = "otherTexts"
"""Configuration, templates, notebooks, scripts of other languages."""
TEXT_MAX_BYTES = 1_000_000
"""Size from which a file that no language knows counts as data."""

_DOCUMENTS = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_DATA = re.compile(
    r"(?:\A|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb?|LICEN[CS]E[^/]*|COPYING[^/]*)\Z"
    r"|\.(?:lock|png|jpe?g|gif|ico|webp|svg|woff2?|ttf|otf|eot|pdf|zip|gz|tgz|bz2|xz|zst|jar|class|o|a|so|dylib|dll|exe|pyc|whl"
    r"|css|less|scss|sass|map|po|pot|mo|csv|tsv|parquet|db|sqlite3?|bin|dat|snap|patch|diff|pem|crt|key|sum|mp[34]|wav)\Z",
    re.IGNORECASE,
)
"""Endings of files that use no definition by its name: media, archives, style sheets, translations, tables, lock files,
licences."""


_NAMED_DOCUMENT = re.compile(
    r"(?:\A|/)(?:authors|change(?:log|s)|contributing|contributors|history|metadata|news|pkg-info|readme|todo)\Z",
    re.IGNORECASE,
)
"""Names without a suffix."""


def is_text(path: str, size: int) -> bool:
    """Whether a file that no language knows may use definitions by their names."""
    return size <= TEXT_MAX_BYTES and _DATA.search(path) is None


def is_document(path: str) -> bool:
    """Whether a file that no language knows is a text for people."""
    return path.lower().endswith(_DOCUMENTS) or _NAMED_DOCUMENT.search(path) is not None
