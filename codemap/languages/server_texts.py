"""What the texts of language servers say, as data."""

from __future__ import annotations

import msgspec


class ServerTexts(msgspec.Struct, frozen=True, kw_only=True):
    unknown_types: str = ""
    """A pattern of what a server shows as the type of what it knows nothing of; empty: its types are not looked at."""
    module_types: str = ""
    """A pattern of what a server shows as the type of a module; empty where members of modules look alike."""
    member_probe: str = ""
    """Text that uses two members, `{name}` and `{other}`, each at the end of a line, of a value of the class `{cls}`:
    at the end of a file it says, by what is wrong with it, which of them the class has."""
