"""Members asked of what is only known to lie outside: is the receiver a value from there, or is its type unknown?

What an outside function returns may be anything. And a builtin container that has no member of that name is one of
several things that its variable holds (`items = []`, filled elsewhere), not the one that has the member. In both cases
the use is undecided, and what the repository defines under the name may be meant.
"""

from __future__ import annotations

from collections.abc import Collection

from codemap.facts import AROUND, EXPR_WIDTH, Op
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import ContainerMethod, FunctionInstance, Meaning, Outside, OutsideInstance
from codemap.languages.language import Language
from codemap.mangled_names import demangle

OF_UNKNOWN = Outside("", "", has_unknown_owner=True)
_ATTR = int(Op.ATTR)
_OF_SEVERAL = (int(Op.ELSE), int(Op.OVERLOAD))
_OF_KNOWN = Outside("", "")


def find_member(value: OutsideInstance, name: str, containers: Collection[str], language: Language | None) -> Outside:
    """The member of a value of an outside type; unknown where that is not named, a parameter, a container or open, or
    plain and without such a member."""
    if language is not None and is_open(value, language.open_types):
        return OF_UNKNOWN
    if value.package:
        return Outside(value.package, "")
    type_name = value.name.rpartition(".")[2]
    if language is not None and type_name in language.plain_types and demangle(name) not in language.builtin_members:
        return OF_UNKNOWN
    is_known = type_name and type_name not in containers and not type_name.startswith("<")
    return _OF_KNOWN if is_known else OF_UNKNOWN


def is_open(value: OutsideInstance, open_types: Collection[str]) -> bool:
    """Whether nothing is known of what a value of an outside type has, or gives."""
    return value.name in open_types or f"{value.package}.{value.name}" in open_types


def is_of_held(file: GraphFile, meaning: Meaning) -> bool:
    """Whether nothing is known of what is called but that it can be called."""
    opaque = file.language.opaque_types
    return all(
        isinstance(value, FunctionInstance)
        or (isinstance(value, OutsideInstance) and (not value.name or value.name.rpartition(".")[2] in opaque))
        for value in meaning.values
    )


def is_partly_unknown(file: GraphFile, expr: int, meaning: Meaning) -> bool:
    """Whether an expression is a member of something that may be of an unknown type as well as of known ones, all of
    which are outside."""
    values = meaning.values
    is_outside = OF_UNKNOWN in values and all(isinstance(value, Outside) for value in values)
    return is_outside and _is_rare_member(file, expr)


def is_undecided(file: GraphFile, expr: int, meaning: Meaning) -> bool:
    """Whether an expression is a member of something whose type is not known, though some value of it is."""
    is_chosen = file.exprs[expr * EXPR_WIDTH] in _OF_SEVERAL  # by types, which say that a container is one
    known = file.language.container_methods
    for value in meaning.values:
        is_of_container = isinstance(value, ContainerMethod) and not is_chosen and value.name not in known
        if not is_of_container and not (isinstance(value, Outside) and value.has_unknown_owner):
            return False
    return _is_rare_member(file, expr)


def _is_rare_member(file: GraphFile, expr: int) -> bool:
    """Whether an expression is a member that builtin types do not have; of languages that say what these have."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    while exprs[at] in AROUND:
        at = exprs[at + 1] * EXPR_WIDTH
    builtins = file.language.builtin_members
    return exprs[at] == _ATTR and bool(builtins) and demangle(file.names[exprs[at + 2]]) not in builtins
