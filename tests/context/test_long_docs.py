"""What is left out of a long documentation, and that nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.answer import Answer
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.context.long_docs import LINES_MAX, find_docstring, parts_without_long_docs
from tests.tools.calls import answered, tool_named
from tests.tools.live import Script

MORE = ["    More.", *["    And more."] * LINES_MAX]


def shown(lines: list[str], first: int = 1, *, python: bool = True) -> list[str]:
    """The lines that are shown of a definition from a line to the end, with the comment above it."""
    parts = parts_without_long_docs(lines, 1, first, len(lines), has_docstrings=python)
    return [line for begin, end in parts for line in lines[begin - 1 : end]]


def test_a_long_docstring_is_shown_by_its_first_paragraph() -> None:
    head = ["def f(", "    a: int,  # of: one", ") -> None:  # ends here", '    r"""Do it', "    at once."]
    body = ["    return a"]
    assert shown([*head, "", *MORE, '    """', *body]) == [*head, *body]


def test_a_summary_below_the_quotes_is_shown() -> None:
    head = ["def f():", "    '''", "    Do it."]
    assert shown([*head, "", *MORE, "    '''", "    pass"]) == [*head, "    pass"]


@pytest.mark.parametrize(
    "lines",
    [
        ["def f():", '    """Do it."""', "    pass"],
        ["def f():", "    a = 1", '    b = """', *MORE, '    """'],
        ["def f(): pass"],
        ["def f(", "    a,"],
        ["@when(", '    """', *MORE, '    """)', "def f():", "    pass"],
    ],
)
def test_what_is_short_or_no_docstring_is_shown_whole(lines: list[str]) -> None:
    assert shown(lines) == lines


def test_a_docstring_that_does_not_end_reaches_to_the_end() -> None:
    lines = ["def f():", '    """Do it.', *MORE]
    assert find_docstring(lines, 1, len(lines)) == (2, len(lines))
    assert shown(lines) == lines[:2] + lines[2:4]


def test_a_long_comment_above_is_shown_by_its_beginning() -> None:
    comment = ["/**", " * Does it.", " *", *[" * More."] * LINES_MAX, " */"]
    code = ["function f() {", "  return 1", "}"]
    assert shown([*comment, *code], len(comment) + 1, python=False) == [*comment[:2], *code]


@given(
    st.lists(
        st.sampled_from(["def f():", '    """', "    '''", "    a", "", "    b: c", "# x"]), min_size=1, max_size=40
    ),
    st.data(),
)
def test_parts_are_in_order_inside_and_end_where_the_definition_does(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(lines)))
    comment = data.draw(st.integers(1, first))
    parts = parts_without_long_docs(lines, comment, first, len(lines), has_docstrings=True)
    numbers = [line for begin, end in parts for line in range(begin, end + 1)]
    assert numbers == sorted({*numbers})
    assert numbers[0] == comment
    assert all(line <= len(lines) for line in numbers)
    left_out = {*range(comment, len(lines) + 1)} - {*numbers}
    begin, end = find_docstring(lines, first, len(lines))
    assert left_out <= {*range(comment, first), *range(begin, end + 1)}


def test_the_code_of_a_context_has_what_follows_a_long_docstring() -> None:
    body = ["    for one in many:", "        one.settle()", "    return many"]
    source = "\n".join(["def settle_accounts(many):", '    """Settle all accounts.', "", *MORE, '    """', *body, ""])
    files = {"bank.py": source.encode()}
    world = World(snapshot=build_snapshot(files), root="/repository")
    found = answered(world, tool_named("map_context"), {"task": "settle accounts"}, Script({}, files))
    assert isinstance(found, Answer), found
    [head, rest] = found.data["code"]["bank.py#settle_accounts"]
    assert head == '1-2 of 1-16\ndef settle_accounts(many):\n    """Settle all accounts.'
    assert rest == "\n".join([f"{len(MORE) + 5}-{len(MORE) + 7}", *body])
