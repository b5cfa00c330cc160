"""Finds the name of the function that ran, which most traces print before the place of a frame.

Compilers add to it what no source says: the class around it, arguments, closures, a hash. What is found is the name as
it is defined.

Sources: the traces of V8, Vitest, the JVM, .NET, Go and Rust, gdb and sanitizers.
"""

from __future__ import annotations

import re

_LINE_MAX = 400
"""Characters that are looked at before a place, so that many places cost a time linear in the text."""

_FORMS = {
    "(": (r"\bat (?:async |new )*(?:[\w$.<>/@-]+[./])?([\w$<>]+)(?: \[as \w+\])? ?\($",),  # V8, the JVM
    ")": (
        r"\bat [\w.`+<>\[\], ]*<(\w+)>[\w|]*\.MoveNext\([^()]*\)$",  # .NET, asynchronous
        r"\bat (?:[\w.`+<>\[\], ]+\.)?(\w+)(?:`\d+)?(?:\[[\w, ]*\])?\([^()]*\)$",  # .NET
    ),
    " ": (
        r"❯ (?:[\w$]+\.)*([\w$]+) $",  # Vitest
        r"^ *#\d+ .*?\bin (?:[\w~<>, *&]+::)*([\w~]+)(?:<[^()]*>)?(?:\(.*\))?(?: const)? $",  # sanitizers
        r"^ *#\d+ +(?:0x[0-9a-f]+ in )?(?:[\w~<>, *&]+::)*([\w~]+)(?:<[^()]*>)? ?\(.*\)(?: const)? at $",  # gdb
    ),
}
_BY_END = {end: tuple(map(re.compile, forms)) for end, forms in _FORMS.items()}
"""By the character before the place."""
_GO = re.compile(
    r"^(?:created by )?(?:[\w./@~-]*/)?[\w-]+"  # the package
    r"((?:\.(?:\(\*?\w+(?:\[[.\w]*\])?\)|\w+(?:\[[.\w]*\])?))+)(?:\(.*\)| in goroutine \d+)$"
)
_RUST = re.compile(r"^ *\d+: +(?:0x[0-9a-f]+ - )?(\S.*)$")
_OF_COMPILER = re.compile(r"::\{\{closure\}\}|::\{closure#\d+\}|::h[0-9a-f]{16}$|::<[^<>]*>")
_GO_CLOSURE = re.compile(r"(?:func)?\d+|gowrap\d+")
_NAMELESS = frozenset(("anonymous", "<anonymous>", "<init>", "<clinit>", "invoke"))
"""What traces call that for which the source has no name, or another."""


def function_before(text: str, at: int) -> str:
    """The function that a trace names before the place at an offset, on its line or the one above; empty where it
    names none."""
    begin = text.rfind("\n", 0, at) + 1
    line = text[max(begin, at - _LINE_MAX) : at]
    for form in _BY_END.get(line[-1:], ()):
        if match := form.search(line):
            return _as_defined(match[1])
    if line.strip() not in ("", "at") or begin < 2:
        return ""
    above = text[max(text.rfind("\n", 0, begin - 1) + 1, begin - _LINE_MAX) : begin - 1]
    if match := _RUST.match(above):
        return _OF_COMPILER.sub("", match[1]).rpartition("::")[2].strip("<>")
    if match := _GO.match(above):
        names = [part.partition("[")[0] for part in match[1].split(".") if part and not part.startswith("(")]
        return next((name for name in reversed(names) if not _GO_CLOSURE.fullmatch(name)), "")
    return ""


def _as_defined(name: str) -> str:
    """The name without what the JVM's compilers add: `lambda$take$0` is of `take`."""
    if name.startswith("lambda$"):
        name = name.split("$")[1]
    return "" if name in _NAMELESS else name
