"""What of a source is layout alone, as data: what may change and leaves the meaning of the code as it is.

Comments are layout in every language, and so is a comma before a closing bracket.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Layout(msgspec.Struct, frozen=True):
    transparent: frozenset[str] = frozenset()
    """Kinds of nodes that only group what is in them: `parenthesized_expression`."""
    optional: frozenset[str] = frozenset()
    """Tokens that may be left out without another meaning: `;`."""
    alike: Mapping[str, str] = {}
    """Kind of a node -> another that means the same."""
    documented: frozenset[str] = frozenset()
    """Kinds of nodes whose first statement is documentation where it is a plain string: `block`."""
