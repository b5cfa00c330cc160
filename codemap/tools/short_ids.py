"""Reads node IDs as people and models shorten them, and names as sources, documentation and tools write them.

A path has one language, so that `app/store.py#Store.get` and `app/store.py` always mean one node; the end of a path
does where one file has it. A name, qualified or not, means the only definition that has it, in the root that is asked
and in product code where there is one there. A member that a class inherits may be named as the class's own. An ID of
another language than its file's, or without the namespaces around it, means the only one of its file that it can mean.

Names of modules may stand in front, though qualified names have none (`app.store.Store.get`, `crate::store::Store`):
the path of the file must have them, in the same order. A module alone means its file. `app/store.py:12` is the
definition around that line, as searches of lines print it; `app/store.py::Store::get` is what a test runner writes.
Of several of one name in a file, `Store.get~2` is the second. The file is long because each spelling has its rule here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import inherited_member
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.index.part_nodes import whole_of
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.query.override_family import (
    count_type_parameters,
    find_wholes,
    has_overloads,
    imports,
)
from codemap.ids import BadNodeId, NodeId, external_id, file_id, parse_id, without_ordinal
from codemap.languages import language_of, qualifiers, sigils
from codemap.root_paths import is_of_other_root
from codemap.tools.compact import short_id

QUALIFIERS_MAX = 12
"""Names that are looked through for the first that is no module."""
NAMESAKES_MAX = 12
"""Of so many definitions that one name may mean, users and what a change breaks are listed at once."""
NESTED_MAX = 6
"""Type arguments inside one another that are left out of a name."""
_IN_FILE = re.compile(r"(?P<path>[^:\n]*\.\w+):{1,2}(?:(?P<line>\d{1,9})(?::\d+)?|(?P<name>[^\d:\n][^\n]*))")
_NUMBERED = re.compile(r"(?P<name>[^\n]+)~(?P<ordinal>\d{1,4})")
_PRIVATE = re.compile(r"(?:\A|\.)#\w")
"""A name that begins with `#`, as JavaScript's private members do, alone or behind its class."""
_SEPARATOR = re.compile(r"::|\.|\\|->|#|/(?=.*(?:\.|::)\w)")
"""Between names. A slash between folders is one only where a name follows: `internal/store.Store`."""
_AS_TRAIT = re.compile(r"\A<([\w:]+)(?:<[^<>]*>)? as [^()]*>(?=::)")
_TYPE_ARGUMENTS = re.compile(r"(?:::)?<[^<>]*>")


def long_ids(snapshot: Snapshot, text: str) -> list[str]:
    """The IDs that a text which is none may mean, the best hub first; the only one is what it means.

    That of a file that is not in the map, or of a name that its file has not there, is made nevertheless.
    """
    if text in snapshot.by_path:
        return [snapshot.by_path[text].own_id]
    if _PRIVATE.search(text) and snapshot.find_by_suffix(text):
        return _find_named(snapshot, text.split("."))
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
        return _find_named(snapshot, _split(snapshot, f"{path}.{name}"))
    made = f"{file_id(language.name, path)}#{name}" if language is not None and name and not files else ""
    return known or whole or [one for one in (made,) if _is_id(one)]


