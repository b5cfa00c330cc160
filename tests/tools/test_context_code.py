"""Which part of a long function is shown of what a task is about."""

from __future__ import annotations

import pytest

from codemap.tools.code.excerpts import Excerpt
from codemap.tools.context.essential import choose_excerpt

PARTS = [
    Excerpt(1, 9, "def main(arguments):\n    print('usage')\n    output = open_output()"),
    Excerpt(10, 19, "    if option == 'indent':\n        set_indent(value)\n    print(value)"),
    Excerpt(20, 29, "    print(value)\n    return output"),
]


@pytest.mark.parametrize(
    ("task", "frames", "first"),
    [
        ("print the indented output", {0}, 10),
        ("open the output", {0}, 1),
        ("nothing of it", {0}, 1),
        ("main should set the indent", {0}, 10),
        ("set the indent", {25}, 20),
        ("", {0}, 1),
    ],
)
def test_the_part_that_a_frame_is_in_or_that_has_the_rare_words_of_the_task(
    task: str, frames: set[int], first: int
) -> None:
    assert choose_excerpt(PARTS, frames, task, "src/tool.py main").first == first
