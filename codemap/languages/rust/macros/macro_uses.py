"""What a use of a macro means, and what it gives.

Source: the Rust Reference, "Macros By Example", "Scoping, Exporting, and Importing".
"""

from __future__ import annotations

from collections.abc import Sequence

from codemap.fact_building.builder import NONE
from codemap.facts import Op
from codemap.languages.rust import paths
from codemap.languages.rust.builtins import MACROS
from codemap.languages.rust.project.specifiers import CRATE, MACROS_OF, MACROS_USED
from codemap.languages.rust.walk import Walk


def meaning(w: Walk, taken: paths.Parts) -> int:
    """The macro that a path means; NONE for those of the standard library."""
    b, names = w.b, taken.names
    name = w.text(names[-1]) if names else ""
    if len(names) != 1:
        value = paths.resolve_path(w, taken._replace(names=names[:-1]), paths.QUIET, is_prefix=True)
        found = b.attribute(value, f"{name}!")
        return b.either(found, _exported(w, w.text(names[0]), name)) if len(names) == 2 else found
    if name in w.macros:
        return b.expr(Op.SYMBOL, w.macros[name])
    imported = w.macro_paths.get(name, NONE)
    if name in MACROS and imported == NONE:
        return NONE
    found = w.item(f"{name}!")
    if imported != NONE:
        found = b.either(b.attribute(imported, f"{name}!"), found)
    if name in w.macro_crates:
        found = b.either(found, _exported(w, w.macro_crates[name], name))
    own = w.head(CRATE)
    found = b.either(found, b.attribute(own, f"{name}!"))
    return b.either(found, b.attribute(b.attribute(own, MACROS_USED), f"{name}!"))


def _exported(w: Walk, crate: str, name: str) -> int:
    """A macro that any file of a crate exports: it is at the root."""
    return w.b.attribute(w.head(f"{MACROS_OF}{crate}"), f"{name}!")


def expanded(w: Walk, macro: int, given: Sequence[int]) -> int:
    """What a macro gives for some arguments, by whose number one of its rules is chosen."""
    if macro == NONE:
        return NONE
    known = [w.unknown() if value == NONE else value for value in given[-1:]]
    return w.b.expr(Op.EXPANDED, macro, w.b.args([*given[:-1], *known]))
