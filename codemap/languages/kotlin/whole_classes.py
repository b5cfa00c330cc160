"""Classes that have neither a body nor a constructor, behind the arguments of an annotation."""

from __future__ import annotations

_MODIFIERS = rb"(?:[a-z]+[ \t]+){0,4}"
WHOLE_CLASS = (
    rb"\)[ \t]*(?:\n[ \t]*)?" + _MODIFIERS + rb"class[ \t]+\w+[ \t]*(?P<end>\n)"
    rb"(?!\s*(?:@[\w.:]+(?:\([^()\n]{0,200}\))?\s+|[a-z]+\s+){0,8}constructor\b)"
    rb"(?=\s*(?:@|" + _MODIFIERS + rb"(?:class|interface|object|fun|val|var|typealias)\b))"
)
"""Its `end` is the end of the line, below which something else begins."""
