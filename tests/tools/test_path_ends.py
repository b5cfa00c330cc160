"""Which of several definitions of a name `map_path` begins at."""

from __future__ import annotations

from codemap.envelope.answer import Failure
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.path.ends import ENDS_MAX
from codemap.tools.path.tool import TOOL
from tests.tools.calls import answered


def path(count: int) -> list[str] | Failure:
    """From one of as many `main` to what the last of them calls."""
    files = {f"m{at}.py": b"def main(): ...\n" for at in range(count - 1)}
    files |= {"last.py": b"from lib import deep\ndef main(): deep()\n", "lib.py": b"def deep(): ...\n"}
    found = answered(World(snapshot=build_snapshot(files)), TOOL, {"from": "main", "to": "deep"})
    return found if isinstance(found, Failure) else [found.data["why"], *found.data["chains"][0]["steps"]]


def test_of_some_the_one_that_leads_there_is_taken() -> None:
    assert path(ENDS_MAX) == ["`from` is last.py#main.", "last.py:2 main", "lib.py:1 deep"]


def test_of_more_the_id_is_asked_for() -> None:
    found = path(ENDS_MAX + 1)
    assert isinstance(found, Failure)
    assert "may mean 13 nodes" in found.message
