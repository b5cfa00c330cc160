"""When the garbage collector runs: hardly while a command is imported, as usual while a service runs."""

from __future__ import annotations

import subprocess
import sys

_COMMAND = """
import gc
seen = []
gc.callbacks.append(lambda phase, _: seen.append(phase))
from actors.command_line import joining
try:
    joining._run(["--version"], None)
except SystemExit:
    import actors.command_line.one_command
    print(seen.count("start"), gc.get_freeze_count() > 0)
"""
_SERVICE = """
import gc
from actors.front import serve
from codemap.settings import Settings
gc.set_threshold(1_000_000)
serve.trio.run = lambda *_: print(gc.get_threshold() == serve.COLLECTED_AFTER)
serve.serve(None, None, [], Settings())
"""


def printed(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_what_a_command_imports_is_hardly_looked_at() -> None:
    collections, is_frozen = printed(_COMMAND)[-2:]
    assert int(collections) < 20, "with Python's own numbers 160"
    assert is_frozen == "True", "else the interpreter looks at all objects again in the end"


def test_a_service_collects_as_usual() -> None:
    assert printed(_SERVICE) == ["True"]
