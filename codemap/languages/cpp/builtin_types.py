"""Builtin types, and what literals and operators give.

Source: ISO/IEC 14882:2020, 5.13 "Literals", 6.8.2 "Fundamental types", 7.6 "Compound expressions".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.languages.c.walk import Walk
from codemap.languages.cpp.conversions import NAMES
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_SIZE = "unsigned long"
_SUFFIXES = {
    "": "int",
    "u": "unsigned int",
    "l": "long",
    "ul": "unsigned long",
    "lu": "unsigned long",
    "ll": "long long",
    "ull": "unsigned long long",
    "llu": "unsigned long long",
    "z": "long",
    "uz": _SIZE,
    "zu": _SIZE,
}
_INT_MAX = (1 << 31) - 1
_PREFIXES = {"": "char", "L": "wchar_t", "u": "char16_t", "U": "char32_t"}


def primitive(w: Walk, node: Node) -> int:
    """`int`, `size_t`."""
    assert isinstance(w, CppWalk)
    name = NAMES.get(w.text(node))
    return NONE if name is None else w.literal(name)


def sized(w: Walk, node: Node) -> int:
    """`unsigned long long int`."""
    assert isinstance(w, CppWalk)
    words = w.text(node).split()
    name = "char" if "char" in words else "short" if "short" in words else "long " * words.count("long")
    sign = "unsigned " if "unsigned" in words else "signed " if name == "char" and "signed" in words else ""
    if "double" in words:
        name = "long double"
    name = f"{sign}{name.strip() or 'int'}"
    return w.literal(name) if name in NAMES else NONE


def number(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    text = w.chars[node.start_byte : node.end_byte].replace("'", "").lstrip("+-").lower()
    is_hex = text.startswith("0x")
    if "." in text or ("p" if is_hex else "e") in text:
        return w.literal("float" if text.endswith("f") else "long double" if text.endswith("l") else "double")
    if text == "0":
        return w.b.union(w.literal("int"), w.literal("nullptr_t"))
    digits = re.match(r"0x[0-9a-f]+|0b[01]+|[0-9]+", text)
    if digits is None or text[digits.end() :] not in _SUFFIXES:
        return NONE
    name = _SUFFIXES[text[digits.end() :]]
    if name == "int" and not is_hex and len(digits[0]) > 9:
        return NONE
    return w.literal(name)


def character(w: Walk, node: Node) -> int:
    """`'a'`, `L'a'`; several are an int."""
    assert isinstance(w, CppWalk)
    prefix, _, rest = w.chars[node.start_byte : node.end_byte].partition("'")
    name = _PREFIXES.get(prefix)
    if name is None:
        return NONE
    return w.literal("int" if len(rest) > 2 and not rest.startswith("\\") else name)


def string(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    name = _PREFIXES.get(w.chars[node.start_byte : node.end_byte].partition('"')[0].removesuffix("R"))
    return NONE if name is None else w.literal(f"{name}*")


def strings(w: Walk, node: Node) -> int:
    """Strings beside one another are one; among macros nothing is known of the prefix."""
    return string(w, node) if node.named_children and node.named_children[0].type == "string_literal" else NONE


def truth(w: Walk, _node: Node) -> int:
    assert isinstance(w, CppWalk)
    return w.literal("bool")


def null(w: Walk, node: Node) -> int:
    """`nullptr`; `NULL` may be a number."""
    assert isinstance(w, CppWalk)
    return w.literal("nullptr_t") if w.text(node) == "nullptr" else NONE


def size(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    visit_children(w, node)
    return w.literal(_SIZE)
