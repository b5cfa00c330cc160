"""The cache of the parts of definitions: what it finds, and what it drops."""

from __future__ import annotations

from actors.service.syntax_cache import BYTES_MAX, SyntaxCache
from codemap.syntax import DefinitionSyntax, FileSyntax

ONE = FileSyntax(b"1", (DefinitionSyntax(9), DefinitionSyntax(5, (2, 3))), {1: ((2, 0), (3, 1))})


def test_it_finds_the_parts_of_a_content_with_the_statements_that_are_wanted() -> None:
    cache = SyntaxCache()
    assert cache.find("a.py", b"1", ()) is None
    cache.keep("a.py", ONE)
    assert cache.find("a.py", b"1", ()) == ONE
    assert cache.find("a.py", b"1", (1,)) == ONE
    assert cache.find("a.py", b"1", (0, 1)) is None
    assert cache.find("a.py", b"2", ()) is None
    assert cache.find("b.py", b"1", ()) is None


def test_what_is_kept_of_a_file_replaces_what_was() -> None:
    cache = SyntaxCache()
    cache.keep("a.py", ONE)
    later = FileSyntax(b"2", ONE.definitions)
    cache.keep("a.py", later)
    assert cache.find("a.py", b"1", ()) is None
    assert cache.find("a.py", b"2", ()) == later


def test_the_least_recently_used_is_dropped() -> None:
    half = FileSyntax(b"1", (DefinitionSyntax(70_000, (70_000, 70_000)),) * (BYTES_MAX // 2 // 22))
    cache = SyntaxCache()
    for path in ("a.py", "b.py"):
        cache.keep(path, half)
    assert cache.find("a.py", b"1", ()) is not None
    cache.keep("c.py", half)
    assert [cache.find(path, b"1", ()) is not None for path in ("a.py", "b.py", "c.py")] == [True, False, True]
