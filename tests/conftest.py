"""Options of the test run."""

from __future__ import annotations

import sys

import pytest

sys.setrecursionlimit(50_000)
"""What a build asks for; Hypothesis objects when the limit changes while it runs."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected tables of the literate tests")
