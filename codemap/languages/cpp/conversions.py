"""Builtin types by name, and which others their values convert to.

Names are those of the standard, signs before sizes; those of fixed widths mean what they do on 64-bit machines but
Windows'. A pointer or array has a star for each behind the name of what it points to.

Source: ISO/IEC 14882:2020, 6.8.2 "Fundamental types", 7.3 "Standard conversions", 12.4 "Overload resolution"; System V
ABI, AMD64, 3.1.2 "Data Representation".
"""

from __future__ import annotations

ANY = "<any>"
"""The type of a parameter that takes any value as what it is, as those of templates do."""
VOID = "void"
_SHORT = ("bool", "char", "signed char", "unsigned char", "char8_t", "char16_t", "short", "unsigned short")
_WHOLE = (*_SHORT, "wchar_t", "char32_t", "int", "unsigned int", "long", "unsigned long", "long long")
_ARITHMETIC = (*_WHOLE, "unsigned long long", "float", "double", "long double")
_POINTERS = tuple(name + stars for stars in ("*", "**") for name in (VOID, *_ARITHMETIC))
_NONE_NEARER = ""
CONVERTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_ARITHMETIC, (_NONE_NEARER, *_ARITHMETIC)),
    **dict.fromkeys(_SHORT, ("int", *_ARITHMETIC)),
    "float": ("double", *_ARITHMETIC),
    "nullptr_t": (_NONE_NEARER, *_POINTERS),
    **dict.fromkeys(_POINTERS, (_NONE_NEARER, "void*", "bool")),
    "*": (ANY,),
}
"""Builtin type -> what its values are promoted to, and what they convert to."""
_FIXED = {
    "int8_t": "signed char",
    "int16_t": "short",
    "int32_t": "int",
    "int64_t": "long",
    "ssize_t": "long",
    "ptrdiff_t": "long",
    "intptr_t": "long",
    "uint8_t": "unsigned char",
    "uint16_t": "unsigned short",
    "uint32_t": "unsigned int",
    "uint64_t": "unsigned long",
    "uintptr_t": "unsigned long",
    "size_t": "unsigned long",
}
NAMES = {name: name for name in (*_ARITHMETIC, "nullptr_t", VOID)} | _FIXED
"""Builtin types as they are spelt -> as they are called here."""
