"""Macros that make a test of the block behind them.

Source: GoogleTest, "Testing Reference"; Catch2, "Test cases and sections"; doctest, "Test cases"; Boost.Test,
"Declaring and organizing tests"; Check, "Creating a Suite"; UnitTest++ and CppUTest, which have those of GoogleTest.
"""

from __future__ import annotations

import re

from codemap.facts import SymbolFlag

_CASE = re.compile(r"(?:[A-Z\d]+_)*(?:TEST(?:_[FP]|_FIXTURE)?|TEST_CASE\w*|SCENARIO\w*)")
"""Frameworks, and projects for their own tests, put words in front: `BOOST_AUTO_TEST_CASE`, `TEMPLATE_TEST_CASE`,
`START_TEST`."""


def flags_of(macro: str) -> int:
    """`CASE` where a function that a macro makes is run as a test."""
    return int(SymbolFlag.CASE) if _CASE.fullmatch(macro) else 0
