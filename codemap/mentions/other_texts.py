"""Sorts files that no language knows: documents, code that is not read, other texts that may use definitions by their
names, and data."""

from __future__ import annotations

import re
from collections.abc import Mapping

DOCUMENTS = "documents"
"""Texts for people, which use no definition when a program runs."""
OTHER_CODE = "otherCode"
"""Components, templates, notebooks, sources of other languages: uses of definitions are to be expected there."""
OTHER_TEXTS = "otherTexts"
"""Configuration, scripts of shells."""
TEXT_MAX_BYTES = 1_000_000
"""Size from which a file that no language knows counts as data."""

_DOCUMENTS = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_BUILD_FILE = "CMakeLists.txt"
"""Has the ending of a document."""
_DATA = re.compile(
    r"(?:\A|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb?|LICEN[CS]E[^/]*|COPYING[^/]*|[0-9a-f]{38,})\Z"
    r"|\.(?:lock|png|jpe?g|gif|ico|webp|svg|woff2?|ttf|otf|eot|pdf|zip|gz|tgz|bz2|xz|zst|jar|class|o|a|so|dylib|dll|exe|pyc|whl"
    r"|css|less|scss|sass|map|po|pot|mo|csv|tsv|parquet|db|sqlite3?|bin|dat|snap|patch|diff|pem|crt|key|sum|mp[34]|wav|idx|pack)\Z",
    re.IGNORECASE,
)
"""Files that use no definition by its name: media, archives, style sheets, translations, tables, lock files, licences,
and what is named by its hash (git's objects, caches of packages)."""


_ENDINGS = """
vue svelte astro marko riot erb haml slim ejs hbs handlebars mustache njk jinja jinja2 j2 twig liquid pug jade
latte heex leex eex templ gotmpl tmpl cshtml vbhtml razor jsp jspx ftl xaml axaml qml mm m swift scala sc groovy
clj cljs cljc dart ex exs erl hs ml mli fs fsx vb lua luau nim zig d cr jl r pl pm raku f f90 f95 f03 f08 pas
adb ads cob cu cuh metal ispc pyx pxd pxi ipynb coffee elm purs res resi sol vala gd hx asm s y yy l
"""
_CODE = frozenset(f".{ending}" for ending in _ENDINGS.split())
"""Endings of code that calls, extends or shows what other files define."""
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
    if path.endswith(_BUILD_FILE):
        return False
    return path.lower().endswith(_DOCUMENTS) or _NAMED_DOCUMENT.search(path) is not None


def is_code(path: str) -> bool:
    """Whether a file that no language knows is code."""
    return ending_of(path.rpartition("/")[2]) in _CODE


def ending_of(name: str) -> str:
    """The ending of a file's base name, in small letters, with its dot; empty where it has none."""
    stem, dot, ending = name.lower().rpartition(".")
    return dot + ending if stem else ""


def sort_of(path: str) -> str:
    """What a file that no language knows is, data apart."""
    if is_document(path):
        return DOCUMENTS
    return OTHER_CODE if is_code(path) else OTHER_TEXTS


def code_among(endings: Mapping[str, int]) -> dict[str, int]:
    """Of the numbers of files by their endings, those of code, the most first."""
    chosen = [(ending, endings[ending]) for ending in _CODE.intersection(endings)]
    return dict(sorted(chosen, key=lambda one: (-one[1], one[0])))
