"""What names mean in the example groups of RSpec and minitest: `described_class`, `subject`, what `let` defines, and
instance variables: what a group's hooks assign is there in its examples, what an example assigns in that alone.

Source: RSpec Core, "described class", "explicit subject", "implicitly defined subject", "let and let!".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op
from codemap.languages.ruby.methods import literal_name
from codemap.languages.ruby.walk import INCLUDED, TOP

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.ruby.walk import Walk

_OPENS = frozenset({"describe", "context", "feature", "fdescribe", "xdescribe"})
_SUBJECTS = frozenset({"subject", "subject!"})
_DEFINES = _SUBJECTS | {"let", "let!"}
_WORDS = (
    "after append_after append_before around before example fcontext feature fit given it it_behaves_like"
    " it_should_behave_like include_context include_examples pending prepend_after prepend_before scenario setup"
    " shared_context shared_examples shared_examples_for skip specify teardown xcontext xit background"
)
_WITH_BLOCKS = _OPENS | _DEFINES | frozenset(_WORDS.split())
_EXAMPLES = frozenset({"example", "fit", "it", "scenario", "specify", "test", "xit"})
_CLASS, _SUBJECT = "described_class", "subject"
_CONSTANTS = ("constant", "scope_resolution")


@contextmanager
def group(w: Walk, name: str, arguments: Sequence[Node], given: Sequence[int]) -> Iterator[None]:
    """While a block of a call is visited: a group if the call opens one, for a class if that is its first argument;
    names of its own if it is an example."""
    if name not in _OPENS and not (w.groups and name in _EXAMPLES):
        yield
        return
    own: dict[str, int] = {}
    if name in _OPENS and arguments and arguments[0].type in _CONSTANTS and given[0] != NONE:
        own = {_CLASS: given[0], _SUBJECT: w.b.wrap(Op.INSTANCE, given[0])}
    w.groups.append(own)
    yield
    w.groups.pop()


def is_word(w: Walk, name: str) -> bool:
    """Whether a bare call of a name with a block says what a group does, and calls no method of the repository."""
    return name in _WITH_BLOCKS and (bool(w.groups) or name in _OPENS)


def defines(w: Walk, name: str) -> bool:
    """Whether a call of a name with a block defines a value in a group."""
    return bool(w.groups) and name in _DEFINES


def define(w: Walk, name: str, arguments: Sequence[Node], value: int) -> None:
    """`subject { … }`, `subject(:store) { … }`, `let(:store) { … }`: a name for what the block gives."""
    own = w.groups[-1]
    if name in _SUBJECTS:
        own[_SUBJECT] = value
    named = literal_name(w, arguments[0]) if arguments else ""
    if named:
        own[named] = value


def include(w: Walk, arguments: Sequence[Node]) -> bool:
    """`include M` in a group: whether what M has is asked for there."""
    if not w.groups or w.context != TOP or not all(each.type in _CONSTANTS for each in arguments):
        return False
    own = w.groups[-1]
    for each in arguments:
        own[INCLUDED] = w.b.union(own.get(INCLUDED, NONE), w.b.wrap(Op.INSTANCE, w.value(each)))
    return True


def meaning(w: Walk, name: str) -> int | None:
    """What a bare name means by the groups around; None where they say nothing of it."""
    return next((own[name] for own in reversed(w.groups) if name in own), None)


def is_described(w: Walk, receiver: Node) -> bool:
    """Whether a receiver is the class that a group is for."""
    return bool(w.groups) and receiver.type == "identifier" and w.text(receiver) == _CLASS
