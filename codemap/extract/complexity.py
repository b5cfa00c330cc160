"""Counts how complex the functions of a file are, in its syntax tree, by a table for each language.

One query finds the nodes that count (`codemap.languages.complexity`); they are visited in source order with the
structures and functions around them.

Rules of the file:
- Each function is measured by itself, as if it stood alone. An increment of cognitive complexity also counts for the
  functions around, for which the inner function is one more level of nesting.
- An `if` right behind an `else` continues it: one decision, no more nesting, and the `else` is its increment.
- Lines are those of bytes: the text that was parsed may be a spelling of the source that has fewer lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from tree_sitter import Node, Query, QueryCursor
from tree_sitter_language_pack import get_language

from codemap.depth import deep_recursion
from codemap.extract.extract import parsed, spoken_by
from codemap.extract.line_counts import count_lines
from codemap.extract.parameters import count_parameters
from codemap.fact_building.positions import Places
from codemap.languages.complexity import Complexity
from codemap.measures import FileMeasures, FunctionMeasures
from codemap.occurrences.words import without_bom

_ROLES = (
    *("seeming", "directives", "functions", "closures", "branches", "structures", "arms", "chained", "alternatives"),
    *("operators", "decisions", "jumps", "comments"),
)
_COUNTED = "@counted"
_BODY = re.compile(r"body$|^block$|^compound_statement$|^arrow_expression_clause$")


def measure(path: str, source: bytes) -> FileMeasures:
    """The measures of one file. Cost: one parse, and a query that finds one node in twenty.

    Of bad source it counts what can be parsed. Raises LookupError when no language has that suffix.
    """
    source = without_bom(source)
    with deep_recursion():
        language = spoken_by(path, source)
        root = parsed(path, source).root_node
        return _Counting(language.complexity, language.grammar(path), root, source).file()


class _Function:
    """A function, or all that is in none, being measured."""

    __slots__ = ("cognitive", "cyclomatic", "depth", "has_inner", "nesting", "node", "outer", "own", "start_level")

    def __init__(self, node: Node, level: int, outer: _Function | None = None) -> None:
        self.node = node
        self.outer = outer
        self.start_level = level
        """Levels of nesting around it."""
        self.cyclomatic = 1
        self.cognitive = 0
        self.own = 0
        """Of the cognitive complexity, without the functions in it."""
        self.nesting = self.depth = 0
        self.has_inner = False


class _Level:
    """A structure or function that nests what is in it."""

    __slots__ = ("end", "function", "is_structure", "may_skip_arm", "nests")

    def __init__(self, end: int, *, nests: bool, is_structure: bool, may_skip_arm: bool = False) -> None:
        self.end = end
        self.nests = nests
        self.is_structure = is_structure
        self.may_skip_arm = may_skip_arm
        self.function: _Function | None = None


class _Counting:
    def __init__(self, rules: Complexity, grammar: str, root: Node, source: bytes) -> None:
        self._rules = rules
        self._grammar = grammar
        self._root = root
        self._source = source
        self._levels: list[_Level] = []
        self._nested = 0
        """Levels that nest."""
        self._functions = [_Function(root, 0)]
        self._done: list[_Function] = []
        self._sequences: dict[int, str] = {}
        """Node of the largest boolean expression -> the last operator that was met in it."""
        self._operators = {entry.partition(" ")[0] for entry in rules.operators}
        self._tokens = {entry.partition(" ")[2] for entry in rules.operators}
        self._comments: list[Node] = []
        self._seeming: set[int] = set()
        self._directive_end = 0
        self._places = Places(source)

    def file(self) -> FileMeasures:
        visits: dict[str, Callable[[Node], None]] = {role: getattr(self, f"_visit_{role}") for role in _ROLES}
        query = _query(self._grammar, self._rules)
        found = QueryCursor(query).captures(self._root) if query is not None else {}
        nodes = [
            (node.start_byte, -node.end_byte, at, node)
            for at, role in enumerate(_ROLES)
            for node in found.get(role, ())
        ]
        nodes.sort(key=lambda each: each[:3])
        for start, _, role, node in nodes:
            self._leave(start)
            visits[_ROLES[role]](node)
        self._leave(len(self._source) + 1)
        functions = sorted(self._done, key=lambda one: (one.node.start_byte, -one.node.end_byte))
        places = {id(one): place for place, one in enumerate(functions)}
        measured = tuple(self._measured(one, places.get(id(one.outer), -1)) for one in functions)
        lines = count_lines(self._source, self._comments, self._places)
        return FileMeasures(*lines, self._functions[0].cyclomatic - 1, measured)

    # -- what is met --------------------------------------------------------------------------------------------------

    def _visit_seeming(self, node: Node) -> None:
        self._seeming.add(node.id)

    def _visit_directives(self, node: Node) -> None:
        self._directive_end = node.end_byte

    def _visit_functions(self, node: Node) -> None:
        if (self._rules.has_bodies and _body(node) is None) or node.id in self._seeming:
            return
        nests = not self._is_wrapped(node)
        level = self._enter(node, nests=nests, is_structure=False)
        self._functions[-1].has_inner = True
        level.function = _Function(node, self._nested, self._functions[-1])
        self._functions.append(level.function)

    def _visit_closures(self, node: Node) -> None:
        self._enter(node, nests=True, is_structure=False)

    def _visit_branches(self, node: Node) -> None:
        self._functions[-1].cyclomatic += 1
        if "if" in node.type and _is_chained(node):
            return
        self._add_nested()
        self._enter(node, nests=True, is_structure=True)

    def _visit_structures(self, node: Node) -> None:
        self._add_nested()
        self._enter(node, nests=True, is_structure=True, may_skip_arm=node.type in self._rules.exhaustive)

    def _visit_arms(self, _: Node) -> None:
        if self._levels and self._levels[-1].may_skip_arm:
            self._levels[-1].may_skip_arm = False
            return
        self._functions[-1].cyclomatic += 1

    def _visit_chained(self, _: Node) -> None:
        self._functions[-1].cyclomatic += 1
        self._add(1)

    def _visit_jumps(self, _: Node) -> None:
        self._add(1)

    _visit_alternatives = _visit_jumps

    def _visit_operators(self, node: Node) -> None:
        if node.start_byte < self._directive_end:
            return
        self._functions[-1].cyclomatic += 1
        sequence = self._sequence(node)
        if self._sequences.get(sequence) != node.type:
            self._sequences[sequence] = node.type
            self._add(1)

    def _visit_decisions(self, _: Node) -> None:
        self._functions[-1].cyclomatic += 1

    def _visit_comments(self, node: Node) -> None:
        self._comments.append(node)

    # -- levels -------------------------------------------------------------------------------------------------------

    def _enter(self, node: Node, *, nests: bool, is_structure: bool, may_skip_arm: bool = False) -> _Level:
        level = _Level(node.end_byte, nests=nests, is_structure=is_structure, may_skip_arm=may_skip_arm)
        self._levels.append(level)
        self._nested += nests
        if is_structure:
            function = self._functions[-1]
            function.depth += 1
            function.nesting = max(function.nesting, function.depth)
        return level

    def _leave(self, start: int) -> None:
        """Leaves what ends before an offset."""
        while self._levels and self._levels[-1].end <= start:
            level = self._levels.pop()
            self._nested -= level.nests
            if level.function is not None:
                self._done.append(self._functions.pop())
            elif level.is_structure:
                self._functions[-1].depth -= 1

    def _add_nested(self) -> None:
        """An increment that grows with each level of nesting, for each function around."""
        for function in self._functions:
            function.cognitive += 1 + self._nested - function.start_level
        self._functions[-1].own += 1

    def _add(self, count: int) -> None:
        for function in self._functions:
            function.cognitive += count
        self._functions[-1].own += count

    def _is_wrapped(self, node: Node) -> bool:
        """Whether the function around does nothing but wrap this one."""
        if not self._rules.wrapping:
            return False
        around = (
            node.parent if node.parent is None or node.parent.type not in self._rules.wrapping else node.parent.parent
        )
        if around is None or around.parent is None or around.parent.type not in self._rules.functions:
            return False
        kinds = [child.type for child in around.named_children if child.type not in self._rules.comments]
        functions = [kind for kind in kinds if "function" in kind or "definition" in kind]
        return len(functions) == 1 and set(kinds) <= {*self._rules.wrapping, "expression_statement"}

    def _sequence(self, token: Node) -> int:
        """The largest expression around a boolean operator that consists of such."""
        found = token.parent
        assert found is not None, "a token has a parent"
        while (above := found.parent) is not None:
            is_boolean = above.type in self._operators and self._is_boolean(above)
            if not is_boolean and above.type not in self._rules.transparent:
                break
            found = above
        return found.id

    def _is_boolean(self, node: Node) -> bool:
        operator = node.child_by_field_name("operator")
        return operator is None or operator.type in self._tokens

    # -- what comes out -----------------------------------------------------------------------------------------------

    def _measured(self, one: _Function, outer: int) -> FunctionMeasures:
        node = one.node
        body = _body(node)
        line, end_line = self._places.lines_between(node.start_byte, node.end_byte)
        body_line, body_col = self._places(node.end_byte if body is None else body.start_byte)
        only_declares = self._rules.declares_by_functions and one.has_inner and not one.own
        return FunctionMeasures(
            line,
            end_line,
            body_line,
            body_col,
            one.cyclomatic,
            0 if only_declares else one.cognitive,
            one.nesting,
            count_parameters(node, self._rules),
            outer,
            node.type in self._rules.values,
        )


@cache
def _query(grammar: str, rules: Complexity) -> Query | None:
    """Finds what counts, by role. Raises QueryError where the table has what the grammar lacks."""
    return Query(get_language(grammar), "\n".join(_patterns(rules))) if rules.functions else None  # type: ignore[arg-type]


def _patterns(rules: Complexity) -> Iterator[str]:
    return (pattern_of(entry).replace(_COUNTED, f"@{role}") for role in _ROLES for entry in getattr(rules, role))


def pattern_of(entry: str) -> str:
    """The query for an entry of a language's table, with what counts captured as `@counted`."""
    if entry.startswith("("):
        return entry if _COUNTED in entry else f"{entry} {_COUNTED}"
    kind, _, token = entry.partition(" ")
    return f'({kind} "{token}" {_COUNTED})' if token else f"({kind}) {_COUNTED}"


def _is_chained(node: Node) -> bool:
    """Whether it comes right after an `else`."""
    while True:
        before = node.prev_sibling
        while before is not None and "comment" in before.type:
            before = before.prev_sibling
        if before is not None:
            return before.type == "else"
        above = node.parent
        if above is None or (above.start_byte, above.end_byte) != (node.start_byte, node.end_byte):
            return False
        node = above


def _body(node: Node) -> Node | None:
    stated = node.child_by_field_name("body")
    return stated or next((child for child in node.named_children if _BODY.search(child.type)), None)
