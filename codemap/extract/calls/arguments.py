"""The argument lists of the calls of a file.

Only calls that the facts have are read, by where their names are; what is used without a list of arguments (a
decorator, an operator) is not among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from codemap.calls.lists import ArgumentList
from codemap.extract.extract import Reading
from codemap.fact_building.positions import Offsets
from codemap.facts import SITE_WIDTH, Use, UseRole, rows
from codemap.languages.call_syntax import CallSyntax

_HIGH_MAX = 8
"""Nodes between the name that is called and its call."""


class Arguments:
    """Those of one file."""

    def __init__(self, reading: Reading, syntax: CallSyntax) -> None:
        self._reading = reading
        self._source = reading.source
        self._syntax = syntax
        self._root = reading.tree.root_node
        self._offsets = Offsets(reading.source)

    def all(self) -> Iterator[tuple[int, int, ArgumentList]]:
        """Lines and columns of the names that are called, with their lists."""
        facts = self._reading.facts
        uses, sites = rows(facts.uses), rows(facts.sites)
        seen: set[tuple[int, int]] = set()
        for at in range(0, len(uses), Use.WIDTH):
            if uses[at + Use.ROLE] != UseRole.CALL:
                continue
            first = uses[at + Use.FIRST]
            for site in range(first, first + uses[at + Use.COUNT]):
                place = (sites[site * SITE_WIDTH], sites[site * SITE_WIDTH + 1])
                found = None if place in seen else self._arguments(self._offsets(*place))
                seen.add(place)
                if found is not None:
                    yield (*place, found)

    def _arguments(self, at: int) -> ArgumentList | None:
        """Of the call of the name at an offset; None where it is not called there with arguments."""
        syntax = self._syntax
        name = self._root.descendant_for_byte_range(at, min(at + 1, len(self._source)))
        call = name
        for _ in range(_HIGH_MAX):
            if call is None or call.type in syntax.calls:
                break
            call = call.parent
        if name is None or call is None or call.type not in syntax.calls:
            return None
        if call is name and call.parent is not None and call.parent.child_by_field_name("method") == call:
            call = call.parent
        around = call
        lists = [child for child in call.children if child.type in syntax.argument_lists]
        if not lists:  # behind the call, in what holds it and its arguments
            holders = [child for child in call.children if child.type.endswith("_suffix")]
            lists = [child for one in holders for child in one.children if child.type in syntax.argument_lists]
            around = holders[-1] if holders else call
        trailing = sum(child.type in syntax.trailing for child in around.children)
        if lists:
            between = self._source[name.end_byte : lists[0].start_byte].strip()
            if lists[0].start_byte < name.end_byte or (between and not between.startswith(_GENERIC)):
                return None
            if lists[0].has_error:
                return None
        elif call.type in syntax.bare_calls or trailing:
            behind = self._source[name.end_byte : call.end_byte].strip()
            is_target = call.parent is not None and call.parent.child_by_field_name("left") == call
            if is_target or (behind and not behind.startswith((b"<", b"{", b"do"))):
                return None
        else:
            return None
        return self._counted(name, lists[0].named_children if lists else [], trailing)

    def _counted(self, name: Node, given: Sequence[Node], trailing: int) -> ArgumentList | None:
        syntax = self._syntax
        positional = trailing
        names: list[str] = []
        has_spread = has_keyword_spread = False
        given = [one for one in given if "comment" not in one.type]
        for one in given:
            inner = one.named_children[0] if len(one.named_children) == 1 else one
            if one.type in syntax.is_opaque or inner.type in syntax.is_opaque:
                return None
            if one.type in syntax.uncounted:
                continue
            if one.type in syntax.spreads or (one.type in syntax.named and inner.type in syntax.spreads):
                has_spread = True
            elif one.type in syntax.keyword_spreads:
                has_keyword_spread = True
            elif one.type in syntax.named and (label := self._label(one)):
                names.append(label)
            else:
                positional += 1
        if syntax.spreads_calls and len(given) == 1 and given[0].type in syntax.calls:
            positional, has_spread = 0, True
        joint, receiver = self._before(name)
        return ArgumentList(
            positional,
            tuple(names),
            has_spread,
            has_keyword_spread,
            bool(trailing),
            self._text(name),
            joint,
            receiver,
        )

    def _label(self, argument: Node) -> str:
        """The name that an argument is passed by."""
        found = argument.child_by_field_name("name") or argument.child_by_field_name("key")
        if found is None and any(child.type == "=" for child in argument.children[:2]):
            found = argument.named_children[0]
        return "" if found is None else self._text(found).strip(":\"' ")

    def _before(self, name: Node) -> tuple[str, str]:
        """What comes before a name: the joint, and the name before that."""
        before = self._source[max(0, name.start_byte - _BEFORE_BYTES) : name.start_byte].rstrip()
        joint = next((one for one in _JOINTS if before.endswith(one)), b"")
        if not joint or before.endswith(b".."):
            return "", ""
        before = before[: -len(joint)].rstrip()
        start = len(before)
        while start and (before[start - 1 : start].isalnum() or before[start - 1] in b"_$" or before[start - 1] > 127):
            start -= 1
        return joint.decode(), before[start:].decode("utf-8", "replace")

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")


_GENERIC = (b"<", b"::<", b"[", b"!", b"?.")
_JOINTS = (b"?.", b"->", b"::", b".")
_BEFORE_BYTES = 200
