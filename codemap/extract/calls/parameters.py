"""The parameter lists of the definitions of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from codemap.calls.lists import Parameter, ParameterKind, ParameterList
from codemap.extract.extract import Reading
from codemap.facts import Symbol, SymbolFlag, SymbolKind, rows
from codemap.languages.call_syntax import CallSyntax

_WITH_PARAMETERS = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS))
_DEFAULTS = ("value", "default_value", "right")


class Parameters:
    """Those of one file."""

    def __init__(self, reading: Reading, syntax: CallSyntax) -> None:
        self._reading = reading
        self._source = reading.source
        self._syntax = syntax
        self._root = reading.tree.root_node

    def all(self) -> Iterator[tuple[int, tuple[ParameterList, ...]]]:
        """Rows of the symbol table, with their lists."""
        cells = rows(self._reading.facts.symbols)
        for row, (at, start, end) in enumerate(self._reading.spans):
            kind = cells[row * Symbol.WIDTH + Symbol.KIND]
            if kind in _WITH_PARAMETERS:
                flags = cells[row * Symbol.WIDTH + Symbol.FLAGS]
                is_bound = kind == SymbolKind.METHOD and not flags & SymbolFlag.STATIC
                found = tuple(self._of_definition(at, start, end, is_bound=is_bound))
                if found:
                    yield row, found

    def _of_definition(self, at: int, start: int, end: int, *, is_bound: bool) -> Iterator[ParameterList]:
        definition = self._definition(at, start, end)
        if definition is None:
            return
        each = [definition, *self._overloads(definition, at, end)]
        if len(each) > 1:
            each = [one for one in each if self._only_states(one)] or each
        for one in each:
            found = self._list(one, at if one is definition else one.start_byte)
            if found is not None and not found.has_error:
                yield self._read(one, found, is_bound=is_bound)
            elif found is None and self._syntax.fields is not None:
                made = self._syntax.fields(one)
                if made is not None:
                    yield made

    def _definition(self, at: int, start: int, end: int) -> Node | None:
        """The nearest node around a name that has parameters or, of a class, fields."""
        node = self._root.descendant_for_byte_range(at, min(at + 1, len(self._source)))
        outer = None
        while node is not None and node.start_byte >= start and node.end_byte <= max(end, start + 1):
            if self._list(node, at) is not None:
                return node
            outer = outer or (node if node.child_count else None)
            node = node.parent
        return outer

    def _list(self, node: Node, at: int) -> Node | None:
        """The list of parameters of a definition, behind its name; a single parameter stands for its list."""
        found = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        if found is None:
            found = next((child for child in node.named_children if child.type in self._syntax.parameter_lists), None)
        if found is not None and found.start_byte > at:
            return found
        is_typed = node.child_by_field_name("type") is not None  # its type says what it takes
        for child in node.named_children if self._syntax.functions and not is_typed else ():
            if child.start_byte > at and child.type in self._syntax.functions:
                return self._list(child, child.start_byte - 1)
        return None

    def _overloads(self, definition: Node, at: int, end: int) -> Iterator[Node]:
        """The definitions of the same name that follow in the span of one."""
        name = self._root.descendant_for_byte_range(at, at + 1)
        outer = definition
        while outer.parent is not None and outer.parent.end_byte <= end and outer.next_named_sibling is None:
            outer = outer.parent
        if outer.parent is not None and outer.parent.type == self._syntax.decorated:
            outer = outer.parent
        after = outer.next_named_sibling
        while name is not None and after is not None and after.end_byte <= end:
            inner = after
            while inner.child_by_field_name("name") is None and inner.named_child_count:
                inner = inner.named_children[-1]
            its = inner.child_by_field_name("name")
            if its is not None and its.text == name.text:
                yield inner
            after = after.next_named_sibling

    def _only_states(self, definition: Node) -> bool:
        """Whether a definition is an overload that has no code of its own."""
        if self._syntax.overload:
            return self._syntax.overload in self._decorators(definition)
        return definition.child_by_field_name("body") is None

    def _decorators(self, definition: Node) -> list[str]:
        """Their last names."""
        around = definition.parent
        if not self._syntax.decorated or around is None or around.type != self._syntax.decorated:
            return []
        texts = [self._text(child).lstrip("@").strip() for child in around.named_children if child.type == "decorator"]
        return [text.partition("(")[0].rpartition(".")[2].strip() for text in texts]

    def _read(self, definition: Node, found: Node, *, is_bound: bool) -> ParameterList:
        syntax = self._syntax
        is_single = found.type not in syntax.parameter_lists
        children = [found] if is_single else found.children
        items: list[Parameter] = []
        has_receiver = bool(syntax.decorated) and is_bound
        only_keyword = False
        is_doubtful = self._text(found) in syntax.states_nothing
        decorators = tuple(name for name in self._decorators(definition) if name not in syntax.harmless)
        for place, child in enumerate(children):
            if child.type == syntax.positional_end and child.type:
                items = [_with_kind(one, ParameterKind.POSITIONAL) for one in items]
            elif child.type == syntax.keyword_begin and child.type:
                only_keyword = True
            elif child.type in syntax.parameters:
                own = self._parameter(child, children, place)
                if any(one.kind is ParameterKind.REST for one in own):
                    items += own
                    only_keyword = True
                    continue
                if only_keyword:
                    own = [
                        _with_kind(one, ParameterKind.KEYWORD) if one.kind is ParameterKind.EITHER else one
                        for one in own
                    ]
                has_receiver = has_receiver or (not items and self._is_receiver(child))
                items += own
            elif child.is_named and child.type in _UNREAD:
                is_doubtful = True
        return ParameterList(tuple(items), has_receiver, is_doubtful, decorators)

    def _is_receiver(self, parameter: Node) -> bool:
        receivers = self._syntax.receivers
        return bool(receivers) and (
            parameter.type in receivers or any(self._text(child) in receivers for child in parameter.children[:1])
        )

    def _parameter(self, node: Node, around: Sequence[Node], place: int) -> list[Parameter]:
        """What a node of a list stands for: one parameter, or several that share a type."""
        syntax = self._syntax
        inner = node.named_children
        if node.type in syntax.skipped or any(child.type in syntax.skipped for child in inner[:1]):
            return []
        if self._text(node) in syntax.takes_nothing:
            return []
        kind = syntax.parameters[node.type]
        before = around[place - 1] if place else None
        for child in (*node.children, *([before] if before is not None else [])):
            rest = syntax.rests.get(child.type) or syntax.rests.get(self._text(child) if syntax.rests else "")
            kind = rest if rest is not None else kind
        after = around[place + 1] if place + 1 < len(around) else None
        is_optional = (
            node.type in syntax.optional
            or any(node.child_by_field_name(field) is not None for field in _DEFAULTS)
            or any(child.type == "=" for child in node.children)
            or (after is not None and after.type == "=")
        )
        names = node.children_by_field_name("name") or [node]
        return [Parameter(self._name(one), kind, not is_optional) for one in names]

    def _name(self, node: Node) -> str:
        """The name of a parameter; empty where it is a pattern, or there is none."""
        waiting = [node]
        while waiting:
            one = waiting.pop()
            for field in ("name", "pattern", "declarator", "left"):
                child = one.child_by_field_name(field)
                if child is not None:
                    waiting = [child]
                    break
            else:
                if not one.child_count:
                    is_name = one.type.endswith(("identifier", "name"))
                    return self._text(one) if is_name and not one.type.startswith(("type_", "namespace_")) else ""
                if one.type.endswith("_pattern") and "splat" not in one.type and one.type != "rest_pattern":
                    return ""
                waiting = [child for child in one.named_children if child.type.endswith(_NAMED)][:1]
        return ""

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")


_UNREAD = frozenset({"identifier", "ERROR", "macro_invocation", "forward_parameter"})
"""What is in a list for parameters that are stated elsewhere, or not understood."""
_NAMED = ("identifier", "name", "pattern", "declarator", "variable_name")


def _with_kind(one: Parameter, kind: ParameterKind) -> Parameter:
    return Parameter(one.name, kind, one.is_required)
