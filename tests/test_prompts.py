"""Prompts name tools, arguments and members that there are, and say what they were given."""

from __future__ import annotations

import re

import pytest

from codemap.prompts import PROMPTS, Prompt
from codemap.resources import call_of
from codemap.tools import TOOLS

SYMBOL, OTHER = "py:app/store.py#Store.take", "py:app/api.py#sell"
GIVEN = {
    "symbol": SYMBOL,
    "to": OTHER,
    "focus": "app/",
    "change": "rename it",
    "base": "v1",
    "output": "FAILED t/test_x.py::test_a - no",
}
BY_NAME = {prompt.name: prompt for prompt in PROMPTS}


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_prompt_names_only_tools_that_there_are_and_opens_with_a_resource(prompt: Prompt) -> None:
    names = {argument.name for argument in prompt.arguments}
    needed = {argument.name for argument in prompt.arguments if argument.is_required}
    for given in ({name: GIVEN[name] for name in names}, {name: GIVEN[name] for name in needed}):
        text = prompt.text(given)
        assert all(value in text for value in given.values())
        named = set(re.findall(r"\b(?:map|nav)_\w+", text))
        assert named
        assert named <= {tool.name for tool in TOOLS}
        assert call_of(prompt.opens(given)) is not None


def test_the_output_of_a_failure_is_marked_as_data() -> None:
    text = BY_NAME["fix_failure"].text({"output": "  E  assert 1 == 2\n"})
    assert "<output>\nE  assert 1 == 2\n</output>" in text
    assert "Run the tests first" not in text
    assert "Run the tests first" in BY_NAME["fix_failure"].text({})


def test_a_flow_with_an_end_is_a_path_and_without_one_what_is_called() -> None:
    assert f"map_path from {SYMBOL} to {OTHER}" in BY_NAME["explain_flow"].text({"symbol": SYMBOL, "to": OTHER})
    assert f"nav_callHierarchy on {SYMBOL}" in BY_NAME["explain_flow"].text({"symbol": SYMBOL})
