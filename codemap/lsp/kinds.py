"""Maps the protocol's kinds of symbols to those of the map.

Source: LSP 3.17, SymbolKind.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from codemap.live_queries import Kind

_KINDS: Mapping[int, Kind] = MappingProxyType(
    {
        1: Kind.FILE,
        2: Kind.MODULE,
        3: Kind.MODULE,  # Namespace
        4: Kind.MODULE,  # Package
        5: Kind.CLASS,
        6: Kind.METHOD,
        7: Kind.PROPERTY,
        8: Kind.PROPERTY,  # Field
        9: Kind.METHOD,  # Constructor
        10: Kind.ENUM,
        11: Kind.INTERFACE,
        12: Kind.FUNCTION,
        13: Kind.VARIABLE,
        14: Kind.VARIABLE,  # Constant
        22: Kind.PROPERTY,  # EnumMember
        23: Kind.CLASS,  # Struct
        24: Kind.PROPERTY,  # Event
        25: Kind.FUNCTION,  # Operator
        26: Kind.TYPE_ALIAS,  # TypeParameter, which servers use for aliases too
    }
)


def kind_of(symbol_kind: int) -> Kind:
    """Literals, objects, keys and what the protocol does not know are OTHER."""
    return _KINDS.get(symbol_kind, Kind.OTHER)
