"""The lines of code beside rows are of so many files at most, which every answer with more says."""

from __future__ import annotations

import pytest

from codemap.envelope.answer import Answer
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.code_lines import FILES_MAX
from tests.tools.calls import answered, tool_named
from tests.tools.live import Script

FILES = {f"app/m{number}.py": b'KEY = "level"\n' for number in range(FILES_MAX + 1)}


@pytest.mark.parametrize("source", ["", "def level():\n    pass\n"])
def test_a_text_in_more_files_says_of_which_there_is_code(source: str) -> None:
    files = FILES | {"app/log.py": source.encode()}
    world = World(build_snapshot(files), root="/repository")
    found = answered(world, tool_named("map_search"), {"query": '"level"'}, Script({}, files))
    assert isinstance(found, Answer)
    assert ("results" in found.data) == bool(source)
    assert [one for one in found.warnings if one.startswith(f"code: of the first {FILES_MAX} files")]
