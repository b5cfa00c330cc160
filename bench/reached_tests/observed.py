"""What watching a test suite gives, whatever runs it."""

from __future__ import annotations

from collections.abc import Mapping

Observed = Mapping[str, list[tuple[str, int]]]
"""Test, as `file::selector`, -> (file, a line) of the functions that it ran. Lines are 1-based, paths relative to the
root."""
