"""How long the answers of the command line are."""

from __future__ import annotations

import pytest

from actors.command_line.subcommands import usual_budget


@pytest.mark.parametrize(
    ("command", "shape", "expected"),
    [
        ("context", "text", {}),
        ("impact", "text", {}),
        ("impact", "markdown", {"tokenBudget": 10_000}),
        ("neighbors", "text", {"tokenBudget": 10_000}),
        ("neighbors", "json", {}),
    ],
)
def test_what_fills_any_budget_is_as_long_as_agents_get_it(command: str, shape: str, expected: dict[str, int]) -> None:
    assert usual_budget(command, shape) == expected
