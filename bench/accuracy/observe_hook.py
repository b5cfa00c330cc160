"""Runs a test suite and notes which function calls which: `python observe_hook.py OUT FOLDER [PYTEST ARGUMENT …]`.

It imports the standard library and pytest only: it runs in an environment of its own. OUT gets a JSON object:
`tests`, `exit` and `pairs` of [caller file, caller line, callee file, callee line, is a call in the source]. Files are
relative to FOLDER; lines are those where a code object begins.
"""

import dis
import json
import os
import sys
import threading
from types import CodeType, FrameType

Pair = tuple[CodeType, CodeType, bool]


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
    seen: set[Pair] = set()
    inside: dict[CodeType, bool] = {}

    def is_inside(code: CodeType) -> bool:
        found = inside.get(code)
        if found is None:
            found = inside[code] = os.path.realpath(code.co_filename).startswith(root)
        return found

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not is_inside(frame.f_code):
            return
        caller = frame.f_back
        if caller is None or not is_inside(caller.f_code) or is_resumed(frame):
            return
        seen.add((caller.f_code, frame.f_code, operation(caller).startswith(("CALL", "PRECALL"))))

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
    pairs = sorted(
        {
            (
                os.path.realpath(a.co_filename).removeprefix(root).replace(os.sep, "/"),
                a.co_firstlineno,
                os.path.realpath(b.co_filename).removeprefix(root).replace(os.sep, "/"),
                b.co_firstlineno,
                called,
            )
            for a, b, called in seen
        }
    )
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"tests": counted[0], "exit": int(code), "pairs": pairs}, file)


if __name__ == "__main__":
    main()
