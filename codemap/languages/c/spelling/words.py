"""The kinds of words that C has, and what names of macros and types look like.

Source: ISO/IEC 9899:2018, 6.4.1 "Keywords", 7.1.3 "Reserved identifiers".
"""

from __future__ import annotations

import re

QUALIFIERS = frozenset(
    b"static extern inline __inline __inline__ register typedef auto const volatile restrict _Thread_local _Noreturn"
    b" __restrict __volatile__ __extension__ __attribute__ _Atomic constexpr".split()
)
TAGS = frozenset((b"struct", b"union", b"enum"))
BUILTIN = frozenset(b"void char short int long float double signed unsigned _Bool bool __int128".split())
TYPEOF = frozenset((b"typeof", b"__typeof__", b"__typeof", b"typeof_unqual"))
STATEMENTS = frozenset(
    b"return if else for while do switch case default goto break continue sizeof asm __asm__".split()
)
_SIZED = re.compile(rb"\w*(?:_t|\d+)\Z")
_RESERVED = re.compile(rb"_[A-Z_]")


def is_attribute(word: bytes) -> bool:
    """Whether a word looks like a macro that says something of a declaration: reserved to the implementation, or in
    capitals; names of types that end in their size (`__be16`) do not."""
    return (_RESERVED.match(word) is not None or (word.isupper() and len(word) > 2)) and not _SIZED.match(word)


def is_sized(word: bytes) -> bool:
    """Whether a word looks like a type's name: `size_t`, `u64`."""
    return _SIZED.match(word) is not None
