"""Facts without prose: what a team shares that lets only names leave its machines.

Left out are signatures and docs (`texts`), with the values of constants that stand in signatures; the words of docs and
bodies that search in words needs; and the marks of all words, which whoever reads the entry makes from the source.
Edges depend on none of these. What is left are names of definitions, parameters and modules, and positions.
"""

from __future__ import annotations

from array import array

import msgspec

from codemap.facts import FileFacts, Symbol


def names_only(facts: FileFacts) -> FileFacts:
    """Makes the facts that are shared under `--facts-share names`."""
    symbols = array("i", facts.symbols)
    for column in (Symbol.SIGNATURE, Symbol.DOC):
        symbols[column :: Symbol.WIDTH] = array("i", [-1]) * (len(symbols) // Symbol.WIDTH)
    return msgspec.structs.replace(facts, texts=(), symbols=symbols.tobytes(), words="", wording=b"", marks=b"")


def with_marks(facts: FileFacts, marks: bytes) -> FileFacts:
    """Completes facts with the marks of their source."""
    return msgspec.structs.replace(facts, marks=marks)
