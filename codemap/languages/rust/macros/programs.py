"""Programs of the own package that tests start by their names: what they run begins with `main`.

    Command::cargo_bin("shop")    cargo_bin!("shop")    env!("CARGO_BIN_EXE_shop")

Source: the Cargo Book, "Environment Variables Cargo sets for crates"; the documentation of assert_cmd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import UseRole
from codemap.languages.rust.project.specifiers import PROGRAM

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.rust.walk import Walk

STARTERS = frozenset({"cargo_bin", "cargo_bin_cmd"})
"""Functions and macros that are given the name; without one, that of the package."""
READER = "env"
"""The macro that is given the name of a variable."""
_VARIABLE = "CARGO_BIN_EXE_"
_CALL = int(UseRole.CALL)


def start(w: Walk, name: str, arguments: list[Node], at: int) -> None:
    """A use of `main` where a function or macro of that name starts a program."""
    if name not in STARTERS and name != READER:
        return
    text = w.text(arguments[0]) if arguments else ""
    given = text.strip('"') if arguments and arguments[0].type == "string_literal" else ""
    if name == READER:
        if not given.startswith(_VARIABLE):
            return
        given = given.removeprefix(_VARIABLE)
    elif not given and text and "CARGO_PKG_NAME" not in text:
        return
    w.b.use(_CALL, w.b.attribute(w.head(f"{PROGRAM}{given}"), "main"), at)