def namesakes(snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The nodes of a name that may mean several, the best hub first; nothing of an ID."""
    try:
        corrected_id(snapshot, text)
    except BadNodeId:
        found = (snapshot.find(one) for one in long_ids(snapshot, text))
        return tuple(node for node in found if node is not None)
    return ()


def few_namesakes(snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The nodes of a name that means several, where these are few; however many overloads a type has of a method, in
    all its parts, they are one."""
    nodes = namesakes(snapshot, text)
    return nodes if len(nodes) > 1 and len({_method_of(snapshot, one) for one in nodes}) <= NAMESAKES_MAX else ()


def are_overloads(snapshot: Snapshot, ids: Sequence[NodeId]) -> bool:
    """Whether IDs are of one name in one file, so that the first may stand for all: not of types that differ by their
    type parameters."""
    if len({(one.path, one.name) for one in ids}) != 1:
        return False
    nodes = (snapshot.find(str(one)) for one in ids) if len(ids) > 1 else ()
    types = (node for node in nodes if node is not None and snapshot.cell(node, Symbol.KIND) in CLASS_KINDS)
    return len({count_type_parameters(snapshot, node) for node in types}) <= 1


def first_overloads(snapshot: Snapshot, nodes: Sequence[int]) -> tuple[int, ...]:
    """Without overloads of those before them in the same part of a type."""
    found: dict[tuple[int | None, str], int] = {}
    for node in nodes:
        found.setdefault((snapshot.parent_of(node), snapshot.name_of(node)), node)
    return tuple(found.values())


def _method_of(snapshot: Snapshot, node: int) -> tuple[int, str]:
    """The type that it is a method of, and its name; of anything else what is none of another's."""
    parent = snapshot.parent_of(node)
    if parent is None or snapshot.kind_of(node) != SymbolKind.METHOD or not has_overloads(snapshot, node):
        return node, ""
    return whole_of(snapshot, parent), snapshot.name_of(node)


def shortest_id(snapshot: Snapshot, node: int) -> str:
    """The qualified name of a definition where that surely means it alone, else its ID without the language: of the
    others with its name none is in something with the name that it is in."""
    if snapshot.is_external(node) or snapshot.is_file(node):
        return short_id(snapshot, node)
    names, parents = snapshot.node_names.of_node, columns_of(snapshot).parent
    others = snapshot.node_names.namesakes(node)
    if len(others) > 1:
        parent = int(parents[node])
        others = others[others < snapshot.first_external]
        if snapshot.is_file(parent) or np.count_nonzero(names[parents[others]] == names[parent]) > 1:
            return short_id(snapshot, node)
    return snapshot.qualified_name_of(node)


def alternatives(snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The nodes that a name may mean; where it is read as one, that and others of the same qualified name, unless it
    says more. Nothing of an ID."""
    known = namesakes(snapshot, text)
    name = snapshot.qualified_name_of(known[0]) if len(known) == 1 else ""
    if not name or not f".{name}".endswith("." + ".".join(_split(snapshot, text))):
        return known
    alike = [node for node in snapshot.find_by_suffix(name) if snapshot.qualified_name_of(node) == name]
    others = find_wholes(snapshot, _without_stubs(snapshot, _preferred(snapshot, (), alike)))
    return tuple(dict.fromkeys((*known, *others)))


def _find_numbered(snapshot: Snapshot, text: str) -> list[str]:
    """What a name with a number means (`Store.get~2`): of what has the name, the one of that number in its file."""
    match = _NUMBERED.fullmatch(text)
    if match is None:
        return []
    firsts = dict.fromkeys(without_ordinal(one) for one in long_ids(snapshot, match["name"]))
    return [one for first in firsts if snapshot.find(one := f"{first}~{match['ordinal']}") is not None]


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
    inner = [node for node in _find_spelled(snapshot, wanted.name) if node in its]
    if "." not in wanted.name:
        inner = [node for node in inner if _is_outermost(snapshot, node, (wanted.name,))]
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
        return [f"{files[0]}#{'.'.join(_split(snapshot, match['name']))}"]
    file = snapshot.by_path[parse_id(files[0]).path]
    return [snapshot.id_of(file.base + file.innermost_row(int(match["line"])))]


def _split(snapshot: Snapshot, text: str) -> list[str]:
    """The names of a qualified name in any language's spelling, without type arguments and parameters where it is not
    one as it stands (`operator()`)."""
    exact = text.replace("::", ".")
    if snapshot.find_by_suffix(exact):
        return exact.split(".")
    chain = _AS_TRAIT.sub(r"\1", text.partition("(")[0])
    for _ in range(NESTED_MAX):
        chain = _TYPE_ARGUMENTS.sub("", chain)
    return [part for part in _SEPARATOR.split(chain) if part and part not in qualifiers()]


def _find_named_or_module(snapshot: Snapshot, text: str) -> list[str]:
    """Definitions of a qualified name; where they are none of the product's, its files of a module of that name, or the
    packages outside that are called so."""
    named = _find_named(snapshot, _split(snapshot, text))
    if named and _is_product(named[0]):
        return named
    files = _find_module(snapshot, text)
    packages = [external_id(*one) for one in snapshot.externals if one[1] == text]
    return packages or (files if not named or (files and _is_product(files[0])) else named)


def _is_product(node_id: str) -> bool:
    return role_of(parse_id(node_id).path) is Role.PRODUCT


def _find_named(snapshot: Snapshot, names: Sequence[str]) -> list[str]:
    """Definitions whose qualified names are, or end with, names that follow one another, or the last of these where the
    path of the file has those before; those of product code where there are any, definitions instead of their
    prototypes and parts."""
    nodes: list[int] = []
    for count in range(min(len(names), QUALIFIERS_MAX)):
        nodes = _find_below(snapshot, names[:count], names[count:])
        if nodes:
            break
    if len(nodes) > 1:
        nodes = _choose(snapshot, [node for node in nodes if _is_outermost(snapshot, node, names)] or nodes)
    chain = ".".join(names)
    whole = [node for node in nodes if snapshot.qualified_name_of(node) == chain]
    best = sorted(whole or nodes, key=lambda node: -snapshot.scores[node])
    return [snapshot.id_of(node) for node in best]


def _is_outermost(snapshot: Snapshot, node: int, names: Sequence[str]) -> bool:
    """Whether a definition of some names is in nothing but modules that these do not say."""
    owner: int | None = node
    for name in reversed(names):
        if owner is not None and snapshot.name_of(owner) == name:
            owner = snapshot.parent_of(owner)
    while owner is not None and snapshot.cell(owner, Symbol.KIND) == SymbolKind.MODULE:
        owner = snapshot.parent_of(owner)
    return owner is None or snapshot.is_file(owner)


def _choose(snapshot: Snapshot, nodes: list[int]) -> list[int]:
    """Those that stand for others among them: types for their constructors, definitions for prototypes, parts and
    stubs, and for overloads in a header those in the file that includes it."""
    nodes = list(dict.fromkeys(find_wholes(snapshot, _without_stubs(snapshot, nodes))))
    nodes = [node for node in nodes if snapshot.parent_of(node) not in nodes]
    if len({snapshot.qualified_name_of(node) for node in nodes}) > 1:
        return nodes
    defined = [node for node in nodes if not snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.DECLARATION] or nodes
    first_of_file = {snapshot.row_of(node)[0].path: node for node in reversed(defined)}
    for path, first in first_of_file.items():
        is_seen = (language := language_of(path)) is not None and language.sees == "includes"
        if is_seen and all(imports(snapshot, first, other) for other in first_of_file.values() if other != first):
            return [node for node in defined if snapshot.row_of(node)[0].path == path]
    return defined


def _without_stubs(snapshot: Snapshot, nodes: Sequence[int]) -> list[int]:
    """Without those in a stub of a file that others of them are in."""
    paths = {node: snapshot.row_of(node)[0].path for node in nodes}
    suffixes = {path: language.stub_suffix for path in paths.values() if (language := language_of(path)) is not None}
    stubs = {path for path, suffix in suffixes.items() if suffix and path.endswith(suffix)}
    sources = {path.rpartition(".")[0] for path in suffixes.keys() - stubs}
    return [
        node for node, path in paths.items() if path not in stubs or path.removesuffix(suffixes[path]) not in sources
    ]


def _find_below(snapshot: Snapshot, modules: Sequence[str], names: Sequence[str]) -> list[int]:
    """Definitions with the end of a qualified name in files whose paths have some names."""
    nodes = _preferred(snapshot, modules, _find_spelled(snapshot, ".".join(names)))
    if not nodes and len(names) > 1:
        owners = _preferred(snapshot, modules, snapshot.find_by_suffix(".".join(names[:-1])))
        found = [inherited_member(snapshot, owner, names[-1]) for owner in owners]
        nodes = _preferred(snapshot, (), list(dict.fromkeys(node for node in found if node is not None)))
    return nodes


def _find_spelled(snapshot: Snapshot, chain: str) -> list[int]:
    """Definitions whose qualified name ends with a chain of names, the last of them with or without its sigil."""
    before, dot, last = chain.rpartition(".")
    return next(filter(None, (snapshot.find_by_suffix(f"{before}{dot}{one}{last}") for one in ("", *sigils()))), [])


def _preferred(snapshot: Snapshot, modules: Sequence[str], nodes: list[int]) -> list[int]:
    """Those of files below some modules, of these where there are any that the last one holds itself; of this root and
    of product code, likewise."""
    nodes = [node for node in nodes if _is_below(snapshot.row_of(node)[0].path, modules)]
    if modules and len(nodes) > 1:
        nodes = [node for node in nodes if _is_held_by(snapshot.row_of(node)[0].path, modules[-1])] or nodes
    nodes = [node for node in nodes if not is_of_other_root(snapshot.row_of(node)[0].path)] or nodes
    return [node for node in nodes if role_of_node(snapshot, node) is Role.PRODUCT] or nodes


def _is_below(path: str, modules: Sequence[str]) -> bool:
    """Whether a path has the names of some modules, in order."""
    parts = iter(_module_parts(path))
    return all(_as_module(each) in parts for each in modules)


def _is_held_by(path: str, module: str) -> bool:
    """Whether a file is a module or in the folder of that name; where a module is a folder, the latter."""
    language = language_of(path)
    is_folder = language is not None and language.imports_packages
    return _as_module(module) in (_module_parts(path)[-2:-1] if is_folder else _module_parts(path)[-2:])


def _find_module(snapshot: Snapshot, text: str) -> list[str]:
    """The files that end with the names of a module."""
    names = [_as_module(name) for name in _split(snapshot, text)]
    files = [file for file in snapshot.files if _module_parts(file.path)[-len(names) :] == names] if names else []
    files = [file for file in files if not is_of_other_root(file.path)] or files
    return [file.own_id for file in [file for file in files if role_of(file.path) is Role.PRODUCT] or files]


def _module_parts(path: str) -> list[str]:
    """The names of folders, and of the file without what it ends in where it is not the folder's own."""
    folders, slash, base = path.rpartition("/")
    stem, language = base.partition(".")[0], language_of(path)
    module = folders if language is not None and stem == language.package_file else f"{folders}{slash}{stem}"
    return [_as_module(part) for part in re.split(r"[/.]", module)]


def _as_module(name: str) -> str:
    """As names of modules and of folders compare: packages have hyphens where sources cannot."""
    return name.lower().replace("-", "_")
