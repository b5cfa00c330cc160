"""Members asked of what is only known to lie outside: is the receiver a value from there, or is its type unknown?

What an outside function returns may be anything. And a builtin container that has no member of that name is one of
several things that its variable holds (`items = []`, filled elsewhere), not the one that has the member. In both cases
the use is undecided, and what the repository defines under the name may be meant.
"""

from __future__ import annotations

from collections.abc import Collection

from codemap.facts import EXPR_WIDTH, Op
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import ContainerMethod, Meaning, Outside, OutsideInstance
from codemap.mangled_names import demangle

OF_UNKNOWN = Outside("", "", has_unknown_owner=True)
_ATTR = int(Op.ATTR)
_OF_KNOWN = Outside("", "")


def find_member(value: OutsideInstance, containers: Collection[str]) -> Outside:
    """The member of a value of an outside type, which is unknown where the type is not named, or a container."""
    if value.package:
        return Outside(value.package, "")
    type_name = value.name.rpartition(".")[2]
    return _OF_KNOWN if type_name and type_name not in containers else OF_UNKNOWN


def is_undecided(file: GraphFile, expr: int, meaning: Meaning) -> bool:
    """Whether an expression is a member of something whose type is not known, though some value of it is."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    if exprs[at] != _ATTR:
        return False
    for value in meaning.values:
        if not isinstance(value, ContainerMethod) and not (isinstance(value, Outside) and value.has_unknown_owner):
            return False
    builtins = file.language.builtin_members
    return bool(builtins) and demangle(file.names[exprs[at + 2]]) not in builtins
