"""The parser of the command line, whose help goes where answers go."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from actors.output import answer


class Parser(ArgumentParser):
    def print_help(self, file: Any = None) -> None:  # noqa: ARG002
        """Writes the help to stdout. Raises Unwritten."""
        answer(self.format_help())
