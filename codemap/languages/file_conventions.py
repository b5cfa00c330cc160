"""What files are by their names and folders, by the conventions of a language, as data.

Paths are patterns: `*` within a folder, `**` over folders, with a `/` first from the root, with a `!` first what is
none.
"""

from __future__ import annotations

import msgspec


class FileConventions(msgspec.Struct, frozen=True, kw_only=True):
    test_paths: tuple[str, ...] = ()
    """Files that hold tests, beside the folders that all languages have for them."""
    example_paths: tuple[str, ...] = ()
    """The same for examples; what has a `!` first is none, whatever its folder is called."""
    generated_paths: tuple[str, ...] = ()
    """The same for files that a program writes and that do not say so (`*_pb2.py`)."""
    has_tests_inside: bool = False
    """Whether files of the product hold tests, too (`SymbolFlag.TEST`)."""
    package_file: str = ""
    """The file that is the module of its folder, without its suffix; empty where there are no dotted names of files."""
    stub_suffix: str = ""
    """Of a file that states again what the source of the same name beside it defines: `.pyi`."""
    stub_package: str = ""
    """What the name of a folder ends with whose stubs are of the package called like the rest (`app-stubs`)."""
