"""Another spelling, of the same length, of source that the grammar cannot read: methods called `super`, `self`.

Source: the Ruby documentation, "Methods", "Keywords".
"""

from __future__ import annotations

import re

_KEYWORD = re.compile(rb"(?<=\bdef )(?:super|self)\b(?![.?!]|\s*[.=])|(?<=\bdef self\.)super\b")


def repair(source: bytes) -> bytes:
    """The source as the parser can read more of it; the same where nothing is to be done."""
    return _KEYWORD.sub(lambda found: b"_" * len(found[0]), source)
