"""Members asked of what is only known to lie outside: is the receiver a value from there, or is its type unknown?

What an outside function returns may be anything. And a builtin container that has no member of that name is one of
several things that its variable holds (`items = []`, filled elsewhere), not the one that has the member. In both cases
the use is undecided, and what the repository defines under the name may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from codemap.facts import AROUND, EXPR_WIDTH, TRIPLE, Binding, Op, Source, SourceKind
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.indexed_file import table
from codemap.graph.model.values import (
    Confidence,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    Outside,
    OutsideInstance,
    ParameterInstance,
    TypeParameter,
    Value,
    join,
    one,
)
from codemap.languages.language import Language
from codemap.mangled_names import demangle

OF_UNKNOWN = Outside("", "", has_unknown_owner=True)
_ATTR = int(Op.ATTR)
_OF_SEVERAL = (int(Op.ELSE), int(Op.OVERLOAD))
_OF_KNOWN = Outside("", "")
_OF_OWN = Outside("", "", is_of_own=True)
UNKNOWN = one(Confidence.EXACT, OutsideInstance("", ""))
_NAME, _UNION = int(Op.NAME), int(Op.UNION)
_PARTS = (_ATTR, *map(int, (Op.CALL, Op.INDEX, Op.ITER, Op.ITEM, Op.ENTER, Op.AWAIT)))
_PARAMETER, _VALUE = int(SourceKind.PARAMETER), int(SourceKind.VALUE)
_GIVEN = (_PARAMETER, _VALUE)
_CLASS_NAME = re.compile(r"_*[A-Z]\w*[a-z]")


def find_member(value: OutsideInstance, name: str, containers: Collection[str], language: Language | None) -> Outside:
    """The member of a value of an outside type; unknown where that is not named, a parameter, a container or open, or
    plain and without such a member."""
    if language is not None and is_open(value, language.outside.open_types):
        return OF_UNKNOWN
    type_name = value.name.rpartition(".")[2]
    if value.package:
        return Outside(value.package, "", has_unknown_owner=type_name in containers, is_of_own=value.is_of_own)
    outside = language.outside if language is not None else None
    if outside and type_name in outside.plain_types and demangle(name) not in outside.builtin_members:
        return OF_UNKNOWN
    is_known = type_name and type_name not in containers and not type_name.startswith("<")
    return OF_UNKNOWN if not is_known else _OF_OWN if value.is_of_own else _OF_KNOWN


def is_open(value: OutsideInstance, open_types: Collection[str]) -> bool:
    """Whether nothing is known of what a value of an outside type has, or gives."""
    return value.name in open_types or f"{value.package}.{value.name}" in open_types


def add_unknown(file: GraphFile, known: Meaning, exprs: Iterable[int]) -> Meaning:
    """What some expressions denote together: a value of unknown type, too, where only one of several is of the
    repository, and another is what a parameter without a stated type is given (`given or Usual()`)."""
    if not file.language.has_open_parameters or not _is_of_repository(known):
        return known
    return join(known, UNKNOWN) if any(_is_given(file, expr) for expr in exprs) else known


def may_be_own_class(file: GraphFile, row: int, meaning: Meaning) -> bool:
    """Whether a variable that is named like a class holds what functions outside gave: they may look for one of the
    repository (`Page = load_model("app", "Page")`)."""
    if not file.language.has_open_parameters or not _CLASS_NAME.match(file.name_of(row)):
        return False
    return any(isinstance(value, OutsideInstance) and _is_function(value) for value in meaning.values)


def _is_function(value: OutsideInstance) -> bool:
    name = value.name.rpartition(".")[2]
    return bool(value.package) and name[:1].islower()


def _is_of_repository(meaning: Meaning) -> bool:
    """Whether some value is of the repository."""
    return not _OF_REPOSITORY.isdisjoint([value.__class__ for value in meaning.values])


def add_given(file: GraphFile, known: Meaning, sources: Iterable[tuple[int, int, int]]) -> Meaning:
    """The same of what the sources of a binding denote, a parameter with a default among them."""
    values = []
    for kind, a, _ in sources:
        if kind == _PARAMETER and file.language.has_open_parameters:
            return join(known, UNKNOWN) if _is_of_repository(known) else known
        if kind == _VALUE:
            values.append(a)
    return add_unknown(file, known, values)


def _is_given(file: GraphFile, expr: int) -> bool:
    """Whether an expression is what a parameter without a stated type is given, or a part of that."""
    if expr < 0:
        return False
    exprs, at = file.exprs, expr * EXPR_WIDTH
    while exprs[at] in _PARTS:
        at = exprs[at + 1] * EXPR_WIDTH
    if exprs[at] == _UNION:
        return _is_given(file, exprs[at + 1]) or _is_given(file, exprs[at + 2])
    if exprs[at] != _NAME:
        return False
    row = exprs[at + 1] * Binding.WIDTH
    first, count = file.bindings[row + Binding.FIRST], file.bindings[row + Binding.COUNT]
    kinds = [TRIPLE.unpack_from(file.facts.sources, at * TRIPLE.size)[0] for at in range(first, first + count)]
    return _PARAMETER in kinds and all(kind in _GIVEN for kind in kinds)


_OF_REPOSITORY = frozenset((Definition, Instance))
_CALLABLE_ALONE = (FunctionInstance, ParameterInstance, TypeParameter)


def is_of_held(file: GraphFile, meaning: Meaning) -> bool:
    """Whether nothing is known of what is called but that it can be called. Of a type parameter, that is all."""
    for value in meaning.values:
        if value.__class__ is OutsideInstance:
            if value.name and value.name.rpartition(".")[2] not in file.language.outside.opaque_types:
                return False
        elif value.__class__ not in _CALLABLE_ALONE:
            return False
    return True


def is_unknown(value: Value) -> bool:
    """Whether nothing is known of a value, or of whose member it is."""
    is_of_unknown = isinstance(value, Outside) and value.has_unknown_owner
    return is_of_unknown or (isinstance(value, OutsideInstance) and not value.package and not value.name)


def is_partly_unknown(file: GraphFile, expr: int, meaning: Meaning) -> bool:
    """Whether an expression is a member of something that may be of an unknown type as well as of known ones; but in
    languages whose parameters may state no type, only where these are outside."""
    values = meaning.values
    if OF_UNKNOWN not in values:
        return False
    is_open = file.language.has_open_parameters or all(isinstance(value, Outside) for value in values)
    return is_open and is_rare_member(file, expr)


def list_mixed(file: GraphFile) -> Mapping[int, tuple[int, ...]]:
    """Members of variables that are assigned several values: their expressions, and those of the values."""
    bindings = table(file.facts.bindings, Binding.WIDTH)
    several = (bindings[:, Binding.COUNT] > 1).nonzero()[0]  # few variables: what follows is left out for most files
    of: dict[int, tuple[int, ...]] = {}
    for binding, (first, count) in zip(several.tolist(), bindings[several, Binding.FIRST :].tolist(), strict=True):
        cells = file.sources[first * Source.WIDTH : (first + count) * Source.WIDTH].tolist()
        if cells[Source.KIND :: Source.WIDTH] == [_VALUE] * count:
            of[binding] = tuple([value for value in cells[Source.A :: Source.WIDTH] if value >= 0])
    if not of:
        return {}
    exprs = table(file.facts.exprs, EXPR_WIDTH)
    members = (exprs[:, 0] == _ATTR).nonzero()[0]
    receivers = exprs[exprs[members, 1]]
    are_named = receivers[:, 0] == _NAME
    named = zip(members[are_named].tolist(), receivers[are_named, 1].tolist(), strict=True)
    return {member: of[binding] for member, binding in named if binding in of and is_rare_member(file, member)}


def is_undecided(file: GraphFile, expr: int, meaning: Meaning) -> bool:
    """Whether an expression is a member of something whose type is not known, though some value of it is."""
    is_chosen = file.exprs[expr * EXPR_WIDTH] in _OF_SEVERAL  # by types, which say that a container is one
    known = file.language.containers.methods
    for value in meaning.values:
        if value.__class__ is Outside:
            if not value.has_unknown_owner:
                return False
        elif (
            value.__class__ is not ContainerMethod
            or is_chosen
            or (value.name in known and not _is_of_parameter(file, expr))
        ):
            return False
    return is_rare_member(file, expr)


def _is_of_parameter(file: GraphFile, expr: int) -> bool:
    """Whether an expression is a member of what a parameter without a stated type is given, whatever is put into it."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    return file.language.has_open_parameters and exprs[at] == _ATTR and _is_given(file, exprs[at + 1])


def is_rare_member(file: GraphFile, expr: int) -> bool:
    """Whether an expression is a member that builtin types do not have, of languages that say what these have; where
    nothing is known of types outside, any member."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    while exprs[at] in AROUND:
        at = exprs[at + 1] * EXPR_WIDTH
    builtins = file.language.outside.builtin_members
    if exprs[at] != _ATTR or not builtins:
        return False
    return not file.language.outside.has_types or demangle(file.names[exprs[at + 2]]) not in builtins
