"""The members that the repository adds to types outside (`extension String`, `impl Vec<T>`, `class String` of Ruby)."""

from __future__ import annotations

from functools import partial

from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.model.values import NOTHING, Confidence, Definition, Instance, Meaning, join
from codemap.graph.resolve import class_members, partial_definitions
from codemap.languages.language import Language

TYPE = Confidence.TYPE


def find_added_above(ev: Evaluator, language: Language, type_name: str, name: str) -> Meaning:
    """The member that the repository adds to a type outside, or to one above it."""
    known = language.outside
    for each in (type_name, *known.converts.get(type_name, ()), *known.above.get(type_name, ())):
        found = find_added(ev, language, each, name)
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
            found = class_members.find_member(ev, Instance(owner.base + row), name)
            known = tuple(value for value in found.values if isinstance(value, Definition))
            result = join(result, Meaning(max(found.confidence, TYPE), known))
    return result
