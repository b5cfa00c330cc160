"""How the walk spells what it asks of the modules of a crate."""

from __future__ import annotations

CRATE, SELF, SUPER = "crate", "self", "super"
MACROS_OF = "macros of "
MACROS_USED = "#[macro_use]"
"""The member of a crate's root that is the crates whose macros all of its files see."""
"""The beginning of the specifier of all files of a crate: macros that any of them exports are at its root."""
ROOT_2015 = "crate of 2015"
"""The specifier of the crate's root where paths of imports begin there without saying so."""
MODULE, PATH = "mod ", "path "
"""What the specifiers of modules in other files begin with: by their name, and by a path that is stated."""
PROGRAM = "program "
"""What the specifier of a binary of the package begins with: by its name; without one, by that of the package."""
PACKAGE = "package "
"""What the specifier of a package's library begins with, whoever names it: by what its manifest calls the package."""


def specifier_outside(package: str, specifier: str) -> str:
    """What a specifier of a crate means where its package is: a manifest may call a crate whatever it likes."""
    return f"{MACROS_OF if specifier.startswith(MACROS_OF) else ''}{PACKAGE}{package}"
