"""Names of the package kotlin that programs do not declare anew, and what every class and data class has.

Source: the documentation of the packages kotlin and kotlin.collections.
"""

from __future__ import annotations

from codemap.languages.jvm.semantics import ARRAY, names

BUILTINS = frozenset({ARRAY}) | names(
    "Any Array Boolean Byte ByteArray Char CharArray CharSequence Comparable Double DoubleArray Exception Float"
    " FloatArray IllegalArgumentException IllegalStateException Int IntArray Iterable Iterator List Long LongArray Map"
    " MutableList MutableMap MutableSet Nothing NullPointerException Number RuntimeException Sequence Set Short String"
    " StringBuilder Throwable UnsupportedOperationException Unit"
)
IN_EVERY_CLASS = names(
    "apply also let run takeIf takeUnless to equals hashCode toString copy component1 component2 component3 component4"
    " component5 name ordinal entries values valueOf compareTo javaClass"
)
"""Methods of Any, of data classes and enums, and functions that extend every type."""
INFIX = names("to until downTo step and or xor shl shr ushr in zip")
_NUMBERS = ("Byte", "Short", "Int", "Long", "Float", "Double")
_ABOVE = ("Comparable", "Any")
CONVERTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_NUMBERS, ("Number", *_ABOVE)),
    "Int": ("Long", "Short", "Byte", "Number", *_ABOVE),
    "Char": _ABOVE,
    "Boolean": _ABOVE,
    "String": ("CharSequence", *_ABOVE),
}
"""A literal that reads as an Int may be another whole number."""
_COLLECTION = ("Collection", "Iterable")
ABOVE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("List", "Set"), _COLLECTION),
    "MutableList": ("List", "MutableCollection", *_COLLECTION, "MutableIterable"),
    "MutableSet": ("Set", "MutableCollection", *_COLLECTION, "MutableIterable"),
    **dict.fromkeys(("ArrayList", "LinkedList"), ("MutableList", "List", "MutableCollection", *_COLLECTION)),
    **dict.fromkeys(("HashSet", "LinkedHashSet"), ("MutableSet", "Set", "MutableCollection", *_COLLECTION)),
    "MutableCollection": _COLLECTION,
    "Collection": ("Iterable",),
    **dict.fromkeys(("HashMap", "LinkedHashMap"), ("MutableMap", "Map")),
    "MutableMap": ("Map",),
    "StringBuilder": ("CharSequence", "Appendable"),
}
"""Collections of the standard library, as its documentation shows them."""
TEXT_TO_TEXT = names(
    "format lowercase padEnd padStart prependIndent removePrefix removeSuffix repeat replace replaceFirst substring"
    " trim trimEnd trimIndent trimMargin trimStart uppercase"
)
"""Methods of a string that give a string."""
