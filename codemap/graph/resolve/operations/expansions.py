"""What macros give that are used as expressions: their bodies, with the arguments of the use.

A macro says what it gives as JSON, by the number of arguments (`Arms`); each part is one of

    null                     nothing is known     ["$", n]               the argument at n, from 0
    ["field", of, name]      of.name              ["call", of, name]     what the method of that mangled name gives
    ["index", of]            of[…]                ["enter", of]          what an option or result holds
    ["tuple", …]             a tuple              ["literal", name]      a builtin type
    ["macro", name, …]       another macro of the same module, with its arguments
    ["else", a, b]           a, or b where nothing is known of that
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from codemap.facts import EXPANSION
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    ContainerMethod,
    Definition,
    Meaning,
    OutsideInstance,
    join,
    make_tuple,
    one,
    weaken,
)
from codemap.graph.resolve import calls, members, protocols
from codemap.graph.resolve.outside import container_methods

Said = list[Any] | None
Arms = dict[str, Said]
DEPTH_MAX = 8
"""Macros in one another."""
_decode = msgspec.json.Decoder(Arms).decode


def expand(ev: Evaluator, file: GraphFile, macro: int, arguments: int) -> Meaning:
    """What a use of a macro gives; of one that lies outside, or says nothing, nothing is known."""
    given = [ev.value_of(ev.expr(file, argument)) for argument in ev.arguments(file, arguments)]
    return _Use(ev, file).expand(ev.value_of(ev.expr(file, macro)), given, DEPTH_MAX)


class _Use:
    """One use of a macro, in a file."""

    def __init__(self, ev: Evaluator, file: GraphFile) -> None:
        self._ev = ev
        self._file = file

    def expand(self, macros: Meaning, given: Sequence[Meaning], depth: int) -> Meaning:
        ev, result = self._ev, NOTHING
        for macro in macros.values:
            if not isinstance(macro, Definition) or depth < 0:
                continue
            for value in calls.evaluate_function(ev, macro.node).values:
                if isinstance(value, OutsideInstance) and value.name == EXPANSION:
                    said = _decode(value.text or "{}").get(str(len(given)))
                    result = join(result, self._read(said, macro.node, given, depth))
        return weaken(result, Confidence.TYPE)

    def _read(self, said: Said, macro: int, given: Sequence[Meaning], depth: int) -> Meaning:
        ev = self._ev
        match said:
            case ["$", int() as at]:
                return given[at]
            case ["field", of, str() as name]:
                return ev.value_of(members.find_attribute(ev, self._read(of, macro, given, depth), name, self._file))
            case ["call", of, str() as name]:
                return self._call(self._read(of, macro, given, depth), name)
            case ["index" | "enter" as operation, of]:
                return protocols.apply_protocol(ev, self._read(of, macro, given, depth), operation)
            case ["tuple", *parts]:
                read = [self._read(part, macro, given, depth) for part in parts]
                return one(Confidence.TYPE, make_tuple(read))
            case ["literal", str() as name]:
                return one(Confidence.TYPE, OutsideInstance("", name))
            case ["macro", str() as name, *arguments]:
                owner = ev.file_of_node(macro)
                passed = [self._read(argument, macro, given, depth) for argument in arguments]
                return self.expand(ev.evaluate_name(owner, 0, f"{name}!"), passed, depth - 1)
            case ["else", first, second]:
                found = self._read(first, macro, given, depth)
                return found if found.values else self._read(second, macro, given, depth)
            case _:
                return NOTHING

    def _call(self, of: Meaning, name: str) -> Meaning:
        ev, result = self._ev, NOTHING
        callee = ev.value_of(members.find_attribute(ev, of, name, self._file))
        for value in callee.values:
            if isinstance(value, ContainerMethod):
                given = container_methods.call_method(self._file, value)
            else:
                given = calls.evaluate_result(ev, value)
            result = join(result, weaken(given, max(callee.confidence, Confidence.TYPE)))
        return result
