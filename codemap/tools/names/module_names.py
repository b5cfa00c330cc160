"""Compares names of modules with the paths of files. A module alone means its file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import language_of
from codemap.root_paths import is_of_other_root


def find_module(snapshot: Snapshot, names: Sequence[str]) -> list[str]:
    """The files of a module, whose paths end with its names."""
    names = [_as_module(name) for name in names]
    files = [file for file in snapshot.files if _module_parts(file.path)[-len(names) :] == names] if names else []
    files = [file for file in files if not is_of_other_root(file.path)] or files
    return [file.own_id for file in [file for file in files if role_of(file.path) is Role.PRODUCT] or files]


def is_below(path: str, modules: Sequence[str]) -> bool:
    """Whether a path has the names of some modules, in order."""
    parts = iter(_module_parts(path))
    return all(_as_module(each) in parts for each in modules)


def is_held_by(path: str, module: str) -> bool:
    """Whether a file is a module or in the folder of that name; where a module is a folder, the latter."""
    language = language_of(path)
    is_folder = language is not None and language.scopes.imports_packages
    return _as_module(module) in (_module_parts(path)[-2:-1] if is_folder else _module_parts(path)[-2:])


def _module_parts(path: str) -> list[str]:
    """The names of folders, and of the file without what it ends in where it is not the folder's own."""
    folders, slash, base = path.rpartition("/")
    stem, language = base.partition(".")[0], language_of(path)
    module = folders if language is not None and stem == language.files.package_file else f"{folders}{slash}{stem}"
    return [_as_module(part) for part in re.split(r"[/.]", module)]


def _as_module(name: str) -> str:
    """As names of modules and of folders compare: packages have hyphens where sources cannot."""
    return name.lower().replace("-", "_")
