"""Reads node IDs as people and models shorten them.

A path has one language, so that `app/store.py#Store.get` and `app/store.py` always mean one node; the end of a path
does where one file has it. An ID of another language than its file's, or without the namespaces around it, means the
only one of its file that it can mean. `app/store.py:12` is the definition around that line, as searches of lines print
it; `app/store.py::Store::get` is what a test runner writes. Of several of one name in a file, `Store.get~2` is the
second. What is no ID is a qualified name (`qualified_names`), or that of a module (`module_names`).
"""

from __future__ import annotations

import re

from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import BadNodeId, external_id, file_id, parse_id, without_ordinal
from codemap.languages import language_of
from codemap.root_paths import is_of_other_root
from codemap.tools.names.module_names import find_module
from codemap.tools.names.qualified_names import find_named, find_spelled, is_outermost, split_name

_IN_FILE = re.compile(r"(?P<path>[^:\n]*\.\w+):{1,2}(?:(?P<line>\d{1,9})(?::\d+)?|(?P<name>[^\d:\n][^\n]*))")
_NUMBERED = re.compile(r"(?P<name>[^\n]+)~(?P<ordinal>\d{1,4})")
_PRIVATE = re.compile(r"(?:\A|\.)#\w")
"""A name that begins with `#`, as JavaScript's private members do, alone or behind its class."""


def long_ids(snapshot: Snapshot, text: str) -> list[str]:
    """The IDs that a text which is none may mean, the best hub first; the only one is what it means.

    That of a file that is not in the map, or of a name that its file has not there, is made nevertheless.
    """
    if text in snapshot.by_path:
        return [snapshot.by_path[text].own_id]
    if _PRIVATE.search(text) and snapshot.find_by_suffix(text):
        return find_named(snapshot, text.split("."))
    path, hash_, name = text.partition("#")
    name = name.replace("::", ".")
    files = _find_file_ids(snapshot, path)
    if not hash_:
        return (
            files
            or _find_in_file(snapshot, text)
            or _find_numbered(snapshot, text)
            or _find_named_or_module(snapshot, text)
        )
    whole = [f"{file}#{name}" for file in files] if name else []
    known = [one for one in whole if snapshot.find(one) is not None]
    language = language_of(path)
    if language is None and name and not files:
        return find_named(snapshot, split_name(snapshot, f"{path}.{name}"))
    made = f"{file_id(language.name, path)}#{name}" if language is not None and name and not files else ""
    return known or whole or [one for one in (made,) if _is_id(one)]


def corrected_id(snapshot: Snapshot, text: str) -> str:
    """The ID that a whole one means, whose language or namespaces are not those of its file; else itself. Raises
    BadNodeId."""
    if snapshot.find(text) is None and "#" in text:
        path, _, name = text.partition("#")
        text = f"{path}#{name.replace('::', '.')}"
    wanted = parse_id(text)
    file = snapshot.by_path.get(wanted.path)
    if file is None and "::" in text:
        raise BadNodeId(f"{text!r} is a qualified name")  # `std::vector` is spelled like a file of a language `std`
    if file is None or snapshot.find(text) is not None:
        return text
    own = f"{file.own_id}#{text.partition('#')[2]}" if wanted.name else file.own_id
    if snapshot.find(own) is not None:
        return own
    its = range(file.base, file.base + file.symbol_count)
    inner = [node for node in find_spelled(snapshot, wanted.name) if node in its]
    if "." not in wanted.name:
        inner = [node for node in inner if is_outermost(snapshot, node, (wanted.name,))]
    names = {snapshot.qualified_name_of(node) for node in inner}
    return snapshot.id_of(min(inner)) if len(names) == 1 else own


def say_where(path: str) -> str:
    """Where a path that is not in the map may be known; empty where it is written like one of this root."""
    if not is_of_other_root(path):
        return ""
    return (
        " Of other roots, map_neighbors, map_path, map_search and map_code know those that are served and have a "
        "package in common with this one; for other tools ask that root itself, without @name/."
    )


def _is_id(text: str) -> bool:
    try:
        parse_id(text)
    except BadNodeId:
        return False
    return True


def _find_file_ids(snapshot: Snapshot, path: str) -> list[str]:
    """The file of a path, as it is or as IDs write it; else those whose paths end with it."""
    wanted = path.removeprefix("./")
    written = parse_id(f"x:{wanted}").path if _is_id(f"x:{wanted}") else wanted
    whole = snapshot.by_path.get(wanted) or snapshot.by_path.get(written)
    if whole is not None:
        return [whole.own_id]
    found = [file for file in snapshot.files if file.path.endswith(f"/{wanted}")] if wanted else []
    return [file.own_id for file in [file for file in found if not is_of_other_root(file.path)] or found]


def _find_in_file(snapshot: Snapshot, text: str) -> list[str]:
    """What a path means that a line, or a qualified name, follows behind a colon."""
    match = _IN_FILE.fullmatch(text)
    files = _find_file_ids(snapshot, match["path"]) if match is not None else []
    if match is None or len(files) != 1:
        return files
    if match["line"] is None:
        return [f"{files[0]}#{'.'.join(split_name(snapshot, match['name']))}"]
    file = snapshot.by_path[parse_id(files[0]).path]
    return [snapshot.id_of(file.base + file.innermost_row(int(match["line"])))]


def _find_numbered(snapshot: Snapshot, text: str) -> list[str]:
    """What a name with a number means (`Store.get~2`): of what has the name, the one of that number in its file."""
    match = _NUMBERED.fullmatch(text)
    if match is None:
        return []
    firsts = dict.fromkeys(without_ordinal(one) for one in long_ids(snapshot, match["name"]))
    return [one for first in firsts if snapshot.find(one := f"{first}~{match['ordinal']}") is not None]


def _find_named_or_module(snapshot: Snapshot, text: str) -> list[str]:
    """Definitions of a qualified name; where they are none of the product's, its files of a module of that name, or the
    packages outside that are called so."""
    names = split_name(snapshot, text)
    named = find_named(snapshot, names)
    if named and _is_product(named[0]):
        return named
    files = find_module(snapshot, names)
    packages = [external_id(*one) for one in snapshot.externals if one[1] == text]
    return packages or (files if not named or (files and _is_product(files[0])) else named)


def _is_product(node_id: str) -> bool:
    return role_of(parse_id(node_id).path) is Role.PRODUCT
