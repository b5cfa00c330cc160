"""How the tests of a language are named and run: data and two pure functions of its plug-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

Selected = Mapping[str, Sequence[str]]
"""File that holds tests -> what selects those of them that are to run; nothing where it is to run whole."""


class TestRunner(msgspec.Struct, frozen=True):
    name: str
    """As people call it: `pytest`."""
    select: Callable[[str, str], str | None]
    """(file, qualified name of a definition in it, or empty) -> what selects the test that the definition is a part
    of, empty for the whole file; None where it is part of no test."""
    join: str
    """What is between a file and the selector of a test in it: `::`; empty where selectors are never joined to
    their file."""
    command: Callable[[Selected, Mapping[str, bytes]], str]
    """(what is to run, configuration files by path) -> one command that runs it, for a POSIX shell; of nothing, one
    that runs all tests; empty where nothing says how."""
    select_made: Callable[[str], str] | None = None
    """Header of a test that a macro makes, which is shown by a name of no use to the runner -> what selects it; empty
    for the whole file. Such a runner takes files for tests whole that have none, if `case_files` or an entry function
    says so."""
    widen: Callable[[str], str] | None = None
    """Selector of a test -> what selects its group, where too many are to run to be named one by one."""
    is_of_folders: bool = False
    """Whether the command names the folders of the files instead of these."""
    is_marked: bool = False
    """Whether a method is a test by what is written on it (`SymbolFlag.CASE`); else `select` knows it by its name."""
    case_names: str = ""
    """Methods that are tests by their names, too."""
    case_signatures: str = ""
    """Found in the signatures of functions that are tests, beside all types."""
    prefers_marks: bool = False
    """Whether these names count only in files where nothing is marked."""
    hook_names: str = ""
    """Methods that are run with all tests of their class by their names (`setUp`)."""
    class_names: str = ""
    """Classes that hold tests though no method of theirs is one: they inherit them."""
    names_modules: bool = False
    """Whether a module of tests may be run whole: what is used in it outside of functions may be what makes tests."""
    base_names: str = ""
    """Found in the name of a base that may have them, or by which methods are tests by their names; empty: any."""
    case_files: str = ""
    """Found in the paths of files that hold tests. Of others that `select` takes, one that exports something does only
    if it is marked itself."""


class Injection(msgspec.Struct, frozen=True):
    """How a test framework runs functions for those that name them as a parameter."""

    decorators: frozenset[str]
    """Last names of the decorators that mark them."""
    shared_files: frozenset[str]
    """Base names of files whose functions are for all of their folder."""
    named_in: str
    """Pattern of the code before a string that names one, to its opening quote."""
