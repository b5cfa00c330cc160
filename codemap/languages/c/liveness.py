"""What C, C++ and their libraries use by name. Source: ISO/IEC 9899:2018, 7.1.3 "Reserved identifiers", which a program
defines for the headers of its system to read; 6.10.3.3 "The ## operator"; ISO/IEC 14882:2020, "Iterator traits",
"Allocator traits", "Container requirements", "Coroutine traits"; destructors and operators, which no name in the source
calls."""

from codemap.languages.liveness import Liveness

LIVENESS = Liveness(
    runtime_names=(
        r"~\w+|operator\W.*|_[A-Z][A-Z\d_]*|__[A-Z\d_]+"
        r"|(?:difference|value|size|key|mapped|element|allocator|result|argument|state|char|int|off|pos|traits|promise)_type"
        r"|(?:const_)?(?:pointer|reference|iterator)|(?:const_)?reverse_iterator|(?:const_)?void_pointer"
        r"|iterator_(?:category|concept)|is_(?:always_equal|transparent|avalanching)|propagate_on_container_\w+|rebind"
    ),
    unnamed_calls=r"~\w+|operator\b.*",
    pasting_macros=r"(?m)^[ \t]*#[ \t]*define[ \t]+\w+\(([^)]*)\)((?:[^\\\n]|\\\r?\n|\\.)*)",
    imported_paths=r"\.(?:h|hh|hpp|hxx)\Z",
    set_for_imports=r"\A\s*#\s*define\b",
)
