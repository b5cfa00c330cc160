"""Predeclared names that no package declares anew; the others (`min`, `close`, `any`) mean what a package says first.

`slice` and `chan` stand for the types that Go spells with signs. Source: The Go Programming Language Specification,
"Predeclared identifiers".
"""

from __future__ import annotations

from codemap.languages.containers import Container

BUILTINS = frozenset(
    {
        "append",
        "bool",
        "byte",
        "cap",
        "chan",
        "complex128",
        "complex64",
        "error",
        "false",
        "float32",
        "float64",
        "int",
        "int16",
        "int32",
        "int64",
        "int8",
        "iota",
        "len",
        "make",
        "map",
        "nil",
        "panic",
        "rune",
        "slice",
        "string",
        "true",
        "uint",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "uintptr",
    }
)
BUILTIN_MEMBERS = frozenset({"Error"})
"""Methods of predeclared types: a call of one on what nothing is known about is no guess."""
CONTAINERS = {
    "slice": Container(element=-1, value=0),
    "map": Container(element=0, value=1),
    "chan": Container(element=0, value=-1),
}
"""What `range` with one variable gives of them is the element, with two the value, too."""
