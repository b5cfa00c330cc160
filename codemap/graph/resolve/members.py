"""What `receiver.name` denotes, of a value of any kind."""

from __future__ import annotations

from functools import partial

from codemap.facts import Symbol, SymbolKind, plain_name
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Meaning,
    Tag,
    Value,
    join,
    one,
    weaken,
)
from codemap.graph.resolve import (
    class_members,
    generics,
    import_resolution,
    partial_definitions,
)
from codemap.graph.resolve.unknown_receivers import UNKNOWN, member_of
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.languages.project import Module

_PLACES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_DOTS_MAX = 5
"""Without a bound, what `node = node.next` may hold never ends where `node` comes from outside."""
IMPORT, TYPE = Confidence.IMPORT, Confidence.TYPE
SYMBOL, INSTANCE, OUTSIDE = Tag.SYMBOL, Tag.INSTANCE, Tag.OUTSIDE


def find_attribute(ev: Evaluator, receiver: Meaning, name: str, file: GraphFile | None = None) -> Meaning:
    """What `receiver.name` denotes. A member of a namespace itself hides those of what the namespace was made from.

    `file` holds the expression, where it is one.
    """
    result = _find_own(ev, receiver, name) if len(receiver.values) > 1 else NOTHING
    if result.values:
        return result
    for value in receiver.values:
        tag = value.tag
        # Most values are one of these, and a member of an enumeration costs more to look up than to compare.
        if tag is INSTANCE and name in ev.class_of and name in language_of(ev, value).class_of:
            found = one(receiver.confidence, Value(SYMBOL, value.a))
        elif tag is SYMBOL or tag is INSTANCE:
            found = weaken(class_members.find_member(ev, value, name), receiver.confidence)
        elif tag is OUTSIDE:
            found = one(receiver.confidence, Value(OUTSIDE, value.a, _join_name(str(value.b or ""), name)))
        else:
            found = _find_attribute(ev, receiver.confidence, value, name, file)
        result = join(result, found)
    if len(result.values) < 2 or file is None or not file.language.bounds_meet:
        return result
    if any(value.tag == Tag.INSTANCE for value in receiver.values):
        known = tuple(value for value in result.values if value.tag != Tag.OUTSIDE)
        return Meaning(result.confidence, known) if known else result
    return result


def _join_name(of: str, name: str) -> str:
    """The name of an outside member; of one that lies too deep, the name of what it is in."""
    if not of:
        return plain_name(name)
    return of if of.count(".") > _DOTS_MAX else f"{of}.{plain_name(name)}"


def _find_attribute(ev: Evaluator, confidence: Confidence, value: Value, name: str, file: GraphFile | None) -> Meaning:
    """What an attribute of a module, or of a value of a type outside the repository, denotes."""
    match value.tag:
        case Tag.MODULE:
            assert isinstance(value.a, Module)
            found = import_resolution.find_module_member(ev, value.a, name, str(value.b))
            spoken = by_name()[str(value.b)]
            if not found.values and spoken.unbound_is_outside and spoken.declares_packages:
                found = one(IMPORT, Value(OUTSIDE, "", plain_name(name)))
            return weaken(found, max(confidence, IMPORT))
        case Tag.OUTSIDE_INSTANCE | Tag.CONTAINER if (added := _find_added(ev, file, value, name)).values:
            return weaken(added, confidence)
        case Tag.OUTSIDE_INSTANCE:
            return one(confidence, member_of(value, ev.containers))
        case Tag.TUPLE:
            return one(confidence, Value(OUTSIDE, "", UNKNOWN))
        case Tag.CONTAINER:
            return one(confidence, Value(Tag.CONTAINER_METHOD, value.a, plain_name(name), value.nesting))
        case Tag.PARAMETER | Tag.ARGUMENT:
            return find_attribute(ev, generics.resolve_parameter(ev, value), name, file)
        case _:
            return one(confidence, Value(OUTSIDE, "", ""))


def _find_added(ev: Evaluator, file: GraphFile | None, value: Value, name: str) -> Meaning:
    """The member that the repository adds to a type outside, or to one that its values are handed on as."""
    if file is None or not file.language.has_parts or plain_name(name) in file.language.builtin_members:
        return NOTHING
    type_name = str(value.b or "").rpartition(".")[2]
    for outside in (type_name, *file.language.converts.get(type_name, ())):
        found = find_added(ev, file.language, outside, name)
        if found.values:
            return found
    return NOTHING


def find_added(ev: Evaluator, language: Language, outside: str, name: str) -> Meaning:
    """The member that parts of a type outside have."""
    key = ("added", language.name, outside, name)
    return ev.ask(ev.elsewhere(*key), key, partial(_find_in_parts, ev, language, outside, name))


def _find_in_parts(ev: Evaluator, language: Language, outside: str, name: str) -> Meaning:
    result = NOTHING
    for number, row in ev.look_up("parts", language.family, outside):
        owner = ev.files.numbered(number)
        if partial_definitions.resolve_node(ev, owner, row) == owner.base + row:
            found = class_members.find_member(ev, Value(Tag.INSTANCE, owner.base + row), name)
            known = tuple(value for value in found.values if value.tag == Tag.SYMBOL)
            result = join(result, Meaning(max(found.confidence, TYPE), known))
    return result


def _find_own(ev: Evaluator, receiver: Meaning, name: str) -> Meaning:
    """The member that variables among some values have themselves: object literals, and what was assigned to them."""
    result = NOTHING
    for value in receiver.values:
        if value.tag == Tag.SYMBOL and value.b is None and isinstance(value.a, int):
            file = ev.file_of_node(value.a)
            if file.cell(value.a - file.base, Symbol.KIND) in _PLACES:
                result = join(result, weaken(class_members.find_member(ev, value, name), receiver.confidence))
    return result


def language_of(ev: Evaluator, value: Value) -> Language:
    assert isinstance(value.a, int)
    return ev.file_of_node(value.a).language
