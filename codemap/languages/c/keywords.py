"""Words that name nothing: keywords, and names that the compiler knows.

Source: ISO/IEC 9899:2018, 6.4.1 "Keywords", 6.4.2.2 "Predefined identifiers", 6.10.8 "Predefined macro names".
"""

from __future__ import annotations

MACRO_NAME = r"[A-Z_][A-Z0-9_]{2,}"
"""Pattern of the names that macros have by convention."""
_RESERVED = rb"__(?!(?:attribute|asm|extension|func|inline|restrict|signed|typeof|volatile)__)[a-z]\w*__"
ATTRIBUTE_LINE = (
    rb"(?m)^" + _RESERVED + rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?"
    rb"(?:[ \t]+" + _RESERVED + rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?)*(?=[ \t]*\r?$)"
)
"""Pattern of macros for attributes (`__attribute_pure__`, `__attribute_nonnull__()`) that have a line at the margin to
themselves: before parameters in brackets the grammar takes them for a function of before C89."""
KEYWORDS = frozenset(
    {
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "defined",
        "_Alignas",
        "_Alignof",
        "_Atomic",
        "_Bool",
        "_Complex",
        "_Generic",
        "_Imaginary",
        "_Noreturn",
        "_Static_assert",
        "_Thread_local",
        "asm",
        "__asm__",
        "typeof",
        "__typeof__",
        "__attribute__",
        "__extension__",
        "__inline",
        "__inline__",
        "__restrict",
        "__volatile__",
        "__VA_ARGS__",
    }
)
BUILTINS = frozenset(
    {
        "__func__",
        "__FUNCTION__",
        "__FILE__",
        "__LINE__",
        "__DATE__",
        "__TIME__",
        "__STDC__",
        "__STDC_VERSION__",
        "__VA_ARGS__",
        "__cplusplus",
        "__GNUC__",
        "__GNUC_MINOR__",
        "__clang__",
        "_MSC_VER",
        "_WIN32",
        "__linux__",
        "__APPLE__",
        "NULL",
        "true",
        "false",
        "bool",
        "size_t",
        "ssize_t",
        "ptrdiff_t",
        "wchar_t",
        "va_list",
        "va_start",
        "va_end",
        "va_arg",
        "va_copy",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "intptr_t",
        "uintptr_t",
        "defined",
        "offsetof",
    }
)
"""Names that mean the same everywhere, whoever defines them anew for an old compiler."""
