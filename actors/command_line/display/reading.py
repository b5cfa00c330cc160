"""What to read first, each with its code below it: the code alone would name all of it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from actors.command_line.display.rows import code_lines
from actors.command_line.display.terminal import Style


def is_reading(data: Mapping[str, Any]) -> bool:
    """Whether a payload is that of `map_context`, in compact rows and with code."""
    read = data.get("read")
    return isinstance(read, list) and all(isinstance(one, str) for one in read) and bool(data.get("code"))


def reading_lines(
    read: Sequence[str], code: Mapping[str, Sequence[str]], rest: Sequence[str], style: Style
) -> list[str]:
    """A line for each definition, in their order, those with code apart; then the code of others under their IDs, and
    the lines of the rest."""
    lines: list[str] = []
    was_code = False
    for text in read:
        node_id, _, why = text.partition(" ")
        has_code = node_id in code
        if lines and (has_code or was_code):
            lines.append("")
        lines.append(f"{style.paint(node_id, 'bold')} {why}".rstrip())
        if has_code:
            lines += code_lines({node_id: code[node_id]}, style)[2:]
        was_code = has_code
    named = {text.partition(" ")[0] for text in read}
    lines += code_lines({node_id: texts for node_id, texts in code.items() if node_id not in named}, style)
    return [*lines, *([""] if rest and rest[0] else []), *rest]
