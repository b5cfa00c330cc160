"""The Python SDK 1.x, which has a websocket client, in an environment of its own in `.cache` of the checkout."""

from __future__ import annotations

from tests.system.alone import CACHE, alone
from tests.system.pypi import installed

WANTED = "mcp[ws]==1.30.0"


@alone("foreign")
def python_sdk_1() -> str:
    """The interpreter that has it."""
    return str(installed(CACHE / "mcp1", [WANTED]) / "python")
