"""What bare names may mean, as data: what is bound without an import, what files offer, where definitions may be."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Scopes(msgspec.Struct, frozen=True, kw_only=True):
    builtins: frozenset[str] = frozenset()
    """Names that are bound in every file without an import."""
    library: frozenset[str] = frozenset()
    """Functions of the standard library that files name without saying so. What some builds alone define under such a
    name replaces the library's where that has none."""
    everywhere: tuple[str, ...] = ()
    """Types outside, by names that no program can spell, which the repository adds to: what they have, every bare name
    may mean, in product code that of the first, in other files that of the second."""
    global_objects: Mapping[str, str] = {}
    """Builtin value whose members are the definitions that every file sees -> the type that it is of, or an empty
    string."""
    private_prefix: str = ""
    """Names that begin so are not brought by a star import, unless the module lists them."""
    exports_bindings: bool = False
    """Whether every module-level name can be imported, exported or not."""
    exports_hide: bool = True
    """Whether a module that lists exports offers no other names to star imports (`__all__`)."""
    hides_locals: bool = False
    """Whether what a function defines is no member of anything: `x.save()` does not mean a `save` inside a function."""
    defines_in_blocks: bool = False
    """Whether a function that is not exported, at the top of a file, is in a block, which may be run for any object: it
    may be what a member access means."""
    sees: str = "imports"
    """The definitions that a bare name may mean which its file does not bind: those that star imports bring
    (`imports`), the top level of every file that the file includes, over any number of others (`includes`; an include
    is a star import), or the top level of every file of the family (`all`)."""
    has_ambient: bool = False
    """Whether files may declare what every file sees, what modules outside offer, and further members of types that are
    defined elsewhere: see `SymbolFlag.AMBIENT`."""
    has_parts: bool = False
    """Whether members of a definition may stand apart from it without naming its file (`impl`, extensions): a part of
    a type outside adds to that, and to those that its values may be handed on as (`converts`)."""
    declares_packages: bool = False
    """Whether files say what package or namespace they belong to: `modules` reads it."""
    imports_packages: bool = False
    """Whether an import loads all files of a folder that belong to one package."""
    builds_choose_files: bool = False
    """Whether a build chooses among files by their names or first lines, so that parts of a definition in several files
    may each define the same member: `open_linux.go`, `open_windows.go`."""
    is_loaded_at_run_time: bool = False
    """Whether of several definitions of one name in a namespace, the code that runs decides which one there is: each of
    them may be meant."""
    unbound_is_outside: bool = False
    """Whether a bare name that means nothing in the repository can only be defined outside."""
    macros: str = ""
    """Pattern of the names that macros are called by outside of functions and initial values; empty where there are
    none."""

    @property
    def shares_names(self) -> bool:
        """Whether what a name means may be in a file that nothing names: definitions are looked up by name, then."""
        return self.declares_packages or self.has_parts or self.sees != "imports"
