"""What is written where a call was seen, and calls that a function from outside makes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from bench.accuracy.corpora import FOLDER
from bench.accuracy.found_pairs import Found, total
from bench.accuracy.observed import Ran
from bench.accuracy.written_calls import decorated, own_modules, written_calls

SOURCE = """
import os, app.store
from app import make
from io import BytesIO as Bytes

def run(given, map):
    os.walk(1)
    app.store.save()
    make(), Bytes(), map(), sorted(given)
    object.__setattr__(given, 1, 2)
    given.table[0]()
"""
CALLING = """
class Named:
    def __setattr__(self, name, value): ...

def by_name(name):
    return name

def called(): ...

def main():
    called()
    return sorted(["b", "a"], key=by_name)
"""


def test_a_callee_is_outside_where_what_it_begins_with_is() -> None:
    found = written_calls(SOURCE, own_modules(["app/store.py"]))
    assert {(one.name, one.is_outside) for one in found.values()} == {
        *(("walk", True), ("save", False), ("make", False), ("Bytes", True), ("map", False)),
        *(("sorted", True), ("__setattr__", True), ("", False)),
    }


def test_decorators_are_told_by_their_last_names() -> None:
    source = "@app.wraps(1)\n@cached\ndef f(): ...\n\nclass C:\n    @property\n    def size(self): ...\n"
    assert list(decorated(source)) == [("f", "wraps"), ("f", "cached"), ("size", "property")]


def test_what_a_function_outside_calls_is_no_call_in_the_source(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "ran.py").write_text(CALLING)
    (tmp_path / "test_ran.py").write_text("import ran\n\ndef test_main():\n    ran.main()\n")
    out = tmp_path / "out.json"
    command = [sys.executable, str(FOLDER / "observe_hook.py"), str(out), str(tmp_path / "package"), "test_ran.py"]
    environment = {"PYTHONPATH": str(tmp_path / "package"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    ran = msgspec.json.decode(out.read_bytes(), type=Ran)
    assert {(callee_line, is_call) for _, _, _, callee_line, is_call in ran.pairs} >= {(5, False), (8, True)}


def test_counts_of_parts_add_up() -> None:
    whole = total((Found(10, 5, 2, 1, 1), Found(4, 0, 1, 0, 0)))
    assert (whole, whole.sure, whole.covered) == (Found(14, 5, 3, 1, 1), 8, 10)
