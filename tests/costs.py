"""What work costs, in counts that a busy machine does not change: instructions of our code, and bytes that stay.

An instruction is one of the Python virtual machine, in a frame of the project's own packages; what C does within one is
not seen. Counts repeat from run to run but for the order of sets, and differ between minor versions of Python.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tree_sitter import Parser
from tree_sitter_language_pack import get_language

from codemap.languages import language_of

ROOT = Path(__file__).parent.parent
_OURS = tuple(f"{ROOT / package}/" for package in ("codemap", "actors"))


_STEPS, _USUAL_S = 200_000, 0.008
"""A loop, and the processor time that it takes on a machine of 2023."""


def slowness() -> float:
    """How many times as long as on a usual machine a processor takes here and now; 1 where it is faster."""
    began = time.process_time()
    count = 0
    for number in range(_STEPS):
        count += number
    return max(1.0, (time.process_time() - began) / _USUAL_S)


def is_within(spent_s: float, most_s: float) -> bool:
    """Whether a usual machine would take less processor time. How slow this one is, is measured where it matters."""
    return spent_s < most_s or spent_s < most_s * slowness()


def instructions(run: Callable[[], object]) -> int:
    """How many instructions a second `run` takes in this thread: what is loaded and cached for good does not count."""
    run()
    count = 0

    def step(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "opcode"
        return step

    def enter(frame: FrameType, _event: str, _argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(_OURS):
            return None
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return step

    outer = sys.gettrace()
    sys.settrace(enter)
    try:
        run()
    finally:
        sys.settrace(outer)
    return count


def held_bytes(make: Callable[[], object]) -> tuple[int, int]:
    """Bytes that stay allocated while what `make` returns is kept, and the most that were on the way there."""
    make()
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        held = tracemalloc.get_traced_memory()
        del made
    finally:
        tracemalloc.stop()
    return held


def syntax_nodes(path: str, source: bytes) -> int:
    """Named nodes of the file's syntax tree."""
    language = language_of(path)
    assert language is not None, path
    cursor = Parser(get_language(language.grammar(path))).parse(source).walk()  # type: ignore[arg-type]
    count = 0
    while True:
        node = cursor.node
        count += node is not None and node.is_named
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return count
