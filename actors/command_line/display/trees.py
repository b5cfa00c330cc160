"""Trees and bars, drawn in characters."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from actors.command_line.display.terminal import GAP, Style, indent

BAR_CHARS = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class Branch(msgspec.Struct, frozen=True):
    head: str
    lines: Sequence[str] = ()
    """Below the head, as they are."""
    branches: Sequence[Branch] = ()


def branch_lines(branches: Sequence[Branch], style: Style) -> list[str]:
    """Each branch with what belongs to it, joined by lines; a step further in where no terminal shows them."""
    found = []
    if style.width is None:
        for branch in branches:
            found += [branch.head, *indent([*branch.lines, *branch_lines(branch.branches, style)])]
        return found
    for branch in branches:
        is_last = branch is branches[-1]
        found.append(style.paint("└─ " if is_last else "├─ ", "dim") + branch.head)
        guide = "   " if is_last else style.paint("│  ", "dim")
        inner = style.paint("│ ", "dim") if branch.branches else GAP
        found += [(guide + inner + line).rstrip() for line in branch.lines]
        found += [guide + line for line in branch_lines(branch.branches, style)]
    return found


def bar(share: float) -> str:
    """A bar of a share from 0 to 1, in eighths of a character; as long as `BAR_CHARS` with the blanks after it."""
    eighths = max(round(share * BAR_CHARS * 8), 1)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(BAR_CHARS)
