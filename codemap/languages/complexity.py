"""What makes code complex, as data: for each language a table of kinds of nodes in its grammar.

An entry is the kind of a node (`if_statement`), a kind and a token directly in it, which is then what counts
(`binary_expression &&`), or a tree-sitter pattern in parentheses, whose outermost node counts.

Sources: T. J. McCabe, "A Complexity Measure" (1976), for decisions; G. A. Campbell, "Cognitive Complexity"
(SonarSource, version 1.7), for the rest.
"""

from __future__ import annotations

import msgspec


class Complexity(msgspec.Struct, frozen=True, kw_only=True):
    functions: tuple[str, ...] = ()
    """Functions that are measured by themselves; none where the language is not measured."""
    values: tuple[str, ...] = ()
    """Those among the functions that have no name of their own."""
    seeming: tuple[str, ...] = ()
    """What looks like one of the functions and is none: an overload, a class behind a macro."""
    closures: tuple[str, ...] = ()
    """Functions without a name whose code counts for the function around them."""
    branches: tuple[str, ...] = ()
    """Structures with a condition: one decision each, and what is in them is nested."""
    structures: tuple[str, ...] = ()
    """The same without a decision of their own: a `switch`, an endless loop."""
    exhaustive: tuple[str, ...] = ()
    """Those among the structures of whose arms one always runs: that one is no decision."""
    arms: tuple[str, ...] = ()
    """Arms of a structure: one decision each, the default not counted."""
    chained: tuple[str, ...] = ()
    """Conditions that continue a structure: one decision each, not nested (`elif`)."""
    alternatives: tuple[str, ...] = ()
    """What introduces the other branch (`else`)."""
    directives: tuple[str, ...] = ()
    """Conditions of what a preprocessor decides: operators in them are none of the code that runs."""
    operators: tuple[str, ...] = ()
    """Boolean operators, each with the kind of expression around it."""
    decisions: tuple[str, ...] = ()
    """Other decisions, in which readers see no break of the flow: filters of comprehensions, `??`."""
    jumps: tuple[str, ...] = ()
    """Jumps to a label."""
    transparent: tuple[str, ...] = ("parenthesized_expression",)
    """What may be between boolean operators of one sequence."""
    comments: tuple[str, ...] = ("comment",)
    parameters: tuple[str, ...] = ()
    """Lists of parameters."""
    uncounted: tuple[str, ...] = ()
    """What is in such a list and is no parameter."""
    counted: tuple[str, ...] = ()
    """What alone is one; empty: all but what is uncounted."""
    receivers: frozenset[str] = frozenset()
    """Names of first parameters that callers do not pass."""
    has_bodies: bool = True
    """Whether a function without a body only declares one."""
    wrapping: tuple[str, ...] = ()
    """What alone is in a function that wraps another, which is not nested in it, then: the other, a `return`."""
    declares_by_functions: bool = False
    """Whether a function that only declares others stands for a class or module: they are not nested in it, then."""
