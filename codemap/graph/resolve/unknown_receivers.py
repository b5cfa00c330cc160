"""Members asked of what is only known to lie outside: is the receiver a value from there, or is its type unknown?

What an outside function returns may be anything. And a builtin container that has no member of that name is one of
several things that its variable holds (`items = []`, filled elsewhere), not the one that has the member. In both cases
the use is undecided, and what the repository defines under the name may be meant.
"""

from __future__ import annotations

from collections.abc import Collection

from codemap.facts import EXPR_WIDTH, Op, plain_name
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.model.values import Meaning, Tag, Value

UNKNOWN = None
"""As the name of an outside member: nothing says what has it."""
_ATTR = int(Op.ATTR)
_KNOWN, _UNKNOWN = Value(Tag.OUTSIDE, "", ""), Value(Tag.OUTSIDE, "", UNKNOWN)


def member_of(value: Value, containers: Collection[str]) -> Value:
    """The member of a value of an outside type, which is unknown where the type is not named, or a container."""
    if value.a:
        return Value(Tag.OUTSIDE, value.a, "")
    type_name = str(value.b or "").rpartition(".")[2]
    return _KNOWN if type_name and type_name not in containers else _UNKNOWN


def is_undecided(file: GraphFile, expr: int, meaning: Meaning) -> bool:
    """Whether an expression is a member of something whose type is not known, though some value of it is."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    if exprs[at] != _ATTR:
        return False
    for value in meaning.values:
        if value.tag is not Tag.CONTAINER_METHOD and (
            value.tag is not Tag.OUTSIDE or value.a or value.b is not UNKNOWN
        ):
            return False
    builtins = file.language.builtin_members
    return bool(builtins) and plain_name(file.names[exprs[at + 2]]) not in builtins
