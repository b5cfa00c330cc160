"""Runs a test suite and notes which function calls which: `python observe_hook.py OUT FOLDER [PYTEST ARGUMENT …]`.

It imports the standard library and pytest only: it runs in an environment of its own. OUT gets a JSON object:
- `tests` and `exit`;
- `pairs` of [caller file, caller line, callee file, callee line, is a call in the source]: not where a function that
  is not written in Python calls, as `sorted(names, key=f)` does;
- `sites` of [file, line, end line, column, end column, callee file, callee line]: the calls in sources of FOLDER, each
  by the range of its expression (columns are 0-based, in bytes). The callee's file is "" where it lies outside FOLDER,
  and "-" where it is a stand-in: in the tests, which stand around FOLDER, or of a library of mocks.

Files are relative to FOLDER; the lines of callers and callees are those where a code object begins.
"""

import dis
import json
import os
import sys
import threading
from types import CodeType, FrameType

Pair = tuple[CodeType, CodeType, bool]

CallSite = tuple[CodeType, int, CodeType | None]
"""The calling code, the offset of its instruction, and the code that is called; None for what is not Python."""


STAND_INS = (os.path.join("unittest", "mock.py"), os.path.join("pretend", "__init__.py"), "pretend.py")
"""Files whose functions run in place of what a test leaves out."""
GENERATORS = 0x20 | 0x80 | 0x200
"""Flags of the code of generators, coroutines and asynchronous generators."""


def operation(frame: FrameType) -> str:
    """The instruction at which a frame stands."""
    code, at = frame.f_code.co_code, frame.f_lasti
    while at > 0 and dis.opname[code[at]] == "CACHE":
        at -= 2
    return dis.opname[code[at]]


def is_resumed(frame: FrameType) -> bool:
    """Whether a generator's frame goes on after a `yield` or `await`: it is not called again."""
    return bool(frame.f_code.co_flags & GENERATORS) and operation(frame) in {"YIELD_VALUE", "RESUME"}


def main() -> None:
    out, folder, *arguments = sys.argv[1:]
    root = os.path.join(os.path.realpath(folder), "")
    around = os.path.join(os.getcwd(), "")
    seen: set[Pair] = set()
    called_at: set[CallSite] = set()
    outside: set[FrameType] = set()
    """Frames that wait for a function that is not written in Python, which may call others in their name."""
    inside: dict[CodeType, bool] = {}

    def is_inside(code: CodeType) -> bool:
        found = inside.get(code)
        if found is None:
            found = inside[code] = os.path.realpath(code.co_filename).startswith(root)
        return found

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "c_call":
            if is_inside(frame.f_code):
                called_at.add((frame.f_code, frame.f_lasti, None))
                outside.add(frame)
            return
        if event in {"c_return", "c_exception"}:
            outside.discard(frame)
            return
        caller = frame.f_back
        if event != "call" or caller is None or not is_inside(caller.f_code) or is_resumed(frame):
            return
        is_call = caller not in outside and operation(caller).startswith(("CALL", "PRECALL"))
        is_own = is_inside(frame.f_code)
        if is_call:
            called_at.add((caller.f_code, caller.f_lasti, frame.f_code))
        if is_own:
            seen.add((caller.f_code, frame.f_code, is_call))

    import pytest

    counted = [0]

    class Plugin:
        def pytest_collection_finish(self, session: pytest.Session) -> None:
            counted[0] = len(session.items)

    threading.setprofile(profile)
    sys.setprofile(profile)
    # No settings but these: the folders around may have their own.
    alone = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", os.getcwd()]
    code = pytest.main([*arguments, *alone], plugins=[Plugin()])
    sys.setprofile(None)

    def place(code: CodeType) -> tuple[str, int]:
        path = os.path.realpath(code.co_filename)
        if not path.startswith(root):
            return "-" if path.startswith(around) or path.endswith(STAND_INS) else "", 0
        return path.removeprefix(root).replace(os.sep, "/"), code.co_firstlineno

    pairs = sorted({(*place(a), *place(b), called) for a, b, called in seen})
    sites = set()
    for caller, offset, callee in called_at:
        span = list(caller.co_positions())[offset // 2]
        if None not in span:
            sites.add((place(caller)[0], *span, *(("", 0) if callee is None else place(callee))))
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"tests": counted[0], "exit": int(code), "pairs": pairs, "sites": sorted(sites)}, file)


if __name__ == "__main__":
    main()
