"""What is used in a language although no code of the repository names it, as data for the search for unused code.

Patterns are regular expressions that must match a whole name, or be found in a path relative to the root, with `/`;
an empty one matches nothing.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

import msgspec


class Publicity(Enum):
    """Who may use a definition from outside the repository, where that is a library."""

    EXPORTED = "exported"
    """Whoever sees its file: it and its owners are exported (`SymbolFlag.EXPORTED`)."""
    ENTRIES = "entries"
    """Whoever imports the package: what its entry files export."""


class Liveness(msgspec.Struct, frozen=True, kw_only=True):
    publicity: Publicity = Publicity.EXPORTED
    needs_package: bool = False
    """Whether only what a manifest declares to be a package can be imported from outside."""
    unpublished: str = ""
    """Found in the manifest of a package that is not for others."""
    library_roots: frozenset[str] = frozenset()
    """Base names of files of which a package has one if it is a library (`lib.rs`); none: any package may be one."""
    program_packages: frozenset[str] = frozenset()
    """Packages that nothing imports (`main` of Go)."""
    private_paths: str = ""
    """Files that nobody outside the repository imports."""
    private_names: str = ""
    """Names that nobody outside uses, whatever their flags say."""
    private_signatures: str = ""
    """Found in the signature of a member that only its class uses."""
    runtime_names: str = ""
    """Functions, members and variables that the language or its library uses by their names."""
    contract_names: str = ""
    """Members that things outside ask for by their names, whatever the class is (`toString`)."""
    unnamed_calls: str = ""
    """Functions and methods that the language runs where their names do not stand: operators, conversions, hooks."""
    plain_decorators: frozenset[str] = frozenset()
    """Last names of decorators that leave the use of a definition to who names it."""
    has_unnamed_attributes: bool = False
    """Whether attributes are on the lines above a definition, and facts do not name them."""
    plain_bases: frozenset[str] = frozenset()
    """Bases outside the repository that run no method of their heirs but those of `runtime_names`."""
    loads_files: bool = False
    """Whether a file runs only when another imports it, or something starts it."""
    package_file: str = ""
    """Base name of the file that runs when any file of its folder is imported."""
    program_mark: str = ""
    """A word that is in files that are programs."""
    loaded_paths: str = ""
    """Files that tools load by their paths."""
    loaded_names: str = ""
    """Definitions that tools look up in files that they load by their paths; of the other files, nothing."""
    imports_whole: bool = False
    """Whether a module that is imported as a value may be asked for any of its names."""
    names_values: bool = False
    """Whether a function in the place of a value may have a name for itself, which nothing outside it sees:
    `return function handle() {}`."""
    override_signatures: str = ""
    """Found in the signature of a method that overrides one of a base."""
    bound_signatures: str = ""
    """Found in the signature of one that is a variable's, which facts bind only where something uses it."""
    destructures: bool = False
    """Whether what declares a variable may ask for a member of its name (`const {name} = value`)."""
    computed_names: str = ""
    """Found in sources that ask for a member by a name that they compute. What such a source has as the beginning or
    the end of a text may begin or end the name of a member."""
    computed_members: str = ""
    """Found in a source that asks for what it defines itself by names that it has from elsewhere."""
    pasting_macros: str = ""
    """Found where a macro is defined that may join words to new ones by `##`: its first group are the parameters, its
    second the text."""
    set_for_imports: str = ""
    """Found in the signature of what files that are imported below it may read (`#define`)."""
    imported_paths: str = ""
    """Files that are there for others to import: what is so set in them may be used from outside."""
    comment_names: str = ""
    """Found in a comment that means a definition: the name is its first group (`//export NAME`)."""


def is_name(pattern: str, name: str) -> bool:
    """Whether a whole name matches."""
    return bool(pattern) and _compiled(pattern).fullmatch(name) is not None


def is_found(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a path or another text."""
    return bool(pattern) and _compiled(pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
