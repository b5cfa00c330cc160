"""Flags of symbols as plain integers: combining members of an enumeration costs ten times as much."""

from __future__ import annotations

from codemap.facts import SymbolFlag

EXPORTED = int(SymbolFlag.EXPORTED)
STATIC = int(SymbolFlag.STATIC)
ACCESSOR = int(SymbolFlag.ACCESSOR)
ASYNC = int(SymbolFlag.ASYNC)
GENERATOR = int(SymbolFlag.GENERATOR)
ABSTRACT = int(SymbolFlag.ABSTRACT)
DEFAULT = int(SymbolFlag.DEFAULT)
TYPE_ONLY = int(SymbolFlag.TYPE_ONLY)
AMBIENT = int(SymbolFlag.AMBIENT)
UNNAMED = int(SymbolFlag.UNNAMED)
